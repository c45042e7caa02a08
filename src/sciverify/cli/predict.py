"""``sciverify predict``: a claims file to a run file in SciFact's prediction form, with its provenance beside it."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sciverify.cli.checking import SystemOptions, system_options
from sciverify.cli.errors import finish, say
from sciverify.cli.progress import progress
from sciverify.cli.sources import filter_options
from sciverify.cli.terminal import clean, count
from sciverify.errors import RunFileError, SettingError
from sciverify.records import Claim, Filters, Problem

if TYPE_CHECKING:
    from sciverify.evaluation.provenance import Provenance
    from sciverify.index import Index
    from sciverify.stages import System

__all__ = ["command"]

CLAIMS_AT_ONCE = 8  # a killed run repeats at most so many claims
PATH = click.Path(path_type=Path)
ORACLES = ("abstract", "rationale")
INPUTS = ("full", "claim-only", "abstract-only")
THRESHOLD = click.FloatRange(0, 1)


@click.command("predict")
@click.argument("claims", type=PATH)
@click.argument("out", type=PATH)
@click.option("--index", "index_path", type=PATH, metavar="DIR", required=True, help="The index to search.")
@system_options(default="default", unit="claim")
@click.option(
    "--evidence",
    metavar="P",
    type=THRESHOLD,
    help="Probability of SUPPORTS + REFUTES below which a document is NEI.  [default: the system's]",
)
@click.option(
    "--element",
    metavar="P",
    type=THRESHOLD,
    help="Probability from which a sentence is quoted.  [default: the system's]",
)
@click.option(
    "--oracle",
    type=click.Choice([*ORACLES, "both"]),
    multiple=True,
    help="Give gold's documents (abstract), or gold's sentences in the documents found (rationale). Repeatable.",
)
@click.option(
    "--input",
    "seen",
    type=click.Choice(INPUTS),
    default="full",
    show_default=True,
    help="Hide the document or the claim from the model, to see what the other gives away.",
)
@filter_options
@click.option("--force", is_flag=True, help="Start over: drop what OUT holds instead of going on with it.")
def command(
    claims: Path,
    out: Path,
    index_path: Path,
    system: SystemOptions,
    evidence: float | None,
    element: float | None,
    oracle: tuple[str, ...],
    seen: str,
    filters: Filters | None,
    force: bool,
) -> None:
    """Check the CLAIMS in a file and write the predictions to OUT, one JSON line per claim.

    A run that was interrupted goes on where it stopped when the same command is given again. OUT.meta.json says what
    the run was made with.
    """
    from sciverify.evaluation.provenance import describe_run
    from sciverify.index import Index

    oracles = [name for name in ORACLES if name in oracle or "both" in oracle]
    if "abstract" in oracles and system.k is not None:
        raise click.UsageError("--oracle abstract reads the documents of gold, all of them: leave out --k.")
    to_check, digest = _read(claims)
    with Index.open(index_path) as index:
        loaded = system.load(index, evidence=evidence, element=element)
        loaded = _changed(loaded, system.name, index, claims, oracles, seen)
        described = describe_run(
            loaded,
            index.info(),
            claims_file=str(claims),
            sha256=digest,
            number=len(to_check),
            oracle=oracles,
            input=seen,
            filters=filters,
        )
        problems = _predict(loaded, to_check, out, filters, described, force=force)
    click.echo(f"{clean(str(out))}: {count(len(to_check), 'claim')}")
    finish(problems)


def _read(path: Path) -> tuple[list[Claim], str]:
    """The claims of a file (stdin for ``-``), and the hash of its bytes."""
    from sciverify.corpora.claims import read_claims
    from sciverify.models.card import file_hash

    if str(path) != "-":
        return read_claims(path), file_hash(path)
    content = sys.stdin.buffer.read()
    return read_claims(io.BytesIO(content)), hashlib.sha256(content).hexdigest()


def _changed(loaded: System, name: str, index: Index, claims: Path, oracles: Sequence[str], seen: str) -> System:
    """The system, with its input tampered with as asked."""
    if not oracles and seen == "full":
        return loaded
    from sciverify.evaluation.oracle import with_oracle
    from sciverify.systems.experiment import with_input
    from sciverify.systems.pipeline import Pipeline

    if not isinstance(loaded, Pipeline):
        raise SettingError(f"the system {name} has no oracle settings and no --input", remedy="Use another system")
    changed = with_input(loaded, seen)
    if not oracles:
        return changed
    from sciverify.evaluation.gold import load_gold

    if str(claims) == "-":
        raise click.UsageError("--oracle reads the claims file twice, which stdin cannot do: name a file.")
    try:
        gold = load_gold(claims)
    except RunFileError as error:
        remedy = "--oracle needs claims with evidence, in SciFact's form (docs/evaluation.md)"
        raise RunFileError(error.problem, where=error.where, remedy=remedy) from error
    return with_oracle(changed, gold, index, oracles)


def _predict(
    system: System, claims: Sequence[Claim], out: Path, filters: Filters | None, described: Provenance, *, force: bool
) -> list[Problem]:
    """Write the lines that are missing, and keep the side file up to date; returns what failed now."""
    from sciverify.evaluation.provenance import read_provenance, refuse_other_settings, write_provenance
    from sciverify.evaluation.run_writer import RunWriter

    begun = not force and out.exists() and out.stat().st_size > 0
    earlier = read_provenance(out) if begun else None
    if earlier is not None:
        refuse_other_settings(out, earlier, described)  # before the writer puts a torn last line in order
    problems: list[Problem] = []
    with RunWriter(out, claims, replace=force) as run:
        if run.done:
            refuse_other_settings(out, earlier, described)
            say(f"{out} holds {run.done:,} of {len(claims):,} claims already; going on from there.")
        record = described
        if earlier is not None and run.done:
            record = earlier.gone_on_with() if run.remaining else earlier
        write_provenance(out, record.at(run.done))
        with progress("predicting", total=len(run.remaining), unit="claim") as advance:
            while batch := run.remaining[:CLAIMS_AT_ONCE]:
                for verdict in system.check(batch, filters):
                    run.write(verdict)
                    failed = _named(verdict.claim.id, verdict.problems)
                    record, problems = record.with_problems(failed), problems + failed
                record = record.at(run.done)
                write_provenance(out, record)
                advance(len(batch))
    return problems


def _named(claim: str, problems: tuple[Problem, ...]) -> list[Problem]:
    """The problems of one claim, each saying which claim it was."""
    return [Problem(f"claim {claim}, {p.where}" if p.where else f"claim {claim}", p.message) for p in problems]

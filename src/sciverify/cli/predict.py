"""``sciverify predict``: a claims file to a run file in SciFact's prediction form."""

from __future__ import annotations

from pathlib import Path

import click

from sciverify.cli.errors import finish, say
from sciverify.cli.progress import progress
from sciverify.cli.sources import filter_options, read_claims
from sciverify.cli.terminal import clean, count
from sciverify.records import Filters, Problem

__all__ = ["command"]

CLAIMS_AT_ONCE = 8  # a killed run repeats at most so many claims
PATH = click.Path(path_type=Path)


@click.command("predict")
@click.argument("claims", type=PATH)
@click.argument("out", type=PATH)
@click.option("--index", "index_path", type=PATH, metavar="DIR", required=True, help="The index to search.")
@click.option(
    "--system", metavar="NAME", default="default", show_default=True, help="Which system (see `sciverify systems`)."
)
@click.option(
    "--k",
    metavar="N",
    type=click.IntRange(min=1),
    help="How many documents to read per claim.  [default: the system's]",
)
@filter_options
@click.option("--force", is_flag=True, help="Start over: drop what OUT holds instead of going on with it.")
def command(
    claims: Path,
    out: Path,
    index_path: Path,
    system: str,
    k: int | None,
    filters: Filters | None,
    force: bool,
) -> None:
    """Check the CLAIMS in a file and write the predictions to OUT, one JSON line per claim.

    A run that was interrupted goes on where it stopped when the same command is given again.
    """
    from sciverify.evaluation.run_writer import RunWriter
    from sciverify.index import Index
    from sciverify.systems import load_system

    to_check = read_claims(claims)
    problems: list[Problem] = []
    with Index.open(index_path) as index, RunWriter(out, to_check, replace=force) as run:
        if run.done:
            say(f"{out} holds {run.done:,} of {len(to_check):,} claims already; going on from there.")
        loaded = load_system(system, index=index, **({} if k is None else {"k": k}))
        with progress("predicting", total=len(run.remaining), unit="claim") as advance:
            while batch := run.remaining[:CLAIMS_AT_ONCE]:
                for verdict in loaded.check(batch, filters):
                    run.write(verdict)
                    problems += _named(verdict.claim.id, verdict.problems)
                advance(len(batch))
        click.echo(f"{clean(str(out))}: {count(run.done, 'claim')}")
    finish(problems)


def _named(claim: str, problems: tuple[Problem, ...]) -> list[Problem]:
    """The problems of one claim, each saying which claim it was."""
    return [Problem(f"claim {claim}, {p.where}" if p.where else f"claim {claim}", p.message) for p in problems]

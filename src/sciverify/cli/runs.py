"""``sciverify runs``: list runs with what they were made with, compare two, and exchange them with other tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sciverify.cli.errors import finish
from sciverify.cli.terminal import clean, console_for, count
from sciverify.errors import InputError, SciverifyError
from sciverify.records import Problem

if TYPE_CHECKING:
    from sciverify.evaluation.provenance import Provenance
    from sciverify.evaluation.run_comparison import ClaimDifference, RunComparison

__all__ = ["command"]

PATH = click.Path(path_type=Path)
EXPORTS = ("leaderboard", "trec", "table", "feverous")
IMPORTS = ("leaderboard", "table", "feverous")
RUNS_SCHEMA = "sciverify.runs/1"
COMPARISON_SCHEMA = "sciverify.run-comparison/1"
SUFFIX = ".meta.json"


class RunsGroup(click.Group):
    """A group that lists when no command is named: ``sciverify runs FOLDER`` is ``sciverify runs list FOLDER``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``list`` before arguments that begin with no command and ask for no help."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group("runs", cls=RunsGroup, short_help="List, compare and exchange runs.")
def command() -> None:
    """List runs with what they were made with, compare two of them, and exchange them with other tools.

    `sciverify runs [FOLDER]...` is short for `sciverify runs list [FOLDER]...`.
    """


@command.command("list")
@click.argument("folders", type=PATH, nargs=-1, metavar="[FOLDER]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/runs.md).")
def list_runs(folders: tuple[Path, ...], as_json: bool) -> None:
    """List the runs in folders (by default the current one) that have a side file RUN.meta.json.

    A FOLDER may also be a single run.
    """
    found, problems = _find(folders or (Path(),))
    if as_json:
        click.echo(json.dumps({"schema": RUNS_SCHEMA, "runs": [_json(path, run) for path, run in found]}, indent=2))
    elif found:
        _print_runs(found)
    else:
        click.echo("There are no runs here.")
    finish(problems)


@command.command("compare")
@click.argument("one", type=PATH)
@click.argument("other", type=PATH)
@click.option("--all", "show_all", is_flag=True, help="Also say which claims differ, and in what.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/runs.md).")
def compare(one: Path, other: Path, show_all: bool, as_json: bool) -> None:
    """Say in which settings two runs differ, and for how many claims their answers do.

    Runs without a side file are compared by their answers alone. To compare scores, see `sciverify evaluate`.
    """
    from sciverify.evaluation.provenance import differing_settings, read_provenance
    from sciverify.evaluation.run_comparison import compare_runs
    from sciverify.evaluation.runs import read_run

    answers = compare_runs(read_run(one), read_run(other))
    made = read_provenance(one), read_provenance(other)
    settings = differing_settings(made[0], made[1]) if made[0] and made[1] else None
    if as_json:
        click.echo(json.dumps(_comparison_json(one, other, settings, answers), indent=2))
        return
    if settings is None:
        lacking = [path for path, run in zip((one, other), made, strict=True) if run is None]
        click.echo(f"settings   not known of {clean(' and '.join(map(str, lacking)))}")
    elif not settings:
        click.echo("settings   the same")
    for name, (first, second) in (settings or {}).items():
        click.echo(f"{clean(name)}\n    {clean(_text(first))}\n    {clean(_text(second))}")
    click.echo(
        f"answers    {count(len(answers.differences), 'claim')} of {answers.claims:,} differ: "
        f"{answers.other_labels:,} in labels, {answers.other_sentences:,} in sentences only"
    )
    for path, ids in ((one, answers.only_first), (other, answers.only_second)):
        if ids:
            click.echo(f"           {count(len(ids), 'claim')} only in {clean(str(path))}")
    if show_all:
        for difference in answers.differences:
            click.echo(f"claim {clean(difference.claim_id)}: {clean(_difference(difference))}")


@command.command("export")
@click.argument("run", type=PATH)
@click.argument("out", type=PATH)
@click.option("--to", type=click.Choice(EXPORTS), required=True, help="The form (docs/runs.md).")
@click.option("--model", metavar="NAME", help="What to call the system in OUT.  [default: RUN without its ending]")
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
def export(run: Path, out: Path, to: str, model: str | None, force: bool) -> None:
    """Write a RUN to OUT in another form.

    leaderboard: SciFact's. trec: a TREC run of what was retrieved. table: SciFact-Open's predictions, as .jsonl,
    .jsonl.gz or .parquet. feverous: FEVEROUS's predictions.
    """
    from sciverify.evaluation.exchange import export_run

    claims = export_run(run, out, to, model=model, replace=force)
    click.echo(f"{clean(str(out))}: {count(claims, 'claim')}")


@command.command("import")
@click.argument("source", type=PATH)
@click.argument("out", type=PATH)
@click.option("--from", "form", type=click.Choice(IMPORTS), required=True, help="The form (docs/runs.md).")
@click.option("--claims", type=PATH, metavar="FILE", help="The claims that OUT must list, in this order.")
@click.option("--model", metavar="NAME", help="Which model of a table.  [default: the only one]")
@click.option(
    "--evidence",
    metavar="P",
    type=click.FloatRange(0, 1),
    help="In a table, a pair is NEI below this probability of support + contradiction.  [default: as predicted]",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
def import_(
    source: Path, out: Path, form: str, claims: Path | None, model: str | None, evidence: float | None, force: bool
) -> None:
    """Make a run file OUT of predictions in another form, with its side file."""
    from sciverify.cli.sources import read_claims
    from sciverify.evaluation.exchange import import_run, write_run
    from sciverify.evaluation.provenance import describe_import, write_provenance

    ids = [claim.id for claim in read_claims(claims)] if claims is not None else None
    predictions = import_run(source, form, claim_ids=ids, model=model, evidence=evidence)
    options = {"from": form, "file": source.name, "model": model, "evidence": evidence}
    described = describe_import(options, claims, len(predictions))
    write_run(out, predictions, replace=force)
    write_provenance(out, described)
    click.echo(f"{clean(str(out))}: {count(len(predictions), 'claim')}")


def _find(folders: Sequence[Path]) -> tuple[list[tuple[Path, Provenance]], list[Problem]]:
    """The runs in some folders, by name, and the side files that cannot be read."""
    from sciverify.evaluation.provenance import provenance_path, read_provenance

    runs: dict[Path, None] = {}
    for folder in folders:
        if folder.is_dir():
            runs |= dict.fromkeys(side.with_name(side.name.removesuffix(SUFFIX)) for side in sorted(_sides(folder)))
        elif provenance_path(folder).exists():
            runs[folder] = None
        else:
            raise InputError("this is neither a folder nor a run with a side file", where=str(folder))
    found, problems = [], []
    for run in runs:
        try:
            provenance = read_provenance(run)
        except SciverifyError as error:
            problems.append(Problem(error.where, error.problem))
        else:
            if provenance is not None:
                found.append((run, provenance))
    return found, problems


def _sides(folder: Path) -> list[Path]:
    return [side for side in folder.iterdir() if side.name.endswith(SUFFIX) and side.name != SUFFIX]


def _json(path: Path, run: Provenance) -> dict[str, Any]:
    return {"run": str(path), "exists": path.is_file(), **asdict(run)}


def _print_runs(found: Sequence[tuple[Path, Provenance]]) -> None:
    """A table with one row a run, and below each row what the run was made with."""
    from rich.text import Text

    rows = [("run", "setting", "claims", "started", "failed"), *(_row(path, run) for path, run in found)]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    below = ["", *(_made_with(run) for _, run in found)]
    console = console_for()
    for number, (row, detail) in enumerate(zip(rows, below, strict=True)):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        console.print(Text(line, style="bold" if number else "dim"), soft_wrap=True)
        if detail:
            console.print(Text(f"    {detail}"), soft_wrap=True)


def _row(path: Path, run: Provenance) -> tuple[str, ...]:
    setting = ", ".join([run.setting or "not known", *([run.input] if run.input not in ("", "full") else [])])
    return (
        clean(str(path)) + ("" if path.is_file() else " (missing)"),
        clean(setting),
        f"{run.done:,} of {_number(run.claims.get('number'))}",
        clean(run.started.replace("T", " ").removesuffix("Z")),
        f"{run.problem_count:,}",
    )


def _made_with(run: Provenance) -> str:
    index = run.index.get("path")
    parts = (
        run.system,
        run.claims.get("file"),
        f"{index} ({_number(run.index.get('documents'))} documents)" if index else None,
        *run.weights.values(),
    )
    return "; ".join(clean(str(part)) for part in parts if part)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def _comparison_json(
    one: Path, other: Path, settings: dict[str, tuple[object, object]] | None, answers: RunComparison
) -> dict[str, Any]:
    return {
        "schema": COMPARISON_SCHEMA,
        "runs": [str(one), str(other)],
        "settings": None if settings is None else {name: list(values) for name, values in settings.items()},
        "claims": answers.claims,
        "only_first": list(answers.only_first),
        "only_second": list(answers.only_second),
        "differences": [
            {
                "claim": difference.claim_id,
                "labels": {id: [label.value for label in pair] for id, pair in difference.labels.items()},
                "sentences": list(difference.sentences),
            }
            for difference in answers.differences
        ],
    }


def _difference(difference: ClaimDifference) -> str:
    labels = [f"{id} {first.value} / {second.value}" for id, (first, second) in difference.labels.items()]
    return "; ".join([*labels, *(f"{id} other sentences" for id in difference.sentences)])


def _text(value: object) -> str:
    if value in (None, ""):
        return "not known"
    return value if isinstance(value, str) else json.dumps(value)

"""``sciverify evaluate``: a run file against a gold file, as a table, JSON, an HTML report and CSV tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sciverify.cli.errors import say
from sciverify.cli.schema import to_json
from sciverify.cli.terminal import clean, console_for, count
from sciverify.errors import SettingError

if TYPE_CHECKING:
    from rich.console import Console

    from sciverify.evaluation.diagnostics import Diagnostics
    from sciverify.evaluation.report import Report

__all__ = ["command"]

PATH = click.Path(path_type=Path)


def option_value(text: str) -> tuple[str, str]:
    """Read ``name=value``."""
    name, separator, value = text.partition("=")
    if not name or not separator:
        raise click.BadParameter(f"{text!r} is not of the form name=value, for example pages=5,10")
    return name, value


@click.command("evaluate")
@click.argument("task", required=False)
@click.option("--gold", type=PATH, metavar="FILE", help="What is right.")
@click.option("--run", type=PATH, metavar="FILE", help="What was predicted.")
@click.option("--compare", "other", type=PATH, metavar="FILE", help="Another run: how much better is --run than it?")
@click.option("--corpus", type=PATH, metavar="FILE", help="The documents: ids are checked, and errors quote them.")
@click.option(
    "--setting",
    type=click.Choice(["open", "oracle-abstract", "oracle-rationale", "oracle-both"]),
    help="What the system was given.  [default: as the run's side file says]",
)
@click.option(
    "--resamples", type=click.IntRange(min=2), metavar="N", help="How many resamples.  [default: the task's paper's]"
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json-schema.md).")
@click.option("--html", type=PATH, metavar="FILE", help="Write a report that holds all it shows.")
@click.option("--per-claim", type=PATH, metavar="FILE", help="Write what each claim contributes, as CSV.")
@click.option("--errors", type=PATH, metavar="FILE", help="Write the errors as CSV, with a column to sort them.")
@click.option("--kinds", type=PATH, metavar="FILE", help="Count the kinds that a person entered in that table.")
@click.option(
    "--option",
    "options",
    type=option_value,
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the task's scorer. Repeatable.",
)
def command(
    task: str | None,
    gold: Path | None,
    run: Path | None,
    other: Path | None,
    corpus: Path | None,
    setting: str | None,
    resamples: int | None,
    seed: int,
    as_json: bool,
    html: Path | None,
    per_claim: Path | None,
    errors: Path | None,
    kinds: Path | None,
    options: tuple[tuple[str, str], ...],
) -> None:
    """Score a run on a TASK, with intervals from resampled claims.

    Without a TASK, list the tasks and the files they take.
    """
    if task is None:
        if gold or run:
            raise click.UsageError("Say which task to score; `sciverify evaluate` lists them.")
        _print_tasks(console_for())
        return
    if gold is None or run is None:
        raise click.UsageError("Give --gold and --run.")
    _refuse_overwriting([gold, run, other, corpus, kinds], [html, per_claim, errors])
    from sciverify.corpora import open_corpus
    from sciverify.evaluation.error_table import write_errors
    from sciverify.evaluation.outcomes import Setting
    from sciverify.evaluation.report import make_report
    from sciverify.evaluation.table import write_per_claim
    from sciverify.evaluation.tasks import find_task

    info = find_task(task)
    report = make_report(
        info,
        gold,
        run,
        other=other,
        corpus=open_corpus(corpus) if corpus else None,
        setting=Setting(setting) if setting else None,
        kinds=kinds,
        resamples=resamples,
        seed=seed,
        options=info.parse_options(dict(options)),
    )
    if errors is not None and report.outcomes is None:
        raise SettingError(f"the task {task} has no error table", remedy="Leave out --errors")
    # Files first: whoever reads only the head of what is printed has them all the same.
    if per_claim is not None:
        write_per_claim(per_claim, report.scores)
        say(f"{per_claim}: {len(report.scores.ids):,} {info.units}")
    if errors is not None and report.outcomes is not None:
        written = write_errors(errors, report.outcomes, report.documents)
        say(f"{errors}: {count(written, 'error')}")
    if html is not None:
        from sciverify.evaluation.report import render_html

        html.write_text(render_html(report), encoding="utf-8")
        say(f"{html}: report")
    if as_json:
        from sciverify.cli.evaluation_schema import evaluation_json

        click.echo(to_json(evaluation_json(report), indent=True))
    else:
        print_report(console_for(), report)


def print_report(console: Console, report: Report) -> None:
    """Print scores, comparison, and what kinds of error there are."""
    from sciverify.evaluation.table import differences_table, scores_table

    blocks = [scores_table(report.scores, report.intervals).splitlines()]
    if report.comparison is not None:
        comparison = report.comparison
        blocks.append(differences_table(report.scores, comparison.scores, comparison.differences).splitlines())
    if report.diagnostics is not None:
        blocks.append(_diagnostic_lines(report.diagnostics))
    if report.kinds is not None:
        sorted_by_hand = f"{report.kinds.sorted:,} of {count(report.kinds.errors, 'error')} sorted by hand"
        blocks.append([sorted_by_hand, *_counted(report.kinds.counts.items())])
    blocks.append(["where the figures come from", *_aligned(report.origin.rows())])
    for number, (head, *lines) in enumerate(blocks):
        if number:
            console.print()
        _print_line(console, head, "bold")
        for line in lines:
            _print_line(console, line, "")
    for note in report.notes:
        say(f"Left out. {note}")


def _diagnostic_lines(diagnostics: Diagnostics) -> list[str]:
    lines = [count(sum(diagnostics.error_types.values()), "error"), *_counted(diagnostics.error_types.items())]
    if diagnostics.average_precision is not None and diagnostics.reliability is not None:
        lines[0] += f"; average precision {100 * diagnostics.average_precision:.2f}"
        lines[0] += f", calibration error {100 * diagnostics.reliability.error:.2f}"
    return lines


def _counted(counts: Iterable[tuple[str, int]]) -> list[str]:
    return [f"{number:>7,}  {name}" for name, number in counts]


def _aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max(len(heading) for heading, _ in rows) + 2
    return [f"{heading.lower():<{width}}{value}" for heading, value in rows]


def _print_line(console: Console, line: str, style: str) -> None:
    from rich.text import Text

    # Tables keep their columns on a narrow terminal, which then wraps or scrolls.
    console.print(Text(clean(line), style=style), soft_wrap=True)


def _print_tasks(console: Console) -> None:
    from sciverify.evaluation.tasks import TASKS

    for number, task in enumerate(TASKS.values()):
        if number:
            console.print()
        _print_line(console, task.name, "bold")
        _print_line(console, f"    {task.summary}", "")
        _print_line(console, f"    gold: {task.gold}", "dim")
        _print_line(console, f"    run: {task.run}", "dim")
        if task.extra:
            _print_line(console, f"    needs the extra {task.extra}", "dim")
        if task.options:
            _print_line(console, f"    options: {', '.join(task.options)}", "dim")


def _refuse_overwriting(read: Sequence[Path | None], written: Sequence[Path | None]) -> None:
    """Refuse to write over what is read, or two files into one."""
    taken = {path.resolve() for path in read if path is not None}
    for path in written:
        if path is not None and path.resolve() in taken:
            raise SettingError(
                "this file is read, or written twice, by the same command",
                where=str(path),
                remedy="Give each file its own name",
            )
        taken |= {path.resolve()} if path is not None else set()

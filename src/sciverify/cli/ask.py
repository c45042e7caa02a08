"""``sciverify ask``: closed questions, what each document answers, and their balance seen from several sides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sciverify.cli.checking import (
    SystemOptions,
    Write,
    check_all,
    claims_from,
    open_check,
    screen_writer,
    system_options,
)
from sciverify.cli.errors import finish
from sciverify.cli.sources import SourceOptions, filter_options, source_options
from sciverify.records import Filters, Verdict

if TYPE_CHECKING:
    from rich.console import Console

    from sciverify.consensus_views import ConsensusViews

__all__ = ["command"]


@click.command("ask")
@click.argument("question", required=False)
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Answer the questions in this file; - reads stdin.",
)
@source_options
@system_options(default="science-checker", unit="question")
@filter_options
@click.option(
    "--as-of",
    type=click.IntRange(min=1),
    metavar="YEAR",
    help="Count the age of an article from this year.  [default: that of the latest document read]",
)
@click.option("--all", "show_all", is_flag=True, help="List the papers that don't answer the question, too.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON (docs/json-schema.md); one line per question with --questions."
)
def command(
    question: str | None,
    questions: Path | None,
    source: SourceOptions,
    system: SystemOptions,
    filters: Filters | None,
    as_of: int | None,
    show_all: bool,
    as_json: bool,
) -> None:
    """Ask a closed QUESTION: yes or no from each paper, with extracts, and their balance.

    Without --index or --corpus the built-in demo corpus answers. A supporting paper says yes, a refuting one no.
    """
    if (question is None) == (questions is None):
        raise click.UsageError("Give a question, or --questions with a file that holds some (one of the two).")
    many = questions is not None
    to_ask = claims_from(question, questions)
    with open_check(system, source, filters) as (check, opened):
        write = _json_writer(opened.name, as_of, many=many) if as_json else _screen_writer(as_of, show_all)
        problems = check_all(to_ask, check, write, many=many, action="asking", unit="question")
    if as_json:
        finish([*opened.problems, *problems])
    finish(opened.problems, shown=problems)  # the screen has them beside their verdicts


def _views(verdict: Verdict, as_of: int | None) -> ConsensusViews:
    """The views with ages counted from `as_of`, else from the latest year read: the same on any day."""
    from sciverify.consensus_views import views
    from sciverify.consensus_weights import default_weightings

    years = [finding.document.metadata.year for finding in verdict.findings]
    # Where no year is known, every article counts as one of unknown year, whatever the reference.
    latest = max((year for year in years if year is not None), default=0)
    return views(verdict, weightings=default_weightings(as_of=latest if as_of is None else as_of))


def _json_writer(corpus: str, as_of: int | None, *, many: bool) -> Write:
    from sciverify.cli.schema import to_json
    from sciverify.cli.views_schema import answer_json

    def write(verdict: Verdict) -> None:
        click.echo(to_json(answer_json(verdict, _views(verdict, as_of), corpus=corpus), indent=not many))

    return write


def _screen_writer(as_of: int | None, show_all: bool) -> Write:
    from sciverify.cli.render import print_verdict
    from sciverify.cli.render_views import print_views

    def show(console: Console, verdict: Verdict) -> None:
        seen = _views(verdict, as_of)
        print_verdict(console, verdict, show_all=show_all, names=("Question", "Answer"), caveat=seen.caveat)
        print_views(console, seen)

    return screen_writer(show)

"""The views of a verdict's consensus as a person reads them on a terminal; see `sciverify.cli.render` for the rules."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from sciverify.cli.render import CONSENSUS_STYLES, LABEL_STYLES, QUOTED, print_indented
from sciverify.cli.terminal import clean
from sciverify.consensus_views import CitedQuote, Conflict, ConsensusViews, LeaveOneOut, OverTime
from sciverify.consensus_weights import WeightedConsensus
from sciverify.records import ConsensusLabel, Document, Label

__all__ = ["print_views"]


def print_views(console: Console, views: ConsensusViews) -> None:
    """Print the answer weighted, without any one article and over time, then conflicts and what was retracted.

    A view that has nothing to show, as where no paper takes a side, is left out.
    """
    if any(view.articles for view in views.weighted):
        _print_head(console, "Weighted")
        for view in views.weighted:
            _print_weighted(console, view)
    if views.leave_one_out.label is not ConsensusLabel.NEUTRAL:
        _print_head(console, "Without one article")
        _print_left_out(console, views.leave_one_out)
    if views.over_time.years or views.over_time.unknown:
        _print_head(console, "Over time")
        _print_years(console, views.over_time)
    if views.conflicts:
        _print_head(console, "Conflicts")
        for pair in views.conflicts:
            _print_conflict(console, pair)
    if views.retracted:
        _print_head(console, "Retracted, so not counted")
        print_indented(console, Text(_ids(views.retracted)))


def _print_head(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, style="bold"))


def _print_weighted(console: Console, view: WeightedConsensus) -> None:
    since = f" (as of {view.weighting.as_of})" if view.weighting.as_of else ""
    count = f"{view.supports:.2f} yes, {view.refutes:.2f} no{_share(view.share, view.low, view.high)}"
    print_indented(console, Text.assemble(_answer(view.label), f"  by {clean(view.weighting.name)}{since}: {count}"))


def _print_left_out(console: Console, view: LeaveOneOut) -> None:
    if not view.changes:
        print_indented(console, Text.assemble(_answer(view.label), "  whichever one is left out"))
    for label in ConsensusLabel:
        documents = [change.finding.document for change in view.changes if change.label is label]
        if documents:
            one = "any one of " if len(documents) > 1 else ""
            print_indented(console, Text.assemble(_answer(label), f"  without {one}{_ids(documents)}"))
    if view.lowest is not None and view.highest is not None:
        print_indented(console, Text(f"The share of yes is then {view.lowest:.0%} to {view.highest:.0%}.", style="dim"))


def _print_years(console: Console, view: OverTime) -> None:
    for row in view.years:
        count = f"{row.supports} yes, {row.refutes} no{_share(row.share, row.low, row.high)}"
        print_indented(console, Text.assemble((f"to {row.year}  ", "dim"), _answer(row.label), f"  {count}"))
    if view.unknown:
        print_indented(console, Text(f"Of unknown year: {_ids(view.unknown)}", style="dim"))


def _print_conflict(console: Console, pair: Conflict) -> None:
    _print_cited(console, Label.SUPPORTS, pair.supports, Text("  - ", style="dim"))
    _print_cited(console, Label.REFUTES, pair.refutes, Text("    "))


def _print_cited(console: Console, label: Label, cited: CitedQuote, lead: Text) -> None:
    word = "yes  " if label is Label.SUPPORTS else "no   "
    quote = (f"“{clean(cited.quote.text)}”", QUOTED[label])
    source = (f"  {clean(cited.document.id)}, {clean(cited.quote.element_id)}", "dim")
    print_indented(console, Text.assemble((word, LABEL_STYLES[label]), quote, source), lead)


def _answer(label: ConsensusLabel) -> tuple[str, str]:
    return label.value, CONSENSUS_STYLES[label]


def _share(share: float | None, low: float, high: float) -> str:
    return "" if share is None else f" ({share:.0%} yes, 95 % interval {low:.0%} to {high:.0%})"


def _ids(documents: Iterable[Document]) -> str:
    return ", ".join(clean(document.id) for document in documents)

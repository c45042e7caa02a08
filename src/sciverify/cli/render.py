"""A verdict, a ranking and a table of systems as a person reads them on a terminal.

Every text that comes from a document, a claim or a file goes through `clean` and into a `rich.text.Text`, which is
never parsed as markup: a title can neither colour the screen nor move its cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from sciverify.cli.terminal import clean
from sciverify.display import safe_link
from sciverify.records import (
    Candidate,
    Consensus,
    ConsensusLabel,
    Document,
    Element,
    Finding,
    Label,
    Problem,
    Quote,
    Ranking,
    Verdict,
)

__all__ = [
    "CONSENSUS_STYLES",
    "LABEL_STYLES",
    "QUOTED",
    "print_indented",
    "print_labelled",
    "print_ranking",
    "print_systems",
    "print_verdict",
]

LABEL_STYLES = {Label.SUPPORTS: "bold green", Label.REFUTES: "bold red", Label.NEI: "dim"}
CONSENSUS_STYLES = {
    ConsensusLabel.AFFIRMATIVE: "bold green",
    ConsensusLabel.NEGATIVE: "bold red",
    ConsensusLabel.BALANCED: "bold yellow",
    ConsensusLabel.NEUTRAL: "bold",
}
QUOTED = {Label.SUPPORTS: "green", Label.REFUTES: "red", Label.NEI: "default"}
INDENT = 9  # of what stands beside "Claim", "Verdict", "Note" and "Problem"
WIDEST_BAR, NARROWEST_BAR = 40, 8
CONTEXT = 120  # characters shown on either side of a quote that is part of a longer element
SNIPPET = 240  # characters of text shown per search result


def print_verdict(
    console: Console,
    verdict: Verdict,
    *,
    show_all: bool = False,
    names: tuple[str, str] = ("Claim", "Verdict"),
    caveat: str = "",
) -> None:
    """Print a verdict: the claim, what the papers say together, then each paper with what it says.

    Papers that don't give enough information are counted, and listed only with `show_all`. `names` are what the claim
    and the consensus are called, at most eight letters each; a `caveat` stands below the consensus.
    """
    print_labelled(console, names[0], Text(clean(verdict.claim.text) or "(empty)", style="bold"))
    print_labelled(console, names[1], _summary(verdict.consensus))
    if verdict.consensus.supports + verdict.consensus.refutes:
        print_labelled(console, "", _bar(verdict.consensus, console))
        print_labelled(console, "", _interval(verdict.consensus))
    if caveat:
        print_labelled(console, "", Text(caveat, style="dim"))
    shown = [f for f in verdict.findings if show_all or f.label is not Label.NEI]
    for number, finding in enumerate(shown, start=1):
        console.print()
        _print_finding(console, number, finding)
    if folded := len(verdict.findings) - len(shown):
        papers = "1 paper gives" if folded == 1 else f"{folded:,} papers give"
        console.print()
        console.print(Text(f"{papers} not enough information (--all lists them).", style="dim"))
    if verdict.notices or verdict.problems:
        console.print()
    for notice in verdict.notices:
        print_labelled(console, "Note", Text(clean(notice)))
    _print_problems(console, verdict.problems)


def print_ranking(console: Console, ranking: Ranking) -> None:
    """Print what a search found, best first, with the beginning of each text."""
    for rank, candidate in enumerate(ranking.candidates, start=1):
        if rank > 1:
            console.print()
        _print_candidate(console, rank, candidate)
    if ranking.notice:
        print_labelled(console, "Note", Text(clean(ranking.notice)))
    elif not ranking.candidates:
        console.print(Text("Nothing found."))


def print_systems(console: Console, systems: Iterable[Mapping[str, str]]) -> None:
    """Print systems, each a mapping with ``name``, ``summary`` and ``paper``."""
    for number, system in enumerate(systems):
        if number:
            console.print()
        console.print(Text(clean(system["name"]), style="bold"))
        print_indented(console, Text(clean(system["summary"])))
        if system["paper"]:
            print_indented(console, Text(clean(system["paper"]), style="dim"))


def print_labelled(console: Console, label: str, value: Text) -> None:
    """A short word, and a text that wraps beside it."""
    print_indented(console, value, Text(label.ljust(INDENT), style="dim"))


def print_indented(console: Console, text: Text, lead: Text | None = None) -> None:
    """Wrap a text beside its lead, later lines starting where the first one does; no line ends in spaces.

    Without a lead the text is indented by four.
    """
    lead = Text(" " * 4) if lead is None else lead
    indent = lead.cell_len
    for number, line in enumerate(text.wrap(console, max(console.width - indent, 1))):
        whole = Text.assemble(lead if number == 0 else " " * indent, line)
        whole.rstrip()
        console.print(whole, soft_wrap=True)


def _summary(consensus: Consensus) -> Text:
    return Text.assemble(
        (consensus.label.value, CONSENSUS_STYLES[consensus.label]), f"  {clean(consensus.reason)}".rstrip()
    )


def _bar(consensus: Consensus, console: Console) -> Text:
    """Supports against refutes to scale, each side at least one cell wide where it has a paper."""
    supports, refutes = consensus.supports, consensus.refutes
    before = f"{supports} support{'s' if supports == 1 else ''} "
    after = f" {refutes} refute{'s' if refutes == 1 else ''}"
    silent = f"  ({consensus.nei} not enough information)"
    room = console.width - INDENT - len(before) - len(after) - len(silent)
    width = max(NARROWEST_BAR, min(WIDEST_BAR, room))
    cells = round(width * supports / (supports + refutes))
    cells = min(max(cells, 1 if supports else 0), width - (1 if refutes else 0))
    full, rest = ("█", "░") if console.encoding.lower().startswith("utf") else ("#", "-")
    bar = ((before + full * cells, "green"), (rest * (width - cells) + after, "red"))
    return Text.assemble(*bar, (silent, "dim"))


def _interval(consensus: Consensus) -> Text:
    share = consensus.supports / (consensus.supports + consensus.refutes)
    text = (
        f"{share:.0%} of those that take a side support it (95 % interval {consensus.low:.0%} to {consensus.high:.0%})"
    )
    if consensus.conflict:
        text += "; the papers conflict"
    return Text(text, style="dim")


def _print_finding(console: Console, number: int, finding: Finding) -> None:
    probability = finding.probabilities.of(finding.label)
    style = LABEL_STYLES[finding.label]
    head = Text.assemble((f"{finding.label.value} {probability:.0%}", style), "  ", _title(finding.document))
    print_indented(console, head, _number(number))
    _print_source(console, finding.document)
    for element, quotes in _by_element(finding):
        print_indented(console, _quoted(element, quotes, QUOTED[finding.label]))


def _print_candidate(console: Console, rank: int, candidate: Candidate) -> None:
    found_by = "".join(f" {name}" for name in candidate.found_by)
    head = Text.assemble(_title(candidate.document), (f"  [{candidate.score:.3f}{clean(found_by)}]", "dim"))
    print_indented(console, head, _number(rank))
    _print_source(console, candidate.document)
    if text := clean(" ".join(element.text for element in candidate.document.elements)):
        print_indented(console, Text(text if len(text) <= SNIPPET else text[:SNIPPET] + "…"))


def _number(number: int) -> Text:
    return Text(f"{number:>2}. ", style="dim")


def _title(document: Document) -> Text:
    return Text(clean(document.title) or "(no title)", style="bold")


def _print_source(console: Console, document: Document) -> None:
    """Journal, year, id and link of a document on one line; a retraction stands first, and in red."""
    metadata = document.metadata
    parts = []
    if metadata.retracted:
        parts.append(Text("RETRACTED", style="bold white on red"))
    parts += [Text(clean(part), style="dim") for part in (metadata.journal, str(metadata.year or "")) if part]
    parts.append(Text(clean(document.id), style="dim"))
    if metadata.link:
        link = safe_link(metadata)
        style = Style(color="blue", underline=True, link=link) if link else Style.null()
        parts.append(Text(clean(metadata.link), style=style))
    print_indented(console, Text(" · ", style="dim").join(parts))


def _by_element(finding: Finding) -> list[tuple[Element, list[Quote]]]:
    """The quotes of one element together, elements in the order of their best quote."""
    groups: dict[str, list[Quote]] = {}
    for quote in finding.rationale:
        groups.setdefault(quote.element_id, []).append(quote)
    return [(finding.document.element(id), quotes) for id, quotes in groups.items()]


def _quoted(element: Element, quotes: Sequence[Quote], style: str) -> Text:
    """An element with its quoted characters highlighted; what lies far from any quote is cut."""
    spans = _merged(quotes)
    text = Text.assemble((f"{element.id}  ", "dim"))
    position = 0
    for start, end in spans:
        text.append(_gap(element.text[position:start], at_start=position == 0), style="dim")
        text.append(f"“{clean(element.text[start:end])}”", style=style)
        position = end
    text.append(_gap(element.text[position:], at_end=True), style="dim")
    return text


def _merged(quotes: Iterable[Quote]) -> list[tuple[int, int]]:
    """The spans in order, overlapping or touching ones joined."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted((quote.start, quote.end) for quote in quotes):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _gap(text: str, *, at_start: bool = False, at_end: bool = False) -> str:
    """Unquoted text beside a quote, cut to what helps to read the quote."""
    text = clean(text)
    if at_start and len(text) > CONTEXT:
        return f"…{text[-CONTEXT:]}"
    if at_end and len(text) > CONTEXT:
        return f"{text[:CONTEXT]}…"
    if not (at_start or at_end) and len(text) > 2 * CONTEXT:
        return f"{text[:CONTEXT]} … {text[-CONTEXT:]}"
    return text


def _print_problems(console: Console, problems: Sequence[Problem]) -> None:
    for problem in problems:
        where = f"{clean(problem.where)}: " if problem.where else ""
        print_labelled(console, "Problem", Text(f"{where}{clean(problem.message)}", style="red"))

"""Rich notebook representations: self-contained HTML with inline styles, no scripts and nothing fetched.

Everything that comes from a document or a user is escaped here, so that hostile text shows as the text it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from urllib.parse import quote as percent_encode

from sciverify.records import (
    Consensus,
    ConsensusLabel,
    Document,
    Element,
    ElementKind,
    Finding,
    Label,
    Metadata,
    Quote,
    Verdict,
)

__all__ = ["document_html", "finding_html", "safe_link", "safe_text", "verdict_html"]

_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LINK = re.compile(r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+/[!-~]+")
_TABLE_KINDS = (ElementKind.CELL, ElementKind.HEADER_CELL)
_LONGEST_CONTEXT = 20_000  # characters; a page of thousands of cells under each finding would drown a notebook

# Each can be read on a light and on a dark notebook (contrast about 4 to 1 with both).
_COLOURS = {Label.SUPPORTS: "#1d8a50", Label.REFUTES: "#d03a30", Label.NEI: "#757b85"}
_CONSENSUS_COLOURS = {
    ConsensusLabel.AFFIRMATIVE: _COLOURS[Label.SUPPORTS],
    ConsensusLabel.NEGATIVE: _COLOURS[Label.REFUTES],
    ConsensusLabel.BALANCED: "#a06c00",
    ConsensusLabel.NEUTRAL: _COLOURS[Label.NEI],
}
_NAMES = {Label.SUPPORTS: "supports", Label.REFUTES: "refutes", Label.NEI: "not enough information"}
_BOX = "font-family:sans-serif;line-height:1.45;max-width:56em;margin:0.4em 0"
_CARD = "border-left:4px solid {};padding:0.1em 0 0.1em 0.8em;margin:0.7em 0"
_MARK = '<mark style="background:#fff0a8;color:#1f2328;padding:0 0.1em">'
_QUOTE = "margin:0.3em 0;white-space:pre-wrap"
_FAINT = "opacity:0.75;font-size:90%"


def document_html(document: Document) -> str:
    """A document: title, where it was published, and all its elements in reading order."""
    return f'<div style="{_BOX}">{_heading(document)}{_elements(document, ())}</div>'


def finding_html(finding: Finding) -> str:
    """One document's label and probability, its quotes (best first), and the whole text with the quotes marked."""
    return f'<div style="{_BOX}">{_finding(finding)}</div>'


def verdict_html(verdict: Verdict) -> str:
    """A claim with its consensus, the counts as a bar, notices, problems, and every finding."""
    bearing = [finding for finding in verdict.findings if finding.label is not Label.NEI]
    silent = verdict.with_label(Label.NEI)
    parts = [
        f'<div style="font-size:115%"><b>{safe_text(verdict.claim.text) or "(an empty claim)"}</b></div>',
        _consensus(verdict.consensus),
        *(f'<div style="{_FAINT}">{safe_text(notice)}</div>' for notice in verdict.notices),
        *map(_finding, bearing),
        _folded(f"{len(silent)} without enough information", (_heading(finding.document) for finding in silent)),
        _folded(
            f"{len(verdict.problems)} could not be handled",
            (f"<div>{safe_text(problem.where)}: {safe_text(problem.message)}</div>" for problem in verdict.problems),
            opened=True,
        ),
        f'<div style="{_FAINT}">Checked by {safe_text(verdict.system)}</div>',
    ]
    return f'<div style="{_BOX}">{"".join(parts)}</div>'


def safe_text(text: object) -> str:
    """Escape text for HTML, in content and in quoted attributes alike.

    Characters that HTML or UTF-8 cannot hold (NUL, other controls, lone surrogates) become U+FFFD.
    """
    return escape(_UNSHOWABLE.sub("\ufffd", str(text)), quote=True)


def safe_link(metadata: Metadata) -> str:
    """The publication's address, percent-encoded, or an empty string where there is none of a form that is safe.

    Only http and https with a plain host name are taken; a character that is no printable ASCII refuses the whole.
    """
    link = metadata.link
    # A DOI may hold <, >, # and the like (10.1002/(SICI)...): they are its name, not HTML, a query or a fragment.
    return percent_encode(link, safe=":/;()+,=@!*~$&'") if _LINK.fullmatch(link) else ""


def _heading(document: Document) -> str:
    metadata = document.metadata
    known = [metadata.journal, metadata.year if metadata.year is not None else "", f"id {document.id}"]
    facts = " · ".join(f"<bdi>{safe_text(fact)}</bdi>" for fact in known if fact != "")
    if metadata.doi or metadata.pmid:
        name = f"<bdi>{safe_text(f'doi:{metadata.doi}' if metadata.doi else f'PMID {metadata.pmid}')}</bdi>"
        link = safe_link(metadata)
        facts += " · " + (
            f'<a href="{escape(link)}" style="color:inherit" rel="noopener noreferrer">{name}</a>' if link else name
        )
    if metadata.retracted:
        facts += f' · <b style="color:{_COLOURS[Label.REFUTES]}">RETRACTED</b>'
    title = safe_text(document.title) or "(no title)"
    return f'<div style="margin-top:0.3em"><b>{title}</b></div><div style="{_FAINT}">{facts}</div>'


def _finding(finding: Finding) -> str:
    colour = _COLOURS[finding.label]
    probability = f"{100 * finding.probabilities.of(finding.label):.0f} %"
    label = f'<b style="color:{colour}">{_NAMES[finding.label]}</b> <span style="{_FAINT}">{probability}</span>'
    quotes = "".join(_quote(finding.document, quote) for quote in finding.rationale)
    context = ""
    if sum(len(element.text) for element in finding.document.elements) <= _LONGEST_CONTEXT:
        context = _folded("the whole text", [_elements(finding.document, finding.rationale)])
    return f'<div style="{_CARD.format(colour)}">{_heading(finding.document)}<div>{label}</div>{quotes}{context}</div>'


def _quote(document: Document, quote: Quote) -> str:
    text = _marked(document.element(quote.element_id).text, [(quote.start, quote.end)])
    return (
        f'<div style="{_QUOTE}"><bdi>{text}</bdi> <span style="{_FAINT}">[{safe_text(quote.element_id)}]</span></div>'
    )


def _consensus(consensus: Consensus) -> str:
    colour = _CONSENSUS_COLOURS[consensus.label]
    interval = ""
    if consensus.supports + consensus.refutes:
        interval = f" · {100 * consensus.low:.0f}-{100 * consensus.high:.0f} % supporting (95 % interval)"
    conflict = f' · <b style="color:{_CONSENSUS_COLOURS[ConsensusLabel.BALANCED]}">the literature is in conflict</b>'
    return (
        f'<div><b style="color:{colour};font-size:115%">{consensus.label.value}</b>'
        f"{conflict if consensus.conflict else ''}</div>{_bar(consensus)}"
        f"<div>{consensus.supports} support · {consensus.refutes} refute · {consensus.nei} without enough information"
        f'{interval}</div><div style="{_FAINT}">{safe_text(consensus.reason)}</div>'
    )


def _bar(consensus: Consensus) -> str:
    counts = ((Label.SUPPORTS, consensus.supports), (Label.REFUTES, consensus.refutes), (Label.NEI, consensus.nei))
    pieces = "".join(
        f'<div title="{count} {_NAMES[label]}" style="flex:{count};background:{_COLOURS[label]}"></div>'
        for label, count in counts
        if count
    )
    return f'<div style="display:flex;height:0.7em;max-width:30em;margin:0.3em 0;gap:2px">{pieces}</div>'


def _elements(document: Document, quotes: Iterable[Quote]) -> str:
    spans: dict[str, list[tuple[int, int]]] = {}
    for quote in quotes:
        spans.setdefault(quote.element_id, []).append((quote.start, quote.end))
    shown = []
    for (kind, _), group in groupby(document.elements, key=_block):
        texts = [(element, _marked(element.text, spans.get(element.id, ()))) for element in group]
        shown.append(_table(texts) if kind in _TABLE_KINDS else _block_html(kind, [text for _, text in texts]))
    return "".join(shown)


def _block(element: Element) -> tuple[ElementKind, str]:
    """What is shown as one block: neighbours of one kind, or the cells of one table."""
    if element.kind in _TABLE_KINDS:
        return ElementKind.CELL, element.id.removeprefix(element.kind.value).split("_")[1]
    return element.kind, ""


def _block_html(kind: ElementKind, texts: list[str]) -> str:
    if kind is ElementKind.ITEM:
        return "<ul>" + "".join(f"<li>{text}</li>" for text in texts) + "</ul>"
    if kind is ElementKind.SENTENCE:
        return f'<div style="margin:0.3em 0">{" ".join(texts)}</div>'
    return "".join(f'<div style="margin-top:0.5em"><b>{text}</b></div>' for text in texts)


def _table(cells: list[tuple[Element, str]]) -> str:
    rows = []
    for _, row in groupby(cells, key=lambda cell: cell[0].id.removeprefix(cell[0].kind.value).split("_")[2:3]):
        tags = [("th" if element.kind is ElementKind.HEADER_CELL else "td", text) for element, text in row]
        rows.append(
            "<tr>" + "".join(f'<{tag} style="padding:0.1em 0.5em">{text}</{tag}>' for tag, text in tags) + "</tr>"
        )
    return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'


def _marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Escaped text with the spans highlighted; spans that touch or overlap become one."""
    parts, done = [], 0
    for start, end in _merged(spans):
        parts += [safe_text(text[done:start]), _MARK, safe_text(text[start:end]), "</mark>"]
        done = end
    return "".join([*parts, safe_text(text[done:])])


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _folded(title: str, parts: Iterable[str], *, opened: bool = False) -> str:
    content = "".join(parts)
    if not content:
        return ""
    return f"<details{' open' if opened else ''}><summary>{title}</summary>{content}</details>"

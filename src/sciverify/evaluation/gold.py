"""Gold claims in SciFact's published form, which HealthVer and COVID-Fact share.

One JSON object a line::

    {"id": 3, "claim": "...", "cited_doc_ids": [11],
     "evidence": {"11": [{"sentences": [2, 5], "label": "SUPPORT"}, {"sentences": [7], "label": "SUPPORT"}]}}

HealthVer and COVID-Fact call the cited documents ``doc_ids``. A split without evidence (SciFact test) has claims to
predict, which `sciverify.corpora.claims` reads, but is no gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sciverify.errors import RunFileError, place
from sciverify.evaluation.form import (
    Line,
    claim_id,
    evidence_label,
    evidence_object,
    read_lines,
    refuse_twice,
    sentences,
)
from sciverify.records import Claim, Document, ElementKind, Label

__all__ = ["GoldClaim", "GoldEvidence", "claim_lines", "load_gold", "sentence_counts", "with_claims"]

_CITED = ("cited_doc_ids", "doc_ids")


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """What a document says about a claim, and the disjoint sets of sentences each of which justifies it."""

    label: Label
    rationales: tuple[frozenset[int], ...]


@dataclass(frozen=True, slots=True)
class GoldClaim:
    """A claim with its evidence by document id; `cited` are the documents that annotators looked at, each once."""

    claim: Claim
    evidence: Mapping[str, GoldEvidence]
    cited: tuple[str, ...] = ()


def load_gold(path: str | Path, corpus: Mapping[str, int] | None = None) -> list[GoldClaim]:
    """The claims of a file with their evidence, in file order.

    Args:
        path: the claims file.
        corpus: how many sentences each document has (`sentence_counts`); then every evidence document, cited document
            and sentence must be there.

    Raises:
        RunFileError: a line is not of the published form, or names a document or sentence that the corpus lacks.
    """
    gold = []
    for line, claim in claim_lines(path):
        evidence = {
            document: _evidence(entry, document, line.where, corpus)
            for document, entry in evidence_object(line.fields, line.where).items()
        }
        gold.append(GoldClaim(claim, evidence, _cited(line, corpus)))
    return gold


def sentence_counts(documents: Iterable[Document]) -> dict[str, int]:
    """How many sentences each document has, by its id: what the readers of gold and runs check numbers against."""
    return {
        document.id: sum(element.kind is ElementKind.SENTENCE for element in document.elements)
        for document in documents
    }


def claim_lines(path: str | Path) -> Iterator[tuple[Line, Claim]]:
    """The lines of a claims file, each with its claim; raises what `with_claims` does."""
    return with_claims(read_lines(path), path)


def with_claims(lines: Iterable[Line], path: str | Path) -> Iterator[tuple[Line, Claim]]:
    """Yield lines that were read from a claims file, each with its claim.

    Raises:
        RunFileError: a line has no id or no text, an id stands twice, or there are no claims.
    """
    first_seen: dict[str, str] = {}
    for line in lines:
        id = claim_id(line.fields, line.where)
        refuse_twice(first_seen, id, line.where)
        text = line.fields.get("claim")
        if not isinstance(text, str):
            raise RunFileError(f"claim {id} has no text", where=line.where, remedy='Give it as a string under "claim"')
        yield line, Claim(id, text)
    if not first_seen:
        raise RunFileError("there are no claims in this file", where=place(path))


def _evidence(entry: object, document: str, where: str, corpus: Mapping[str, int] | None) -> GoldEvidence:
    if not isinstance(entry, list) or not entry or not all(isinstance(rationale, dict) for rationale in entry):
        raise RunFileError(
            f"the gold evidence of document {document!r} is not a list of rationales",
            where=where,
            remedy='Write each as {"sentences": [...], "label": ...}',
        )
    labels = {evidence_label(rationale, document, where) for rationale in entry}
    if len(labels) > 1:
        raise RunFileError(f"document {document!r} both supports and contradicts the claim", where=where)
    rationales = tuple(frozenset(sentences(rationale, document, where, corpus)) for rationale in entry)
    if not all(rationales):
        raise RunFileError(f"document {document!r} has a rationale without sentences", where=where)
    # The scorer counts relevant sentences as the sum of the sizes, which holds only for disjoint sets.
    if len(frozenset().union(*rationales)) != sum(map(len, rationales)):
        raise RunFileError(f"document {document!r} has rationales that share a sentence", where=where)
    return GoldEvidence(labels.pop(), rationales)


def _cited(line: Line, corpus: Mapping[str, int] | None) -> tuple[str, ...]:
    named = [name for name in _CITED if name in line.fields]
    if len(named) > 1:
        raise RunFileError(f"this line has both {' and '.join(named)}", where=line.where, remedy="Keep one of them")
    values = line.fields[named[0]] if named else []
    if not isinstance(values, list) or any(isinstance(v, bool) or not isinstance(v, int | str) for v in values):
        raise RunFileError(f"'{named[0]}' is not a list of document ids", where=line.where)
    cited = tuple(dict.fromkeys(map(str, values)))  # SciFact's dev split cites one document twice
    for document in cited:
        if corpus is not None and document not in corpus:
            raise RunFileError(
                f"the corpus has no document {document!r}", where=line.where, remedy="Check which corpus it is"
            )
    return cited

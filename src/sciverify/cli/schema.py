"""What ``--json`` prints: documented in docs/json-schema.md, versioned by the ``schema`` field of every object.

A field may be added without a new version; one that changes its meaning, its type or its name, or that goes, makes a
new version. The functions take records and give plain dictionaries for `json`; `to_json` writes them the one way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, TypedDict

from sciverify.records import Candidate, Claim, Consensus, Document, Finding, Label, Problem, Quote, Ranking, Verdict

if TYPE_CHECKING:
    from sciverify.index import IndexInfo

__all__ = [
    "INDEX_SCHEMA",
    "SEARCH_SCHEMA",
    "VERDICT_SCHEMA",
    "IndexJson",
    "QuoteJson",
    "SearchJson",
    "VerdictJson",
    "index_json",
    "quote_json",
    "rounded",
    "search_json",
    "to_json",
    "verdict_json",
]

VERDICT_SCHEMA = "sciverify.verdict/1"
SEARCH_SCHEMA = "sciverify.search/1"
INDEX_SCHEMA = "sciverify.index/1"


class ClaimJson(TypedDict):
    """A claim."""

    id: str
    text: str


class ConsensusJson(TypedDict):
    """The findings summed up."""

    label: str
    supports: int
    refutes: int
    nei: int
    low: float
    high: float
    p_value: float
    conflict: bool
    reason: str


class DocumentJson(TypedDict):
    """A document without its text."""

    id: str
    title: str
    year: int | None
    journal: str
    authors: list[str]
    doi: str
    pmid: str
    publication_types: list[str]
    retracted: bool
    link: str


class ElementJson(TypedDict):
    """A quotable piece of a document."""

    id: str
    kind: str
    text: str


class RetrievalJson(TypedDict):
    """How a document was found."""

    score: float | None
    found_by: list[str]


class QuoteJson(TypedDict):
    """A verbatim quote with what it takes to find it again."""

    document_id: str
    element_id: str
    kind: str
    start: int
    end: int
    text: str
    score: float


class FindingJson(TypedDict):
    """What one document says about the claim."""

    document: DocumentJson
    label: str
    probabilities: dict[str, float]
    rationale: list[QuoteJson]
    retrieval: RetrievalJson | None


class ProblemJson(TypedDict):
    """An input that could not be handled."""

    where: str
    message: str


class VerdictJson(TypedDict):
    """One checked claim."""

    schema: str
    claim: ClaimJson
    system: str
    corpus: str
    consensus: ConsensusJson
    findings: list[FindingJson]
    notices: list[str]
    problems: list[ProblemJson]


class ResultJson(TypedDict):
    """One document that a search found."""

    rank: int
    score: float | None
    found_by: list[str]
    document: DocumentJson
    elements: list[ElementJson]


class SearchJson(TypedDict):
    """One search."""

    schema: str
    query: str
    retriever: str
    corpus: str
    notice: str
    results: list[ResultJson]


class IndexJson(TypedDict):
    """What an index is."""

    schema: str
    path: str
    documents: int
    revision: int
    encoder: str | None
    dimensions: int | None
    analyser: str
    k1: float
    b: float
    average_length: float
    format: int
    size: int


def verdict_json(verdict: Verdict, *, corpus: str) -> VerdictJson:
    """A verdict as ``sciverify.verdict/1``; `corpus` says what it was checked against."""
    return {
        "schema": VERDICT_SCHEMA,
        "claim": _claim(verdict.claim),
        "system": verdict.system,
        "corpus": corpus,
        "consensus": _consensus(verdict.consensus),
        "findings": [_finding(finding) for finding in verdict.findings],
        "notices": list(verdict.notices),
        "problems": [_problem(problem) for problem in verdict.problems],
    }


def search_json(query: str, ranking: Ranking, *, retriever: str, corpus: str) -> SearchJson:
    """A ranking as ``sciverify.search/1``, with the text of what was found."""
    return {
        "schema": SEARCH_SCHEMA,
        "query": query,
        "retriever": retriever,
        "corpus": corpus,
        "notice": ranking.notice,
        "results": [_result(rank, candidate) for rank, candidate in enumerate(ranking.candidates, start=1)],
    }


def index_json(info: IndexInfo) -> IndexJson:
    """What an index says about itself as ``sciverify.index/1``."""
    return {
        "schema": INDEX_SCHEMA,
        "path": info.path,
        "documents": info.documents,
        "revision": info.revision,
        "encoder": info.encoder,
        "dimensions": info.dimensions,
        "analyser": info.analyser,
        "k1": rounded(info.k1),
        "b": rounded(info.b),
        "average_length": rounded(info.average_length),
        "format": info.format,
        "size": info.size,
    }


def quote_json(document: Document, quote: Quote) -> QuoteJson:
    """A quote with what it takes to find it again."""
    return {
        "document_id": document.id,
        "element_id": quote.element_id,
        "kind": document.element(quote.element_id).kind.value,
        "start": int(quote.start),
        "end": int(quote.end),
        "text": quote.text,
        "score": rounded(quote.score),
    }


def rounded(value: float) -> float:
    """A plain float of six decimals, which is more than the models mean."""
    return round(float(value), 6)


def to_json(value: Mapping[str, object], *, indent: bool = False) -> str:
    """Write an object as ASCII, on one line or indented.

    ASCII, because a text may hold lone surrogates: as ``\\udXXX`` they survive any encoding of the stream.
    """
    return json.dumps(value, indent=2 if indent else None, ensure_ascii=True, allow_nan=False)


def _claim(claim: Claim) -> ClaimJson:
    return {"id": claim.id, "text": claim.text}


def _consensus(consensus: Consensus) -> ConsensusJson:
    return {
        "label": consensus.label.value,
        "supports": int(consensus.supports),
        "refutes": int(consensus.refutes),
        "nei": int(consensus.nei),
        "low": rounded(consensus.low),
        "high": rounded(consensus.high),
        "p_value": rounded(consensus.p_value),
        "conflict": consensus.conflict,
        "reason": consensus.reason,
    }


def _finding(finding: Finding) -> FindingJson:
    candidate = finding.candidate
    return {
        "document": _document(finding.document),
        "label": finding.label.value,
        "probabilities": {label.value: rounded(finding.probabilities.of(label)) for label in Label},
        "rationale": [quote_json(finding.document, quote) for quote in finding.rationale],
        "retrieval": _retrieval(candidate) if candidate else None,
    }


def _document(document: Document) -> DocumentJson:
    metadata = document.metadata
    return {
        "id": document.id,
        "title": document.title,
        "year": metadata.year,
        "journal": metadata.journal,
        "authors": list(metadata.authors),
        "doi": metadata.doi,
        "pmid": metadata.pmid,
        "publication_types": list(metadata.publication_types),
        "retracted": metadata.retracted,
        "link": metadata.link,
    }


def _retrieval(candidate: Candidate) -> RetrievalJson:
    return {"score": _finite(candidate.score), "found_by": list(candidate.found_by)}


def _problem(problem: Problem) -> ProblemJson:
    return {"where": problem.where, "message": problem.message}


def _result(rank: int, candidate: Candidate) -> ResultJson:
    return {
        "rank": rank,
        "score": _finite(candidate.score),
        "found_by": list(candidate.found_by),
        "document": _document(candidate.document),
        "elements": [{"id": e.id, "kind": e.kind.value, "text": e.text} for e in candidate.document.elements],
    }


def _finite(value: float) -> float | None:
    """A score as a plain float, or None for the infinities, which JSON cannot say."""
    return rounded(value) if isfinite(value) else None

"""The records that travel between the stages: frozen, and checked when they are made.

A claim goes in, a verdict comes out (DESIGN of the path: Claim -> Candidate -> Finding -> Verdict). The
constructors hold the promises that every screen and export relies on: a label other than NEI has a rationale, a
quoted text is found at its offsets, an element id exists in its document. Breaking one raises `RecordError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from math import isfinite

from sciverify.errors import RecordError

__all__ = [
    "Candidate",
    "Claim",
    "Consensus",
    "ConsensusLabel",
    "Document",
    "Element",
    "ElementKind",
    "Filters",
    "Finding",
    "Label",
    "Metadata",
    "Probabilities",
    "Problem",
    "Quote",
    "Ranking",
    "Verdict",
    "as_claims",
]


class Label(StrEnum):
    """What one document says about a claim."""

    SUPPORTS = "SUPPORTS"
    REFUTES = "REFUTES"
    NEI = "NEI"


class ConsensusLabel(StrEnum):
    """What the findings say together (Science Checker's four answers)."""

    AFFIRMATIVE = "Affirmative"
    NEGATIVE = "Negative"
    BALANCED = "Balanced"
    NEUTRAL = "Neutral"


class ElementKind(StrEnum):
    """What an element is; the values are the stems of FEVEROUS element ids."""

    SENTENCE = "sentence"
    CELL = "cell"
    HEADER_CELL = "header_cell"
    ITEM = "item"
    TABLE_CAPTION = "table_caption"
    SECTION = "section"


_ELEMENT_ID = re.compile(r"(sentence|cell|header_cell|item|table_caption|section)_\d+(?:_\d+)*")


@lru_cache(maxsize=10_000)  # nearly all documents share their elements' ids
def _kind_in(id: str) -> str | None:
    """The kind that an element id names, or None for a malformed one."""
    match = _ELEMENT_ID.fullmatch(id)
    return match[1] if match else None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement to check. Its text may be anything, an empty string included."""

    id: str
    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not isinstance(self.id, str):
            raise RecordError("a claim's id and text must be strings", where=f"claim {self.id!r}")


@dataclass(frozen=True, slots=True)
class Element:
    """A quotable piece of a document: `id` is a FEVEROUS id such as ``sentence_3`` or ``cell_0_9_1``."""

    id: str
    kind: ElementKind
    text: str

    def __post_init__(self) -> None:
        if _kind_in(self.id) != self.kind:
            raise RecordError(
                f"{self.id!r} is not the id of a {self.kind.value}",
                remedy=f"Name it {self.kind.value}_N (cells: {self.kind.value}_TABLE_ROW_COLUMN)",
            )


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known about a document beside its text. Unknown fields stay empty, never guessed."""

    year: int | None = None
    journal: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""
    pmid: str = ""
    publication_types: tuple[str, ...] = ()
    retracted: bool = False

    @property
    def link(self) -> str:
        """An address that resolves to the publication, or an empty string."""
        if self.doi:
            return f"https://doi.org/{self.doi}"
        return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/" if self.pmid else ""


@dataclass(frozen=True)
class Document:
    """An abstract or a page: a title, elements in reading order, and metadata.

    Raises:
        RecordError: the id is empty, or two elements share an id.
    """

    id: str
    title: str
    elements: tuple[Element, ...]
    metadata: Metadata = field(default_factory=Metadata)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise RecordError("a document needs a non-empty string as its id", where=f"document {self.id!r}")
        if len({element.id for element in self.elements}) != len(self.elements):
            seen: set[str] = set()
            twice = next(e.id for e in self.elements if e.id in seen or seen.add(e.id))  # type: ignore[func-returns-value]
            raise RecordError(f"two elements are called {twice}", where=f"document {self.id!r}")

    @classmethod
    def from_sentences(
        cls, id: str, title: str, sentences: Iterable[str], metadata: Metadata | None = None
    ) -> Document:
        """Make an abstract: every sentence becomes ``sentence_0``, ``sentence_1`` ... exactly as given."""
        elements = tuple(
            Element(f"sentence_{number}", ElementKind.SENTENCE, text) for number, text in enumerate(sentences)
        )
        return cls(id, title, elements, metadata or Metadata())

    @cached_property
    def _by_id(self) -> dict[str, Element]:
        return {element.id: element for element in self.elements}

    def element(self, id: str) -> Element:
        """The element with this id.

        Raises:
            RecordError: the document has none.
        """
        try:
            return self._by_id[id]
        except KeyError:
            raise RecordError(f"there is no element {id!r}", where=f"document {self.id!r}") from None

    @property
    def text(self) -> str:
        """Title and elements joined by single spaces: what is searched."""
        return " ".join(part for part in (self.title, *(e.text for e in self.elements)) if part)

    def _repr_html_(self) -> str:
        from sciverify.display import document_html

        return document_html(self)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents a search may return. Years are inclusive; an empty tuple means any.

    A year limit leaves out documents whose year is unknown. `retracted`: None any, False none retracted, True only.
    """

    first_year: int | None = None
    last_year: int | None = None
    journals: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()
    retracted: bool | None = None

    def __post_init__(self) -> None:
        if self.first_year is not None and self.last_year is not None and self.first_year > self.last_year:
            raise RecordError(
                f"the years {self.first_year}-{self.last_year} run backwards", remedy="Give the earlier year first"
            )

    def __bool__(self) -> bool:
        return self != Filters()

    def accept(self, metadata: Metadata) -> bool:
        """Whether a document with this metadata may be returned: the meaning that every engine must reproduce."""
        if self.first_year is not None and (metadata.year is None or metadata.year < self.first_year):
            return False
        if self.last_year is not None and (metadata.year is None or metadata.year > self.last_year):
            return False
        if self.journals and metadata.journal not in self.journals:
            return False
        if self.publication_types and not set(self.publication_types) & set(metadata.publication_types):
            return False
        return self.retracted is None or metadata.retracted == self.retracted


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that may bear on a claim: its retrieval score (higher is better) and who found it."""

    document: Document
    score: float
    found_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a retriever found for one claim, best first; `notice` says why when there was nothing to search for."""

    candidates: tuple[Candidate, ...]
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Probabilities:
    """Calibrated probabilities of the three labels; they sum to 1."""

    supports: float
    refutes: float
    nei: float

    def __post_init__(self) -> None:
        values = (self.supports, self.refutes, self.nei)
        if not all(isfinite(v) and -1e-6 <= v <= 1 + 1e-6 for v in values) or abs(sum(values) - 1) > 1e-4:
            raise RecordError(f"{values} are not probabilities that sum to 1")

    def of(self, label: Label) -> float:
        """The probability of one label."""
        return {Label.SUPPORTS: self.supports, Label.REFUTES: self.refutes, Label.NEI: self.nei}[label]


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters `start` to `end` (code points, end excluded) of an element, verbatim.

    `score` is the probability that the element belongs to the rationale.
    """

    element_id: str
    start: int
    end: int
    text: str
    score: float = 1.0

    @classmethod
    def whole(cls, element: Element, score: float = 1.0) -> Quote:
        """Quote an element from its first to its last character."""
        return cls(element.id, 0, len(element.text), element.text, score)


@dataclass(frozen=True)
class Finding:
    """What one document says about the claim: label, probabilities, and the quotes that justify the label.

    Quotes stand in order of score, best first. Raises `RecordError` when SUPPORTS or REFUTES comes without a quote,
    when a quote names an element that the document lacks, or when its offsets don't reproduce its text.
    """

    document: Document
    label: Label
    probabilities: Probabilities
    rationale: tuple[Quote, ...] = ()
    candidate: Candidate | None = None

    def __post_init__(self) -> None:
        where = f"document {self.document.id!r}"
        if self.label is not Label.NEI and not self.rationale:
            raise RecordError(f"{self.label} needs at least one rationale element", where=where)
        for quote in self.rationale:
            text = self.document.element(quote.element_id).text
            if not 0 <= quote.start < quote.end <= len(text) or text[quote.start : quote.end] != quote.text:
                raise RecordError(
                    f"characters {quote.start}-{quote.end} of {quote.element_id} are not the quoted text", where=where
                )

    def _repr_html_(self) -> str:
        from sciverify.display import finding_html

        return finding_html(self)


@dataclass(frozen=True, slots=True)
class Consensus:
    """The findings summed up by a stated rule (see `sciverify.consensus`).

    `low` and `high` bound the share of SUPPORTS among SUPPORTS + REFUTES (95 %); without either they are 0 and 1.
    """

    label: ConsensusLabel
    supports: int
    refutes: int
    nei: int
    low: float
    high: float
    p_value: float
    reason: str

    @property
    def conflict(self) -> bool:
        """Whether at least one document supports and one refutes the claim."""
        return self.supports > 0 and self.refutes > 0


@dataclass(frozen=True, slots=True)
class Problem:
    """An input that could not be handled, while the rest went on."""

    where: str
    message: str


@dataclass(frozen=True)
class Verdict:
    """A claim, what each document says about it, and what they say together."""

    claim: Claim
    findings: tuple[Finding, ...]
    consensus: Consensus
    system: str
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()

    def with_label(self, label: Label) -> tuple[Finding, ...]:
        """The findings that carry this label, in the order of `findings`."""
        return tuple(finding for finding in self.findings if finding.label is label)

    def _repr_html_(self) -> str:
        from sciverify.display import verdict_html

        return verdict_html(self)


def as_claims(texts: Sequence[str] | Mapping[str, str]) -> list[Claim]:
    """Number plain texts (ids ``1``, ``2`` ...), or take the ids from a mapping."""
    if isinstance(texts, Mapping):
        return [Claim(id, text) for id, text in texts.items()]
    return [Claim(str(number), text) for number, text in enumerate(texts, start=1)]

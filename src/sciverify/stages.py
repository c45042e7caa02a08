"""What a stage must offer: one batch-first method each, typed records in and out.

A class need not inherit from these protocols; having the members is enough. `sciverify.testing` holds a conformance
suite for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sciverify.records import Candidate, Claim, Document, Filters, Finding, Problem, Ranking, Verdict

__all__ = ["DocumentSource", "Reader", "Retriever", "System", "TextEncoder", "Verifier"]


@runtime_checkable
class Reader(Protocol):
    """A corpus on disk that yields its documents one at a time, in file order, without holding them all.

    `problems` lists the bad lines that were skipped so far; a reader that doesn't skip raises `CorpusError` instead.
    """

    problems: list[Problem]

    def __iter__(self) -> Iterator[Document]: ...


@runtime_checkable
class TextEncoder(Protocol):
    """Turns texts into unit vectors."""

    name: str  # changes whenever the vectors would: it is stored in an index and compared when it is opened
    dimensions: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape ``(len(texts), dimensions)``, each row of length 1 (an empty text included)."""
        ...


@runtime_checkable
class DocumentSource(Protocol):
    """Documents by id, and all of them in a fixed order: an index, or a list in memory."""

    def __len__(self) -> int: ...

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """All documents, or those with these ids in the order asked for (unknown ids raise `InputError`)."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds the documents that may bear on a claim."""

    name: str  # prints as the call that would make it, e.g. ``bm25(k1=1.2, b=0.75)``

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """One ranking per claim, at most `k` distinct candidates each, scores falling, ties by document id.

        `k` larger than the corpus is clamped. A claim without a searchable word gets an empty ranking and a notice.
        """
        ...


@runtime_checkable
class Verifier(Protocol):
    """Labels each candidate and quotes the elements that justify the label."""

    name: str

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """One result per pair, in order; a document that cannot be verified gives a `Problem`, never an exception."""
        ...


@runtime_checkable
class System(Protocol):
    """Stages put together: claims in, verdicts out."""

    name: str

    def check(self, claims: Sequence[Claim], filters: Filters | None = None) -> list[Verdict]:
        """One verdict per claim, in order."""
        ...

    def check_documents(self, claim: Claim, documents: Sequence[Document]) -> Verdict:
        """The verdict on documents that the caller chose, without retrieval."""
        ...

"""The ParagraphJoint / MultiVerS family: words find the documents, one pass labels each and picks its rationale."""

from __future__ import annotations

from pathlib import Path

from sciverify.index import Index
from sciverify.retrieval import Bm25Retriever
from sciverify.systems.pipeline import Pipeline
from sciverify.systems.reader import open_reader
from sciverify.verification import JointVerifier

__all__ = ["joint"]


def joint(
    index: Index | None = None,
    *,
    k: int = 10,
    evidence: float | None = None,
    element: float | None = None,
    model: str | Path | None = None,
) -> Pipeline:
    """BM25, then `JointVerifier`; arguments as for `default` (MultiVerS re-ranks and keeps 10, SciFact-Open §4)."""
    reader, named = open_reader(model)
    verifier = JointVerifier(reader, evidence=evidence, element=element, reread=0.0, alone=0.0)
    retriever = Bm25Retriever(index) if index is not None else None
    return Pipeline(f"joint(k={k}, {named}{verifier.name})", verifier, retriever, k)

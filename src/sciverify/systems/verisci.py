"""VeriSci (SciFact §5): TF-IDF, rationale sentences one at a time, the label from the rationale."""

from __future__ import annotations

from sciverify.index import Index
from sciverify.retrieval import TfidfRetriever
from sciverify.systems.pipeline import Pipeline
from sciverify.verification import PipelineVerifier

__all__ = ["verisci"]


def verisci(index: Index | None = None, *, k: int = 3, element: float = 0.5, evidence: float = 0.5) -> Pipeline:
    """TF-IDF over words and word pairs with the paper's k = 3, then `PipelineVerifier`."""
    verifier = PipelineVerifier(element=element, evidence=evidence)
    return Pipeline(
        f"verisci(k={k}, {verifier.name})", verifier, TfidfRetriever(index) if index is not None else None, k
    )

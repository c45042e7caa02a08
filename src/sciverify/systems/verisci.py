"""VeriSci (SciFact §5): TF-IDF, rationale sentences one at a time, the label from the rationale."""

from __future__ import annotations

from pathlib import Path

from sciverify.index import Index
from sciverify.retrieval import TfidfRetriever
from sciverify.systems.pipeline import Pipeline
from sciverify.verification import PipelineVerifier, open_steps

__all__ = ["verisci"]


def verisci(
    index: Index | None = None,
    *,
    k: int = 3,
    element: float | None = None,
    evidence: float | None = None,
    model: str | Path | None = None,
) -> Pipeline:
    """TF-IDF over words and word pairs with the paper's k = 3, then `PipelineVerifier`.

    Args:
        index: what to search; None makes a system for `check_documents` only.
        k: candidates per claim.
        element: see `PipelineVerifier`.
        evidence: see `PipelineVerifier`.
        model: a folder with a selector and a labeller, or with one model for both steps; None takes the one that ships.

    Raises:
        ModelError: see `sciverify.verification.open_steps`.
    """
    steps = () if model is None else open_steps(model)
    verifier = PipelineVerifier(*steps, element=element, evidence=evidence)
    named = f"model={verifier.model.name}, " if steps else ""
    if verifier.has_two_models:
        named = f"selector={verifier.selector.name}, labeller={verifier.model.name}, "
    retriever = TfidfRetriever(index) if index is not None else None
    return Pipeline(f"verisci(k={k}, {named}{verifier.name})", verifier, retriever, k)

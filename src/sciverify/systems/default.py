"""Our own system: words and meaning fused, the joint verifier, calibrated."""

from __future__ import annotations

from pathlib import Path

from sciverify.index import Index
from sciverify.models import load_encoder
from sciverify.retrieval import Bm25Retriever, HybridRetriever
from sciverify.stages import Retriever
from sciverify.systems.pipeline import Pipeline
from sciverify.systems.reader import open_reader
from sciverify.verification import JointVerifier

__all__ = ["default", "hybrid"]


def default(
    index: Index | None = None,
    *,
    k: int = 20,
    evidence: float | None = None,
    element: float | None = None,
    reread: float | None = None,
    alone: float | None = None,
    model: str | Path | None = None,
) -> Pipeline:
    """Hybrid retrieval (BM25 alone where the index holds no vectors), then `JointVerifier`.

    Args:
        index: what to search; None makes a system for `check_documents` only.
        k: candidates per claim.
        evidence: see `JointVerifier`.
        element: see `JointVerifier`.
        reread: see `JointVerifier`.
        alone: see `JointVerifier`.
        model: the folder of the model that reads; None takes the one that ships.

    Raises:
        ModelError: see `sciverify.verification.open_model`.
    """
    reader, named = open_reader(model)
    verifier = JointVerifier(reader, evidence=evidence, element=element, reread=reread, alone=alone)
    retriever = hybrid(index) if index is not None else None
    return Pipeline(f"default(k={k}, {named}{verifier.name})", verifier, retriever, k)


def hybrid(index: Index) -> Retriever:
    """Search by words and meaning, by words alone where the index holds no vectors."""
    return Bm25Retriever(index) if index.encoder_name is None else HybridRetriever(index, load_encoder())

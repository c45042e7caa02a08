"""Our own system: words and meaning fused, the joint verifier, calibrated."""

from __future__ import annotations

from sciverify.index import Index
from sciverify.models import load_encoder
from sciverify.retrieval import Bm25Retriever, HybridRetriever
from sciverify.stages import Retriever
from sciverify.systems.pipeline import Pipeline
from sciverify.verification import JointVerifier

__all__ = ["default"]


def default(
    index: Index | None = None,
    *,
    k: int = 20,
    evidence: float | None = None,
    element: float | None = None,
    reread: float | None = None,
) -> Pipeline:
    """Hybrid retrieval (BM25 alone where the index holds no vectors), then `JointVerifier`.

    Args:
        index: what to search; None makes a system for `check_documents` only.
        k: candidates per claim.
        evidence: see `JointVerifier`.
        element: see `JointVerifier`.
        reread: see `JointVerifier`.
    """
    verifier = JointVerifier(evidence=evidence, element=element, reread=reread)
    retriever: Retriever | None = None
    if index is not None:
        retriever = Bm25Retriever(index) if index.encoder_name is None else HybridRetriever(index, load_encoder())
    return Pipeline(f"default(k={k}, {verifier.name})", verifier, retriever, k)

"""sciverify: check a scientific claim against the literature, with quoted evidence.

    >>> import sciverify
    >>> with sciverify.demo_index() as index:
    ...     verdict = sciverify.check("Beta carotene supplements prevent lung cancer in smokers.", index=index)
    >>> verdict.consensus.label

The names below are the public surface; whatever else the package holds may change. They are loaded when first
asked for, so that importing sciverify loads no engine.
"""

from __future__ import annotations

import importlib as _importlib
import typing as _typing

from sciverify._version import __version__

if _typing.TYPE_CHECKING:
    from sciverify.api import check
    from sciverify.corpora import open_corpus, read_claims
    from sciverify.demo import demo_documents, demo_index
    from sciverify.errors import SciverifyError
    from sciverify.index import Index
    from sciverify.models import load_encoder
    from sciverify.records import (
        Candidate,
        Claim,
        Consensus,
        ConsensusLabel,
        Document,
        Element,
        ElementKind,
        Filters,
        Finding,
        Label,
        Metadata,
        Probabilities,
        Problem,
        Quote,
        Ranking,
        Verdict,
    )
    from sciverify.retrieval import load_retriever
    from sciverify.systems import load_system

_HOME = {
    "check": "api",
    "demo_documents": "demo",
    "demo_index": "demo",
    "Index": "index",
    "load_encoder": "models",
    "load_retriever": "retrieval",
    "load_system": "systems",
    "open_corpus": "corpora",
    "read_claims": "corpora",
    "SciverifyError": "errors",
}

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
    "Index",
    "Label",
    "Metadata",
    "Probabilities",
    "Problem",
    "Quote",
    "Ranking",
    "SciverifyError",
    "Verdict",
    "__version__",
    "check",
    "demo_documents",
    "demo_index",
    "load_encoder",
    "load_retriever",
    "load_system",
    "open_corpus",
    "read_claims",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"sciverify.{_HOME.get(name, 'records')}"), name)
    globals()[name] = value  # the next access doesn't come here
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Finding the documents that may bear on a claim.

A retriever satisfies `sciverify.stages.Retriever`; `sciverify.testing.retrievers` checks that it does. To add one,
write one module and one line in `RETRIEVERS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sciverify.errors import SettingError
from sciverify.retrieval.bm25 import Bm25Retriever
from sciverify.retrieval.dense import DenseRetriever
from sciverify.retrieval.hybrid import HybridRetriever
from sciverify.retrieval.oracle import OracleRetriever
from sciverify.retrieval.tfidf import TfidfRetriever
from sciverify.stages import Retriever, TextEncoder

if TYPE_CHECKING:
    from sciverify.index import Index

__all__ = [
    "RETRIEVERS",
    "Bm25Retriever",
    "DenseRetriever",
    "HybridRetriever",
    "OracleRetriever",
    "RetrieverInfo",
    "TfidfRetriever",
    "load_retriever",
]


class RetrieverInfo(NamedTuple):
    """A retriever that can be had by name: `factory(index, **options)`, or `factory(index, encoder, **options)`."""

    name: str
    summary: str
    needs_encoder: bool
    factory: Callable[..., Retriever]


RETRIEVERS = {
    info.name: info
    for info in (
        RetrieverInfo("tfidf", "TF-IDF over words and word pairs, in memory (VeriSci)", False, TfidfRetriever),
        RetrieverInfo("bm25", "BM25 over stems, in the index", False, Bm25Retriever),
        RetrieverInfo("dense", "cosine of sentence vectors, in the index", True, DenseRetriever),
        RetrieverInfo("hybrid", "BM25 and dense, fused", True, HybridRetriever),
    )
}


def load_retriever(name: str, index: Index, encoder: TextEncoder | None = None, **options: object) -> Retriever:
    """Make a retriever by its name in `RETRIEVERS`; the encoder is ignored by those that need none.

    Raises:
        SettingError: an unknown name or option, a value out of range, or no encoder where one is needed.
    """
    if name not in RETRIEVERS:
        raise SettingError(f"there is no retriever {name!r}", remedy=f"Choose one of {', '.join(RETRIEVERS)}")
    info = RETRIEVERS[name]
    accepted = inspect.signature(info.factory).parameters
    known = [option for option, parameter in accepted.items() if parameter.kind is parameter.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            raise SettingError(
                f"the retriever {name} has no option {option!r}",
                remedy=f"Its options are {', '.join(known)}" if known else "It has no options",
            )
    if not info.needs_encoder:
        return info.factory(index, **options)
    if encoder is None:
        raise SettingError(
            f"the retriever {name} needs an encoder", remedy="Pass sciverify.models.load_encoder() as encoder"
        )
    return info.factory(index, encoder, **options)

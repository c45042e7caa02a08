"""The demo corpus as an index, in a temporary folder that goes when the index is closed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from sciverify.demo.studies import demo_documents
from sciverify.index import Index, temporary_folder
from sciverify.models import load_encoder
from sciverify.records import Document
from sciverify.stages import TextEncoder

__all__ = ["demo_index", "vectors_file"]


@contextmanager
def demo_index() -> Iterator[Index]:
    """An open index of `demo_documents`, words and vectors.

    The vectors ship with the package; should they not be of these documents by this encoder, they are made anew.
    """
    documents = demo_documents()
    encoder = load_encoder()
    with (
        temporary_folder() as folder,
        Index.build(
            folder / "demo.index", documents, encoder=encoder, vectors=_shipped_vectors(documents, encoder)
        ) as index,
    ):
        yield index


def vectors_file(documents: list[Document], encoder: TextEncoder) -> bytes:
    """The content of ``vectors.npz`` for these documents; ``make demo-vectors`` writes it after either has changed."""
    buffer = BytesIO()
    vectors = encoder.encode([document.text for document in documents])
    np.savez_compressed(buffer, vectors=vectors.astype(np.float16), made_of=_made_of(documents, encoder))
    return buffer.getvalue()


def _shipped_vectors(documents: list[Document], encoder: TextEncoder) -> NDArray[np.float32] | None:
    source = files("sciverify.demo") / "vectors.npz"
    if not source.is_file():
        return None
    with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as content:
        if not np.array_equal(content["made_of"], _made_of(documents, encoder)):
            return None
        vectors: NDArray[np.float32] = content["vectors"].astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _made_of(documents: list[Document], encoder: TextEncoder) -> NDArray[np.uint8]:
    """A digest of the texts and the encoder's name."""
    content = json.dumps([encoder.name, *((document.id, document.text) for document in documents)])
    return np.frombuffer(hashlib.sha256(content.encode()).digest(), dtype=np.uint8)

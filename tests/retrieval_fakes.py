"""Stand-ins that the retrieval tests share: documents in memory, and an encoder without a model."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import InputError
from sciverify.records import Document


class ListSource:
    """Documents in a list, as a `DocumentSource`."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}

    def __len__(self) -> int:
        return len(self._documents)

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        for id in self._documents if ids is None else ids:
            if id not in self._documents:
                raise InputError(f"there is no document {id!r}")
            yield self._documents[id]


class WordEncoder:
    """Texts with words in common are near each other: each word adds its own fixed random direction.

    Like the tokenizers of real encoders it refuses text without a UTF-8 form.
    """

    name = "words"
    dimensions = 384

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.ones((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in set(text.lower().split()[:300]):
                vectors[row] += 8 * np.random.default_rng(zlib.crc32(word.encode())).standard_normal(self.dimensions)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

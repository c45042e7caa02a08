"""The sentence encoder: all-MiniLM-L6-v2 in int8, texts to unit vectors of 384 dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciverify.models.card import read_card, signature
from sciverify.models.session import Session
from sciverify.models.tokens import WEIGHTS, load_tokenizer

__all__ = ["MiniLmEncoder", "load_encoder"]


class MiniLmEncoder:
    """Mean of the last hidden states, normalised, as the model was trained; texts are cut at 256 tokens.

    Satisfies `sciverify.stages.TextEncoder`. `name` carries the weights' hash, so that an index notices other weights.

    Raises:
        ModelError: a file is missing or damaged.
    """

    dimensions = 384
    max_tokens = 256

    def __init__(self, folder: Path = WEIGHTS / "encoder", threads: int | None = None) -> None:
        card = read_card(folder, ())
        self.name = f"{card['name']}@{signature(card)}"
        self._tokenizer = load_tokenizer()
        self._session = Session(folder / "model.xml", threads)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape ``(len(texts), 384)``, each row of length 1."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        cls, sep, room = self._tokenizer.cls, self._tokenizer.sep, self.max_tokens - 2
        rows = [[cls, *ids[:room], sep] for ids in self._tokenizer.ids(texts)]
        for position, outputs in enumerate(self._session.run({"input_ids": rows})):
            vectors[position] = outputs["embedding"]
        return vectors


@lru_cache(maxsize=1)
def load_encoder() -> MiniLmEncoder:
    """The shipped encoder, compiled once per process."""
    return MiniLmEncoder()

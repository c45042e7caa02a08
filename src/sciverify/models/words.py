"""The word embeddings that the shipped models share: one int8 table instead of a copy in each model.

Both models start from the same published network and keep its word embeddings as they are, so the table ships once
and the models' graphs begin after it: half of a model's size, and of each new version's.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sciverify.errors import ModelError

__all__ = ["WordTable", "load_words", "quantise_words"]


class WordTable:
    """Rows of int8 with one scale each; `embed` gives float32.

    Raises:
        ModelError: the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
                self._rows: NDArray[np.int8] = content["rows"]
                self._scales: NDArray[np.float32] = content["scales"]
        except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
            raise ModelError(
                f"the word embeddings cannot be read ({error})", where=str(path), remedy="Reinstall sciverify"
            ) from error
        if self._rows.ndim != 2 or self._rows.dtype != np.int8 or self._scales.shape != self._rows.shape[:1]:
            raise ModelError("the word embeddings are damaged", where=str(path), remedy="Reinstall sciverify")

    @property
    def shape(self) -> tuple[int, int]:
        """Words and dimensions."""
        return (self._rows.shape[0], self._rows.shape[1])

    def embed(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The embeddings of token ids: the shape of `ids` with the dimensions appended."""
        return np.multiply(self._rows[ids], self._scales[ids][..., None], dtype=np.float32)


def quantise_words(weights: ArrayLike, path: Path) -> WordTable:
    """Write a table of float embeddings, shape (words, dimensions), and open it."""
    values = np.asarray(weights, dtype=np.float32)
    scales = np.maximum(np.abs(values).max(axis=1), 1e-8) / 127
    with path.open("wb") as file:
        np.savez(file, rows=np.rint(values / scales[:, None]).astype(np.int8), scales=scales.astype(np.float32))
    return WordTable(path)


@lru_cache(maxsize=4)
def load_words(path: Path) -> WordTable:
    """A table, read once per process."""
    return WordTable(path)

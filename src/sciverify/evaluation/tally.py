"""Precision, recall and F1 from counts: one rule for all scorers, with 0 for 0/0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Tally", "precision_recall_f1", "share"]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many were retrieved, how many were relevant, and how many of the retrieved ones were correct."""

    correct: int
    retrieved: int
    relevant: int

    @property
    def precision(self) -> float:
        """Correct among retrieved, 0 to 1."""
        return self._scores[0]

    @property
    def recall(self) -> float:
        """Correct among relevant, 0 to 1."""
        return self._scores[1]

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self._scores[2]

    @property
    def _scores(self) -> list[float]:
        scores: list[float] = precision_recall_f1(self.correct, self.retrieved, self.relevant).tolist()
        return scores


def precision_recall_f1(correct: ArrayLike, retrieved: ArrayLike, relevant: ArrayLike) -> NDArray[np.float64]:
    """The three scores along a new last axis; the arguments have one shape, e.g. ``(resamples,)``."""
    correct = np.asarray(correct, dtype=np.float64)
    precision = share(correct, np.asarray(retrieved, dtype=np.float64))
    recall = share(correct, np.asarray(relevant, dtype=np.float64))
    return np.stack([precision, recall, share(2 * precision * recall, precision + recall)], axis=-1)


def share(part: NDArray[np.float64], whole: NDArray[np.float64], otherwise: float = 0.0) -> NDArray[np.float64]:
    """Part / whole, and `otherwise` where the whole is 0; both of one shape."""
    return np.divide(part, whole, out=np.full_like(part, otherwise), where=whole != 0)

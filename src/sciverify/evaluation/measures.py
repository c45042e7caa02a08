"""What every scorer returns: measures that can be recomputed for any weighting of the claims.

A scorer reads gold and predictions once and keeps a small table, one row per claim. Every measure is a function of that
table and of how often each claim counts, so one bootstrap and one comparison serve all tasks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError

__all__ = ["CountedScores", "Measure", "Scores", "prf_measures"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of a task: its key in JSON, the title of its row, and which part of that row it is ("" for all)."""

    name: str
    title: str
    part: str = ""


def prf_measures(name: str, title: str) -> tuple[Measure, Measure, Measure]:
    """Precision, recall and F1 of one metric: ``NAME_precision``, ``NAME_recall``, ``NAME_f1``."""
    return (
        Measure(f"{name}_precision", title, "P"),
        Measure(f"{name}_recall", title, "R"),
        Measure(f"{name}_f1", title, "F1"),
    )


class Scores(ABC):
    """The measures of one run on one gold file.

    Attributes:
        task: the task's name, as `sciverify evaluate` takes it.
        ids: the claims (questions, queries) in gold's order; what is drawn in a resample.
        measures: what is measured, in printing order.
    """

    task: str
    ids: tuple[str, ...]
    measures: tuple[Measure, ...]

    @abstractmethod
    def weighted(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The measures when claim i counts ``weights[:, i]`` times.

        Args:
            weights: shape ``(n, claims)``, whole numbers, no row all zero.

        Returns:
            Shape ``(n, measures)``, each value in 0 to 1.
        """

    @abstractmethod
    def per_claim(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Names of columns, and what each claim contributes to them: shape ``(claims, columns)``."""

    def values(self) -> dict[str, float]:
        """Every measure by name, each claim counted once."""
        row = self.weighted(np.ones((1, len(self.ids))))[0]
        return {measure.name: float(value) for measure, value in zip(self.measures, row, strict=True)}


@dataclass(frozen=True)
class CountedScores(Scores):
    """Scores that follow from sums over the claims of a few columns: counts, or values for a mean.

    Args:
        task: see `Scores`.
        ids: see `Scores`.
        measures: see `Scores`.
        columns: what is counted.
        counts: shape ``(claims, columns)``; whole numbers wherever possible, so that sums are exact in any order.
        formula: from totals, shape ``(n, columns)``, to the measures, shape ``(n, measures)``.

    Raises:
        SettingError: there are no claims.
    """

    task: str
    ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    columns: tuple[str, ...]
    counts: NDArray[np.float64] = field(repr=False, compare=False)
    formula: Callable[[NDArray[np.float64]], NDArray[np.float64]] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.ids:
            raise SettingError("there is nothing to score: gold holds no claims")

    def weighted(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `Scores.weighted`."""
        return self.formula(weights @ self.counts)

    def per_claim(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """See `Scores.per_claim`."""
        return self.columns, self.counts

    def totals(self) -> dict[str, float]:
        """The sum of every column."""
        return dict(zip(self.columns, self.counts.sum(axis=0).tolist(), strict=True))

"""Scores whose every measure is a mean over the questions: answers, summaries, rankings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.measures import CountedScores, Measure

__all__ = ["mean_scores"]


def mean_scores(
    task: str, ids: Sequence[str], measures: Sequence[Measure], values: Sequence[Sequence[float]]
) -> CountedScores:
    """The mean of each measure over the questions.

    Args:
        task: the task's name.
        ids: the questions.
        measures: one for each value of a question.
        values: shape ``(questions, measures)``, each in 0 to 1.

    Raises:
        SettingError: there are no questions.
    """
    columns = (*(measure.name for measure in measures), "questions")
    counts = np.array([[*row, 1.0] for row in values], dtype=np.float64)
    return CountedScores(task, tuple(ids), tuple(measures), columns, counts, _means)


def _means(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    # The sum of many fractions may end a rounding error above their number.
    return np.minimum(totals[:, :-1] / totals[:, -1:], 1.0)

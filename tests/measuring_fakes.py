"""A model that reads what the elements say in so many words: "yes", "no", or neither."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sciverify.models.crossencoder import Decision, Passage, Scores, calibrated


class Literal:
    """Labels by the words "yes" and "no" of the elements and quotes these elements; `sure` is the logit's size."""

    name = "literal"

    def __init__(self, sure: float = 4.0, decision: Decision | None = None) -> None:
        self.sure = sure
        self.decision = decision or Decision()

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        return [self._score(passage) for passage in passages]

    def probabilities(self, scores: Scores, retrieved: float = 1.0) -> NDArray[np.float64]:
        return calibrated(scores.label, self.decision, retrieved)

    def _score(self, passage: Passage) -> Scores:
        words = [set(text.split()) for text in passage.elements]
        column = 0 if any("yes" in w for w in words) else 1 if any("no" in w for w in words) else 2
        elements = np.array([4.0 if w & {"yes", "no"} else -4.0 for w in words], dtype=np.float32)
        label = np.zeros(3, dtype=np.float32)
        label[column] = self.sure
        return Scores(label, 0.0, elements)

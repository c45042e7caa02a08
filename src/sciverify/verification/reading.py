"""What a verifier reads with, and the ablations that hide a part of the input from it (SciFact §6.1).

The model stays the same, so how well it still does says how much of an answer the other part alone gives away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError
from sciverify.models.crossencoder import Decision, Passage, Scores
from sciverify.models.spans import WindowScores
from sciverify.stages import Verifier
from sciverify.text.windows import Tokenizer2D

__all__ = ["INPUTS", "ModelVerifier", "PartialModel", "PassageModel", "score_elements", "visible"]

INPUTS = ("full", "claim-only", "abstract-only")
"""What of a claim and a document a model may see."""


class PassageModel(Protocol):
    """Scores passages; `sciverify.models.CrossEncoderModel` is one."""

    @property
    def name(self) -> str:
        """The model's name with its hash."""

    @property
    def decision(self) -> Decision:
        """How its scores become a finding."""

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        """Scores of each passage, in order."""

    def score_windows(self, passages: Sequence[Passage], windows: Tokenizer2D) -> list[list[WindowScores]]:
        """Scores of each window of each passage, unmerged, those of spans included.

        Raises:
            SettingError: the windows leave no room beside a claim and a title, whatever the passages are.
        """

    def probabilities(self, scores: Scores, retrieved: float = 1.0) -> NDArray[np.float64]:
        """Calibrated probabilities in the order of `sciverify.models.crossencoder.LABELS`; shape (3,), sum 1.

        `retrieved` is the score of the document's candidate; 1 leaves it out (`sciverify.models.crossencoder`).
        """


@runtime_checkable
class ModelVerifier(Verifier, Protocol):
    """A verifier that decides with one model, which may be replaced by another."""

    @property
    def model(self) -> PassageModel:
        """What it reads with."""

    @property
    def decision(self) -> Decision:
        """Its thresholds."""

    def with_model(self, model: PassageModel) -> ModelVerifier:
        """The same verifier reading with another model."""


class PartialModel:
    """A model that sees the claim only or the abstract only; every text that it must not see is empty.

    Claim-only: the title is empty, and there are as many elements as the document has, all empty, so that the form of
    the input stays that of a document. Abstract-only: the claim is empty.

    Args:
        model: what scores the passages that are left.
        input: one of `INPUTS`; with "full" nothing is hidden.

    Raises:
        SettingError: `input` is none of `INPUTS`.
    """

    def __init__(self, model: PassageModel, input: str) -> None:
        if input not in INPUTS:
            raise SettingError(f"there is no input {input!r}", remedy=f"Choose one of {', '.join(INPUTS)}")
        self._model = model
        self.input = input
        self.name = model.name
        self.decision = model.decision

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        """See `PassageModel`."""
        return self._model.score([visible(passage, self.input) for passage in passages])

    def score_windows(self, passages: Sequence[Passage], windows: Tokenizer2D) -> list[list[WindowScores]]:
        """See `PassageModel`; where the document is hidden there is no window."""
        return self._model.score_windows([visible(passage, self.input) for passage in passages], windows)

    def probabilities(self, scores: Scores, retrieved: float = 1.0) -> NDArray[np.float64]:
        """See `PassageModel`."""
        return self._model.probabilities(scores, retrieved)


def score_elements(model: PassageModel, passages: Sequence[Passage]) -> list[NDArray[np.float32]]:
    """The logit of every element of each passage, each read alone; -inf where an element holds no text."""
    elements = [np.full(len(passage.elements), -np.inf, dtype=np.float32) for passage in passages]
    places = [(n, e) for n, passage in enumerate(passages) for e, text in enumerate(passage.elements) if text.strip()]
    alone = [passages[n]._replace(elements=[passages[n].elements[e]]) for n, e in places]
    for (n, e), scores in zip(places, model.score(alone), strict=True):
        elements[n][e] = scores.elements[0]
    return elements


def visible(passage: Passage, input: str) -> Passage:
    """What of a passage a model may see under one of `INPUTS`."""
    if input == "claim-only":
        return Passage(passage.claim, "", [""] * len(passage.elements))
    return passage._replace(claim="") if input == "abstract-only" else passage

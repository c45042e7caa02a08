"""How the models of a recipe read held-out claims, and what is fitted to that: whole documents, or in two steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.gold import GoldClaim
from sciverify.index import Index
from sciverify.models import load_encoder
from sciverify.models.crossencoder import Decision, Passage, Scores
from sciverify.records import Candidate
from sciverify.retrieval import HybridRetriever, TfidfRetriever
from sciverify.stages import Retriever
from sciverify.training.calibration import (
    ELEMENTS,
    QUOTES,
    Scored,
    candidates,
    fit_decision,
    score_candidates,
    score_decision,
)
from sciverify.verification.findings import element_probabilities
from sciverify.verification.pipeline import label_chosen
from sciverify.verification.reading import PassageModel, score_elements

__all__ = ["Reading", "Selected", "TwoSteps", "WholeDocuments"]

Read = TypeVar("Read")

_SUPPORTS = np.array([0.0, -np.inf, -np.inf], dtype=np.float32)
_NEI = np.array([-np.inf, -np.inf, 0.0], dtype=np.float32)


class Reading(Protocol[Read]):
    """A way of reading, the same as that of the system the models are for; `Read` is of a claim ``gold``.

    Attributes:
        by_k: numbers of candidates per claim to report on; the last one is how many are read.
    """

    by_k: Sequence[int]

    def retriever(self, index: Index) -> Retriever:
        """What finds the candidates."""

    def passages(self, whole: Sequence[Passage]) -> list[Passage]:
        """What the models would be given of claims with their documents, to calibrate a quantisation on."""

    def read(self, models: Mapping[str, PassageModel], gold: Sequence[GoldClaim], retriever: Retriever) -> list[Read]:
        """What the models, by role, make of each claim's candidates, in the order of claim and rank."""

    def fit(self, read: Sequence[Read], gold: Sequence[GoldClaim]) -> Decision:
        """The decision that suits these claims best."""

    def scored(self, read: Sequence[Read], decision: Decision) -> list[Scored]:
        """The scores of each candidate under a decision."""


class WholeDocuments:
    """One model that reads each of 20 candidates of hybrid retrieval in one pass, as `JointVerifier` does.

    Args:
        reread: the weight of a second reading (`sciverify.verification.rereading`).
    """

    by_k: Sequence[int] = (3, 5, 10, 20)

    def __init__(self, reread: float = 0.0) -> None:
        self._reread = reread

    def retriever(self, index: Index) -> Retriever:
        """See `Reading`."""
        return HybridRetriever(index, load_encoder())

    def passages(self, whole: Sequence[Passage]) -> list[Passage]:
        """See `Reading`."""
        return list(whole)

    def read(self, models: Mapping[str, PassageModel], gold: Sequence[GoldClaim], retriever: Retriever) -> list[Scored]:
        """See `Reading`."""
        [model] = models.values()
        return score_candidates(model, gold, retriever, self.by_k[-1], self._reread)

    def fit(self, read: Sequence[Scored], gold: Sequence[GoldClaim]) -> Decision:
        """See `Reading`."""
        return replace(fit_decision(read, gold), reread=self._reread)

    def scored(self, read: Sequence[Scored], decision: Decision) -> list[Scored]:
        """See `Reading`."""
        del decision  # no threshold plays a part in what is read
        return list(read)


@dataclass(frozen=True, slots=True)
class Selected:
    """A gold claim, a candidate with its rank, a selector's logit of each element, and who labels what is chosen.

    `labels` keeps what the labeller said of the elements that it was given: many thresholds choose the same ones.
    """

    gold: GoldClaim
    candidate: Candidate
    rank: int
    elements: NDArray[np.float32]
    labeller: PassageModel
    labels: dict[tuple[int, ...], NDArray[np.float32]] = field(default_factory=dict)

    def chosen(self, threshold: float) -> tuple[int, ...]:
        """The positions of the elements that reach a probability."""
        return tuple(np.flatnonzero(element_probabilities(self.elements) >= threshold).tolist())


class TwoSteps:
    """A selector and a labeller on the 3 candidates of TF-IDF, as `PipelineVerifier` in the system ``verisci``.

    Each is fitted by itself: first the elements' threshold, to choose as gold does whatever the label; then, on what it
    chooses, the labels' temperature and the threshold of evidence.
    """

    by_k: Sequence[int] = (1, 2, 3)

    def retriever(self, index: Index) -> Retriever:
        """See `Reading`."""
        return TfidfRetriever(index)

    def passages(self, whole: Sequence[Passage]) -> list[Passage]:
        """See `Reading`: one element of each, of one passage the first, of the next the second, and so on."""
        return [
            passage._replace(elements=[passage.elements[number % len(passage.elements)]])
            for number, passage in enumerate(p for p in whole if p.elements)
        ]

    def read(
        self, models: Mapping[str, PassageModel], gold: Sequence[GoldClaim], retriever: Retriever
    ) -> list[Selected]:
        """See `Reading`; the roles are `sciverify.verification.STEPS`."""
        found = candidates(gold, retriever, self.by_k[-1])
        elements = score_elements(models["selector"], [Passage.of(g.claim, c.document) for g, c, _ in found])
        return [Selected(*pair, logits, models["labeller"]) for pair, logits in zip(found, elements, strict=True)]

    def fit(self, read: Sequence[Selected], gold: Sequence[GoldClaim]) -> Decision:
        """See `Reading`."""
        element = max(ELEMENTS, key=lambda threshold: _selection(read, gold, threshold))
        chosen = self.scored(read, Decision(element=element))
        return fit_decision(chosen, gold, elements=[element])

    def scored(self, read: Sequence[Selected], decision: Decision) -> list[Scored]:
        """See `Reading`. How well a document was found plays no part in its label, so all count as found first."""
        new = [item for item in read if item.chosen(decision.element) not in item.labels]
        for _, group in groupby(new, key=lambda item: id(item.labeller)):
            items = list(group)
            pairs = [(item.gold.claim, item.candidate) for item in items]
            labels = label_chosen(items[0].labeller, pairs, [item.elements for item in items], decision.element)
            for item, label in zip(items, labels, strict=True):
                item.labels[item.chosen(decision.element)] = label
        return [_scored(item, item.labels[item.chosen(decision.element)]) for item in read]


def _selection(read: Sequence[Selected], gold: Sequence[GoldClaim], threshold: float) -> float:
    """F1 of the sentences chosen at a threshold, whatever their label."""
    scored = [_scored(item, _SUPPORTS if item.chosen(threshold) else _NEI) for item in read]
    return score_decision(scored, gold, Decision(element=threshold, quotes=QUOTES)).sentence_selection_only.f1


def _scored(item: Selected, label: NDArray[np.float32]) -> Scored:
    return Scored(item.gold, replace(item.candidate, score=1.0), item.rank, Scores(label, 0.0, item.elements))

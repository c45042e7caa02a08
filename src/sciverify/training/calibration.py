"""Fitting the decision rule on held-out claims: probabilities, then thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.diagnostics import reliability
from sciverify.evaluation.gold import GoldClaim
from sciverify.evaluation.runs import Prediction, predicted_documents
from sciverify.evaluation.scifact import SciFactScores, score_predictions
from sciverify.models.crossencoder import LABELS, Decision, Passage, Scores, calibrated
from sciverify.records import Candidate, Finding, Label
from sciverify.stages import Retriever
from sciverify.verification.findings import make_finding
from sciverify.verification.reading import PassageModel
from sciverify.verification.rereading import reread

__all__ = [
    "ELEMENTS",
    "QUOTES",
    "Scored",
    "calibration_error",
    "candidates",
    "fit_decision",
    "fit_probabilities",
    "score_candidates",
    "score_decision",
]

ELEMENTS = tuple(float(value) for value in np.round(np.arange(0.05, 0.96, 0.05), 2))
"""Thresholds of elements that are tried."""

QUOTES = 3
"""Of more, abstract level looks at these, and at sentence level the rest costs more than it finds."""

_EVIDENCE = (*np.round(np.arange(0.05, 0.96, 0.05), 2), 0.97, 0.98, 0.99)
_TEMPERATURES = tuple(np.round(np.exp(np.linspace(np.log(0.25), np.log(8), 200)), 3))
_RETRIEVAL = tuple(np.arange(0, 20.1, 0.25))
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Scored:
    """A gold claim, one of its candidates with the rank it was found at (from 0), and the model's scores."""

    gold: GoldClaim
    candidate: Candidate
    rank: int
    scores: Scores

    @property
    def label(self) -> Label:
        """What the gold file says about the pair."""
        evidence = self.gold.evidence.get(self.candidate.document.id)
        return evidence.label if evidence else Label.NEI


def score_candidates(
    model: PassageModel, gold: Sequence[GoldClaim], retriever: Retriever, k: int, weight: float = 0.0
) -> list[Scored]:
    """Run the model over the `k` candidates of each claim, in the order of claim and rank; `weight` is `reread`'s."""
    pairs = candidates(gold, retriever, k)
    passages = [Passage.of(g.claim, c.document) for g, c, _ in pairs]
    read = reread(model, passages, model.score(passages), weight)
    return [Scored(*pair, scores) for pair, scores in zip(pairs, read, strict=True)]


def candidates(gold: Sequence[GoldClaim], retriever: Retriever, k: int) -> list[tuple[GoldClaim, Candidate, int]]:
    """The `k` candidates of each claim with their ranks, from 0, in the order of claim and rank."""
    rankings = retriever.retrieve([g.claim for g in gold], k)
    return [(g, c, r) for g, ranking in zip(gold, rankings, strict=True) for r, c in enumerate(ranking.candidates)]


def fit_probabilities(scored: Sequence[Scored]) -> Decision:
    """A decision with the temperature and the weight of retrieval that make the gold labels likeliest.

    Temperature scaling (Guo et al. 2017) with the retrieval score as a prior: the loss is the mean negative log
    likelihood, a convex function, so each of the two is fitted in turn until neither changes.
    """
    labels = np.array([LABELS.index(s.label) for s in scored])
    logits, retrieved = _arrays(scored)

    def loss(temperature: float, retrieval: float) -> float:
        decision = Decision(temperature=temperature, retrieval=retrieval)
        likelihood = calibrated(logits, decision, retrieved)[np.arange(len(labels)), labels]
        return float(-np.log(np.maximum(likelihood, 1e-12)).mean())

    temperature, retrieval = 1.0, 0.0
    for _ in range(_ROUNDS):
        before = temperature, retrieval
        temperature = float(min(_TEMPERATURES, key=lambda value: loss(value, retrieval)))
        retrieval = float(min(_RETRIEVAL, key=lambda value: loss(temperature, value)))
        if before == (temperature, retrieval):
            break
    return Decision(temperature=temperature, retrieval=retrieval)


def fit_decision(
    scored: Sequence[Scored], claims: Sequence[GoldClaim], elements: Sequence[float] = ELEMENTS
) -> Decision:
    """The thresholds with the best mean of abstract label+rationale F1 and sentence selection+label F1.

    That of elements is one of `elements`.
    """
    best, best_value = Decision(), -1.0
    start = replace(fit_probabilities(scored), quotes=QUOTES)
    for evidence in _EVIDENCE:
        for element in elements:
            decision = replace(start, evidence=float(evidence), element=float(element))
            scores = score_decision(scored, claims, decision)
            value = scores.abstract_label_rationale.f1 + scores.sentence_selection_label.f1
            if value > best_value:
                best, best_value = decision, value
    return best


def score_decision(
    scored: Sequence[Scored], claims: Sequence[GoldClaim], decision: Decision, k: int | None = None
) -> SciFactScores:
    """SciFact's metrics of a decision rule on scored candidates, those of rank below `k` only."""
    logits, retrieved = _arrays(scored)
    probabilities = calibrated(logits, decision, retrieved)
    likely = probabilities[:, :2].sum(axis=1) >= decision.evidence  # the others are NEI: no need to make findings
    kept = [
        (s, p) for s, p, yes in zip(scored, probabilities, likely, strict=True) if yes and (k is None or s.rank < k)
    ]
    predicted = {
        claim: Prediction(claim, predicted_documents(_findings(group, decision)))
        for claim, group in groupby(kept, key=lambda pair: pair[0].gold.claim.id)
    }
    predictions = [predicted.get(c.claim.id, Prediction(c.claim.id, {})) for c in claims]
    return score_predictions(claims, predictions)


def calibration_error(scored: Sequence[Scored], decision: Decision) -> float:
    """Expected calibration error of the likeliest label (`sciverify.evaluation.diagnostics.reliability`)."""
    logits, retrieved = _arrays(scored)
    labels = np.array([LABELS.index(s.label) for s in scored])
    return reliability(calibrated(logits, decision, retrieved), labels).error


def _arrays(scored: Sequence[Scored]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Label logits, shape (pairs, 3), and retrieval scores, shape (pairs,)."""
    return (
        np.array([s.scores.label for s in scored], dtype=np.float32),
        np.array([s.candidate.score for s in scored], dtype=np.float64),
    )


def _findings(group: Iterable[tuple[Scored, NDArray[np.float64]]], decision: Decision) -> list[Finding]:
    return [make_finding(s.candidate, p, s.scores.elements, decision) for s, p in group]

"""Fitting the decision rule on held-out claims: temperature, thresholds, how many candidates to read."""

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
from sciverify.models.crossencoder import LABELS, CrossEncoderModel, Decision, Passage, Scores, softmax
from sciverify.records import Candidate, Finding, Label
from sciverify.stages import Retriever
from sciverify.verification.findings import make_finding
from sciverify.verification.rereading import reread

__all__ = ["Scored", "calibration_error", "fit_decision", "fit_temperature", "score_candidates", "score_decision"]

_EVIDENCE = (*np.round(np.arange(0.05, 0.96, 0.05), 2), 0.97, 0.98, 0.99)
_ELEMENT = tuple(np.round(np.arange(0.05, 0.96, 0.05), 2))


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
    model: CrossEncoderModel, gold: Sequence[GoldClaim], retriever: Retriever, k: int, weight: float = 0.0
) -> list[Scored]:
    """Run the model over the `k` candidates of each claim, in the order of claim and rank; `weight` is `reread`'s."""
    rankings = retriever.retrieve([g.claim for g in gold], k)
    pairs = [(g, c, r) for g, ranking in zip(gold, rankings, strict=True) for r, c in enumerate(ranking.candidates)]
    passages = [Passage.of(g.claim, c.document) for g, c, _ in pairs]
    read = reread(model, passages, model.score(passages), weight)
    return [Scored(*pair, scores) for pair, scores in zip(pairs, read, strict=True)]


def fit_temperature(scored: Sequence[Scored]) -> float:
    """The temperature with the lowest negative log likelihood of the gold labels (Guo et al. 2017)."""
    logits = np.array([s.scores.label for s in scored], dtype=np.float64)
    labels = np.array([LABELS.index(s.label) for s in scored])

    def loss(temperature: float) -> float:
        probabilities = softmax(logits / temperature)
        return float(-np.log(np.maximum(probabilities[np.arange(len(labels)), labels], 1e-12)).mean())

    grid = np.exp(np.linspace(np.log(0.25), np.log(8), 200))
    return float(np.round(min(grid, key=loss), 3))


def fit_decision(scored: Sequence[Scored], claims: Sequence[GoldClaim]) -> Decision:
    """The thresholds with the best mean of abstract label+rationale F1 and sentence selection+label F1."""
    best, best_value = Decision(), -1.0
    start = Decision(temperature=fit_temperature(scored))
    for evidence in _EVIDENCE:
        for element in _ELEMENT:
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
    logits = np.array([s.scores.label for s in scored], dtype=np.float64)
    probabilities = softmax(logits / decision.temperature)
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


def calibration_error(scored: Sequence[Scored], temperature: float) -> float:
    """Expected calibration error of the likeliest label (`sciverify.evaluation.diagnostics.reliability`)."""
    probabilities = softmax(np.array([s.scores.label for s in scored], dtype=np.float64) / temperature)
    return reliability(probabilities, np.array([LABELS.index(s.label) for s in scored])).error


def _findings(group: Iterable[tuple[Scored, NDArray[np.float64]]], decision: Decision) -> list[Finding]:
    return [make_finding(s.candidate, p, s.scores.elements, decision) for s, p in group]

"""SciFact's four metrics, micro-averaged over a split (SciFact §5 and its published scorer).

Abstract level: was the right document found with the right label, and do the sentences shown justify it? Sentence
level: which of the quoted sentences belong to a complete gold rationale?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError
from sciverify.evaluation.gold import GoldClaim, GoldEvidence, load_gold
from sciverify.evaluation.measures import CountedScores, prf_measures
from sciverify.evaluation.runs import PredictedDocument, Prediction, check_order, read_run
from sciverify.evaluation.tally import Tally, precision_recall_f1

__all__ = ["SciFactScores", "is_justified", "score_predictions", "score_scifact"]

_SHOWN_SENTENCES = 3  # at abstract level only so many predicted sentences count, as a reader would be shown

# The columns of a claim's counts, and for each metric which of them are correct, retrieved and relevant.
_COLUMNS = (
    "retrieved_documents",
    "relevant_documents",
    "right_label",
    "right_label_and_rationale",
    "retrieved_sentences",
    "relevant_sentences",
    "selected",
    "selected_and_right_label",
)
_METRICS: Mapping[str, tuple[str, str, str]] = {
    "abstract_label_only": ("right_label", "retrieved_documents", "relevant_documents"),
    "abstract_label_rationale": ("right_label_and_rationale", "retrieved_documents", "relevant_documents"),
    "sentence_selection_only": ("selected", "retrieved_sentences", "relevant_sentences"),
    "sentence_selection_label": ("selected_and_right_label", "retrieved_sentences", "relevant_sentences"),
}
_MEASURES = (
    *prf_measures("abstract_label_only", "Abstract label-only"),
    *prf_measures("abstract_label_rationale", "Abstract label+rationale"),
    *prf_measures("sentence_selection_only", "Sentence selection-only"),
    *prf_measures("sentence_selection_label", "Sentence selection+label"),
)


@dataclass(frozen=True)
class SciFactScores(CountedScores):
    """The four metrics of a run, each with its counts."""

    @property
    def abstract_label_only(self) -> Tally:
        """Documents found with the right label."""
        return self.metrics()["abstract_label_only"]

    @property
    def abstract_label_rationale(self) -> Tally:
        """Documents found with the right label and shown with a whole gold rationale."""
        return self.metrics()["abstract_label_rationale"]

    @property
    def sentence_selection_only(self) -> Tally:
        """Sentences of gold rationales that were predicted as a whole."""
        return self.metrics()["sentence_selection_only"]

    @property
    def sentence_selection_label(self) -> Tally:
        """The same in documents with the right label."""
        return self.metrics()["sentence_selection_label"]

    def metrics(self) -> dict[str, Tally]:
        """The four metrics by name, in printing order."""
        totals = self.totals()
        return {name: Tally(*(int(totals[column]) for column in columns)) for name, columns in _METRICS.items()}


def score_scifact(
    gold_path: str | Path, run_path: str | Path, corpus: Mapping[str, int] | None = None
) -> SciFactScores:
    """Score a run file against a gold file.

    Args:
        gold_path: claims with evidence (`sciverify.evaluation.gold`).
        run_path: predictions for the same claims in the same order (`sciverify.evaluation.runs`).
        corpus: how many sentences each document has (`sentence_counts`), to refuse ids and numbers that don't exist.

    Raises:
        RunFileError: one of the files is malformed, or they don't list the same claims in the same order.
    """
    gold = load_gold(gold_path, corpus)
    return score_predictions(gold, read_run(run_path, [entry.claim.id for entry in gold], corpus))


def score_predictions(gold: Sequence[GoldClaim], predictions: Sequence[Prediction]) -> SciFactScores:
    """Score predictions that are in memory, one per gold claim and in gold's order.

    Raises:
        RunFileError: the claims differ from gold's.
        SettingError: there are no claims.
    """
    if not gold:
        raise SettingError("there are no gold claims to score against")
    check_order(predictions, [entry.claim.id for entry in gold])
    counts = np.array([_count(g, p) for g, p in zip(gold, predictions, strict=True)], dtype=np.float64)
    ids = tuple(entry.claim.id for entry in gold)
    return SciFactScores("scifact", ids, _MEASURES, _COLUMNS, counts, _four_metrics)


def is_justified(sentences: Sequence[int], rationales: Sequence[frozenset[int]]) -> bool:
    """Whether the predicted sentences that count at abstract level, the first ones, hold a whole gold rationale."""
    shown = max(_SHOWN_SENTENCES, min(map(len, rationales)))
    return any(rationale.issubset(sentences[:shown]) for rationale in rationales)


def _four_metrics(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Totals of `_COLUMNS`, shape ``(n, 8)``, to precision, recall and F1 of each metric, shape ``(n, 12)``."""
    column = dict(zip(_COLUMNS, totals.T, strict=True))
    scores = [precision_recall_f1(*(column[name] for name in names)) for names in _METRICS.values()]
    return np.concatenate(scores, axis=-1)


def _count(gold: GoldClaim, prediction: Prediction) -> list[int]:
    """What one claim adds to each of `_COLUMNS`."""
    predicted = prediction.evidence
    right_label = right_both = selected = selected_right = 0
    for id, document in predicted.items():
        truth = gold.evidence.get(id)
        if truth is None:
            continue
        label_is_right = document.label is truth.label
        in_rationale = _selected(document, truth)
        right_label += label_is_right
        right_both += label_is_right and is_justified(document.sentences, truth.rationales)
        selected += in_rationale
        selected_right += in_rationale if label_is_right else 0
    return [
        len(predicted),
        len(gold.evidence),
        right_label,
        right_both,
        sum(len(document.sentences) for document in predicted.values()),
        sum(len(rationale) for truth in gold.evidence.values() for rationale in truth.rationales),
        selected,
        selected_right,
    ]


def _selected(document: PredictedDocument, truth: GoldEvidence) -> int:
    """How many predicted sentences lie in a gold rationale that was predicted as a whole."""
    whole = [rationale for rationale in truth.rationales if rationale.issubset(document.sentences)]
    return len(frozenset().union(*whole))

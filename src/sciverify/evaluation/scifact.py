"""SciFact's four metrics, micro-averaged over a split (SciFact §5 and its published scorer).

Abstract level: was the right document found with the right label, and do the sentences shown justify it? Sentence
level: which of the quoted sentences belong to a complete gold rationale?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError
from sciverify.evaluation.bootstrap import Interval, resampled_totals, summarise
from sciverify.evaluation.gold import GoldClaim, GoldEvidence, load_gold
from sciverify.evaluation.runs import PredictedDocument, Prediction, check_order, read_run
from sciverify.evaluation.tally import Tally, precision_recall_f1

__all__ = ["MetricIntervals", "SciFactScores", "score_predictions", "score_scifact"]

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
_NAMES = {
    "abstract_label_only": "Abstract label-only",
    "abstract_label_rationale": "Abstract label+rationale",
    "sentence_selection_only": "Sentence selection-only",
    "sentence_selection_label": "Sentence selection+label",
}


@dataclass(frozen=True, slots=True)
class MetricIntervals:
    """Bootstrap summaries of one metric's precision, recall and F1."""

    precision: Interval
    recall: Interval
    f1: Interval


@dataclass(frozen=True)
class SciFactScores:
    """The four metrics; `counts` (one row per claim) is what they and their uncertainty are computed from."""

    counts: NDArray[np.int64] = field(repr=False, compare=False)
    abstract_label_only: Tally
    abstract_label_rationale: Tally
    sentence_selection_only: Tally
    sentence_selection_label: Tally

    def metrics(self) -> dict[str, Tally]:
        """The four metrics by name, in the order in which they are printed."""
        return {name: getattr(self, name) for name in _METRICS}

    def bootstrap(self, *, resamples: int = 10_000, seed: int = 0) -> dict[str, MetricIntervals]:
        """Resample the claims with replacement and recompute each metric (`sciverify.evaluation.bootstrap`)."""
        totals = resampled_totals(self.counts, resamples=resamples, seed=seed)
        intervals = {}
        for metric, columns in _METRICS.items():
            values = precision_recall_f1(*(totals[:, _COLUMNS.index(column)] for column in columns))
            intervals[metric] = MetricIntervals(*(summarise(values[:, score]) for score in range(3)))
        return intervals

    def table(self, intervals: Mapping[str, MetricIntervals] | None = None) -> str:
        """The metrics in percent as lines of text; with `intervals` from `bootstrap`, the spread of F1 too."""
        head = f"{f'SciFact, {len(self.counts)} claims':<26}{'P':>7}{'R':>7}{'F1':>7}   correct / retrieved / relevant"
        lines = [head if intervals is None else f"{head}   F1 resampled: mean, sd, 2.5-97.5 %"]
        for metric, tally in self.metrics().items():
            scores = "".join(f"{100 * score:>7.2f}" for score in (tally.precision, tally.recall, tally.f1))
            line = f"{_NAMES[metric]:<26}{scores}   {tally.correct:>7} / {tally.retrieved:>9} / {tally.relevant:>8}"
            if intervals is not None:
                f1 = intervals[metric].f1
                line += f"   {100 * f1.mean:.2f}, {100 * f1.sd:.2f}, {100 * f1.low:.2f}-{100 * f1.high:.2f}"
            lines.append(line)
        return "\n".join(lines)


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
    counts = np.array([_count(g, p) for g, p in zip(gold, predictions, strict=True)], dtype=np.int64)
    totals = dict(zip(_COLUMNS, counts.sum(axis=0).tolist(), strict=True))
    return SciFactScores(counts, *(Tally(*(totals[c] for c in columns)) for columns in _METRICS.values()))


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
        right_both += label_is_right and _justified(document, truth)
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


def _justified(document: PredictedDocument, truth: GoldEvidence) -> bool:
    """Whether the sentences that count at abstract level hold one whole gold rationale."""
    shown = max(_SHOWN_SENTENCES, min(map(len, truth.rationales)))
    return any(rationale.issubset(document.sentences[:shown]) for rationale in truth.rationales)


def _selected(document: PredictedDocument, truth: GoldEvidence) -> int:
    """How many predicted sentences lie in a gold rationale that was predicted as a whole."""
    whole = [rationale for rationale in truth.rationales if rationale.issubset(document.sentences)]
    return len(frozenset().union(*whole))

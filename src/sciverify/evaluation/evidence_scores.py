"""The scores of FEVER and FEVEROUS: label accuracy, label with evidence, and evidence precision, recall and F1.

The two tasks differ in what of a prediction counts and in which claims are asked for evidence (`fever`, `feverous`).
Precision and recall are means over claims, and F1 is of the two means, so that it has no value per claim.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.coverage import Depths, coverage_columns, coverage_measures, coverage_row
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import EvidenceGold, EvidencePrediction, claim_only
from sciverify.evaluation.measures import CountedScores, Measure, prf_measures
from sciverify.evaluation.runs import Prediction, check_order
from sciverify.evaluation.tally import share
from sciverify.records import Label

__all__ = ["EvidenceScores", "precision_of", "recall_of", "score_evidence"]

_COLUMNS = ("claims", "right_label", "right_label_and_evidence", "claims_with_evidence", "precision", "recall")
_LABELS = tuple(Label)
_ONE_HOT = {label: tuple(int(label is other) for other in _LABELS) for label in _LABELS}


@dataclass(frozen=True)
class EvidenceScores(CountedScores):
    """The scores of a run; the columns hold each claim's gold and predicted label too, as ``gold_NEI`` and so on."""

    def by_label(self) -> dict[Label, dict[str, float]]:
        """Every measure on the claims of one gold label alone; a label that gold doesn't use is left out."""
        chosen = {label: self.counts[:, self.columns.index(f"gold_{label}")] for label in _LABELS}
        used = {label: weights for label, weights in chosen.items() if weights.any()}
        rows = self.weighted(np.stack(list(used.values())))
        names = [measure.name for measure in self.measures]
        return {label: dict(zip(names, row.tolist(), strict=True)) for label, row in zip(used, rows, strict=True)}

    def label_counts(self) -> NDArray[np.int64]:
        """How many claims of each gold label (rows) were given each label (columns), in the order of `Label`."""
        gold, predicted = (
            self.counts[:, [self.columns.index(f"{side}_{label}") for label in _LABELS]]
            for side in ("gold", "predicted")
        )
        return (gold.T @ predicted).astype(np.int64)


def score_evidence(
    task: str,
    title: str,
    gold: Sequence[EvidenceGold],
    predictions: Iterable[EvidencePrediction],
    depths: Depths,
    judge: Callable[[EvidenceGold, EvidencePrediction], tuple[bool, bool, float, float]],
) -> EvidenceScores:
    """Score predictions, one per gold claim and in gold's order.

    Args:
        task: the task's name; its main measure is ``TASK_score``.
        title: the main measure's title.
        gold: the claims.
        predictions: what was predicted for them.
        depths: where coverage is measured (`coverage.depths`).
        judge: whether the evidence holds what the main measure asks for, whether the claim is asked for evidence, and
            its precision and recall.

    Raises:
        RunFileError: the claims differ from gold's.
        SettingError: there are no claims.
    """
    ids = tuple(entry.claim.id for entry in gold)
    cells = array("d")  # row by row: 100,000 lists of numbers would take several times the room
    seen: list[Prediction] = []
    for prediction in predictions:
        seen.append(claim_only(prediction.claim_id, prediction.where))
        if len(seen) > len(gold):
            continue  # the check below says so
        entry = gold[len(seen) - 1]
        holds, asked, precision, recall = judge(entry, prediction)
        right = prediction.label is entry.label
        cells.extend(
            (
                *(1, right, right and holds, asked, precision, recall),
                *_ONE_HOT[entry.label],
                *_ONE_HOT[prediction.label],
                *coverage_row(entry.groups if asked else (), prediction, depths),
            )
        )
    check_order(seen, ids)
    labels = (f"{side}_{label}" for side in ("gold", "predicted") for label in _LABELS)
    columns = (*_COLUMNS, *labels, *coverage_columns(depths))
    return EvidenceScores(
        task,
        ids,
        (
            Measure(f"{task}_score", title),
            Measure("label_accuracy", "Label accuracy"),
            *prf_measures("evidence", "Evidence"),
            *coverage_measures(depths),
        ),
        columns,
        np.array(cells).reshape(-1, len(columns)),
        partial(_measures, depths=depths),
    )


def precision_of(groups: Sequence[frozenset[EvidenceId]], evidence: Sequence[EvidenceId]) -> float:
    """The share of the predicted elements that stand in any gold group; 1 where nothing is predicted.

    An element that is predicted twice counts twice, as in the published scorers.
    """
    if not evidence:
        return 1.0
    relevant = frozenset().union(*groups)
    return sum(map(relevant.__contains__, evidence)) / len(evidence)


def recall_of(groups: Sequence[frozenset[EvidenceId]], evidence: Sequence[EvidenceId]) -> bool:
    """Whether one gold group is predicted as a whole."""
    predicted = frozenset(evidence)
    return any(group <= predicted for group in groups)


def _measures(totals: NDArray[np.float64], depths: Depths) -> NDArray[np.float64]:
    """Totals of the columns, shape ``(n, columns)``, to the measures, shape ``(n, measures)``."""
    claims, right, right_both, asked, precisions, recalls = totals.T[: len(_COLUMNS)]
    precision = share(precisions, asked, 1.0)
    recall = share(recalls, asked)
    f1 = share(2 * precision * recall, precision + recall)
    measures = [share(right_both, claims), share(right, claims), precision, recall, f1]
    column = len(_COLUMNS) + 2 * len(_LABELS)
    for ks in depths.values():
        measures += [share(totals[:, column + 1 + i], totals[:, column]) for i in range(len(ks))]
        column += 1 + len(ks)
    return np.stack(measures, axis=-1)

"""FEVER's scores, as its published scorer computes them (Thorne et al. 2018, §4.3; `fever-scorer` 2).

A claim without enough information needs the label only, and takes no part in evidence precision and recall.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sciverify.evaluation.coverage import depths
from sciverify.evaluation.evidence_files import EvidenceGold, EvidencePrediction
from sciverify.evaluation.evidence_scores import EvidenceScores, precision_of, recall_of, score_evidence
from sciverify.evaluation.fever_files import load_fever, read_fever_run
from sciverify.records import Label

__all__ = ["score_fever", "score_fever_predictions"]

_MOST = 5  # sentences that count


def score_fever(
    gold_path: str | Path, run_path: str | Path, *, pages: Iterable[int] = (5,), sentences: Iterable[int] = (5,)
) -> EvidenceScores:
    """Score a file of predictions against a gold file.

    Args:
        gold_path: gold claims (`fever_files`).
        run_path: predictions for the same claims in the same order.
        pages: the depths k at which the coverage of pages is measured.
        sentences: the same for sentences.

    Raises:
        RunFileError: one of the files is malformed, or they don't list the same claims in the same order.
        SettingError: a depth is not a whole number from 1 on.
    """
    gold = load_fever(gold_path)
    predictions = read_fever_run(run_path, [entry.claim.id for entry in gold])
    return score_fever_predictions(gold, predictions, pages=pages, sentences=sentences)


def score_fever_predictions(
    gold: Sequence[EvidenceGold],
    predictions: Iterable[EvidencePrediction],
    *,
    pages: Iterable[int] = (5,),
    sentences: Iterable[int] = (5,),
) -> EvidenceScores:
    """Score predictions that are in memory, one per gold claim and in gold's order; see `score_fever`.

    Raises:
        RunFileError: the claims differ from gold's.
        SettingError: there are no claims, or a depth is not a whole number from 1 on.
    """
    ks = depths(pages=pages, sentences=sentences)
    return score_evidence("fever", "FEVER score", gold, predictions, ks, _judge)


def _judge(gold: EvidenceGold, prediction: EvidencePrediction) -> tuple[bool, bool, float, float]:
    if gold.label is Label.NEI:
        return True, False, 0.0, 0.0
    evidence = prediction.evidence[:_MOST]
    complete = recall_of(gold.groups, evidence)
    # A claim without any gold group has nothing to recall, and yet no group to be right about: so the scorer.
    return complete, True, precision_of(gold.groups, evidence), float(complete or not gold.groups)

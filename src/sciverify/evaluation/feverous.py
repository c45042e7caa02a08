"""FEVEROUS's scores, as its published scorer computes them (Aly et al. 2021, §5; `feverous.evaluation`).

A prediction counts when its label is right and its evidence holds one complete gold group, whatever the label: claims
without enough information have evidence too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sciverify.evaluation.coverage import depths
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import EvidenceGold, EvidencePrediction
from sciverify.evaluation.evidence_scores import EvidenceScores, precision_of, recall_of, score_evidence
from sciverify.evaluation.feverous_files import load_feverous, read_feverous_run
from sciverify.records import ElementKind

__all__ = ["score_feverous", "score_feverous_predictions", "truncated"]

_MOST = 5  # elements that count, not of _PARTS
_MOST_PARTS = 25  # of _PARTS
_PARTS = frozenset(
    kind.value for kind in (ElementKind.CELL, ElementKind.ITEM, ElementKind.TABLE_CAPTION, ElementKind.HEADER_CELL)
)


def score_feverous(
    gold_path: str | Path,
    run_path: str | Path,
    *,
    pages: Iterable[int] = (5,),
    sentences: Iterable[int] = (5,),
    tables: Iterable[int] = (3,),
    cells: Iterable[int] = (25,),
) -> EvidenceScores:
    """Score a file of predictions against a gold file.

    Args:
        gold_path: gold claims (`feverous_files`).
        run_path: predictions for the same claims in the same order.
        pages: the depths k at which the coverage of pages is measured; the defaults are those of the paper's baseline.
        sentences: the same for sentences,
        tables: for tables,
        cells: and for cells, header cells included.

    Raises:
        RunFileError: one of the files is malformed, or they don't list the same claims in the same order.
        SettingError: a depth is not a whole number from 1 on.
    """
    gold = load_feverous(gold_path)
    predictions = read_feverous_run(run_path, [entry.claim.id for entry in gold])
    return score_feverous_predictions(gold, predictions, pages=pages, sentences=sentences, tables=tables, cells=cells)


def score_feverous_predictions(
    gold: Sequence[EvidenceGold],
    predictions: Iterable[EvidencePrediction],
    *,
    pages: Iterable[int] = (5,),
    sentences: Iterable[int] = (5,),
    tables: Iterable[int] = (3,),
    cells: Iterable[int] = (25,),
) -> EvidenceScores:
    """Score predictions that are in memory, one per gold claim and in gold's order; see `score_feverous`.

    Raises:
        RunFileError: the claims differ from gold's.
        SettingError: there are no claims, or a depth is not a whole number from 1 on.
    """
    ks = depths(pages=pages, sentences=sentences, tables=tables, cells=cells)
    return score_evidence("feverous", "FEVEROUS score", gold, predictions, ks, _judge)


def truncated(evidence: Sequence[EvidenceId]) -> list[EvidenceId]:
    """The elements that count, in order: the first 25 cells, header cells, items and captions, and 5 of the others."""
    if len(evidence) <= _MOST:
        return list(evidence)
    parts = others = 0
    kept = []
    for id in evidence:
        if id.kind in _PARTS:
            parts += 1
            counts = parts <= _MOST_PARTS
        else:
            others += 1
            counts = others <= _MOST
        if counts:
            kept.append(id)
    return kept


def _judge(gold: EvidenceGold, prediction: EvidencePrediction) -> tuple[bool, bool, float, float]:
    evidence = truncated(prediction.evidence)
    complete = recall_of(gold.groups, evidence)
    # A claim without any gold group has nothing to recall, and yet no group to be right about: so the scorer.
    return complete, True, precision_of(gold.groups, evidence), float(complete or not gold.groups)

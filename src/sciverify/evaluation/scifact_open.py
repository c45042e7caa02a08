"""SciFact-Open's metrics over claim-document pairs: precision, recall, F1, average precision (SciFact-Open §2, §4, §D).

No rationales are scored. The predicted label decides precision, recall and F1; the probabilities alone decide average
precision. Gold are the evidence pairs of all claims, whether a system retrieved them or not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import RunFileError, SettingError, place
from sciverify.evaluation.average_precision import PrecisionRecallCurve, RankedPairs
from sciverify.evaluation.measures import Measure, Scores, prf_measures
from sciverify.evaluation.open_gold import OpenClaim, load_open_gold
from sciverify.evaluation.pair_files import read_pairs
from sciverify.evaluation.pairs import PAIR_LABELS, PairTable
from sciverify.evaluation.tally import Tally, precision_recall_f1
from sciverify.records import Label

__all__ = ["OpenScores", "gold_labels", "score_pairs", "score_scifact_open"]

_MEASURES = prf_measures("pairs", "Claim-document pairs")
_AVERAGE_PRECISION = Measure("average_precision", "Average precision")
_COLUMNS = ("retrieved_pairs", "relevant_pairs", "right_label")
_NEI = PAIR_LABELS.index(Label.NEI)


@dataclass(frozen=True)
class OpenScores(Scores):
    """The metrics of one system; average precision only where every pair has probabilities.

    Args:
        ids: see `Scores`.
        measures: precision, recall, F1, and average precision where there is a ranking.
        counts: shape ``(claims, 3)``: pairs predicted as evidence, gold pairs, pairs with the right label.
        ranking: the pairs as average precision ranks them; None for a system without probabilities.
    """

    ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    counts: NDArray[np.float64] = field(repr=False, compare=False)
    ranking: RankedPairs | None = field(repr=False, compare=False)
    task: str = "scifact-open"

    def weighted(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `Scores.weighted`."""
        retrieved, relevant, right = (weights @ self.counts).T
        values = precision_recall_f1(right, retrieved, relevant)
        if self.ranking is None:
            return values
        return np.column_stack([values, self.ranking.average_precision(weights)])

    def per_claim(self) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """See `Scores.per_claim`."""
        return _COLUMNS, self.counts

    @property
    def pairs(self) -> Tally:
        """Pairs predicted as evidence, gold pairs, and those with the right label."""
        retrieved, relevant, right = self.counts.sum(axis=0).astype(int).tolist()
        return Tally(right, retrieved, relevant)

    def curve(self) -> PrecisionRecallCurve:
        """The precision-recall curve that average precision sums up.

        Raises:
            SettingError: the system gave no probabilities.
        """
        if self.ranking is None:
            raise SettingError("without probabilities there is no precision-recall curve")
        return self.ranking.curve()


def score_scifact_open(
    gold_path: str | Path,
    run_path: str | Path,
    *,
    model: str | None = None,
    documents: Collection[str] | None = None,
) -> OpenScores:
    """Score a prediction table or a run file against a gold file.

    Args:
        gold_path: claims with evidence (`sciverify.evaluation.open_gold`).
        run_path: predictions (`sciverify.evaluation.pair_files`).
        model: whose rows to score, where the table holds those of several.
        documents: score pairs with these documents alone, in gold and predictions (the first corpus, say).

    Raises:
        RunFileError: one of the files is malformed, the table names a claim that gold lacks, or a run file lacks one.
        SettingError: the table holds several models and none is named, or not the one that is.
        MissingExtraError: the table is Parquet, and the extra `evaluation` is not installed.
    """
    return score_pairs(load_open_gold(gold_path), read_pairs(run_path).of_model(model), documents=documents)


def score_pairs(gold: Sequence[OpenClaim], table: PairTable, *, documents: Collection[str] | None = None) -> OpenScores:
    """Score pairs of one model that are in memory; arguments and errors as for `score_scifact_open`.

    Raises:
        RunFileError: the claims differ from gold's, or some pairs have probabilities and others don't.
        SettingError: there are no claims, or the table holds several models.
    """
    if not gold:
        raise SettingError("there are no gold claims to score against")
    ids = tuple(entry.claim.id for entry in gold)
    table = table.of_model()
    if documents is not None:
        wanted = frozenset(documents)
        gold = [OpenClaim(e.claim, {id: part for id, part in e.evidence.items() if id in wanted}) for e in gold]
        table = table.take(np.flatnonzero(np.array([id in wanted for id in table.doc_ids], dtype=np.bool_)[table.doc]))
    claim = _gold_rows(ids, table)
    truth = gold_labels(gold, table)
    relevant = np.array([len(entry.evidence) for entry in gold], dtype=np.float64)
    is_gold = truth != _NEI
    right = is_gold & (table.label == truth)
    retrieved, correct = (np.bincount(claim[rows], minlength=len(ids)) for rows in (table.is_evidence, right))
    counts = np.column_stack([retrieved, relevant, correct]).astype(np.float64)
    if not _can_rank(table):
        return OpenScores(ids, _MEASURES, counts, None)
    ranking = RankedPairs(claim, table.confidence, is_gold & (table.evidence_label == truth), relevant)
    return OpenScores(ids, (*_MEASURES, _AVERAGE_PRECISION), counts, ranking)


def gold_labels(gold: Sequence[OpenClaim], table: PairTable) -> NDArray[np.int8]:
    """The gold label of each row as a position in `PAIR_NAMES`: NEI where the pair is no evidence."""
    claims = {id: number for number, id in enumerate(table.claim_ids)}
    docs = {id: number for number, id in enumerate(table.doc_ids)}
    size = max(1, len(docs))
    labels = {
        claims[entry.claim.id] * size + docs[document]: PAIR_LABELS.index(part.label)
        for entry in gold
        if entry.claim.id in claims
        for document, part in entry.evidence.items()
        if document in docs
    }
    truth = np.full(len(table), _NEI, dtype=np.int8)
    if labels:
        keys, order = np.unique(np.array(list(labels), dtype=np.int64), return_index=True)
        pairs = table.claim.astype(np.int64) * size + table.doc
        at = np.searchsorted(keys, pairs).clip(max=len(keys) - 1)
        found = keys[at] == pairs
        truth[found] = np.array(list(labels.values()), dtype=np.int8)[order][at[found]]
    return truth


def _gold_rows(ids: Sequence[str], table: PairTable) -> NDArray[np.int64]:
    """The position of each pair's claim in gold."""
    positions = {id: number for number, id in enumerate(ids)}
    if table.complete:
        listed = set(table.claim_ids)
        lacking = next((id for id in ids if id not in listed), None)
        unknown = next((id for id in table.claim_ids if id not in positions), None)
        if lacking is not None or unknown is not None:
            problem = f"claim {lacking} is missing" if lacking is not None else f"claim {unknown} is not one of gold's"
            raise RunFileError(problem, where=place(table.source), remedy="A run must list exactly the gold claims")
    of_table = np.array([positions.get(id, -1) for id in table.claim_ids] or [-1], dtype=np.int64)
    rows = of_table[table.claim]
    if (rows < 0).any():
        row = int(np.argmax(rows < 0))
        problem = f"claim {table.claim_ids[table.claim[row]]} is not one of gold's"
        raise RunFileError(problem, where=table.where(row), remedy="Score a table against the claims it was made for")
    return rows


def _can_rank(table: PairTable) -> bool:
    """Whether there are probabilities, for all pairs or for none."""
    missing = np.isnan(table.probabilities).all(axis=1)
    if missing.any() and not missing.all():
        row = int(np.argmax(missing))
        raise RunFileError(
            "this row has no probabilities, others of its model have",
            where=table.where(row),
            remedy="Give all pairs their probabilities, or none",
        )
    return not missing.any()

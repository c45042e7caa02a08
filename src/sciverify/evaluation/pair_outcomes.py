"""Outcomes of SciFact-Open: what became of every claim-document pair of a prediction table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from sciverify.evaluation.open_gold import OpenClaim, OpenEvidence
from sciverify.evaluation.outcomes import ErrorType, Outcome, Outcomes
from sciverify.evaluation.pairs import PAIR_LABELS, PairTable
from sciverify.evaluation.scifact_open import score_pairs
from sciverify.records import Claim, Label, Probabilities

__all__ = ["outcomes_of_pairs"]


def outcomes_of_pairs(
    gold: Sequence[OpenClaim], table: PairTable, *, documents: Collection[str] | None = None
) -> Outcomes:
    """The outcomes of one model's pairs; a pair with probabilities is one that was read.

    Args:
        gold: the claims.
        table: the pairs.
        documents: keep pairs with these documents alone, in gold and predictions.

    Raises:
        RunFileError: as from `score_pairs`.
        SettingError: as from `score_pairs`.
    """
    ranking = score_pairs(gold, table, documents=documents).ranking
    table = table.of_model()
    wanted = None if documents is None else frozenset(documents)
    evidence = {
        entry.claim.id: {id: part for id, part in entry.evidence.items() if wanted is None or id in wanted}
        for entry in gold
    }
    read: dict[str, dict[str, int]] = {id: {} for id in evidence}
    for row, (claim, document) in enumerate(zip(table.claim.tolist(), table.doc.tolist(), strict=True)):
        if wanted is None or table.doc_ids[document] in wanted:
            read[table.claim_ids[claim]][table.doc_ids[document]] = row
    stated = ranking is not None
    pairs = [
        pair
        for entry in gold
        for pair in _pairs(entry.claim, evidence[entry.claim.id], read[entry.claim.id], table, stated=stated)
    ]
    sizes = {id: len(parts) for id, parts in evidence.items()}
    return Outcomes(tuple(pairs), sizes, ranking, lists_candidates=stated, has_rationales=False)


def _pairs(
    claim: Claim, evidence: Mapping[str, OpenEvidence], read: Mapping[str, int], table: PairTable, *, stated: bool
) -> Iterator[Outcome]:
    for document, row in read.items():
        truth, label = evidence.get(document), PAIR_LABELS[table.label[row]]
        gold = truth.label if truth else Label.NEI
        shares = Probabilities(*_normalised(table.probabilities[row].tolist())) if stated else None
        error, sentences = _error(gold, label), table.rationale(row)
        yield Outcome(claim, document, gold, label, error, shares, _rationales(truth), sentences, table.where(row))
    missed = ErrorType.NOT_RETRIEVED if stated else ErrorType.MISSED
    for document, truth in evidence.items():
        if document not in read:
            yield Outcome(claim, document, truth.label, None, missed, rationales=_rationales(truth))


def _normalised(shares: list[float]) -> list[float]:
    """Published probabilities are rounded, so that their sum may be a little off 1."""
    total = sum(shares)
    return [share / total for share in shares]


def _error(gold: Label, label: Label) -> ErrorType | None:
    if label is gold:
        return None
    if gold is Label.NEI:
        return ErrorType.NO_EVIDENCE
    return ErrorType.READ_AS_NEI if label is Label.NEI else ErrorType.WRONG_LABEL


def _rationales(truth: OpenEvidence | None) -> tuple[frozenset[int], ...]:
    return (frozenset(truth.sentences),) if truth and truth.sentences else ()

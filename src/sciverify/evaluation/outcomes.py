"""What became of every pair of a claim and a document: gold label, predicted label, and what is known beside them.

Scores say how many predictions were right; the diagnostics, the error tables and the reports ask which ones. They all
start from this list. A pair is in it when the document is gold evidence for the claim, was predicted as evidence, or is
among the candidates that the run lists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.average_precision import RankedPairs
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.evaluation.runs import Prediction, check_order
from sciverify.evaluation.scifact import is_justified
from sciverify.records import Claim, Label, Probabilities

__all__ = ["ErrorType", "Outcome", "Outcomes", "Setting", "check_setting", "outcomes_of"]


class Setting(StrEnum):
    """How much of the gold file the system was given (SciFact §6.2)."""

    OPEN = "open"
    ORACLE_ABSTRACT = "oracle-abstract"
    ORACLE_RATIONALE = "oracle-rationale"
    ORACLE_BOTH = "oracle-both"

    @classmethod
    def of(cls, oracles: Collection[str]) -> Setting:
        """The setting of a system that was told these parts of gold (`sciverify.evaluation.oracle.ORACLES`).

        Raises:
            SettingError: there is no such part.
        """
        if unknown := sorted(set(oracles) - {"abstract", "rationale"}):
            raise SettingError(f"there is no oracle {unknown[0]!r}", remedy="Choose abstract, rationale, or both")
        if len(set(oracles)) == 2:
            return cls.ORACLE_BOTH
        return cls(f"oracle-{next(iter(oracles))}") if oracles else cls.OPEN


class ErrorType(StrEnum):
    """In what way an outcome is wrong."""

    WRONG_LABEL = "opposite label"
    NO_EVIDENCE = "no evidence"
    MISSED = "missed"
    READ_AS_NEI = "read as NEI"
    NOT_RETRIEVED = "not retrieved"
    RATIONALE = "wrong rationale"

    @property
    def meaning(self) -> str:
        """The type in a sentence."""
        return _MEANINGS[self]


_SIDES = (Label.SUPPORTS, Label.REFUTES)
_MEANINGS = {
    ErrorType.WRONG_LABEL: "Evidence was found and given the opposite label.",
    ErrorType.NO_EVIDENCE: "A document that is no gold evidence was predicted as evidence.",
    ErrorType.MISSED: "Gold evidence was not predicted; the run does not say whether it was read.",
    ErrorType.READ_AS_NEI: "Gold evidence was read and labelled as not enough information.",
    ErrorType.NOT_RETRIEVED: "Gold evidence was not among the documents that were read.",
    ErrorType.RATIONALE: "The label is right, but the sentences shown hold no whole gold rationale.",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One claim and one document.

    Attributes:
        claim: the claim.
        document: the document's id.
        gold: NEI where the document is no gold evidence.
        predicted: None where the run says nothing about the document.
        error: None where the outcome is right.
        probabilities: of the three labels, where the run states them.
        rationales: the gold rationales, as sets of sentence numbers.
        sentences: the predicted sentence numbers, best first.
        where: the spot in the run that speaks of the claim.
    """

    claim: Claim
    document: str
    gold: Label
    predicted: Label | None
    error: ErrorType | None
    probabilities: Probabilities | None = None
    rationales: tuple[frozenset[int], ...] = ()
    sentences: tuple[int, ...] = ()
    where: str = ""

    @property
    def label_is_right(self) -> bool:
        """Whether this is gold evidence that was predicted with its label."""
        return self.gold is not Label.NEI and self.predicted is self.gold

    @property
    def rationale_is_right(self) -> bool:
        """Whether the label is right and the sentences shown hold a whole gold rationale."""
        return self.label_is_right and self.error is None


@dataclass(frozen=True)
class Outcomes:
    """All outcomes of a run.

    Attributes:
        pairs: in the order of the claims; within a claim candidates first, by rank.
        evidence: how many evidence documents each claim has in the gold file, by its id, in gold's order.
        ranking: the pairs as average precision ranks them: the score is the larger probability of the two sides, the
            label that side (SciFact-Open §4). None where the run states no probabilities.
        lists_candidates: whether the run says which documents were read; otherwise a document that was read and
            labelled NEI can't be told from one that was not.
        has_rationales: whether the task asks for sentences.
    """

    pairs: tuple[Outcome, ...]
    evidence: Mapping[str, int]
    ranking: RankedPairs | None
    lists_candidates: bool
    has_rationales: bool = True

    def errors(self) -> Iterator[Outcome]:
        """The outcomes that are wrong, in order."""
        return (pair for pair in self.pairs if pair.error is not None)


def outcomes_of(gold: Sequence[GoldClaim], predictions: Sequence[Prediction]) -> Outcomes:
    """The outcomes of a run in SciFact's form.

    Raises:
        RunFileError: the claims differ from gold's, or some lines list candidates and others don't.
    """
    check_order(predictions, [entry.claim.id for entry in gold])
    listed = [prediction.candidates is not None for prediction in predictions]
    if any(listed) and not all(listed):
        without = predictions[listed.index(False)]
        raise RunFileError(
            "this line has no 'candidates', though others have",
            where=without.where,
            remedy="Finish the run with the version that began it, or start it anew",
        )
    pairs = [pair for g, p in zip(gold, predictions, strict=True) for pair in _pairs(g, p)]
    evidence = {entry.claim.id: len(entry.evidence) for entry in gold}
    return Outcomes(tuple(pairs), evidence, _ranking(pairs, evidence) if all(listed) else None, all(listed))


def check_setting(outcomes: Outcomes, setting: Setting) -> None:
    """Refuse a run that predicts what a system in this setting was never given.

    Raises:
        RunFileError: an oracle run predicts a document that is no gold evidence, or, where the rationales were given,
            a sentence that is in none of them.
    """
    if setting is Setting.OPEN:
        return
    told_sentences = outcomes.has_rationales and setting is not Setting.ORACLE_ABSTRACT
    for pair in outcomes.pairs:
        beyond = sorted(set(pair.sentences).difference(*pair.rationales)) if told_sentences else []
        if pair.error is ErrorType.NO_EVIDENCE:
            problem = f"document {pair.document!r} is no gold evidence for claim {pair.claim.id}"
        elif beyond:
            problem = f"sentence {beyond[0]} of document {pair.document!r} is in no gold rationale"
        else:
            continue
        raise RunFileError(
            f"{problem}, so this is no {setting} run",
            where=pair.where,
            remedy="Score it as the setting that it was made in",
        )


def _pairs(gold: GoldClaim, prediction: Prediction) -> Iterator[Outcome]:
    read = {candidate.doc_id: candidate for candidate in prediction.candidates or ()}
    for document in dict.fromkeys([*read, *prediction.evidence, *gold.evidence]):
        truth, predicted, candidate = gold.evidence.get(document), prediction.evidence.get(document), read.get(document)
        label = predicted.label if predicted else Label.NEI if candidate else None
        sentences = predicted.sentences if predicted else ()
        yield Outcome(
            gold.claim,
            document,
            truth.label if truth else Label.NEI,
            label,
            _error(truth, label, sentences, lists_candidates=prediction.candidates is not None),
            candidate.probabilities if candidate else None,
            truth.rationales if truth else (),
            sentences,
            prediction.where,
        )


def _ranking(pairs: Sequence[Outcome], evidence: Mapping[str, int]) -> RankedPairs:
    number = {claim: number for number, claim in enumerate(evidence)}
    read = [(pair, pair.probabilities) for pair in pairs if pair.probabilities is not None]
    claims = np.array([number[pair.claim.id] for pair, _ in read], dtype=np.int64)
    sides = np.array([(shares.supports, shares.refutes) for _, shares in read], dtype=np.float64).reshape(-1, 2)
    gold = np.array([_SIDES.index(pair.gold) if pair.gold in _SIDES else -1 for pair, _ in read])
    relevant = np.array(list(evidence.values()), dtype=np.float64)
    return RankedPairs(claims, sides.max(axis=1), sides.argmax(axis=1) == gold, relevant)


def _error(
    truth: GoldEvidence | None, label: Label | None, sentences: Sequence[int], *, lists_candidates: bool
) -> ErrorType | None:
    if truth is None:
        return None if label in (None, Label.NEI) else ErrorType.NO_EVIDENCE
    if label is None:
        return ErrorType.NOT_RETRIEVED if lists_candidates else ErrorType.MISSED
    if label is Label.NEI:
        return ErrorType.READ_AS_NEI
    if label is not truth.label:
        return ErrorType.WRONG_LABEL
    return None if is_justified(sentences, truth.rationales) else ErrorType.RATIONALE

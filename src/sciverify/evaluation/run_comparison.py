"""Two runs side by side: for which claims their answers differ, and in what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sciverify.evaluation.runs import Prediction
from sciverify.records import Label

__all__ = ["ClaimDifference", "RunComparison", "compare_runs"]


@dataclass(frozen=True, slots=True)
class ClaimDifference:
    """How two answers to a claim differ.

    Attributes:
        claim_id: the claim.
        labels: the documents whose label differs, with the label in each run; NEI where a run doesn't list it.
        sentences: the documents with the same label in both runs, but other sentences or another order of them.
    """

    claim_id: str
    labels: dict[str, tuple[Label, Label]]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What two runs answer.

    Attributes:
        claims: how many claims are in both.
        only_first: the claims that only the first run has; `only_second` likewise.
        only_second: see `only_first`.
        differences: the claims in both whose answers differ, in the order of the first run.
    """

    claims: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    differences: tuple[ClaimDifference, ...]

    @property
    def other_labels(self) -> int:
        """How many claims have a document with another label."""
        return sum(bool(difference.labels) for difference in self.differences)

    @property
    def other_sentences(self) -> int:
        """How many claims have the same labels, but other sentences quoted."""
        return len(self.differences) - self.other_labels


def compare_runs(first: Sequence[Prediction], second: Sequence[Prediction]) -> RunComparison:
    """Compare what two runs say of each document; probabilities, scores and the order of documents don't count."""
    one = {prediction.claim_id: prediction for prediction in first}
    other = {prediction.claim_id: prediction for prediction in second}
    both = [id for id in one if id in other]
    differences = (_difference(one[id], other[id]) for id in both)
    return RunComparison(
        len(both),
        tuple(id for id in one if id not in other),
        tuple(id for id in other if id not in one),
        tuple(difference for difference in differences if difference.labels or difference.sentences),
    )


def _difference(one: Prediction, other: Prediction) -> ClaimDifference:
    labels, sentences = {}, []
    for document in dict.fromkeys([*one.evidence, *other.evidence]):
        pair = one.evidence.get(document), other.evidence.get(document)
        first, second = (entry.label if entry else Label.NEI for entry in pair)
        if first is not second:
            labels[document] = (first, second)
        elif pair[0] != pair[1]:
            sentences.append(document)
    return ClaimDifference(one.claim_id, labels, tuple(sentences))

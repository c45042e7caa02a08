"""Where a run is good and where it is not: curves, calibration, confusion, and F1 by what evidence is like.

Everything follows from the outcomes (`sciverify.evaluation.outcomes`), counted as SciFact's abstract level counts:
a document is correct when it is gold evidence and its label is right. Sums of groups equal the run's scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.average_precision import PrecisionRecallCurve
from sciverify.evaluation.outcomes import ErrorType, Outcome, Outcomes
from sciverify.evaluation.tally import Tally
from sciverify.records import Label

__all__ = [
    "LABELS",
    "Bin",
    "Diagnostics",
    "Group",
    "Reliability",
    "diagnose",
    "reliability",
]

LABELS = tuple(Label)
"""The order of the labels in every array and matrix here."""

_BINS = 10
_MOST_EVIDENCE, _LARGEST_RATIONALE = 5, 4  # groups of this size and more are one
_LENGTHS = ((0, 6), (7, 9), (10, 12), (13, None))  # sentences of an abstract, both ends included
_SIDES = (Label.SUPPORTS, Label.REFUTES)


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs whose likeliest label has a probability within `low` and `high`."""

    low: float
    high: float
    pairs: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Reliability:
    """Whether stated probabilities hold: filled bins in order, and the expected calibration error."""

    bins: tuple[Bin, ...]
    error: float

    @property
    def pairs(self) -> int:
        """How many pairs have probabilities."""
        return sum(bin.pairs for bin in self.bins)


@dataclass(frozen=True, slots=True)
class Group:
    """Documents of one kind: how many are predicted, evidence, and right.

    `label_rationale` also asks for a whole gold rationale; None where the task has no rationales.
    """

    name: str
    label_only: Tally
    label_rationale: Tally | None


@dataclass(frozen=True)
class Diagnostics:
    """All that is known about a run beside its scores.

    Attributes:
        confusion: documents by gold label (rows, in the order of `LABELS`) and by predicted label (the same order,
            then those without a prediction). The last cell of the last row, documents that are no evidence and were
            not predicted, is not counted: it is the rest of the corpus.
        overall: all documents: the run's abstract-level scores.
        labels: one group per label other than NEI.
        rationale_sizes: gold evidence by the size of its smallest rationale. A document that is no evidence has none
            and is in no group.
        lengths: by how many sentences the document has; empty without a corpus.
        evidence_documents: by how many evidence documents the claim has, a measure of how much it is studied.
        error_types: how many outcomes are wrong in each way.
        curve: precision and recall when all pairs of at least a certain score are predicted (`Outcomes.ranking`).
            Recall is over all gold evidence, read or not. None where the run states no probabilities.
        average_precision: of the curve.
        reliability: None where the run states no probabilities.
        left_out: what could not be made, and why.
    """

    confusion: NDArray[np.int64]
    overall: Group
    labels: tuple[Group, ...]
    rationale_sizes: tuple[Group, ...]
    lengths: tuple[Group, ...]
    evidence_documents: tuple[Group, ...]
    error_types: Mapping[ErrorType, int]
    curve: PrecisionRecallCurve | None
    average_precision: float | None
    reliability: Reliability | None
    left_out: tuple[str, ...]


def diagnose(outcomes: Outcomes, corpus: Mapping[str, int] | None = None) -> Diagnostics:
    """Make all diagnostics that the outcomes allow.

    Args:
        outcomes: from `outcomes_of`.
        corpus: how many sentences each document has (`sentence_counts`).
    """
    left_out, ranking = [], outcomes.ranking
    stated = [pair for pair in outcomes.pairs if pair.probabilities is not None]
    if ranking is None:
        left_out.append(
            "Precision-recall curve and reliability diagram: the run lists no candidates with their probabilities."
        )
    if corpus is None:
        left_out.append("F1 by length of the abstract: no corpus was given.")
    errors = [pair.error for pair in outcomes.errors()]
    return Diagnostics(
        _confusion(outcomes.pairs),
        _group("all", outcomes.pairs, outcomes.has_rationales),
        _labels(outcomes),
        _grouped(outcomes, _rationale_size) if outcomes.has_rationales else (),
        _grouped(outcomes, lambda pair: _length(corpus[pair.document])) if corpus is not None else (),
        _grouped(outcomes, lambda pair: _evidence_documents(outcomes.evidence[pair.claim.id])),
        {kind: errors.count(kind) for kind in ErrorType if kind in errors},
        ranking.curve() if ranking else None,
        float(ranking.average_precision(np.ones((1, len(outcomes.evidence))))[0]) if ranking else None,
        _reliability(stated) if ranking else None,
        tuple(left_out),
    )


def reliability(probabilities: NDArray[np.float64], labels: NDArray[np.int64], bins: int = _BINS) -> Reliability:
    """How often the likeliest label is right, against how probable it was said to be.

    The expected calibration error is the mean gap between the two over bins of equal width, weighted by their size
    (Guo et al. 2017).

    Args:
        probabilities: shape ``(pairs, labels)``.
        labels: shape ``(pairs,)``, the gold labels as column numbers.
        bins: how many.
    """
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    where = np.minimum((sure * bins).astype(np.int64), bins - 1)
    sizes = np.bincount(where, minlength=bins)
    filled = np.flatnonzero(sizes)
    confidence = np.bincount(where, sure, bins)[filled] / sizes[filled]
    accuracy = np.bincount(where, right, bins)[filled] / sizes[filled]
    error = float(np.abs(confidence - accuracy) @ (sizes[filled] / max(len(sure), 1)))
    rows = zip(filled.tolist(), sizes[filled].tolist(), confidence.tolist(), accuracy.tolist(), strict=True)
    return Reliability(tuple(Bin(b / bins, (b + 1) / bins, *row) for b, *row in rows), error)


def _reliability(stated: Sequence[Outcome]) -> Reliability:
    return reliability(_probabilities(stated), np.array([LABELS.index(pair.gold) for pair in stated]))


def _probabilities(stated: Iterable[Outcome]) -> NDArray[np.float64]:
    rows = [[pair.probabilities.of(label) for label in LABELS] for pair in stated if pair.probabilities is not None]
    return np.array(rows, dtype=np.float64).reshape(-1, len(LABELS))


def _confusion(pairs: Iterable[Outcome]) -> NDArray[np.int64]:
    counts = np.zeros((len(LABELS), len(LABELS) + 1), np.int64)
    for pair in pairs:
        column = len(LABELS) if pair.predicted is None else LABELS.index(pair.predicted)
        counts[LABELS.index(pair.gold), column] += 1
    return counts


def _labels(outcomes: Outcomes) -> tuple[Group, ...]:
    """Per label: a prediction counts for the label it gives, evidence for the label it has."""
    groups = []
    for label in _SIDES:
        given = [pair for pair in outcomes.pairs if pair.predicted is label]
        relevant = sum(pair.gold is label for pair in outcomes.pairs)
        groups.append(_group(label.value, given, outcomes.has_rationales, relevant))
    return tuple(groups)


def _grouped(outcomes: Outcomes, key: Callable[[Outcome], tuple[int, str] | None]) -> tuple[Group, ...]:
    """Groups by a key, which is where the group stands and its name; None is in no group."""
    groups: dict[tuple[int, str], list[Outcome]] = {}
    for pair in outcomes.pairs:
        counts = pair.gold is not Label.NEI or pair.predicted in _SIDES
        if counts and (name := key(pair)) is not None:
            groups.setdefault(name, []).append(pair)
    return tuple(_group(name[1], pairs, outcomes.has_rationales) for name, pairs in sorted(groups.items()))


def _group(name: str, pairs: Sequence[Outcome], has_rationales: bool, relevant: int | None = None) -> Group:
    retrieved = sum(pair.predicted in _SIDES for pair in pairs)
    relevant = sum(pair.gold is not Label.NEI for pair in pairs) if relevant is None else relevant
    label_only = Tally(sum(pair.label_is_right for pair in pairs), retrieved, relevant)
    both = Tally(sum(pair.rationale_is_right for pair in pairs), retrieved, relevant)
    return Group(name, label_only, both if has_rationales else None)


def _rationale_size(pair: Outcome) -> tuple[int, str] | None:
    if not pair.rationales:
        return None
    size = min(_LARGEST_RATIONALE, *map(len, pair.rationales))
    return size, _numbered(size, _LARGEST_RATIONALE, "sentence")


def _evidence_documents(number: int) -> tuple[int, str]:
    size = min(_MOST_EVIDENCE, number)
    return size, _numbered(size, _MOST_EVIDENCE, "document")


def _numbered(size: int, largest: int, noun: str) -> str:
    return f"{size}{' or more' if size == largest else ''} {noun}{'' if size == 1 else 's'}"


def _length(sentences: int) -> tuple[int, str]:
    low, high = next((low, high) for low, high in _LENGTHS if high is None or sentences <= high)
    if high is None:
        return low, f"{low} or more sentences"
    return low, f"{low} to {high} sentences" if low else f"up to {high} sentences"

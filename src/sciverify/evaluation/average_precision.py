"""Average precision over ranked claim-document pairs, for any weighting of the claims (SciFact-Open's definition).

AP = sum over distinct thresholds of (R_n - R_{n-1}) x P_n. Only thresholds at which something correct is found add to
it, so for each weighting two sums per such threshold are needed: how much was found, and how much was retrieved. They
are sums of whole numbers and so exact; pairs with one score share a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.tally import share

__all__ = ["PrecisionRecallCurve", "RankedPairs"]

# Weightings at once, and pairs times weightings: strips that stay in the processor's cache. Neither the number of
# pairs nor that of weightings adds to the memory beyond this.
_STRIP = 128
_CELLS = 1 << 16


class PrecisionRecallCurve(NamedTuple):
    """Precision and recall when all pairs with a score of at least `threshold` are predicted; thresholds fall."""

    threshold: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]


class _Steps(NamedTuple):
    """The ranking, reduced to the thresholds at which something correct is found."""

    claim: NDArray[np.intp]  # of each pair in falling order of score, down to the last correct one's threshold
    end: NDArray[np.intp]  # how many pairs stand at or above each of these thresholds
    correct_claim: NDArray[np.intp]  # of each correct pair, in the same order
    correct_start: NDArray[np.intp]  # where each threshold's correct pairs begin, and the end of all


@dataclass(frozen=True, eq=False)
class RankedPairs:
    """Pairs to be ranked by score, in any order.

    Args:
        claim: the claim of each pair, 0 to claims - 1.
        score: of each pair, finite.
        correct: whether the pair is gold evidence with this label.
        relevant: gold pairs of each claim, shape ``(claims,)``, those that no pair stands for included.
    """

    claim: NDArray[np.int64] = field(repr=False)
    score: NDArray[np.float64] = field(repr=False)
    correct: NDArray[np.bool_] = field(repr=False)
    relevant: NDArray[np.float64] = field(repr=False)

    def average_precision(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The average precision when claim i counts ``weights[:, i]`` times, 0 without gold pairs.

        Args:
            weights: shape ``(n, claims)``, whole numbers.

        Returns:
            Shape ``(n,)``, in 0 to 1.
        """
        strips = range(0, len(weights), _STRIP)
        sums = [_precision_times_gain(self._steps, weights[start : start + _STRIP]) for start in strips]
        return share(np.concatenate([*sums, np.zeros(0)]), weights @ self.relevant)

    def curve(self) -> PrecisionRecallCurve:
        """Precision and recall at every distinct score, each claim counted once."""
        order, ends = self._ranking
        found = np.cumsum(self.correct[order], dtype=np.float64)[ends - 1]
        recall = share(found, np.full(len(ends), self.relevant.sum()))
        return PrecisionRecallCurve(self.score[order][ends - 1], share(found, ends.astype(np.float64)), recall)

    @cached_property
    def _ranking(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The pairs in falling order of score, and how many stand at or above each distinct score."""
        order = np.argsort(-self.score, kind="stable")
        falls = np.diff(self.score[order]) != 0
        return order, np.concatenate([np.flatnonzero(falls) + 1, [len(order)] if len(order) else []]).astype(np.intp)

    @cached_property
    def _steps(self) -> _Steps:
        order, ends = self._ranking
        claim, correct = self.claim[order].astype(np.intp), self.correct[order]
        found = np.concatenate([[0], np.cumsum(correct)[ends - 1]]).astype(np.intp)
        gains = np.flatnonzero(np.diff(found))
        steps = ends[gains]
        last = steps[-1] if len(steps) else 0
        return _Steps(claim[:last], steps, claim[correct], np.append(found[gains], found[-1]))


def _precision_times_gain(steps: _Steps, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum over thresholds of what is newly found, times the precision there; shape of weights ``(n, claims)``."""
    drawn = np.ascontiguousarray(weights.T)  # a row per claim: taking a pair's weights is then one copy
    total, found, retrieved = (np.zeros(len(weights)) for _ in range(3))
    block = max(1, _CELLS // max(1, len(weights)))
    for start in range(0, len(steps.claim), block):
        pairs = steps.claim[start : start + block]
        first, last = np.searchsorted(steps.end, [start, start + len(pairs)], side="right")
        bounds = np.concatenate([[0], steps.end[first:last] - start])
        reached = _running_sums(drawn[pairs], bounds[bounds < len(pairs)], retrieved)
        retrieved = reached[-1]
        if first == last:
            continue
        begin, end = steps.correct_start[first], steps.correct_start[last]
        gained = np.add.reduceat(drawn[steps.correct_claim[begin:end]], steps.correct_start[first:last] - begin, axis=0)
        right = found + np.cumsum(gained, axis=0)
        found = right[-1]
        total += (gained * share(right, reached[: last - first])).sum(axis=0)
    return total


def _running_sums(
    values: NDArray[np.float64], bounds: NDArray[np.intp], before: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`before` plus the sum of all rows up to each bound's next one, shape ``(bounds, n)``."""
    sums = np.add.reduceat(values, bounds, axis=0)
    sums[0] += before
    return np.cumsum(sums, axis=0, out=sums)

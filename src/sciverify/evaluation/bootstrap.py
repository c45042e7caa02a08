"""How much a score depends on which claims were asked: resampling claims with replacement.

Every measure is recomputed from each resample as a whole, so that in a micro average claims with much evidence carry
their weight in every one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError
from sciverify.evaluation.measures import Scores

__all__ = ["Difference", "Interval", "bootstrap", "claim_weights", "compare", "summarise"]

# Cells held at once. The piece size follows from the number of claims alone: the stream of random numbers must not
# depend on the machine, nor memory on the number of resamples.
_CELLS = 100_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A measure over the resamples: mean, standard deviation, and the 2.5 and 97.5 percentiles."""

    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One run's measure less another's on the same claims.

    Attributes:
        value: the difference on all claims.
        interval: over the resamples, both runs scored on the same draws.
        p: two-sided: twice the share of resamples in which the difference is not of the sign of `value`, or is 0;
            at most 1, and never 0, since that share can't be told from less than one in the number of resamples.
    """

    value: float
    interval: Interval
    p: float


def bootstrap(scores: Scores, *, resamples: int = 10_000, seed: int = 0) -> dict[str, Interval]:
    """Every measure's spread over resamples of the claims (SciFact §6: 10,000 of them).

    Raises:
        SettingError: fewer than two resamples are asked for.
    """
    values = _resampled(scores, resamples=resamples, seed=seed)
    return {measure.name: summarise(values[:, i]) for i, measure in enumerate(scores.measures)}


def compare(scores: Scores, other: Scores, *, resamples: int = 10_000, seed: int = 0) -> dict[str, Difference]:
    """How much better `scores` is than `other`, paired: each resample draws the same claims for both.

    Raises:
        SettingError: they are not of one task on the same claims, or fewer than two resamples are asked for.
    """
    if (scores.task, scores.measures, scores.ids) != (other.task, other.measures, other.ids):
        raise SettingError(
            "two runs can be compared only on the same task, claims and measures",
            remedy="Score both against the same gold file",
        )
    mine = _resampled(scores, resamples=resamples, seed=seed)
    drawn = mine - _resampled(other, resamples=resamples, seed=seed)
    ours, theirs = scores.values(), other.values()
    return {
        measure.name: _difference(ours[measure.name] - theirs[measure.name], drawn[:, i])
        for i, measure in enumerate(scores.measures)
    }


def claim_weights(claims: int, *, resamples: int = 10_000, seed: int = 0) -> Iterator[NDArray[np.float64]]:
    """Yield, in pieces of shape ``(some resamples, claims)``, how often each claim was drawn.

    Raises:
        SettingError: there is nothing to draw, or fewer than two resamples are asked for.
    """
    if claims < 1:
        raise SettingError("there are no claims to draw from")
    if resamples < 2:
        raise SettingError(f"{resamples} resamples have no spread", remedy="Ask for at least 2; 10,000 is usual")
    random = np.random.default_rng(seed)
    piece = max(1, _CELLS // claims)
    for start in range(0, resamples, piece):
        rows = min(piece, resamples - start)
        drawn = random.integers(claims, size=(rows, claims))
        cells = drawn + np.arange(rows)[:, None] * claims
        yield np.bincount(cells.ravel(), minlength=rows * claims).reshape(rows, claims).astype(np.float64)


def summarise(values: NDArray[np.float64]) -> Interval:
    """Sum up one measure's values over the resamples, shape ``(resamples,)``."""
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(values.mean()), float(values.std(ddof=1)), float(low), float(high))


def _resampled(scores: Scores, *, resamples: int, seed: int) -> NDArray[np.float64]:
    """The measures of each resample, shape ``(resamples, measures)``."""
    pieces = claim_weights(len(scores.ids), resamples=resamples, seed=seed)
    return np.concatenate([scores.weighted(weights) for weights in pieces])


def _difference(value: float, drawn: NDArray[np.float64]) -> Difference:
    against = drawn <= 0 if value > 0 else drawn >= 0
    p = min(1.0, 2 * (1 + int(against.sum())) / (1 + len(drawn)))
    return Difference(value, summarise(drawn), p if value else 1.0)

"""How much a score depends on which claims were asked: resampling claims with replacement.

A micro-averaged metric is recomputed from the counts of each resample, so that claims with much evidence carry their
weight in every one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError

__all__ = ["Interval", "claim_weights", "resampled_totals", "summarise"]

_CHUNK = 500  # resamples held at once; a constant, since the stream of random numbers must not depend on the machine


@dataclass(frozen=True, slots=True)
class Interval:
    """A metric over the resamples: mean, standard deviation, and the 2.5 and 97.5 percentiles."""

    mean: float
    sd: float
    low: float
    high: float


def resampled_totals(counts: NDArray[np.int64], *, resamples: int = 10_000, seed: int = 0) -> NDArray[np.float64]:
    """Sums of the claims' counts over each resample.

    Args:
        counts: shape ``(claims, columns)``, what each claim adds to each total.
        resamples: how often as many claims are drawn as there are.
        seed: fixes the draws; the result repeats to the last bit.

    Returns:
        Shape ``(resamples, columns)``.

    Raises:
        SettingError: there is nothing to draw, or fewer than two resamples are asked for.
    """
    # Whole numbers as floats are summed without rounding, so the order of summation cannot change a bit.
    table = np.asarray(counts, dtype=np.float64)
    return np.concatenate([weights @ table for weights in claim_weights(len(table), resamples=resamples, seed=seed)])


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
    for start in range(0, resamples, _CHUNK):
        rows = min(_CHUNK, resamples - start)
        drawn = random.integers(claims, size=(rows, claims))
        cells = drawn + np.arange(rows)[:, None] * claims
        yield np.bincount(cells.ravel(), minlength=rows * claims).reshape(rows, claims).astype(np.float64)


def summarise(values: NDArray[np.float64]) -> Interval:
    """Sum up one metric's values over the resamples, shape ``(resamples,)``."""
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(values.mean()), float(values.std(ddof=1)), float(low), float(high))

"""Geometry of a report's charts: numbers to places on a canvas, and lines short enough to be drawn.

The templates draw; what they can't do well, such as ticks and thinned curves, is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axis", "share_axis", "step_path", "symmetric_axis", "upward_axis"]

_LEAST = 1e-300  # below it a power of ten is 0


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from the values `low` to `high` onto the pixels `start` to `end` (which may run backwards)."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """The pixel of a value; values beyond the axis stop at its ends."""
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return round(self.start + share * (self.end - self.start), 1)


def share_axis(start: float, end: float) -> Axis:
    """An axis for shares, 0 to 1."""
    return Axis(0.0, 1.0, start, end, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))


def upward_axis(values: Iterable[float], start: float, end: float) -> Axis:
    """An axis from 0 on which all values fit, none of them below 0, with ticks at round numbers."""
    reach = _reach(values)
    power = 10.0 ** floor(log10(reach))
    step = next(factor * power for factor in (0.25, 0.5, 1.0, 2.0, 2.5) if 4 * factor * power >= reach)
    return Axis(0.0, 4 * step, start, end, tuple(n * step for n in range(5)))


def symmetric_axis(values: Iterable[float], start: float, end: float) -> Axis:
    """An axis around 0 on which all values fit, with ticks at round numbers."""
    reach = _reach(abs(value) for value in values)
    power = 10.0 ** floor(log10(reach))
    step = next(factor * power for factor in (0.25, 0.5, 1.0, 2.0, 5.0) if 2 * factor * power >= reach)
    bound = 2 * step
    return Axis(-bound, bound, start, end, (-bound, -step, 0.0, step, bound))


def _reach(values: Iterable[float]) -> float:
    """The largest value; 0.01 where there is none that powers of ten could tell from 0."""
    reach = max(values, default=0.0)
    return reach if reach > _LEAST else 0.01


def step_path(x: NDArray[np.float64], y: NDArray[np.float64], across: Axis, up: Axis) -> str:
    """The SVG path of a curve through points, those left out that fall on the pixel of the one before."""
    points = [(across(float(a)), up(float(b))) for a, b in zip(x, y, strict=True)]
    kept = [point for n, point in enumerate(points) if n == 0 or point != points[n - 1]]
    return "".join(f"{'M' if n == 0 else 'L'}{a:g} {b:g}" for n, (a, b) in enumerate(kept))

"""Line charts as one SVG file that holds everything it shows, in the colours of the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciverify.evaluation.report.charts import upward_axis
from sciverify.evaluation.report.page import environment

__all__ = ["Panel", "render_lines"]


@dataclass(frozen=True)
class Panel:
    """One chart: lines by name, each an array of x and one of y of the same length, no value below 0."""

    title: str
    lines: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]


def render_lines(title: str, panels: Sequence[Panel], x_name: str) -> str:
    """The charts below each other, with one key, as the text of an SVG file; write it as UTF-8.

    A line has the same colour in all of them. At most six names have colours of their own.
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    return (
        environment()
        .get_template("lines.svg.j2")
        .render(title=title, panels=panels, names=names, x_name=x_name, upward_axis=upward_axis)
    )

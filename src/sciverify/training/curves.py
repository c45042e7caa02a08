"""Learning curves: the losses that a run folder's log holds, as one SVG file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from sciverify.errors import TrainingError, place
from sciverify.evaluation.report.lines import Panel, render_lines

__all__ = ["draw_curves", "read_losses"]

_LOSSES = ("loss", "label", "elements", "relevance", "spans", "soft")

Losses = dict[str, dict[int, dict[str, float]]]


def read_losses(folder: Path) -> Losses:
    """The mean losses in ``log.jsonl``, by stage and step, in the order in which they were trained.

    Steps that were done once more after a kill count once: as they went the last time.

    Raises:
        TrainingError: there is no log, or it isn't one of a training. A last line that a kill cut off is left out.
    """
    path = folder / "log.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(
            f"the log cannot be read ({error})", where=place(path), remedy="Give the folder of a run (train --out)"
        ) from error
    losses: Losses = {}
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            stage = losses.setdefault(entry["stage"], {})
            if "resumed_at" in entry:
                for step in [step for step in stage if step > entry["resumed_at"]]:
                    del stage[step]
            elif "step" in entry:
                stage[int(entry["step"])] = {name: float(entry[name]) for name in _LOSSES if name in entry}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines):
                break
            raise TrainingError(
                f"line {number} is none of a training's log", where=place(path), remedy="Train into another folder"
            ) from error
    return losses


def draw_curves(folder: Path) -> str:
    """The losses of a run as an SVG file's text: a chart per stage, a line per loss that ever was above 0.

    Raises:
        TrainingError: there is no log, or no loss in it yet.
    """
    panels = []
    for stage, steps in read_losses(folder).items():
        lines = {}
        for name in _LOSSES:
            points = [(step, values[name]) for step, values in sorted(steps.items()) if name in values]
            if any(value > 0 for _, value in points):
                x, y = np.array(points, dtype=np.float64).T
                lines[name] = (x, y)
        if lines:
            panels.append(Panel(stage, lines))
    if not panels:
        raise TrainingError(
            "the log holds no losses yet", where=place(folder / "log.jsonl"), remedy="Train fifty steps first"
        )
    return render_lines(f"Losses of {folder.resolve().name}", panels, "step")

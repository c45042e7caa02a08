"""Scores as lines of text, in percent: one row per metric, its parts side by side, then the spread."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from sciverify.evaluation.bootstrap import Interval
from sciverify.evaluation.measures import Scores

__all__ = ["scores_table"]


def scores_table(scores: Scores, intervals: Mapping[str, Interval] | None = None) -> str:
    """The measures of a run; with `intervals` from `bootstrap`, the spread of each row's last part (F1) too."""
    values = scores.values()
    rows = [(title, list(parts)) for title, parts in groupby(scores.measures, key=lambda measure: measure.title)]
    head = f"{scores.task}, {len(scores.ids):,} claims"
    width = max(len(head), *(len(title) for title, _ in rows)) + 2
    parts_shown = max(len(parts) for _, parts in rows)
    names = next((parts for _, parts in rows if len(parts) == parts_shown and parts[0].part), [])
    lines = [f"{head:<{width}}" + "".join(f"{part.part:>8}" for part in names)]
    if intervals is not None:
        lines[0] = f"{lines[0]:<{width + 8 * parts_shown}}   resampled: mean, sd, 2.5-97.5 %"
    for title, parts in rows:
        # A figure without parts stands in the last column, below the F1 of those that have them.
        line = f"{title:<{width}}" + "".join(f"{100 * values[part.name]:>8.2f}" for part in parts).rjust(
            8 * parts_shown
        )
        if intervals is not None:
            spread = intervals[parts[-1].name]
            mean, sd, low, high = (
                f"{100 * figure:.2f}" for figure in (spread.mean, spread.sd, spread.low, spread.high)
            )
            line += f"   {mean}, {sd}, {low}-{high}"
        lines.append(line)
    return "\n".join(lines)

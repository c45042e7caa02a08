"""Scores as lines of text, in percent: one row per metric, its parts side by side, then the spread. And as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from sciverify.evaluation.bootstrap import Difference, Interval
from sciverify.evaluation.csv_files import write_csv
from sciverify.evaluation.measures import Measure, Scores

__all__ = ["MeasureRow", "differences_table", "measure_rows", "p_text", "scores_table", "write_per_claim"]

_TITLE, _FIGURE = 2, 8  # columns after the longest title, and of one figure


@dataclass(frozen=True, slots=True)
class MeasureRow:
    """The measures of one metric: precision, recall and F1, or a single one. The last stands for the metric."""

    title: str
    parts: tuple[Measure, ...]

    @property
    def last(self) -> Measure:
        """The measure whose spread is shown."""
        return self.parts[-1]


def measure_rows(scores: Scores) -> list[MeasureRow]:
    """The measures of a task, those of one metric in one row."""
    return [MeasureRow(title, tuple(parts)) for title, parts in groupby(scores.measures, key=lambda m: m.title)]


def scores_table(scores: Scores, intervals: Mapping[str, Interval] | None = None) -> str:
    """The measures of a run; with `intervals` from `bootstrap`, the spread of each row's last part (F1) too."""
    values, rows = scores.values(), measure_rows(scores)
    head = f"{scores.task}, {len(scores.ids):,} claims"
    width = max(len(head), *(len(row.title) for row in rows)) + _TITLE
    parts_shown = max(len(row.parts) for row in rows)
    names = next((row.parts for row in rows if len(row.parts) == parts_shown and row.parts[0].part), ())
    lines = [f"{head:<{width}}" + "".join(f"{part.part:>{_FIGURE}}" for part in names)]
    if intervals is not None:
        lines[0] = f"{lines[0]:<{width + _FIGURE * parts_shown}}   resampled: mean, sd, 2.5-97.5 %"
    for row in rows:
        # A figure without parts stands in the last column, below the F1 of those that have them.
        figures = "".join(f"{100 * values[part.name]:>{_FIGURE}.2f}" for part in row.parts)
        line = f"{row.title:<{width}}{figures.rjust(_FIGURE * parts_shown)}"
        if intervals is not None:
            spread = intervals[row.last.name]
            mean, sd, low, high = (
                f"{100 * figure:.2f}" for figure in (spread.mean, spread.sd, spread.low, spread.high)
            )
            line += f"   {mean}, {sd}, {low}-{high}"
        lines.append(line)
    return "\n".join(lines)


def differences_table(scores: Scores, other: Scores, differences: Mapping[str, Difference]) -> str:
    """Two runs side by side on each row's last part (F1): both figures, their difference, its spread and its p."""
    mine, theirs, rows = scores.values(), other.values(), measure_rows(scores)
    head = "compared"
    width = max(len(head), *(len(row.title) for row in rows)) + _TITLE
    names = "".join(f"{name:>{_FIGURE}}" for name in ("run", "other", "diff"))
    lines = [f"{head:<{width}}{names}   resampled: sd, 2.5-97.5 %, p"]
    for row in rows:
        name = row.last.name
        found = differences[name]
        figures = (mine[name], theirs[name])
        line = f"{row.title:<{width}}" + "".join(f"{100 * figure:>{_FIGURE}.2f}" for figure in figures)
        sd, low, high = (
            f"{100 * figure:.2f}" for figure in (found.interval.sd, found.interval.low, found.interval.high)
        )
        lines.append(f"{line}{100 * found.value:>+{_FIGURE}.2f}   {sd}, {low} to {high}, {p_text(found.p)}")
    return "\n".join(lines)


def write_per_claim(path: str | Path, scores: Scores) -> None:
    """Write what each claim contributes to the measures as CSV, one row per claim.

    Raises:
        RunFileError: the file cannot be written.
    """
    columns, values = scores.per_claim()
    rows = zip(scores.ids, values.tolist(), strict=True)
    write_csv(path, ("id", *columns), ([id, *map(_short, row)] for id, row in rows))


def p_text(p: float) -> str:
    """A p-value as it is printed: four decimals, and never 0."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() else value

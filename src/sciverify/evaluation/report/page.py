"""A report as one HTML file that holds everything it shows: no script, nothing fetched, light and dark, fit to print.

All that the templates print is escaped, by `safe_text`, which also replaces the characters that HTML can't hold. A
policy in the page's head forbids browsers to load anything, whatever a text may ask for.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.filters import do_mark_safe

from sciverify.display import safe_text
from sciverify.evaluation.bootstrap import Interval
from sciverify.evaluation.diagnostics import LABELS, Diagnostics, Group
from sciverify.evaluation.error_table import KINDS
from sciverify.evaluation.report.charts import share_axis, step_path, symmetric_axis
from sciverify.evaluation.report.contents import Report
from sciverify.evaluation.table import MeasureRow, measure_rows, p_text
from sciverify.records import Label

__all__ = ["environment", "render_html"]

NAMES = {Label.SUPPORTS: "supports", Label.REFUTES: "refutes", Label.NEI: "not enough information"}


def render_html(report: Report) -> str:
    """The page as text; write it as UTF-8."""
    rows = measure_rows(report.scores)
    values = report.scores.values()
    differences = _differences(report, rows)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            rows=rows,
            parts=_part_names(rows),
            values=values,
            other_values=report.comparison.scores.values() if report.comparison else {},
            labels=LABELS,
            kind_meanings=KINDS,
            interval_rows=[(row.title, values[row.last.name], report.intervals[row.last.name]) for row in rows],
            difference_rows=differences,
            difference_ends=[end for _, value, spread in differences for end in (value, spread.low, spread.high)],
            group_sections=_group_sections(report.diagnostics) if report.diagnostics else (),
        )
    )


def _part_names(rows: list[MeasureRow]) -> list[str]:
    """The columns of the scores: P, R and F1, or the score alone; where there are both kinds of row, F1 or score."""
    names = [part.part or "Score" for part in max((row.parts for row in rows), key=len)]
    if names[-1] != "Score" and any(row.last.part == "" for row in rows):
        names[-1] += " or score"
    return names


def _differences(report: Report, rows: list[MeasureRow]) -> list[tuple[str, float, Interval]]:
    if report.comparison is None:
        return []
    found = [(row.title, report.comparison.differences[row.last.name]) for row in rows]
    return [(title, difference.value, difference.interval) for title, difference in found]


def _group_sections(diagnostics: Diagnostics) -> tuple[tuple[str, str, str, tuple[Group, ...]], ...]:
    """Id, heading, explanation and groups of each way to part the evidence."""
    return (
        (
            "evidence-documents",
            "Evidence documents per claim",
            "How much a claim is studied. Whatever is predicted for a claim without evidence is wrong.",
            diagnostics.evidence_documents,
        ),
        (
            "rationale-sizes",
            "Size of the gold rationale",
            "By the smallest gold rationale of a document. Documents that are no evidence have none, so what is "
            "wrongly predicted on them is not counted here.",
            diagnostics.rationale_sizes,
        ),
        ("lengths", "Length of the abstract", "By how many sentences the document has.", diagnostics.lengths),
    )


@cache
def environment() -> Environment:
    """What the templates of reports are rendered with."""
    made = Environment(
        loader=PackageLoader("sciverify.evaluation", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        percent=_percent,
        signed=_signed,
        p=p_text,
        name=lambda label: NAMES[label],
        sentence=lambda text: text[:1].upper() + text[1:] + ".",
    )
    made.globals.update(share_axis=share_axis, symmetric_axis=symmetric_axis, step_path=step_path)
    return made


def _escaped(value: object) -> object:
    return value if hasattr(value, "__html__") else do_mark_safe(safe_text(value))


def _percent(share: float, digits: int = 2) -> str:
    return f"{100 * share:.{digits}f}"


def _signed(share: float) -> str:
    return f"{100 * share:+.2f}".replace("-", "−")

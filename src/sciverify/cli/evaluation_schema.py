"""What ``sciverify evaluate --json`` prints: documented in docs/json-schema.md, under the rules of `cli.schema`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict

from sciverify.evaluation.diagnostics import LABELS

if TYPE_CHECKING:
    from sciverify.evaluation.diagnostics import Diagnostics, Group
    from sciverify.evaluation.error_table import KindCounts
    from sciverify.evaluation.report import Comparison, Report
    from sciverify.evaluation.tally import Tally

__all__ = ["EVALUATION_SCHEMA", "EvaluationJson", "evaluation_json"]

EVALUATION_SCHEMA = "sciverify.evaluation/1"
NOTHING = "NONE"  # the predicted label of a document of which the run says nothing


class OriginJson(TypedDict):
    """Where the figures come from."""

    split: str
    setting: str
    system: str
    weights: str
    run: str
    made_with: str
    scored_with: str
    seed: str


class MeasureJson(TypedDict):
    """One figure with its spread."""

    name: str
    title: str
    part: str
    value: float
    mean: float
    sd: float
    low: float
    high: float


class DifferenceJson(TypedDict):
    """One figure of the run less the other run's."""

    name: str
    other: float
    difference: float
    mean: float
    sd: float
    low: float
    high: float
    p: float


class ComparisonJson(TypedDict):
    """The run against another one."""

    run: str
    measures: list[DifferenceJson]


class CellJson(TypedDict):
    """One cell of the confusion matrix."""

    gold: str
    predicted: str
    pairs: int


class TallyJson(TypedDict):
    """Counts and the scores that follow."""

    correct: int
    retrieved: int
    relevant: int
    precision: float
    recall: float
    f1: float


class GroupJson(TypedDict):
    """Documents of one kind."""

    by: str
    name: str
    label_only: TallyJson
    label_rationale: TallyJson | None


class PointJson(TypedDict):
    """One point of the precision-recall curve."""

    threshold: float
    precision: float
    recall: float


class BinJson(TypedDict):
    """One bin of the reliability diagram."""

    low: float
    high: float
    pairs: int
    confidence: float
    accuracy: float


class CountJson(TypedDict):
    """How many of what."""

    name: str
    errors: int


class DiagnosticsJson(TypedDict):
    """What lies behind the scores."""

    confusion: list[CellJson]
    groups: list[GroupJson]
    errors: list[CountJson]
    average_precision: float | None
    curve: list[PointJson] | None
    calibration_error: float | None
    reliability: list[BinJson] | None


class KindsJson(TypedDict):
    """What a person found the errors to be."""

    errors: int
    sorted: int
    counts: list[CountJson]


class EvaluationJson(TypedDict):
    """One evaluated run."""

    schema: str
    task: str
    claims: int
    resamples: int
    origin: OriginJson
    measures: list[MeasureJson]
    comparison: ComparisonJson | None
    diagnostics: DiagnosticsJson | None
    kinds: KindsJson | None
    left_out: list[str]


def evaluation_json(report: Report) -> EvaluationJson:
    """A report as ``sciverify.evaluation/1``. Figures are written in full, so that they can be compared."""
    values = report.scores.values()
    origin = report.origin
    return {
        "schema": EVALUATION_SCHEMA,
        "task": report.task.name,
        "claims": len(report.scores.ids),
        "resamples": report.resamples,
        "origin": {
            "split": origin.split,
            "setting": origin.setting,
            "system": origin.system,
            "weights": origin.weights,
            "run": origin.run,
            "made_with": origin.made_with,
            "scored_with": origin.scored_with,
            "seed": origin.seed,
        },
        "measures": [
            {
                "name": measure.name,
                "title": measure.title,
                "part": measure.part,
                "value": values[measure.name],
                "mean": (spread := report.intervals[measure.name]).mean,
                "sd": spread.sd,
                "low": spread.low,
                "high": spread.high,
            }
            for measure in report.scores.measures
        ],
        "comparison": _comparison(report.comparison) if report.comparison else None,
        "diagnostics": _diagnostics(report.diagnostics) if report.diagnostics else None,
        "kinds": _kinds(report.kinds) if report.kinds else None,
        "left_out": list(report.notes),
    }


def _comparison(comparison: Comparison) -> ComparisonJson:
    values = comparison.scores.values()
    return {
        "run": comparison.run,
        "measures": [
            {
                "name": name,
                "other": values[name],
                "difference": found.value,
                "mean": found.interval.mean,
                "sd": found.interval.sd,
                "low": found.interval.low,
                "high": found.interval.high,
                "p": found.p,
            }
            for name, found in comparison.differences.items()
        ],
    }


def _diagnostics(diagnostics: Diagnostics) -> DiagnosticsJson:
    return {
        "confusion": _confusion(diagnostics),
        "groups": [
            *_groups("label", diagnostics.labels),
            *_groups("rationale size", diagnostics.rationale_sizes),
            *_groups("length", diagnostics.lengths),
            *_groups("evidence documents", diagnostics.evidence_documents),
        ],
        "errors": _counts(diagnostics.error_types.items()),
        "average_precision": diagnostics.average_precision,
        "curve": _curve(diagnostics),
        "calibration_error": diagnostics.reliability.error if diagnostics.reliability else None,
        "reliability": _bins(diagnostics),
    }


def _confusion(diagnostics: Diagnostics) -> list[CellJson]:
    columns = [*(label.value for label in LABELS), NOTHING]
    cells: list[CellJson] = [
        {"gold": label.value, "predicted": column, "pairs": pairs}
        for label, row in zip(LABELS, diagnostics.confusion.tolist(), strict=True)
        for column, pairs in zip(columns, row, strict=True)
    ]
    return cells[:-1]  # the last one would be the rest of the corpus, which nobody counts


def _curve(diagnostics: Diagnostics) -> list[PointJson] | None:
    """The points at which recall rises: the others say nothing new about what can be found at which precision."""
    curve = diagnostics.curve
    if curve is None:
        return None
    rises = [after > before for before, after in pairwise([0.0, *curve.recall.tolist()])]
    points = zip(curve.threshold.tolist(), curve.precision.tolist(), curve.recall.tolist(), rises, strict=True)
    return [{"threshold": t, "precision": p, "recall": r} for t, p, r, rise in points if rise]


def _bins(diagnostics: Diagnostics) -> list[BinJson] | None:
    if diagnostics.reliability is None:
        return None
    return [
        {
            "low": bin.low,
            "high": bin.high,
            "pairs": bin.pairs,
            "confidence": bin.confidence,
            "accuracy": bin.accuracy,
        }
        for bin in diagnostics.reliability.bins
    ]


def _groups(by: str, groups: Iterable[Group]) -> list[GroupJson]:
    return [
        {
            "by": by,
            "name": group.name,
            "label_only": _tally(group.label_only),
            "label_rationale": _tally(group.label_rationale) if group.label_rationale else None,
        }
        for group in groups
    ]


def _tally(tally: Tally) -> TallyJson:
    return {
        "correct": tally.correct,
        "retrieved": tally.retrieved,
        "relevant": tally.relevant,
        "precision": tally.precision,
        "recall": tally.recall,
        "f1": tally.f1,
    }


def _kinds(kinds: KindCounts) -> KindsJson:
    return {"errors": kinds.errors, "sorted": kinds.sorted, "counts": _counts(kinds.counts.items())}


def _counts(counts: Iterable[tuple[str, int]]) -> list[CountJson]:
    return [{"name": str(name), "errors": number} for name, number in counts]

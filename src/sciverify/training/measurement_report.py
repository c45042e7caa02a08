"""Measurements as JSON and as a table in Markdown, with bootstrap intervals over the claims."""

from __future__ import annotations

from collections.abc import Sequence

from sciverify.evaluation.bootstrap import bootstrap
from sciverify.evaluation.measures import Scores
from sciverify.training.measuring import BASELINES, Measurement

__all__ = ["measurements_json", "measurements_markdown"]

_SHOWN = {
    "scifact": (
        "abstract_label_only_f1",
        "abstract_label_rationale_f1",
        "sentence_selection_only_f1",
        "sentence_selection_label_f1",
    ),
    "labels": ("accuracy", "macro_f1", "supports_recall", "refutes_recall", "nei_recall"),
}


def measurements_json(
    measurements: Sequence[Measurement], *, resamples: int = 10_000, seed: int = 0
) -> list[dict[str, object]]:
    """One object per measurement, ready for `json.dumps`; shares lie in 0 to 1.

    Each has ``set``, ``setting``, ``pairs``, ``claims``, ``calibration_error`` and ``scores``: by what answered, every
    measure with its ``value`` and the ends of its 95 % interval, ``low`` and ``high``.
    """
    return [
        {
            "set": m.name,
            "setting": m.setting,
            "pairs": m.pairs,
            "claims": len(m.scores["model"].ids),
            "calibration_error": round(m.calibration_error, 4),
            "scores": {who: _measures(scores, resamples, seed) for who, scores in m.scores.items()},
        }
        for m in measurements
    ]


def measurements_markdown(measurements: Sequence[Measurement], *, resamples: int = 10_000, seed: int = 0) -> str:
    """A table in percent, one row per measure; the model's interval beside its value, the baselines after it."""
    lines = [
        f"| set | given | measure | model | 95 % | {' | '.join(BASELINES)} | calibration error |",
        f"| --- | --- | --- | --- | --- | {' | '.join('---' for _ in BASELINES)} | --- |",
    ]
    for m in measurements:
        model = m.scores["model"]
        intervals = bootstrap(model, resamples=resamples, seed=seed)
        values, others = model.values(), [m.scores[who].values() for who in BASELINES]
        relevant = {measure.name: f"{measure.title} {measure.part}".strip() for measure in model.measures}
        cells = [m.name, f"{m.setting}, {m.pairs:,} pairs", f"{m.calibration_error:.3f}"]
        for name in _SHOWN[model.task]:
            interval = intervals[name]
            figures = [
                f"{100 * values[name]:.1f}",
                f"{100 * interval.low:.1f}-{100 * interval.high:.1f}",
                *(f"{100 * other[name]:.1f}" for other in others),
            ]
            lines.append(f"| {cells[0]} | {cells[1]} | {relevant[name]} | {' | '.join(figures)} | {cells[2]} |")
            cells = ["", "", ""]
    return "\n".join(lines)


def _measures(scores: Scores, resamples: int, seed: int) -> dict[str, dict[str, float]]:
    intervals = bootstrap(scores, resamples=resamples, seed=seed)
    return {
        name: {
            "value": round(value, 4),
            "low": round(intervals[name].low, 4),
            "high": round(intervals[name].high, 4),
        }
        for name, value in scores.values().items()
    }

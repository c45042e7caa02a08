import numpy as np

from sciverify.evaluation.bootstrap import bootstrap
from sciverify.evaluation.measures import CountedScores, Measure, prf_measures
from sciverify.evaluation.table import scores_table


def made(measures, values):
    counts = np.array([values], dtype=np.float64)
    return CountedScores("made", ("1",), measures, tuple(m.name for m in measures), counts, lambda totals: totals)


def test_one_row_per_metric_with_its_parts_side_by_side():
    lines = scores_table(made(prf_measures("a", "First") + prf_measures("b", "Second"), [0.5, 0.25, 1 / 3, 0, 0, 0]))
    assert [line.split() for line in lines.splitlines()] == [
        ["made,", "1", "claims", "P", "R", "F1"],
        ["First", "50.00", "25.00", "33.33"],
        ["Second", "0.00", "0.00", "0.00"],
    ]


def test_a_figure_without_parts_stands_below_f1():
    lines = scores_table(made((*prf_measures("a", "First"), Measure("b", "Accuracy")), [0.5, 0.25, 0.3, 0.75]))
    first, second = lines.splitlines()[1:]
    assert len(first) == len(second)
    assert second.split() == ["Accuracy", "75.00"]


def test_the_spread_is_that_of_the_last_part():
    scores = made((*prf_measures("a", "First"), Measure("b", "Accuracy")), [0.5, 0.25, 0.3, 0.75])
    lines = scores_table(scores, bootstrap(scores, resamples=10)).splitlines()
    assert lines[1].endswith("30.00, 0.00, 30.00-30.00")
    assert lines[2].endswith("75.00, 0.00, 75.00-75.00")

import numpy as np

from sciverify.evaluation.bootstrap import bootstrap, compare
from sciverify.evaluation.csv_files import read_csv
from sciverify.evaluation.measures import CountedScores, Measure, prf_measures
from sciverify.evaluation.table import differences_table, p_text, scores_table, write_per_claim


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


def test_two_runs_side_by_side():
    measures = (*prf_measures("a", "First"), Measure("b", "Accuracy"))
    one, other = made(measures, [0.5, 0.25, 0.3, 0.75]), made(measures, [0.5, 0.25, 0.35, 0.75])
    lines = differences_table(one, other, compare(one, other, resamples=10)).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["First", "30.00", "35.00", "-5.00", "0.00,", "-5.00", "to", "-5.00,", "0.1818"],
        ["Accuracy", "75.00", "75.00", "+0.00", "0.00,", "0.00", "to", "0.00,", "1.0000"],
    ]
    assert lines[0].split()[:4] == ["compared", "run", "other", "diff"]


def test_a_small_p_is_never_zero():
    assert [p_text(p) for p in (1, 0.05, 0.0001, 0.00002)] == ["1.0000", "0.0500", "0.0001", "<0.0001"]


def test_what_each_claim_contributes_as_csv(tmp_path):
    scores = CountedScores(
        "made", ("=1", "2"), (), ("right", "share"), np.array([[1, 0.5], [0, 1]]), lambda totals: totals
    )
    write_per_claim(tmp_path / "claims.csv", scores)
    rows = [row.cells for row in read_csv(tmp_path / "claims.csv", ("id",))]
    assert rows == [{"id": "=1", "right": "1", "share": "0.5"}, {"id": "2", "right": "0", "share": "1"}]

import numpy as np
import pytest

from sciverify.errors import SettingError
from sciverify.evaluation import Measure, bootstrap
from sciverify.evaluation.means import mean_scores

MEASURES = (Measure("a", "A"), Measure("b", "B"))


def test_every_measure_is_the_mean_of_its_values():
    scores = mean_scores("task", ("x", "y"), MEASURES, [(0.0, 1.0), (0.5, 1.0)])
    assert scores.values() == {"a": 0.25, "b": 1.0}
    assert scores.weighted(np.array([[3.0, 1.0], [0.0, 2.0]])).tolist() == [[0.125, 1.0], [0.5, 1.0]]
    assert scores.totals() == {"a": 0.5, "b": 2.0, "questions": 2.0}


def test_rounding_never_goes_above_one():
    scores = mean_scores("task", list(map(str, range(10))), MEASURES, [(1.0, 0.1 * 3 / 0.3)] * 10)
    for interval in bootstrap(scores, resamples=50).values():
        assert interval.high <= 1.0


def test_no_questions():
    with pytest.raises(SettingError, match="nothing to score"):
        mean_scores("task", (), MEASURES, [])

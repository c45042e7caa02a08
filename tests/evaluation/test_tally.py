import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.evaluation.tally import Tally, precision_recall_f1


def test_scores():
    tally = Tally(correct=1, retrieved=5, relevant=4)
    assert (tally.precision, tally.recall) == (1 / 5, 1 / 4)
    assert tally.f1 == pytest.approx(2 / 9)


def test_nothing_over_nothing_is_zero():
    for tally in (Tally(0, 0, 0), Tally(0, 3, 0), Tally(0, 0, 3), Tally(0, 3, 3)):
        assert (tally.precision, tally.recall, tally.f1) == (0, 0, 0)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_arrays_give_what_single_tallies_give(rows):
    rows = [(correct, correct + extra, correct + missed) for correct, extra, missed in rows]
    scores = precision_recall_f1(*np.array(rows).T)
    assert scores.shape == (len(rows), 3)
    for row, expected in zip(rows, scores.tolist(), strict=True):
        tally = Tally(*row)
        assert [tally.precision, tally.recall, tally.f1] == expected
        assert all(0 <= score <= 1 for score in expected)
        assert min(expected[:2]) - 1e-12 <= tally.f1 <= max(expected[:2]) + 1e-12

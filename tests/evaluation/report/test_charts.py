import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.evaluation.report.charts import share_axis, step_path, symmetric_axis, upward_axis

VALUES = st.floats(-1, 1)


def test_an_axis_maps_its_ends_and_stops_there():
    axis = share_axis(100, 300)
    assert [axis(value) for value in (0, 0.25, 1, 1.5, -1)] == [100, 150, 300, 300, 100]
    assert share_axis(344, 12)(1) == 12


@given(st.lists(VALUES, max_size=8))
def test_a_symmetric_axis_holds_all_values_with_room_to_read(values):
    axis = symmetric_axis(values, 0, 100)
    reach = max(map(abs, values), default=0)
    assert axis.low == -axis.high
    assert axis.ticks[2] == 0
    assert list(axis.ticks) == sorted(axis.ticks)
    assert axis.high >= reach
    if reach > 1e-300:
        assert axis.high <= 4 * reach


@pytest.mark.parametrize(
    ("reach", "bound"), [(0.138, 0.2), (0.05, 0.1), (0.04, 0.04), (0.012, 0.02), (0, 0.01), (5e-324, 0.01)]
)
def test_ticks_are_round(reach, bound):
    assert symmetric_axis([reach], 0, 100).high == pytest.approx(bound)


def test_a_path_leaves_out_points_on_the_same_pixel():
    across, up = share_axis(0, 10), share_axis(10, 0)
    x, y = np.array([0, 0.0001, 0.5, 1]), np.array([1, 1, 0.5, 0])
    assert step_path(x, y, across, up) == "M0 0L5 5L10 10"
    assert step_path(np.zeros(0), np.zeros(0), across, up) == ""


@given(st.lists(st.floats(0, 1e9), max_size=8))
def test_an_upward_axis_starts_at_0_and_holds_all_values(values):
    axis = upward_axis(values, 0, 100)
    reach = max(values, default=0)
    assert axis.low == axis.ticks[0] == 0
    assert axis.high == axis.ticks[-1] >= reach
    assert list(axis.ticks) == sorted(axis.ticks)
    if reach > 1e-300:
        assert axis.high <= 2.1 * reach


@pytest.mark.parametrize(("reach", "high"), [(0.9, 1), (1.7, 2), (850, 1000), (4, 4), (0, 0.01)])
def test_ticks_of_an_upward_axis_are_round(reach, high):
    assert upward_axis([reach], 0, 100).high == pytest.approx(high)

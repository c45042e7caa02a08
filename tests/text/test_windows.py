from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.text.windows import window_ranges

LENGTHS = st.lists(st.integers(0, 30), max_size=40)
ROOMS = st.integers(0, 60)
OVERLAPS = st.integers(0, 6)


any_windows = given(LENGTHS, ROOMS, OVERLAPS)


@settings(deadline=None)
@any_windows
def test_every_position_is_covered_in_order_and_none_is_skipped(lengths: list[int], room: int, overlap: int) -> None:
    reached = 0
    for window in window_ranges(lengths, room, overlap):
        assert window.start <= reached < window.stop  # no gap, and something that the ones before lack
        reached = window.stop
    assert reached == len(lengths)


@settings(deadline=None)
@any_windows
def test_windows_move_on(lengths: list[int], room: int, overlap: int) -> None:
    starts = [window.start for window in window_ranges(lengths, room, overlap)]
    assert all(before < after for before, after in itertools.pairwise(starts))


@settings(deadline=None)
@any_windows
def test_only_a_single_element_may_exceed_the_room(lengths: list[int], room: int, overlap: int) -> None:
    for window in window_ranges(lengths, room, overlap):
        assert len(window) == 1 or size(lengths, window) <= room


@settings(deadline=None)
@any_windows
def test_a_window_ends_only_where_the_next_element_would_not_fit(lengths: list[int], room: int, overlap: int) -> None:
    for window in window_ranges(lengths, room, overlap):
        if window.stop < len(lengths):
            assert size(lengths, range(window.start, window.stop + 1)) > room


@settings(deadline=None)
@any_windows
def test_the_next_window_repeats_what_the_overlap_and_the_room_allow(
    lengths: list[int], room: int, overlap: int
) -> None:
    windows = window_ranges(lengths, room, overlap)
    for before, after in itertools.pairwise(windows):
        repeated = before.stop - after.start
        assert 0 <= repeated <= overlap
        more = range(after.start - 1, before.stop + 1)  # one repeated element more, and the first new one
        assert repeated == min(overlap, len(before) - 1) or size(lengths, more) > room, (
            "fewer are repeated than would fit"
        )


@settings(deadline=None)
@any_windows
def test_neighbours_that_fit_together_are_read_together(lengths: list[int], room: int, overlap: int) -> None:
    windows = window_ranges(lengths, room, max(1, overlap))
    for first in range(len(lengths) - 1):
        if lengths[first] + lengths[first + 1] <= room:
            assert any(first in window and first + 1 in window for window in windows)


@pytest.mark.parametrize(
    ("lengths", "room", "overlap", "expected"),
    [
        ([], 10, 2, []),
        ([3], 10, 2, [range(1)]),
        ([30], 10, 2, [range(1)]),  # larger than the room: alone
        ([2, 2, 2, 2, 2], 10, 2, [range(5)]),
        ([2, 2, 2, 2, 2], 6, 1, [range(0, 3), range(2, 5)]),
        ([2, 2, 2, 2, 2], 6, 2, [range(0, 3), range(1, 4), range(2, 5)]),
        ([2, 2, 2, 2], 4, 0, [range(0, 2), range(2, 4)]),
        ([2, 2, 5, 2], 6, 2, [range(0, 2), range(2, 3), range(3, 4)]),  # no room to repeat any
        ([1, 20, 1], 6, 1, [range(0, 1), range(1, 2), range(2, 3)]),
        ([0, 0, 0], 0, 2, [range(3)]),
        ([1, 1], 0, 2, [range(0, 1), range(1, 2)]),
    ],
)
def test_examples(lengths: list[int], room: int, overlap: int, expected: list[range]) -> None:
    assert window_ranges(lengths, room, overlap) == expected


def size(lengths: Sequence[int], positions: range) -> int:
    return sum(lengths[n] for n in positions)

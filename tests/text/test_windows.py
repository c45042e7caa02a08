from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import SettingError
from sciverify.text.windows import Tokenizer2D, cut_ranges, window_ranges

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


@pytest.mark.parametrize(
    ("lengths", "room", "overlap", "most", "expected"),
    [
        ([1] * 5, 10, 1, 3, [range(0, 3), range(2, 5)]),  # the paper's figure 3: t = 3, p = 1
        ([1] * 6, 10, 1, 3, [range(0, 3), range(2, 5), range(4, 6)]),
        ([1] * 9, 99, 0, 7, [range(0, 7), range(7, 9)]),
        ([1] * 7, 99, 6, 7, [range(0, 7)]),
        ([1] * 4, 99, 0, 1, [range(0, 1), range(1, 2), range(2, 3), range(3, 4)]),
        ([1, 1, 9, 1, 1], 10, 1, 3, [range(0, 2), range(1, 3), range(2, 4), range(3, 5)]),  # full before it has three
        ([1, 1, 1], 10, 5, 2, [range(0, 2), range(1, 3)]),  # never so much that there is no room for a new one
    ],
)
def test_at_most_so_many_elements(
    lengths: list[int], room: int, overlap: int, most: int, expected: list[range]
) -> None:
    assert window_ranges(lengths, room, overlap, most) == expected


@st.composite
def tokenizers(draw: st.DrawFn) -> Tokenizer2D:
    count = draw(st.integers(1, 9))
    return Tokenizer2D(count, draw(st.integers(0, count - 1)), draw(st.integers(1, 400)))


@settings(deadline=None)
@given(st.integers(0, 40), tokenizers())
def test_where_all_fits_the_windows_are_those_of_the_papers_algorithm(sentences: int, chosen: Tokenizer2D) -> None:
    windows = window_ranges([1] * sentences, sentences, chosen.stride, chosen.size)
    step = chosen.size - chosen.stride
    for number, window in enumerate(windows):
        assert window == range(step * number, min(step * number + chosen.size, sentences))
    assert sum(window.stop == sentences for window in windows) == min(1, sentences), "a tail is read twice"


@settings(deadline=None)
@given(LENGTHS, ROOMS, tokenizers())
def test_each_sentence_is_in_a_window_and_each_window_is_new(
    lengths: list[int], room: int, chosen: Tokenizer2D
) -> None:
    windows = window_ranges(lengths, room, chosen.stride, chosen.size)
    assert sorted(set(itertools.chain.from_iterable(windows))) == list(range(len(lengths)))
    assert all(1 <= len(window) <= chosen.size for window in windows)
    for before, after in itertools.pairwise(windows):
        assert before.start < after.start <= before.stop < after.stop  # neither lies in the other
        assert before.stop - after.start <= chosen.stride
        assert len(before) == chosen.size or size(lengths, range(before.start, before.stop + 1)) > room


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("size", 0),
        ("size", -1),
        ("size", 2.0),
        ("size", True),
        ("size", None),
        ("stride", -1),
        ("stride", 7),
        ("stride", "1"),
        ("max_tokens", 0),
        ("max_tokens", 12.5),
    ],
)
def test_a_setting_out_of_range_is_refused(option: str, value: object) -> None:
    with pytest.raises(SettingError, match=option) as caught:
        Tokenizer2D(**{option: value})  # type: ignore[arg-type]
    assert caught.value.remedy


def test_any_stride_below_the_size_will_do() -> None:
    assert [Tokenizer2D(3, stride).stride for stride in range(3)] == [0, 1, 2]


@st.composite
def token_offsets(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Tokens of any length, some of which touch the one before as the pieces of a word do."""
    offsets, at = [], 0
    for gap, length in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=40)):
        offsets.append((at + gap, at + gap + length))
        at += gap + length
    return offsets


@settings(deadline=None)
@given(token_offsets(), st.integers(1, 12))
def test_cuts_lose_nothing_repeat_nothing_and_spare_words(offsets: list[tuple[int, int]], room: int) -> None:
    parts = cut_ranges(offsets, room)
    assert [n for part in parts for n in part] == list(range(len(offsets)))
    assert all(1 <= len(part) <= room for part in parts)
    for part in parts[:-1]:
        touching = [
            offsets[n][0] == offsets[n - 1][1] for n in range(part.start + room // 2 + 1, part.start + room + 1)
        ]
        assert offsets[part.stop][0] > offsets[part.stop - 1][1] or all(touching)


def test_what_fits_is_not_cut() -> None:
    offsets = [(n, n + 1) for n in range(8)]
    assert cut_ranges(offsets, 8) == [range(8)]
    assert cut_ranges(offsets, 7) == [range(7), range(7, 8)]
    assert cut_ranges([], 5) == []


def size(lengths: Sequence[int], positions: range) -> int:
    return sum(lengths[n] for n in positions)

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.models.inputs import InputShape, Window, build_windows, element_room
from sciverify.models.tokens import Pieces, load_tokenizer

TOKENS = load_tokenizer()
CLS, SEP = TOKENS.cls, TOKENS.sep
SHAPE = InputShape(max_tokens=32, max_claim=6, max_title=4, overlap=1)


def pieces(*ids: int) -> Pieces:
    return Pieces(list(ids), [(n, n + 1) for n in range(len(ids))])


def windows(claim: Pieces, title: Pieces, *elements: Pieces, shape: InputShape = SHAPE) -> list[Window]:
    return build_windows(TOKENS, claim, title, elements, shape)


def test_layout() -> None:
    [window] = windows(pieces(1, 2), pieces(3), pieces(4, 5), pieces(6))
    assert window.input_ids == [CLS, 1, 2, SEP, 3, SEP, 4, 5, SEP, 6, SEP]
    assert window.token_type_ids == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    assert window.positions == range(2)
    assert window.starts == [6, 9]
    assert window.separators == [8, 10]


def test_empty_parts_keep_their_separators() -> None:
    [window] = windows(pieces(), pieces(), pieces(), pieces(7))
    assert window.input_ids == [CLS, SEP, SEP, SEP, 7, SEP]
    assert window.token_type_ids == [0, 0, 1, 1, 1, 1]
    assert window.starts == [3, 4]
    assert window.separators == [3, 5]


def test_without_elements_the_title_is_read_alone() -> None:
    [window] = windows(pieces(1), pieces(2))
    assert window == Window([CLS, 1, SEP, 2, SEP], [0, 0, 0, 1, 1], range(0), [], [])


def test_claim_and_title_are_cut() -> None:
    [window] = windows(pieces(*range(1, 20)), pieces(*range(21, 40)), pieces(50))
    assert window.input_ids == [CLS, 1, 2, 3, 4, 5, 6, SEP, 21, 22, 23, 24, SEP, 50, SEP]


def test_an_element_too_long_for_a_window_is_cut_and_stands_alone() -> None:
    before, long, after = windows(pieces(1), pieces(2), pieces(3), pieces(*range(100, 200)), pieces(4))
    assert (before.positions, after.positions) == (range(1), range(2, 3))
    assert long.positions == range(1, 2)
    assert len(long.input_ids) == SHAPE.max_tokens
    assert long.input_ids[long.starts[0] :] == [*range(100, 126), SEP]
    assert long.separators == [SHAPE.max_tokens - 1]


def test_elements_that_just_fit() -> None:
    room = SHAPE.max_tokens - 5  # [CLS] 1 [SEP] 2 [SEP]
    element = pieces(*range(200, 200 + room - 1))
    assert [w.positions for w in windows(pieces(1), pieces(2), element)] == [range(1)]
    assert [w.positions for w in windows(pieces(1), pieces(2), element, pieces())] == [range(1), range(1, 2)]


def test_neighbouring_windows_overlap() -> None:
    elements = [pieces(*range(10 * n, 10 * n + 8)) for n in range(1, 7)]  # three to a window
    found = windows(pieces(1), pieces(2), *elements)
    assert [w.positions for w in found] == [range(0, 3), range(2, 5), range(4, 6)]
    apart = windows(pieces(1), pieces(2), *elements, shape=replace(SHAPE, overlap=0))
    assert [w.positions for w in apart] == [range(0, 3), range(3, 6)]


PIECES = st.lists(st.integers(1000, 2000), max_size=40).map(lambda ids: pieces(*ids))


@settings(deadline=None)
@given(PIECES, PIECES, st.lists(PIECES, max_size=12), st.integers(0, 3))
def test_any_document(claim: Pieces, title: Pieces, elements: list[Pieces], overlap: int) -> None:
    found = windows(claim, title, *elements, shape=replace(SHAPE, overlap=overlap))
    assert {p for w in found for p in w.positions} == set(range(len(elements)))
    for window in found:
        assert len(window.input_ids) == len(window.token_type_ids) <= SHAPE.max_tokens
        assert sorted(window.token_type_ids) == window.token_type_ids
        assert window.input_ids.count(SEP) == 2 + len(window.positions)
        for position, start, separator in zip(window.positions, window.starts, window.separators, strict=True):
            inside = window.input_ids[start:separator]
            assert window.input_ids[separator] == SEP
            assert inside == elements[position].ids[: len(inside)]
            assert len(inside) == len(elements[position].ids) or len(window.positions) == 1


def test_a_window_holds_at_most_so_many_elements() -> None:
    elements = [pieces(n) for n in range(1, 6)]
    rows = build_windows(TOKENS, pieces(1), pieces(2), elements, replace(SHAPE, overlap=1), most=3)
    assert [row.positions for row in rows] == [range(0, 3), range(2, 5)]


def test_the_room_is_what_claim_title_and_their_separators_leave() -> None:
    for claim, title in ((0, 0), (2, 1), (20, 20)):
        room = element_room(pieces(*range(claim)), pieces(*range(title)), SHAPE)
        assert room == SHAPE.max_tokens - min(claim, SHAPE.max_claim) - min(title, SHAPE.max_title) - 3
        [full] = windows(pieces(*range(claim)), pieces(*range(title)), pieces(*range(room - 1)))
        assert len(full.input_ids) == SHAPE.max_tokens

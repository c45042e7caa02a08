from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import SettingError
from sciverify.models.crossencoder import CrossEncoderModel, Passage
from sciverify.models.inputs import InputShape, build_windows
from sciverify.models.spans import SpanWindow, WindowScores, best_span, lay_out, window_shape
from sciverify.models.tokens import load_tokenizer
from sciverify.testing.retrievers import HOSTILE_TEXTS
from sciverify.text.windows import Tokenizer2D

TOKENS = load_tokenizer()
SHAPE = InputShape(max_tokens=64, max_claim=16, max_title=8)
SENTENCES = (
    "We randomly assigned 240 adults with hypertension to supervised exercise or usual care.",
    "Blood pressure fell by 8 mmHg with exercise.",
    "",
    "Adherence was 85 %.",
)

words = st.sampled_from(
    ["exercise", "IL-6:", "α-synuclein", "co\u0301te", "hydroxychloroquine", "한국어", "½", "\U0001f9ea"]
)
texts = st.one_of(st.lists(words, max_size=40).map(" ".join), st.text(max_size=30), st.just("x" * 300))


@st.composite
def cuts(draw: st.DrawFn) -> Tokenizer2D:
    size = draw(st.integers(1, 5))
    return Tokenizer2D(size, draw(st.integers(0, size - 1)), draw(st.integers(48, 100)))


@settings(deadline=None, max_examples=40)
@given(st.lists(texts, max_size=6), cuts())
def test_windows_hold_every_token_exactly_where_it_stands(elements: list[str], chosen: Tokenizer2D) -> None:
    split = TOKENS.split(["Does it?", "A title", *elements])
    rows = laid_out(elements, chosen)
    assert all(len(row.window.input_ids) <= min(chosen.max_tokens, SHAPE.max_tokens) for row in rows)
    assert all(1 <= len(row.parts) <= chosen.size for row in rows)
    held = set()
    for row in rows:
        for part, start, end in zip(row.parts, row.window.starts, row.window.separators, strict=True):
            assert row.window.input_ids[start:end] == part.pieces.ids
            whole = split[2 + part.element]
            first = whole.offsets.index(part.pieces.offsets[0])
            held |= {(part.element, offset) for offset in part.pieces.offsets}
            assert whole.offsets[first : first + len(part.pieces.offsets)] == part.pieces.offsets
    assert held == {(n, offset) for n, pieces in enumerate(split[2:]) for offset in pieces.offsets}
    for before, after in itertools.pairwise(rows):
        assert not set(map(place, after.parts)) <= set(map(place, before.parts)), "a tail is read twice"


def test_a_window_looks_as_in_training() -> None:
    question, title, *elements = TOKENS.split(["Does it?", "A title", SENTENCES[0], SENTENCES[3]])
    [expected] = build_windows(TOKENS, question, title, elements, SHAPE)
    [row] = laid_out([SENTENCES[0], SENTENCES[3]], Tokenizer2D())
    assert row.window == expected


def test_a_sentence_longer_than_a_window_is_read_in_parts() -> None:
    rows = laid_out(["Short.", "word " * 130, "Short too."], Tokenizer2D())
    parts = [part for row in rows for part in row.parts]
    assert [part.element for part in parts] == [0, 1, 1, 1, 2]
    assert [offset for part in parts[1:4] for offset in part.pieces.offsets] == [(5 * n, 5 * n + 4) for n in range(130)]


def test_a_document_without_a_token_has_no_window() -> None:
    assert laid_out([], Tokenizer2D()) == []
    assert laid_out(["", " ", "\n"], Tokenizer2D()) == []


def test_windows_are_never_longer_than_the_models_own() -> None:
    assert window_shape(SHAPE, Tokenizer2D(5, 3, 350)) == InputShape(64, 16, 8, overlap=3)
    assert window_shape(SHAPE, Tokenizer2D(5, 3, 50)) == InputShape(50, 16, 8, overlap=3)


def test_windows_without_room_are_refused() -> None:
    with pytest.raises(SettingError, match="max_tokens 30 leaves no room"):
        window_shape(SHAPE, Tokenizer2D(max_tokens=30))


@pytest.fixture(scope="module")
def model(table_folder: Any) -> CrossEncoderModel:
    return CrossEncoderModel(table_folder.folder, threads=2)


class TestScoring:
    def test_each_output_is_read_at_its_place(self, model: CrossEncoderModel, table_folder: Any) -> None:
        passage = Passage("Does it?", "A title", SENTENCES)
        chosen = Tokenizer2D(2, 1, 64)
        [windows] = model.score_windows([passage], chosen)
        rows = laid_out(SENTENCES, chosen)
        assert len(windows) == len(rows) == 2
        for found, row in zip(windows, rows, strict=True):
            assert_close(found.label, table_folder.label(row.window))
            assert_close(found.elements, table_folder.elements(row.window))
            assert found.positions.tolist() == [part.element for part in row.parts]
            ids = [id for part in row.parts for id in part.pieces.ids]
            assert_close(found.starts, table_folder.table[ids, 0])
            assert_close(found.ends, table_folder.table[ids, 1])
            assert_close(found.no_span, table_folder.table[TOKENS.cls, :2].sum())
            read = [(part.element, *offset) for part in row.parts for offset in part.pieces.offsets]
            assert [tuple(token) for token in found.tokens.tolist()] == read

    def test_passages_keep_their_order_and_do_not_touch_each_other(self, model: CrossEncoderModel) -> None:
        passages = [Passage(f"Question {n}?", "", SENTENCES[: n % 5] * (n % 3)) for n in range(20)]
        together = model.score_windows(passages, Tokenizer2D(3, 1))
        for passage, windows in zip(passages, together, strict=True):
            [alone] = model.score_windows([passage], Tokenizer2D(3, 1))
            assert len(windows) == len(alone)
            for found, expected in zip(windows, alone, strict=True):
                assert_close(found.starts, expected.starts)
                assert_close(found.label, expected.label)
                np.testing.assert_array_equal(found.tokens, expected.tokens)

    def test_hostile_and_empty_texts(self, model: CrossEncoderModel) -> None:
        passages = [Passage(text, text, [text[:2000], "x" * 20_000]) for text in HOSTILE_TEXTS]
        for passage, windows in zip(passages, model.score_windows(passages, Tokenizer2D()), strict=True):
            for window in windows:
                assert np.isfinite(window.starts).all()
                assert all(0 <= start < end <= len(passage.elements[n]) for n, start, end in window.tokens)

    def test_nothing_to_read(self, model: CrossEncoderModel) -> None:
        assert model.score_windows([], Tokenizer2D()) == []
        assert model.score_windows([Passage("Does it?", "A title", ("", " "))], Tokenizer2D()) == [[]]

    def test_windows_without_room_are_refused_whatever_is_read(self, model: CrossEncoderModel) -> None:
        with pytest.raises(SettingError, match="leaves no room"):
            model.score_windows([], Tokenizer2D(max_tokens=20))


logits = st.lists(st.tuples(st.floats(-9, 9, width=32), st.floats(-9, 9, width=32)), min_size=1, max_size=12)


@settings(deadline=None)
@given(logits, st.floats(-9, 9), st.one_of(st.none(), st.integers(1, 14)))
def test_the_best_span_is_the_best_of_all(
    tokens: list[tuple[float, float]], no_span: float, longest: int | None
) -> None:
    window = scored([start for start, _ in tokens], [end for _, end in tokens], no_span)
    found = best_span(window, longest)
    allowed = [
        (first, last)
        for first, last in itertools.product(range(len(tokens)), repeat=2)
        if 0 <= last - first < (longest or len(tokens))
    ]
    assert (found.first, found.last) in allowed
    best = max(tokens[first][0] + tokens[last][1] for first, last in allowed)
    assert tokens[found.first][0] + tokens[found.last][1] == pytest.approx(best, abs=1e-5)
    assert found.probability == pytest.approx(1 / (1 + np.exp(no_span - best)), abs=1e-5)


def test_a_span_never_ends_before_it_starts() -> None:
    assert best_span(scored([0, 0, 9], [9, 0, 0], 0.0))[:2] == (0, 0)
    assert best_span(scored([9, 0, 0], [0, 0, 9], 0.0))[:2] == (0, 2)
    assert best_span(scored([9, 0, 0], [0, 0, 9], 0.0), longest=2)[:2] == (0, 0)


def test_even_odds_are_a_half() -> None:
    assert best_span(scored([3.0], [1.0], 4.0)).probability == 0.5


def scored(starts: list[float], ends: list[float], no_span: float) -> WindowScores:
    tokens = np.array([(0, n, n + 1) for n in range(len(starts))])
    start, end = (np.array(values, dtype=np.float32) for values in (starts, ends))
    return WindowScores(
        np.zeros(3, np.float32), np.zeros(1, np.intp), np.zeros(1, np.float32), tokens, start, end, no_span
    )


def laid_out(elements: Any, chosen: Tokenizer2D) -> list[SpanWindow]:
    question, title, *pieces = TOKENS.split(["Does it?", "A title", *elements])
    return lay_out(TOKENS, question, title, pieces, window_shape(SHAPE, chosen), chosen.size)


def place(part: Any) -> tuple[int, tuple[int, int]]:
    return (part.element, part.pieces.offsets[0])


def assert_close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)  # processors with bfloat16 round more

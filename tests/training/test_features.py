from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch

from sciverify.models.inputs import InputShape, Window
from sciverify.models.tokens import load_tokenizer
from sciverify.records import Label
from sciverify.training.examples import Example, Span
from sciverify.training.features import IGNORE, Row, batches, collate, make_rows
from sciverify.training.network import LABEL_ORDER

SHAPE = InputShape(max_tokens=32, max_claim=8, max_title=4, overlap=1)
SUPPORTS, REFUTES, NEI = (LABEL_ORDER.index(name) for name in ("SUPPORTS", "REFUTES", "NEI"))
SENTENCES = tuple(f"The number of the sentence is {word}." for word in ("zero", "one", "two", "three", "four", "five"))
PASSAGE = "Arctic terns breed in Greenland, and fly 70,900 km a year along Africa's coast to the Weddell Sea."
WORDS = PASSAGE.split(" ")


def rows_of(example: Example, shape: InputShape = SHAPE) -> list[Row]:
    return make_rows([example], load_tokenizer(), shape)


class TestTargets:
    def test_one_window(self) -> None:
        example = Example(
            "It is one.",
            "Numbers",
            SENTENCES[:2],
            Label.REFUTES,
            (False, True),
            True,
            evidence=(frozenset({1}),),
            weight=0.5,
        )
        [row] = rows_of(example, replace(SHAPE, max_tokens=64))
        assert (row.label, row.relevance, row.elements, row.weight) == (REFUTES, 1, [0, 1], 0.5)
        assert row.span == (IGNORE, IGNORE)

    def test_each_window_has_the_targets_of_its_elements(self) -> None:
        targets = (True, False, True, False, True, True)
        rows = rows_of(Example("It is one.", "", SENTENCES, Label.SUPPORTS, targets))
        assert len(rows) > 2
        for row in rows:
            assert row.elements == [int(targets[n]) for n in row.window.positions]
            assert row.label == SUPPORTS  # without a stated rationale the label holds for every window

    def test_a_window_without_a_complete_rationale_is_nei(self) -> None:
        example = Example(
            "It is one.", "", SENTENCES, Label.SUPPORTS, relevance=True, evidence=(frozenset({1, 2}), frozenset({5}))
        )
        rows = rows_of(example)
        complete = [{1, 2} <= set(row.window.positions) or 5 in row.window.positions for row in rows]
        assert True in complete
        assert False in complete
        for row, whole in zip(rows, complete, strict=True):
            assert (row.label, row.relevance) == ((SUPPORTS, 1) if whole else (NEI, 0))

    def test_a_rationale_that_no_window_holds(self) -> None:
        example = Example("It is one.", "", SENTENCES, Label.SUPPORTS, evidence=(frozenset({0, 5}),))
        assert {row.label for row in rows_of(example)} == {NEI}

    def test_what_is_not_known_trains_nothing(self) -> None:
        rows = rows_of(Example("It is one.", "", SENTENCES, evidence=(frozenset({0}),)))
        for row in rows:
            assert (row.label, row.relevance, row.elements, row.span) == (IGNORE, IGNORE, [], (IGNORE, IGNORE))

    def test_a_document_without_elements(self) -> None:
        [row] = rows_of(Example("It is one.", "Numbers", (), Label.NEI, (), False))
        assert (row.label, row.relevance, row.elements) == (NEI, 0, [])

    def test_rows_come_in_the_order_of_the_examples(self) -> None:
        examples = [Example(f"Claim {n}", "", SENTENCES[: n % 3], weight=n) for n in range(10)]
        assert [row.weight for row in make_rows(examples, load_tokenizer(), SHAPE)] == list(range(10))
        assert make_rows([], load_tokenizer(), SHAPE) == []


class TestSpans:
    @settings(deadline=None)
    @given(st.integers(0, len(WORDS) - 1), st.integers(1, 5), st.integers(0, 2))
    def test_its_tokens_give_back_the_answer(self, first: int, count: int, element: int) -> None:
        answer = " ".join(WORDS[first : first + count])
        start = len(" ".join(WORDS[:first])) + (first > 0)
        elements = tuple(PASSAGE if n == element else "Another sentence." for n in range(3))
        example = Example("Where?", "Terns", elements, spans=(Span(element, start, start + len(answer)),))
        [row] = rows_of(example, InputShape())
        [pieces] = load_tokenizer().split([PASSAGE])
        begin, end = (place - row.window.starts[element] for place in row.span)
        assert PASSAGE[pieces.offsets[begin][0] : pieces.offsets[end][1]] == answer

    def test_part_of_a_word_takes_the_pieces_that_hold_it(self) -> None:
        at = PASSAGE.index("900 km")
        [row] = rows_of(Example("How far?", "", (PASSAGE,), spans=(Span(0, at + 1, at + 3),)), InputShape())
        [pieces] = load_tokenizer().split([PASSAGE])
        begin, end = (place - row.window.starts[0] for place in row.span)
        assert PASSAGE[pieces.offsets[begin][0] : pieces.offsets[end][1]] == "900"

    def test_only_the_windows_with_the_element_have_it(self) -> None:
        rows = rows_of(Example("Which?", "", SENTENCES, spans=(Span(3, 0, 3),)))
        for row in rows:
            assert (row.span != (0, 0)) == (3 in row.window.positions)

    def test_the_first_span_in_the_window_counts(self) -> None:
        spans = (Span(0, 0, 3), Span(5, 0, 3))
        rows = rows_of(Example("Which?", "", SENTENCES, spans=spans))
        assert rows[0].span == (rows[0].window.starts[0],) * 2
        assert rows[-1].span == (rows[-1].window.starts[-1],) * 2

    def test_an_answer_behind_the_cut_and_no_answer(self) -> None:
        long = "word " * 100 + "answer"
        [cut] = rows_of(Example("Which?", "", (long,), spans=(Span(0, 500, 506),)))
        [none] = rows_of(Example("Which?", "", ("word",), spans=()))
        assert cut.span == none.span == (0, 0)


def row(length: int, number: int) -> Row:
    return Row(Window([number] * length, [0] * length, range(0), [], []), NEI, 0, [], (0, 0), 1.0)


class TestBatches:
    @settings(deadline=None)
    @given(st.lists(st.integers(1, 80), max_size=150), st.integers(1, 400), st.integers(1, 12), st.integers())
    def test_each_row_once_within_the_limits(
        self, lengths: list[int], batch_tokens: int, max_batch: int, seed: int
    ) -> None:
        rows = [row(length, number) for number, length in enumerate(lengths)]
        found = list(batches(rows, batch_tokens, max_batch, random.Random(seed)))
        assert sorted(r.window.input_ids[0] for batch in found for r in batch) == list(range(len(rows)))
        for batch in found:
            longest = max(len(r.window.input_ids) for r in batch)
            assert 1 <= len(batch) <= max_batch
            assert len(batch) == 1 or len(batch) * longest <= batch_tokens
        again = list(batches(rows, batch_tokens, max_batch, random.Random(seed)))
        assert again == found

    def test_another_seed_gives_another_order(self) -> None:
        rows = [row(5 + number % 7, number) for number in range(100)]
        orders = {str(list(batches(rows, 64, 8, random.Random(seed)))) for seed in range(5)}
        assert len(orders) == 5

    def test_lengths_in_a_batch_are_alike(self) -> None:
        rows = [row(1 + number % 60, number) for number in range(600)]
        for batch in batches(rows, 10_000, 16, random.Random(0)):
            sizes = [len(r.window.input_ids) for r in batch]
            assert max(sizes) - min(sizes) <= 2


class TestCollate:
    def test_padding_and_targets(self) -> None:
        known = Example(
            "It is one.", "", SENTENCES[:2], Label.SUPPORTS, (True, False), True, (Span(0, 4, 10),), weight=0.5
        )
        unknown = Example("Who?", "", ("Ada.",))
        rows = make_rows([known, unknown], load_tokenizer(), replace(SHAPE, max_tokens=64))
        batch = collate(rows)
        width = len(rows[0].window.input_ids)
        assert {tuple(tensor.shape) for tensor in (*batch.inputs.values(), batch.elements)} == {(2, width)}
        for number, r in enumerate(rows):
            length = len(r.window.input_ids)
            assert batch.inputs["input_ids"][number].tolist() == r.window.input_ids + [0] * (width - length)
            assert batch.inputs["token_type_ids"][number].tolist() == r.window.token_type_ids + [0] * (width - length)
            assert batch.inputs["attention_mask"][number].tolist() == [1] * length + [0] * (width - length)
        assert batch.label.tolist() == [SUPPORTS, IGNORE]
        assert batch.relevance.tolist() == [1, IGNORE]
        assert batch.weight.tolist() == [0.5, 1.0]
        assert (batch.start.tolist(), batch.end.tolist()) == ([rows[0].span[0], IGNORE], [rows[0].span[1], IGNORE])
        assert batch.elements[0, rows[0].window.separators].tolist() == [1, 0]
        assert Counter(batch.elements.flatten().tolist()) == {1: 1, 0: 1, IGNORE: 2 * width - 2}
        assert {tensor.dtype for tensor in (*batch.inputs.values(), batch.label, batch.elements)} == {torch.int64}

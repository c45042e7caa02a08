from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import SettingError
from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Decision
from sciverify.models.spans import WindowScores
from sciverify.records import Claim, Document, Quote
from sciverify.testing.retrievers import HOSTILE_TEXTS
from sciverify.testing.verifiers import EVIDENCE
from sciverify.text.windows import Tokenizer2D
from sciverify.verification.extracts import extracts_in, find_extracts
from span_fakes import SHAPE, TOKENS, Marked

CLAIM = Claim("q", "Does tea cure hiccups?")
ONE_BY_ONE = Tokenizer2D(1, 0)


def texts(sentences: list[str], windows: Tokenizer2D = ONE_BY_ONE, **options: object) -> list[str]:
    document = Document.from_sentences("d", "Tea", sentences)
    [quotes] = find_extracts(Marked(), [(CLAIM, document)], windows, **options)  # type: ignore[arg-type]
    for quote in quotes:
        assert document.element(quote.element_id).text[quote.start : quote.end] == quote.text
    return [quote.text for quote in quotes]


def test_extracts_are_the_spans_of_the_windows_in_reading_order() -> None:
    assert texts(["Tea < cures > them.", "Nothing here.", "It < stops > all."]) == ["< cures >", "< stops >"]


def test_no_span_is_no_extract() -> None:
    assert texts(["Nothing here.", "Nor here."]) == []
    assert texts([]) == texts(["", " "]) == []


def test_a_span_over_several_elements_is_a_quote_in_each() -> None:
    sentences = ["Tea < cures", "", "each and every one", "of > them."]
    assert texts(sentences, Tokenizer2D()) == ["< cures", "each and every one", "of >"]


def test_what_overlapping_windows_both_give_is_quoted_once() -> None:
    sentences = ["So.", "Tea < cures > them.", "So it is.", "That < is > all."]
    assert texts(sentences, Tokenizer2D(2, 1)) == ["< cures >", "< is >"]


def test_spans_that_overlap_are_one_quote() -> None:
    document = Document.from_sentences("d", "", ["one two three four"])
    first, second = window([(0, 3), (4, 7), (8, 13)], (0, 1)), window([(4, 7), (8, 13), (14, 18)], (0, 1), 3.0)
    [quote] = extracts_in(document, [second, first], 0.5)
    assert (quote.start, quote.end) == (0, 13)
    assert quote.score == pytest.approx(1 / (1 + np.exp(-6.0)))  # the higher of the two


def test_spans_that_only_white_space_parts_are_one_quote_and_others_are_not() -> None:
    document = Document.from_sentences("d", "", ["one two three four"])
    ends = [window([(0, 3)], (0, 0)), window([(4, 7)], (0, 0)), window([(14, 18)], (0, 0))]
    assert [quote.text for quote in extracts_in(document, ends, 0.5)] == ["one two", "four"]


@pytest.mark.parametrize(
    ("text", "offsets", "quoted"),
    [
        ("hydroxychloroquine helps", (7, 11), "hydroxychloroquine"),
        ("IL-6 helps", (3, 4), "6"),
        ("a cote\u0301 b", (2, 6), "cote\u0301"),  # an accent of its own belongs to its letter
        ("the cote\u0301s b", (9, 10), "cote\u0301s"),
        ("the cote\u0301s b", (4, 8), "cote\u0301s"),
        ("at 20 %", (6, 7), "%"),
    ],
)
def test_quotes_begin_and_end_with_whole_words(text: str, offsets: tuple[int, int], quoted: str) -> None:
    document = Document.from_sentences("d", "", [text])
    [quote] = extracts_in(document, [window([offsets], (0, 0))], 0.5)
    assert quote.text == quoted


def test_the_threshold_is_the_models_unless_one_is_given() -> None:
    document = Document.from_sentences("d", "", ["Tea < cures > them."])
    probability = 1 / (1 + np.exp(-2.0))  # both marks have a logit of 1
    for fitted, given_, count in ((0.5, None, 1), (0.9, None, 0), (0.9, 0.8, 1), (0.0, 0.9, 0)):
        model = Marked(1.0, Decision(span=fitted))
        [quotes] = find_extracts(model, [(CLAIM, document)], span=given_)
        assert [quote.score for quote in quotes] == pytest.approx([probability] * count)


def test_at_threshold_zero_each_window_gives_its_best() -> None:
    assert len(texts(["Nothing here.", "Nor here."], span=0.0)) == 2


def test_spans_may_be_kept_short() -> None:
    assert texts(["Tea < it is > all."], longest=4) == ["< it is >"]
    assert texts(["Tea < it is > all."], longest=3) != ["< it is >"]
    with pytest.raises(SettingError, match="longest"):
        texts(["Tea."], longest=0)


def test_a_sentence_longer_than_a_window_is_searched_to_its_end() -> None:
    text = "word " * 300 + "< found > " + "word " * 300
    assert texts([text]) == ["< found >"]


def test_no_documents() -> None:
    assert find_extracts(Marked(), []) == []


pieces = st.sampled_from(
    ["<", ">", "tea", "IL-6:", "co\u0301te", "hydroxychloroquine", "½", "한국어", " ", "\u00a0", "."]
)
sentences = st.lists(st.one_of(st.lists(pieces, max_size=25).map(" ".join), st.text(max_size=20)), max_size=8)
cuts = st.integers(1, 4).flatmap(lambda size: st.builds(Tokenizer2D, st.just(size), st.integers(0, size - 1)))


@settings(deadline=None, max_examples=60)
@given(sentences, cuts, st.sampled_from([0.0, 0.5]))
def test_extracts_are_verbatim_in_order_and_apart(elements: list[str], windows: Tokenizer2D, span: float) -> None:
    document = Document.from_sentences("d", "Tea", elements)
    [quotes] = find_extracts(Marked(), [(CLAIM, document)], windows, span=span)
    check(document, quotes)


@settings(deadline=None, max_examples=60)
@given(sentences, cuts)
def test_each_window_with_a_span_has_it_quoted(elements: list[str], windows: Tokenizer2D) -> None:
    document = Document.from_sentences("d", "Tea", elements)
    model = Marked()
    [quotes] = find_extracts(model, [(CLAIM, document)], windows)
    quoted = {(int(q.element_id.split("_")[1]), place) for q in quotes for place in range(q.start, q.end)}
    opening, closing = (TOKENS.split([mark])[0].ids[0] for mark in "<>")
    for row in model.windows:
        tokens = [
            (id, part.element, *offset)
            for part in row.parts
            for id, offset in zip(part.pieces.ids, part.pieces.offsets, strict=True)
        ]
        first = next((n for n, (id, *_) in enumerate(tokens) if id == opening), None)
        last = max((n for n, (id, *_) in enumerate(tokens) if id == closing), default=-1)
        if first is not None and first <= last:
            for _, element, start, end in tokens[first : last + 1]:
                assert {(element, place) for place in range(start, end)} <= quoted


class TestShippedModel:
    def test_whatever_it_finds_is_verbatim(self) -> None:
        model = load_cross_encoder()
        hostile = [
            Document.from_sentences(f"h{n}", "", [text[:500], "Exercise lowers blood pressure.", text[:500]])
            for n, text in enumerate(HOSTILE_TEXTS)
        ]
        documents = [EVIDENCE, *hostile]
        claim = Claim("1", "Does exercise lower blood pressure?")
        found = find_extracts(model, [(claim, d) for d in documents], Tokenizer2D(2, 1), span=0.0)
        for document, quotes in zip(documents, found, strict=True):
            assert quotes
            check(document, quotes)

    def test_its_windows_fit_the_papers_350_tokens(self) -> None:
        model = load_cross_encoder()
        assert model.shape.max_tokens >= 350
        assert SHAPE.max_tokens < 350  # the fake's own windows are the shorter ones


def check(document: Document, quotes: tuple[Quote, ...]) -> None:
    ids = [element.id for element in document.elements]
    places = [(ids.index(quote.element_id), quote.start, quote.end) for quote in quotes]
    for (number, start, end), quote in zip(places, quotes, strict=True):
        assert document.elements[number].text[start:end] == quote.text != ""
        assert 0 <= quote.score <= 1
    for before, after in itertools.pairwise(places):
        assert before[0] < after[0] or before[2] < after[1]


def window(offsets: list[tuple[int, int]], span: tuple[int, int], sure: float = 2.0) -> WindowScores:
    """A window of the first element whose best span is these tokens."""
    starts, ends = np.full((2, len(offsets)), -9.0, dtype=np.float32)
    starts[span[0]] = ends[span[1]] = sure
    tokens = np.array([(0, *offset) for offset in offsets])
    return WindowScores(
        np.zeros(3, np.float32), np.zeros(1, np.intp), np.zeros(1, np.float32), tokens, starts, ends, 0.0
    )

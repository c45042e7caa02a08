"""Extracts: the pieces of a document that answer a question, word for word (Science Checker §4.1 and §4.3.1, EQA)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from sciverify.errors import SettingError
from sciverify.models.crossencoder import Passage
from sciverify.models.spans import WindowScores, best_span
from sciverify.records import Claim, Document, Quote
from sciverify.text.windows import Tokenizer2D
from sciverify.verification.reading import PassageModel

__all__ = ["extracts_in", "find_extracts"]

_Piece = tuple[int, int, float]  # characters from, to, of an element, and the probability of their span


def find_extracts(
    model: PassageModel,
    pairs: Sequence[tuple[Claim, Document]],
    windows: Tokenizer2D | None = None,
    *,
    span: float | None = None,
    longest: int | None = None,
) -> list[tuple[Quote, ...]]:
    """The extracts of each document that answer its question, in reading order; none is a normal answer.

    All windows of all documents are read together, in full batches.

    Args:
        model: what reads.
        pairs: questions (or claims) and documents.
        windows: how a document is cut; None is 7 sentences without stride.
        span: probability, against no span, from which a window's best span is an extract; None takes the model's.
        longest: see `sciverify.models.spans.best_span`.

    Raises:
        SettingError: `longest` is below 1, or the windows leave no room beside a question and a title.
    """
    if longest is not None and longest < 1:
        raise SettingError(f"longest is {longest!r}", remedy="Give a number of tokens of at least 1, or none")
    threshold = model.decision.span if span is None else span
    read = model.score_windows([Passage.of(*pair) for pair in pairs], windows or Tokenizer2D())
    return [
        extracts_in(document, scores, threshold, longest) for (_, document), scores in zip(pairs, read, strict=True)
    ]


def extracts_in(
    document: Document, windows: Sequence[WindowScores], span: float, longest: int | None = None
) -> tuple[Quote, ...]:
    """The best span of each window that has at least the probability `span`, as quotes in reading order.

    A span over several elements is a quote in each. What two windows both give, and what only white space parts, is one
    quote with the higher probability: nothing is quoted twice. Quotes begin and end with whole words.
    """
    found: dict[int, list[_Piece]] = {}
    for window in windows:
        for number, piece in _pieces(document, window, span, longest):
            found.setdefault(number, []).append(piece)
    quotes = []
    for number in sorted(found):
        element = document.elements[number]
        for start, end, score in _united(element.text, found[number]):
            quotes.append(Quote(element.id, start, end, element.text[start:end], score))
    return tuple(quotes)


def _pieces(document: Document, window: WindowScores, span: float, longest: int | None) -> Iterator[tuple[int, _Piece]]:
    best = best_span(window, longest)
    if best.probability < span:
        return
    tokens = window.tokens[best.first : best.last + 1]
    for number in sorted(set(tokens[:, 0].tolist())):
        inside = tokens[tokens[:, 0] == number]
        start, end = int(inside[:, 1].min()), int(inside[:, 2].max())
        if start < end:
            yield number, (*_whole_words(document.elements[number].text, start, end), best.probability)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and _within_word(text, start):
        start -= 1
    while end < len(text) and _within_word(text, end):
        end += 1
    return start, end


def _within_word(text: str, place: int) -> bool:
    """Whether the characters before and at `place` belong to one word, as a letter and its accent always do."""
    before, here = (unicodedata.category(character)[0] for character in text[place - 1 : place + 1])
    return here == "M" or (before in "LMN" and here in "LN")


def _united(text: str, pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """The pieces of a text in order; those that overlap, or have no more than white space between them, as one."""
    first, *others = sorted(pieces)
    start, end, score = first
    for next_start, next_end, next_score in others:
        if not text[end:next_start].strip():
            end, score = max(end, next_end), max(score, next_score)
        else:
            yield start, end, score
            start, end, score = next_start, next_end, next_score
    yield start, end, score

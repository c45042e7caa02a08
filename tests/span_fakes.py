"""A model whose spans stand between marks in the text, so that what is extracted can be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from measuring_fakes import Literal
from sciverify.models.crossencoder import Decision, Passage
from sciverify.models.inputs import InputShape
from sciverify.models.spans import SpanWindow, WindowScores, lay_out, read_window, window_shape
from sciverify.models.tokens import load_tokenizer
from sciverify.text.windows import Tokenizer2D

TOKENS = load_tokenizer()
SHAPE = InputShape(max_tokens=128, max_claim=16, max_title=8)


class Marked(Literal):
    """Labels by "yes" and "no" as `Literal` does; a span runs from the first "<" of a window to its last ">".

    A window without "<" gives no span; the logits of the marks are `sure` each, those of no span are 0.
    """

    def __init__(self, sure: float = 4.0, decision: Decision | None = None) -> None:
        super().__init__(sure, decision)
        self.read: list[Passage] = []
        self.windows: list[SpanWindow] = []
        self._open, self._close = (TOKENS.split([mark])[0].ids[0] for mark in "<>")

    def score(self, passages: Sequence[Passage]):
        self.read += passages
        return super().score(passages)

    def score_windows(self, passages: Sequence[Passage], windows: Tokenizer2D) -> list[list[WindowScores]]:
        shape = window_shape(SHAPE, windows)
        scored = []
        for passage in passages:
            question, title, *elements = TOKENS.split([passage.claim, passage.title, *passage.elements])
            rows = lay_out(TOKENS, question, title, elements, shape, windows.size)
            self.windows += rows
            scored.append([read_window(row, self._output(passage, row), [0, 1, 2]) for row in rows])
        return scored

    def _output(self, passage: Passage, row: SpanWindow) -> dict[str, np.ndarray]:
        ids = np.array(row.window.input_ids)
        tokens = np.full((len(ids), 3), -4.0, dtype=np.float32)
        tokens[0] = 0.0
        opening, closing = (np.flatnonzero(ids == mark) for mark in (self._open, self._close))
        tokens[opening[:1], 1] = self.sure
        tokens[closing[-1:], 2] = self.sure
        text = [passage.elements[part.element] for part in row.parts]
        literal = self._score(passage._replace(elements=text))
        tokens[row.window.separators, 0] = literal.elements
        return {"label": literal.label, "tokens": tokens}

"""Windows of sentences and the spans in them: what of a document answers a question (Science Checker §4.3.1).

A window is laid out as in training, ``[CLS] question [SEP] title [SEP] sentence [SEP] ...``. Each token of a sentence
has a logit to start a span and one to end it; those of CLS stand for "no span", as in SQuAD 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciverify.models.inputs import InputShape, Window, build_windows, element_room
from sciverify.models.tokens import Pieces, WordPieces
from sciverify.text.windows import Tokenizer2D, cut_ranges

__all__ = ["Part", "Span", "SpanWindow", "WindowScores", "best_span", "lay_out", "read_window", "window_shape"]

_START, _END = 1, 2  # columns of the output "tokens"


class Part(NamedTuple):
    """Tokens of element number `element`: all of them, or as many as a window holds."""

    element: int
    pieces: Pieces


class SpanWindow(NamedTuple):
    """One input row and the parts of elements that it holds."""

    window: Window
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class WindowScores:
    """Logits of one window and where in the document they belong.

    Attributes:
        label: shape (3,), in the order of `sciverify.models.crossencoder.LABELS`.
        positions: the number of the element of each part, rising; shape (parts,).
        elements: one per part, as `sciverify.models.crossencoder.Scores.elements`; shape (parts,).
        tokens: for each token of the parts, the element and the characters (code points, end excluded) in it that the
            token covers; shape (tokens, 3). Any other token of the window can't be in a span.
        starts: of each token, to start a span; shape (tokens,).
        ends: of each token, to end one; shape (tokens,).
        no_span: the sum of both at CLS.
    """

    label: NDArray[np.float32]
    positions: NDArray[np.intp]
    elements: NDArray[np.float32]
    tokens: NDArray[np.intp]
    starts: NDArray[np.float32]
    ends: NDArray[np.float32]
    no_span: float


class Span(NamedTuple):
    """Tokens `first` to `last` (included) of a window; `probability` is that of this span against that of no span."""

    first: int
    last: int
    probability: float


def window_shape(shape: InputShape, windows: Tokenizer2D) -> InputShape:
    """A model's input shape for such windows, which are never longer than the model's own.

    Raises:
        SettingError: the windows leave no room beside a question and a title.
    """
    return replace(shape, max_tokens=min(shape.max_tokens, windows.max_tokens), overlap=windows.stride)


def lay_out(
    tokens: WordPieces,
    question: Pieces,
    title: Pieces,
    elements: Sequence[Pieces],
    shape: InputShape,
    size: int,
) -> list[SpanWindow]:
    """The windows of one question and one document; together they hold every token of every element.

    At most `size` elements, or parts of them, are in a window, and `shape` says the rest (`window_shape`). Elements
    without a token are left out; a document that has no others has no window.
    """
    room = element_room(question, title, shape) - 1  # a part's separator takes one
    parts = [
        Part(number, Pieces(element.ids[where.start : where.stop], element.offsets[where.start : where.stop]))
        for number, element in enumerate(elements)
        for where in cut_ranges(element.offsets, room)
    ]
    if not parts:
        return []
    rows = build_windows(tokens, question, title, [part.pieces for part in parts], shape, size)
    return [SpanWindow(row, parts[row.positions.start : row.positions.stop]) for row in rows]


def read_window(row: SpanWindow, output: Mapping[str, NDArray[np.float32]], columns: Sequence[int]) -> WindowScores:
    """The model's output on one row as scores; `columns` are those of the labels in the output ``label``."""
    window, parts = row
    logits = output["tokens"]
    where = np.concatenate([np.arange(s, e) for s, e in zip(window.starts, window.separators, strict=True)])
    offsets = np.array([offset for part in parts for offset in part.pieces.offsets], dtype=np.intp)
    of_element = np.repeat([part.element for part in parts], [len(part.pieces.ids) for part in parts])
    return WindowScores(
        output["label"][columns],
        np.array([part.element for part in parts], dtype=np.intp),
        logits[window.separators, 0],
        np.column_stack([of_element, offsets]),
        logits[where, _START],
        logits[where, _END],
        float(logits[0, _START] + logits[0, _END]),
    )


def best_span(window: WindowScores, longest: int | None = None) -> Span:
    """The span whose start and end logits have the highest sum, of those that end where they start or later.

    Args:
        window: holds at least one token, as all that `lay_out` makes.
        longest: how many tokens a span may have; None is no limit.
    """
    count = len(window.starts)
    reach = min(count, longest or count)
    before = np.concatenate([np.full(reach - 1, -np.inf, dtype=np.float32), window.starts])
    within = np.lib.stride_tricks.sliding_window_view(before, reach)  # row n: the starts that may belong to end n
    begins = within.argmax(axis=1)
    sums = within[np.arange(count), begins] + window.ends
    last = int(sums.argmax())
    first = last - (reach - 1) + int(begins[last])
    return Span(first, last, float((1 + np.tanh((float(sums[last]) - window.no_span) / 2)) / 2))

"""Cutting a sequence of elements into windows of whole elements that overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sciverify.errors import SettingError

__all__ = ["Tokenizer2D", "cut_ranges", "window_ranges"]


@dataclass(frozen=True, slots=True)
class Tokenizer2D:
    """How Science Checker slides windows over a document's sentences (Rakotoson et al. 2022, §4.1, algorithm 1).

    Window n holds sentences ``d * n + 1`` to ``d * n + size``, where ``d = size - stride``, and at most `max_tokens`
    tokens, those of the question, the title and the separators included. The last window is the first that reaches the
    end, and holds fewer sentences where fewer are left: no tail is read twice.

    Where the paper cuts off what is too long, nothing is lost here: a window that is full before it has `size`
    sentences ends there, and the next one goes on from it (`window_ranges`); a sentence that is longer than a window is
    read in parts, each of which counts as a sentence (`cut_ranges`). Padding to a fixed length would only cost time,
    for padded tokens are masked: a window is as long as its batch needs.

    Attributes:
        size: sentences in a window; the paper's t.
        stride: sentences of a window that the next one repeats, 0 to ``size - 1``; the paper's p.
        max_tokens: of a window.

    Raises:
        SettingError: a value is out of range.
    """

    size: int = 7
    stride: int = 0
    max_tokens: int = 350

    def __post_init__(self) -> None:
        _check("size", self.size, 1, None)
        _check("stride", self.stride, 0, self.size - 1)
        _check("max_tokens", self.max_tokens, 1, None)


def window_ranges(lengths: Sequence[int], room: int, overlap: int, most: int | None = None) -> list[range]:
    """Ranges of element positions, in order, that together cover ``0 .. len(lengths)-1``.

    Args:
        lengths: the size of each element, in any unit.
        room: how much a window may hold; an element larger than that gets a window of its own.
        overlap: how many elements of a window the next one repeats (fewer where they would leave no room for a new
            one), so that neighbours are read together at least once.
        most: how many elements a window may hold; None is no limit.

    Returns:
        No range for no elements. Each range holds at least one element that the one before it lacks.
    """
    ranges: list[range] = []
    start, end = 0, 0
    limit = max(1, len(lengths) if most is None else most)
    while end < len(lengths):
        while start < end and (sum(lengths[start : end + 1]) > room or end - start >= limit):
            start += 1  # drop repeated elements until the first new one fits
        used = sum(lengths[start:end])
        while end < len(lengths) and end - start < limit and (used + lengths[end] <= room or end == start):
            used += lengths[end]
            end += 1
        ranges.append(range(start, end))
        start = max(start + 1, end - overlap) if end < len(lengths) else end
    return ranges


def cut_ranges(offsets: Sequence[tuple[int, int]], room: int) -> list[range]:
    """Ranges of at most `room` (at least 1) tokens that follow each other and together hold all tokens of a text.

    A text that fits is one range, an empty one none. Cuts fall between words, where tokens don't touch, unless a word
    is longer than half of the room.

    Args:
        offsets: the characters (start, end) of each token.
        room: in tokens.
    """
    ranges: list[range] = []
    start = 0
    while start < len(offsets):
        end = min(start + room, len(offsets))
        if end < len(offsets):
            between = (n for n in range(end, start + room // 2, -1) if offsets[n][0] > offsets[n - 1][1])
            end = next(between, end)
        ranges.append(range(start, end))
        start = end
    return ranges


def _check(name: str, value: object, least: int, most: int | None) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        allowed = f"at least {least}" if most is None else f"from {least} to {most}"
        raise SettingError(f"{name} is {value!r}", remedy=f"Give a whole number {allowed}")

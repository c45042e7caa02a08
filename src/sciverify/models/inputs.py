"""What the cross-encoder reads: ``[CLS] claim [SEP] title [SEP] element_1 [SEP] element_2 [SEP] ...`` in windows.

Training and run time build their inputs here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sciverify.errors import SettingError
from sciverify.models.tokens import Pieces, WordPieces
from sciverify.text.windows import window_ranges

__all__ = ["InputShape", "Window", "build_windows", "element_room"]

_LEAST_ROOM = 16  # tokens for elements


@dataclass(frozen=True, slots=True)
class InputShape:
    """Sizes in tokens. `overlap` counts elements. The claim and the title are cut, elements only when alone."""

    max_tokens: int = 384
    max_claim: int = 96
    max_title: int = 48
    overlap: int = 2

    def __post_init__(self) -> None:
        if min(self.max_tokens, self.max_claim, self.max_title) < 1 or self.overlap < 0:
            raise SettingError("sizes of the input must be positive", remedy="See docs/training.md for the defaults")
        if self.max_tokens < self.max_claim + self.max_title + _LEAST_ROOM:
            raise SettingError(
                f"max_tokens {self.max_tokens} leaves no room beside a claim of {self.max_claim} and a title of "
                f"{self.max_title} tokens",
                remedy=f"Leave at least {_LEAST_ROOM}",
            )


@dataclass(frozen=True, slots=True)
class Window:
    """One input row: `positions` are the elements that it holds, `starts` and `separators` their token ranges.

    Tokens ``starts[i] .. separators[i]-1`` are element ``positions[i]``; the token at ``separators[i]`` carries its
    score.
    """

    input_ids: list[int]
    token_type_ids: list[int]
    positions: range
    starts: list[int]
    separators: list[int]


def build_windows(
    tokens: WordPieces,
    claim: Pieces,
    title: Pieces,
    elements: Sequence[Pieces],
    shape: InputShape,
    most: int | None = None,
) -> list[Window]:
    """The windows of one claim and one document, each of at most `most` elements.

    A document without elements gets one window of its title.
    """
    head = [tokens.cls, *claim.ids[: shape.max_claim], tokens.sep]
    types = [0] * len(head)
    head += [*title.ids[: shape.max_title], tokens.sep]
    types += [1] * (len(head) - len(types))
    room = element_room(claim, title, shape)
    lengths = [len(element.ids) + 1 for element in elements]
    windows = []
    for positions in window_ranges(lengths, room, shape.overlap, most) or [range(0)]:
        ids, starts, separators = list(head), [], []
        for position in positions:
            starts.append(len(ids))
            ids += elements[position].ids[: room - 1]
            separators.append(len(ids))
            ids.append(tokens.sep)
        windows.append(Window(ids, types + [1] * (len(ids) - len(types)), positions, starts, separators))
    return windows


def element_room(claim: Pieces, title: Pieces, shape: InputShape) -> int:
    """How many tokens a window has for elements, each with the separator that closes it."""
    head = min(len(claim.ids), shape.max_claim) + min(len(title.ids), shape.max_title)
    return shape.max_tokens - head - 3  # CLS and two separators

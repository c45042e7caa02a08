"""A text with its words, so that rules compare words in lower case and answer with verbatim pieces of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sciverify.text.clauses import words_of

__all__ = ["WordedText"]

_ACRONYM = 3  # letters; "NO", "IS" and "ALL" are names where the rest of a text isn't in capitals


class WordedText:
    """A text's words, where they stand, and whether that is outside of brackets.

    Attributes:
        text: the text.
        words: in lower case and without the punctuation around them; short forms as they are, so that they are not
            taken for the words that they look like.
        spans: start and end of each word in the text, without that punctuation.
        is_outer: whether each stands outside of brackets; of an opened bracket that isn't closed, nothing does.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        found = words_of(text)
        self.spans = tuple((word.start, word.end) for word in found)
        capitals = text.isupper()
        self.words = tuple(
            written if not capitals and _is_acronym(written := text[word.start : word.end]) else word.text
            for word in found
        )
        self.is_outer = tuple(self._outside_brackets())
        self._clinging = tuple(match.span() for match in re.finditer(r"\S+", text))

    def piece(self, first: int, behind: int | None = None) -> str:
        """The text from one word up to another or to the end, with the punctuation that clings to them."""
        if first >= len(self.words) or (behind is not None and behind <= first):
            return ""
        return self.text[self._clinging[first][0] : None if behind is None else self._clinging[behind - 1][1]]

    def is_bare(self, position: int) -> bool:
        """Whether no punctuation clings to a word."""
        return self.spans[position] == self._clinging[position]

    def _outside_brackets(self) -> Iterator[bool]:
        depth = behind = 0
        for start, _ in self.spans:
            depth += sum({"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0) for character in self.text[behind:start])
            behind = start
            yield depth == 0


def _is_acronym(written: str) -> bool:
    return 1 < len(written) <= _ACRONYM and written.isupper() and written != "NOT"

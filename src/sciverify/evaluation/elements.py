"""Evidence ids of FEVER and FEVEROUS: which element of which page.

Published in two forms: one string, ``"Algebraic logic_cell_0_9_1"``, and three,
``["Algebraic logic", "cell", "0_9_1"]``. A title may hold underscores, and words that look like an element, so the
string is read from its end.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sciverify.errors import RecordError
from sciverify.records import ElementKind

__all__ = ["TITLE", "EvidenceId"]

TITLE = "title"
"""The kind of a page's title, which has no position."""

_KINDS = frozenset({*(kind.value for kind in ElementKind), TITLE})
_POSITION = re.compile(r"[0-9]++(?:_[0-9]++)*+")
# The leftmost match is taken, so that header_cell_0_0_0 is not read as a cell of the page "..._header".
_ELEMENT = re.compile(rf"_(?:({'|'.join(ElementKind)})_({_POSITION.pattern})|{TITLE})\Z")


class EvidenceId(NamedTuple):
    """An element of a page.

    Attributes:
        page: the page's title, exactly as published: titles are compared letter by letter.
        kind: a value of `records.ElementKind`, or `TITLE`.
        position: the numbers after the kind, ``"3"`` or ``"0_9_1"`` (table, row, column); empty for a title.
    """

    page: str
    kind: str
    position: str

    @classmethod
    def parse(cls, text: str) -> EvidenceId:
        """Read the one-string form; ``str`` writes it back exactly.

        Raises:
            RecordError: it doesn't end in an element, or nothing stands before that.
        """
        found = _ELEMENT.search(text, 1)
        if found is None:
            raise RecordError(
                f"{text!r} is not an evidence id",
                remedy="Write the page's title, then the element: Some page_sentence_3, Some page_cell_0_9_1",
            )
        kind, position = found.groups("")
        return cls(text[: found.start()], kind or TITLE, position)

    @classmethod
    def checked(cls, page: str, kind: str, position: str) -> EvidenceId:
        """Take the three-string form.

        Raises:
            RecordError: the page is empty, the kind unknown, or the position not of numbers.
        """
        if not page:
            raise RecordError("an evidence id has an empty page title")
        if kind not in _KINDS:
            raise RecordError(f"{kind!r} is not a kind of element", remedy=f"Write one of {', '.join(sorted(_KINDS))}")
        if position if kind == TITLE else not _POSITION.fullmatch(position):
            raise RecordError(f"{position!r} is not the position of a {kind}", remedy='Write it as "3" or "0_9_1"')
        return cls(page, kind, position)

    @classmethod
    def of(cls, page: str, element: str) -> EvidenceId:
        """The id of a page's element, named as in `records.Element.id` (``cell_0_9_1``), or of its ``title``.

        Raises:
            RecordError: the page is empty, or there is no such kind of element.
        """
        kind, _, position = element.partition("_")
        while kind not in _KINDS and "_" in position:
            word, _, position = position.partition("_")
            kind = f"{kind}_{word}"
        return cls.checked(page, kind, position)

    @property
    def element(self) -> str:
        """The element within its page, as in `records.Element.id`: ``cell_0_9_1``."""
        return f"{self.kind}_{self.position}" if self.position else self.kind

    def __str__(self) -> str:
        return f"{self.page}_{self.element}"

"""Text made safe for search; what is shown or quoted is never cleaned."""

from __future__ import annotations

__all__ = ["searchable"]


def searchable(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, and surrogate pairs joined to the character they mean.

    A Python string may hold surrogates (from broken JSON, or undecodable file names), but they have no UTF-8 form, so
    tokenizers and search engines refuse them. The length may change: use the result for search alone, never for
    offsets.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text

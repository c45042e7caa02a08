"""What may reach a terminal: text without control characters, on a console that reads no markup in it."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["clean", "console_for", "count", "is_terminal"]

# Soft hyphens and joiners are left alone: they are part of words. What goes: C0, DEL, C1, line and paragraph
# separators, and the marks that reorder text, which can make a quote read as its opposite.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACES = re.compile("[\t\n\r\x0b\x0c\x85\u2028\u2029]+")


def clean(text: str) -> str:
    """Make a text from a document or a user safe to print: one line, no escape sequences, encodable.

    Line breaks and tabs become a space, other control characters vanish, lone surrogates become U+FFFD.
    """
    return _SURROGATES.sub("�", _CONTROLS.sub("", _SPACES.sub(" ", text)))


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 document``, ``5,183 documents``."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person is watching this stream on a terminal that can redraw a line."""
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


def console_for(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """A console on a stream (stdout by default) that prints what it is given: no markup, emoji codes or highlighting.

    Off a terminal it prints no colour, and its width is COLUMNS or 80, whatever the other streams are tied to.
    """
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - called while the error is handled; the command line decides what becomes of it

    stream = sys.stdout if stream is None else stream
    if width is None and not stream.isatty():
        columns = os.environ.get("COLUMNS", "")
        width = max(int(columns), 20) if columns.isdecimal() else 80
    return PlainConsole(
        file=stream, width=width, markup=False, emoji=False, highlight=False, force_jupyter=False, log_path=False
    )

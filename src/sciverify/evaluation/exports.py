"""Files that are handed on, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sciverify.errors import RunFileError, place

__all__ = ["refuse_existing", "write_lines"]


def refuse_existing(path: str | Path, *, replace: bool = False) -> None:
    """Look before writing; with `replace`, nothing is refused.

    Raises:
        RunFileError: the file is there already.
    """
    there = False
    with suppress(OSError):  # a path that can't be looked at can't be written either, and writing says why
        there = Path(path).exists()
    if there and not replace:
        raise RunFileError("this file is there already", where=place(path), remedy="Name another, or ask to replace it")


def write_lines(path: str | Path, lines: Iterable[str], *, replace: bool = False) -> None:
    """Write lines of text, taking them one at a time; the file appears when the last one is written.

    Args:
        path: the file; its folder must exist.
        lines: without their line feeds.
        replace: let the new file take the place of an old one.

    Raises:
        RunFileError: the file is there already, or it can't be written.
    """
    path = Path(path)
    refuse_existing(path, replace=replace)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        unfinished.replace(path)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the folder and its permissions") from error
    except UnicodeEncodeError as error:
        raise RunFileError(f"a line cannot be written in UTF-8 ({error})", where=place(path)) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()

"""What SciFact's claims files and prediction files have in common, read strictly; and strict JSON for all scorers.

Both are JSON lines. A scorer that guesses what a malformed line meant gives a wrong number, so everything that is not
exactly of the published form raises `RunFileError` with ``file:line``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sciverify.errors import RunFileError, place
from sciverify.records import Label

__all__ = [
    "LABELS",
    "Line",
    "claim_id",
    "evidence_label",
    "evidence_object",
    "parse_file",
    "parse_line",
    "parse_lines",
    "read_lines",
    "refuse_twice",
    "sentences",
]

LABELS: Mapping[str, Label] = {"SUPPORT": Label.SUPPORTS, "CONTRADICT": Label.REFUTES}
"""SciFact's names of the two labels that evidence can have."""

_NEI_NAMES = frozenset({"NEI", "NOT_ENOUGH_INFO", "NOT ENOUGH INFO", "NOT_ENOUGH_INFORMATION"})


class Line(NamedTuple):
    """One JSON object of a file, and the spot it came from (``path:line``)."""

    where: str
    fields: dict[str, object]


def read_lines(path: str | Path) -> Iterator[Line]:
    """Yield the JSON objects of a file, one a line, without holding them all; blank lines are passed over.

    Raises:
        RunFileError: the file cannot be read, or a line is not one JSON object in UTF-8 with distinct keys.
    """
    try:
        with Path(path).open("rb") as file:
            yield from parse_lines(file, path)
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the path and its permissions") from error


def parse_lines(raw_lines: Iterable[bytes], path: str | Path) -> Iterator[Line]:
    """Like `read_lines`, for lines of `path` that are in memory.

    Raises:
        RunFileError: a line is not one JSON object in UTF-8 with distinct keys.
    """
    for number, raw in enumerate(raw_lines, start=1):
        # Some editors put a byte order mark before the first line.
        raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if raw.strip():
            where = place(path, number)
            yield Line(where, parse_line(raw, where))


def parse_line(raw: bytes, where: str) -> dict[str, object]:
    """The JSON object that these bytes spell.

    Raises:
        RunFileError: they don't spell one, or one of its keys stands twice.
    """
    try:
        return _parse(raw, where, "line")
    except ValueError as error:
        remedy = "Each line must be one whole JSON object in UTF-8"
        raise RunFileError(f"this line is not JSON ({error})", where=where, remedy=remedy) from error


def parse_file(raw: bytes, path: str | Path) -> dict[str, object]:
    """The JSON object that all bytes of a file spell together, over as many lines as they like.

    Raises:
        RunFileError: they don't spell one, or one of its keys stands twice.
    """
    try:
        return _parse(raw, place(path), "file")
    except ValueError as error:
        where = place(path, error.lineno if isinstance(error, json.JSONDecodeError) else None)
        remedy = "The file must be one whole JSON object in UTF-8"
        raise RunFileError(f"this file is not JSON ({error})", where=where, remedy=remedy) from error


def _parse(raw: bytes, where: str, what: str) -> dict[str, object]:
    """Raises `ValueError` where the bytes are not JSON, and `RunFileError` where they are not an object that serves."""
    try:
        fields = _decode(raw.decode("utf-8"))
    except RecursionError as error:
        raise ValueError(str(error)) from error
    except _TwiceError as error:
        problem = f"the key {error.args[0]!r} stands twice in one object"
        raise RunFileError(problem, where=where, remedy="Keep one of them") from error
    if not isinstance(fields, dict):
        raise RunFileError(f"this {what} is {_kind(fields)} in JSON, not an object", where=where)
    return fields


def claim_id(fields: Mapping[str, object], where: str) -> str:
    """The id of the line's claim as a string; the number 3 and the string "3" are the same claim.

    Raises:
        RunFileError: it is missing, or neither an integer nor a non-empty string.
    """
    value = fields.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    problem = f"the claim's id is {_kind(value)}" if "id" in fields else "this line has no 'id'"
    raise RunFileError(problem, where=where, remedy='Give each line the id of its claim: {"id": 1, ...}')


def refuse_twice(first_seen: dict[str, str], id: str, where: str) -> None:
    """Note where a claim stands, and refuse to meet it again.

    Raises:
        RunFileError: it stood somewhere else already.
    """
    earlier = first_seen.setdefault(id, where)
    if earlier != where:
        raise RunFileError(f"claim {id} was already at {earlier}", where=where, remedy="Keep one of them")


def evidence_object(fields: Mapping[str, object], where: str) -> dict[str, object]:
    """The line's ``evidence``: document ids and what is said of each.

    Raises:
        RunFileError: it is missing, not an object, or holds an empty document id.
    """
    value = fields.get("evidence")
    if not isinstance(value, dict):
        problem = f"'evidence' is {_kind(value)}" if "evidence" in fields else "this line has no 'evidence'"
        raise RunFileError(problem, where=where, remedy="It must be an object with document ids as keys ({} for none)")
    if "" in value:
        raise RunFileError("a document id is empty", where=where)
    return value


def evidence_label(fields: Mapping[str, object], document: str, where: str) -> Label:
    """The label of an evidence entry.

    Raises:
        RunFileError: it is not SUPPORT or CONTRADICT.
    """
    value = fields.get("label")
    if isinstance(value, str) and value in LABELS:
        return LABELS[value]
    if isinstance(value, str) and value.upper() in _NEI_NAMES:
        raise RunFileError(
            f"document {document!r} is listed as evidence with the label {value}",
            where=where,
            remedy="Leave out the documents that say nothing about the claim",
        )
    problem = f"has the unknown label {value!r}" if "label" in fields else "has no 'label'"
    raise RunFileError(f"document {document!r} {problem}", where=where, remedy="Write SUPPORT or CONTRADICT")


def sentences(
    fields: Mapping[str, object], document: str, where: str, corpus: Mapping[str, int] | None = None
) -> tuple[int, ...]:
    """The sentence numbers of an evidence entry in the order given, counted from 0.

    Args:
        fields: the entry.
        document: the id of the document that it speaks of.
        where: the spot in the file.
        corpus: how many sentences each document has; None leaves out the check of ids and upper bounds.

    Raises:
        RunFileError: they are not distinct integers within the document, or the corpus lacks the document.
    """
    numbers = fields.get("sentences")
    if not isinstance(numbers, list):
        problem = f"'sentences' is {_kind(numbers)}" if "sentences" in fields else "there is no 'sentences'"
        raise RunFileError(
            f"document {document!r}: {problem}", where=where, remedy="List the sentence numbers, counted from 0"
        )
    if corpus is not None and document not in corpus:
        raise RunFileError(f"the corpus has no document {document!r}", where=where, remedy="Check which corpus it is")
    seen: set[int] = set()
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool):
            problem = f"the sentence number {number!r} is not an integer"
        elif number < 0 or (corpus is not None and number >= corpus[document]):
            bound = f" (it has {corpus[document]}, counted from 0)" if corpus is not None else ""
            problem = f"there is no sentence {number}{bound}"
        elif number in seen:
            problem = f"the sentence number {number} stands twice"
        else:
            seen.add(number)
            continue
        remedy = "List distinct sentence numbers of the document, counted from 0"
        raise RunFileError(f"document {document!r}: {problem}", where=where, remedy=remedy)
    return tuple(numbers)


class _TwiceError(Exception):
    """A key stands twice in one JSON object."""


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _TwiceError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return fields


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


# Made once: a line of a run takes less time to read than a decoder to make.
_decode = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse).decode


def _kind(value: object) -> str:
    names = {
        bool: "a boolean",
        int: "a number",
        float: "a decimal number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), "null")

"""Files of answers to questions, in the forms in which the data sets publish them.

A file holds an entry per question. Its form is told from what it holds:

- ``lines``: one JSON object a line, ``{"id": "q1", ...}``;
- ``mapping``: one JSON object, ids as keys, ``{"q1": "yes", "q2": ...}`` (PubMedQA, predictions for SQuAD);
- ``bioasq``: ``{"questions": [{"id": "q1", "type": "yesno", ...}, ...]}``;
- ``squad``: ``{"data": [{"paragraphs": [{"qas": [{"id": "q1", ...}, ...]}]}]}``.

What an entry says is read by the scorer of the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sciverify.corpora.lines import numbered_lines
from sciverify.corpora.metadata import shown
from sciverify.errors import RunFileError, place
from sciverify.evaluation.form import claim_id, parse_file, parse_line

__all__ = ["AnswerFile", "Entry", "check_same_questions", "read_answers", "strings"]

_BODY_KEYS = ("answer", "answers", "summary", "references")  # of a line; an object with an id and none is a mapping


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says of one question, and where: an object of keys, or the bare value of a mapping."""

    where: str
    value: object

    def get(self, key: str) -> object:
        """The value under a key; None where there is none.

        Raises:
            RunFileError: the entry is not an object.
        """
        return self.fields.get(key)

    @property
    def fields(self) -> dict[str, object]:
        """All keys.

        Raises:
            RunFileError: the entry is not an object.
        """
        if not isinstance(self.value, dict):
            raise RunFileError(f"{shown(self.value)} is not an object", where=self.where)
        return self.value


class AnswerFile(NamedTuple):
    """A file of answers: its form (see the module) and its entries by question id, in file order."""

    form: str
    entries: Mapping[str, Entry]


def read_answers(path: str | Path) -> AnswerFile:
    """Read a file of answers, plain or gzip, and tell its form.

    Raises:
        RunFileError: the file can't be read, is of none of the forms, holds no question, or holds one twice.
    """
    raw = list(numbered_lines(path, blank=True, error=RunFileError))
    filled = [(number, line) for number, line in raw if line.strip()]
    if not filled:
        raise RunFileError("the file holds only blank lines", where=place(path))
    form, found = _pieces(path, raw, filled)
    entries: dict[str, Entry] = {}
    for id, entry in found:
        if (earlier := entries.setdefault(id, entry)) is not entry:
            raise RunFileError(
                f"question {id!r} was already at {earlier.where}", where=entry.where, remedy="Keep one of them"
            )
    if not entries:
        raise RunFileError("there are no questions in this file", where=place(path))
    return AnswerFile(form, entries)


def check_same_questions(gold: Mapping[str, object], predicted: Mapping[str, object], path: str | Path = "") -> None:
    """Refuse predictions that are not for gold's questions, each of them; their order doesn't matter.

    Raises:
        RunFileError: a question is missing or unknown; the message names the first one.
    """
    missing = [id for id in gold if id not in predicted]
    if missing:
        raise RunFileError(
            f"{len(missing):,} of {len(gold):,} questions have no answer, the first is {missing[0]!r}",
            where=place(path) if path else "",
            remedy="Answer every question of the gold file",
        )
    unknown = next((id for id in predicted if id not in gold), None)
    if unknown is not None:
        raise RunFileError(
            f"question {unknown!r} is not one of the gold file's",
            where=place(path) if path else "",
            remedy="Check that both files are of the same split",
        )


def strings(entry: Entry, key: str) -> tuple[str, ...]:
    """The list of strings under a key.

    Raises:
        RunFileError: there is none, or it holds something else.
    """
    value = entry.get(key)
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        problem = f"{key!r} is not a list of strings" if key in entry.fields else f"there is no {key!r}"
        raise RunFileError(problem, where=entry.where, remedy=f'Write "{key}": ["...", ...]')
    return tuple(value)


def _pieces(
    path: str | Path, raw: list[tuple[int, bytes]], filled: list[tuple[int, bytes]]
) -> tuple[str, Iterator[tuple[str, Entry]]]:
    """The form of a file, and its questions with their entries."""
    if len(filled) > 1 and (_is_named_lines(path) or _is_object(filled[0][1])):
        return "lines", _lines(path, filled)
    whole = parse_file(b"".join(line for _, line in raw), path)
    if isinstance(whole.get("questions"), list):
        return "bioasq", _questions(whole["questions"], path, "question")
    if isinstance(whole.get("data"), list):
        return "squad", _squad(whole["data"], path)
    if _is_named_lines(path) or ("id" in whole and any(key in whole for key in _BODY_KEYS)):
        return "lines", _lines(path, filled)
    return "mapping", _mapping(whole, path)


def _is_named_lines(path: str | Path) -> bool:
    return str(path).removesuffix(".gz").endswith((".jsonl", ".ndjson"))


def _is_object(line: bytes) -> bool:
    try:
        parse_line(line, "")
    except RunFileError:
        return False
    return True


def _lines(path: str | Path, lines: list[tuple[int, bytes]]) -> Iterator[tuple[str, Entry]]:
    for number, raw in lines:
        where = place(path, number)
        fields = parse_line(raw, where)
        yield _id(fields, where), Entry(where, fields)


def _mapping(whole: Mapping[str, object], path: str | Path) -> Iterator[tuple[str, Entry]]:
    for id, value in whole.items():
        if not id:
            raise RunFileError("a question's id is empty", where=place(path))
        yield id, Entry(f"{place(path)}, question {id!r}", value)


def _squad(data: object, path: str | Path) -> Iterator[tuple[str, Entry]]:
    for article in _objects(data, place(path), "article"):
        for paragraph in _objects(article.get("paragraphs"), article.where, "paragraph"):
            yield from _questions(paragraph.get("qas"), paragraph.where, "question")


def _questions(values: object, where: str | Path, what: str) -> Iterator[tuple[str, Entry]]:
    for entry in _objects(values, str(where), what):
        id = _id(entry.fields, entry.where)
        yield id, Entry(f"{where}, {what} {id!r}", entry.value)


def _id(fields: Mapping[str, object], where: str) -> str:
    try:
        return claim_id(fields, where)
    except RunFileError as error:
        problem = "the question has no id that is a whole number or a string"
        raise RunFileError(problem, where=where, remedy='Give every question its "id"') from error


def _objects(values: object, where: str, what: str) -> Iterator[Entry]:
    if not isinstance(values, list):
        raise RunFileError(f"there is no list of {what}s", where=where)
    for number, value in enumerate(values, start=1):
        spot = f"{where}, {what} {number}"
        if not isinstance(value, dict):
            raise RunFileError(f"{shown(value)} is not an object", where=spot)
        yield Entry(spot, value)

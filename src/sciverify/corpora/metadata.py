"""What a record says about its document beside the text: year, journal, authors, identifiers, retraction.

A value that stands for nothing (empty, ``NA``, ``null`` ...) leaves its field unknown; any other value that can't be
read is an error of its line, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sciverify.errors import CorpusError
from sciverify.records import Metadata

__all__ = ["metadata_from", "shown", "shown_names"]

_NOTHING = frozenset(["", "-", "n/a", "na", "nan", "none", "null", "unknown"])
_TRUE, _FALSE = frozenset(["true", "yes", "y", "1", "1.0"]), frozenset(["false", "no", "n", "0", "0.0"])
# Spreadsheets turn whole numbers into 2011.0, and give dates where years are meant.
_YEAR = re.compile(r"([12]\d{3})(?:\.0|[-/ ].*)?", re.DOTALL)
_PMID = re.compile(r"(?:PMID:?\s*)?([1-9]\d{0,8})(?:\.0)?", re.IGNORECASE)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_MOST_NAMES = 20
_BETWEEN_ENTRIES = re.compile(r"[;|]")


def metadata_from(record: Mapping[str, Any], columns: Mapping[str, str]) -> Metadata:
    """Read the metadata of one record; `columns` says which key holds which field of `Metadata`, where one does.

    Lists may be lists of strings, or one string with ``;`` or ``|`` between the entries (names hold commas).

    Raises:
        CorpusError: a value can't be read.
    """
    if not columns:
        return Metadata()
    values = {field: value for field, key in columns.items() if not _says_nothing(value := record.get(key))}
    return Metadata(
        year=int(_matched(values, "year", _YEAR, "Give a year, or a date that starts with it") or 0) or None,
        journal=_text(values, "journal"),
        authors=_entries(values, "authors"),
        doi=_matched(values, "doi", _DOI, "A DOI looks like 10.1000/182"),
        pmid=_matched(values, "pmid", _PMID, "A PMID is a whole number"),
        publication_types=_entries(values, "publication_types"),
        retracted=_flag(values, "retracted"),
    )


def shown(value: object) -> str:
    """A value as a message shows it: cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def shown_names(names: Iterable[str]) -> str:
    """The names of columns as a message shows them: the first twenty."""
    listed = [shown(name) for name in names]
    return ", ".join([*listed[:_MOST_NAMES], *(["..."] if len(listed) > _MOST_NAMES else [])]) or "none"


def _says_nothing(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in _NOTHING
    return value is None or value != value  # json reads NaN as a number that isn't itself


def _text(values: Mapping[str, Any], field: str) -> str:
    value = values.get(field, "")
    if not isinstance(value, str):
        raise CorpusError(f"the {field} {shown(value)} is not a string")
    return value.strip()


def _matched(values: Mapping[str, Any], field: str, pattern: re.Pattern[str], remedy: str) -> str:
    value = values.get(field, "")
    if value == "":
        return ""
    found = pattern.fullmatch(str(value).strip()) if _is_number_or_string(value) else None
    if found is None:
        raise CorpusError(f"the {field} {shown(value)} can't be read", remedy=remedy)
    return found[1]


def _entries(values: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = values.get(field, [])
    entries = _BETWEEN_ENTRIES.split(value) if isinstance(value, str) else value
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise CorpusError(f"the {field} {shown(value)} are neither a list of strings nor a string")
    return tuple(entry for part in entries if (entry := part.strip()))


def _flag(values: Mapping[str, Any], field: str) -> bool:
    value = values.get(field, False)
    word = str(value).strip().casefold() if _is_number_or_string(value) or isinstance(value, bool) else ""
    if word not in _TRUE | _FALSE:
        raise CorpusError(f"{field} is {shown(value)}", remedy="Say true or false")
    return word in _TRUE


def _is_number_or_string(value: object) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)

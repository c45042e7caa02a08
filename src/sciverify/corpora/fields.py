"""From one record of a generic file (JSON object or table row) to a document: which column holds what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sciverify.corpora.metadata import metadata_from, shown, shown_names
from sciverify.errors import CorpusError, SettingError
from sciverify.records import Document
from sciverify.text.sentences import split_sentences

__all__ = ["FIELDS", "Columns", "clean_sentences", "document_id", "given_sentences", "match_metadata", "title_from"]

# Field -> column names that are recognised without a mapping, in order of preference.
_TEXT_FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "doc_id", "_id", "docid", "document_id", "pmid", "pmcid"),
    "title": ("title", "article_title"),
    "text": ("text", "abstract", "article_abstract", "contents", "body"),
    "sentences": ("sentences",),
}
_METADATA_FIELDS: dict[str, tuple[str, ...]] = {
    "year": ("year", "pub_year", "publication_year"),
    "journal": ("journal", "journal_title", "journal/book"),
    "authors": ("authors",),
    "doi": ("doi",),
    "pmid": ("pmid", "pubmed_id"),
    "publication_types": ("publication_types", "publication_type"),
    "retracted": ("retracted", "is_retracted"),
}
FIELDS = {**_TEXT_FIELDS, **_METADATA_FIELDS}
_REQUIRED = ("id", "text", "sentences")
_MOST_SHAPES = 1000  # sets of column names that are remembered


class Columns:
    """Which column (or JSON key) holds which field: the caller's choice first, then the recognised names.

    Args:
        chosen: field -> column, for example ``{"id": "PMID", "text": "Abstract"}``.
        all_there: whether every chosen column must exist, as in a table; else only those of id and text, since one
            JSON object may lack the year that another has.

    Raises:
        SettingError: a field is unknown, or both `text` and `sentences` are chosen.
    """

    def __init__(self, chosen: Mapping[str, str] | None = None, *, all_there: bool = False) -> None:
        self._chosen = dict(chosen or {})
        self._all_there = all_there
        if strangers := sorted(set(self._chosen) - set(FIELDS)):
            raise SettingError(
                f"{strangers[0]!r} is not a field of a document", remedy=f"Choose from {', '.join(FIELDS)}"
            )
        if {"text", "sentences"} <= set(self._chosen):
            raise SettingError("text and sentences exclude each other", remedy="Name a column for one of them")
        self._known: dict[tuple[str, ...], tuple[dict[str, str], dict[str, str]]] = {}

    def find(self, names: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
        """Field -> column among those that exist: the fields of the text, and those of the metadata.

        Raises:
            CorpusError: a chosen column is missing, or no column is known for the id or for the text.
        """
        if names not in self._known:
            if len(self._known) >= _MOST_SHAPES:
                self._known.clear()
            self._known[names] = self._match(names)
        return self._known[names]

    def document(self, record: Mapping[str, Any]) -> Document:
        """Make a document of one record.

        Raises:
            CorpusError: a column is missing, or a value can't be read.
        """
        columns, metadata_columns = self.find(tuple(record))
        if "sentences" in columns:
            sentences = given_sentences(record[columns["sentences"]])
        else:
            text = record[columns["text"]]
            sentences = given_sentences(text) if isinstance(text, list) else clean_sentences(text)
        return Document.from_sentences(
            document_id(record[columns["id"]]),
            title_from(record[columns["title"]]) if "title" in columns else "",
            sentences,
            metadata_from(record, metadata_columns),
        )

    def _match(self, names: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
        has = f"It has {shown_names(names)}"
        for field, column in self._chosen.items():
            if column not in names and (self._all_there or field in _REQUIRED):
                raise CorpusError(f"there is no column {column!r}, which should hold the {field}", remedy=has)
        chosen = {field: column for field, column in self._chosen.items() if column in names}
        found = _recognised(names, _TEXT_FIELDS) | {k: v for k, v in chosen.items() if k in _TEXT_FIELDS}
        if "text" in self._chosen:
            found.pop("sentences", None)
        for field in ("id", "text"):
            if field not in found and not (field == "text" and "sentences" in found):
                raise CorpusError(
                    f"no column is known to hold the {field}", remedy=f"{has}; say which, like {field}=COLUMN"
                )
        metadata = {**match_metadata(names), **{k: v for k, v in chosen.items() if k in _METADATA_FIELDS}}
        return found, metadata


@lru_cache(maxsize=_MOST_SHAPES)
def match_metadata(names: tuple[str, ...]) -> Mapping[str, str]:
    """Field of `Metadata` -> the recognised column that holds it, for those that are there."""
    return _recognised(names, _METADATA_FIELDS)


def document_id(value: object) -> str:
    """The id as a string, outer white space taken off; whole numbers are accepted.

    Raises:
        CorpusError: it is neither a string nor a whole number, is blank, or holds characters that can't be shown.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise CorpusError(f"the id {shown(value)} is neither a string nor a whole number")
    if not value.strip():
        raise CorpusError("the id is empty")
    if not value.strip().isprintable():
        raise CorpusError(f"the id {shown(value)} holds characters that can't be shown")
    return value.strip()


def title_from(value: object) -> str:
    """The title, outer white space taken off; a null is an empty one.

    Raises:
        CorpusError: it is not a string.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise CorpusError(f"the title {shown(value)} is not a string")
    return value.strip()


def given_sentences(value: object) -> list[str]:
    """Sentences exactly as given, blank ones included: annotations count them. A table's cell holds them as JSON.

    Raises:
        CorpusError: it is not a list of strings.
    """
    sentences = value
    if isinstance(value, str):
        try:
            sentences = json.loads(value)
        except (ValueError, RecursionError):
            raise CorpusError(
                f"the sentences {shown(value)} are not a JSON list", remedy="Call the column `text` to have it split"
            ) from None
    if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
        raise CorpusError(f"the sentences {shown(value)} are not a list of strings")
    return sentences


def clean_sentences(value: object) -> list[str]:
    """Raw text in sentences: the splitter's pieces without their outer white space, blank ones dropped.

    Raises:
        CorpusError: it is not a string.
    """
    if value is None:
        return []
    if not isinstance(value, str):
        raise CorpusError(f"the text {shown(value)} is not a string")
    return [sentence for piece in split_sentences(value) if (sentence := piece.strip())]


def _recognised(names: tuple[str, ...], fields: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Names are compared without case, spaces as underscores; of two that agree the first counts."""
    by_plain_name = {name.strip().casefold().replace(" ", "_"): name for name in reversed(names)}
    return {
        field: by_plain_name[known[0]]
        for field, recognised in fields.items()
        if (known := [name for name in recognised if name in by_plain_name])
    }

"""SemTabFacts (Wang et al. 2021): statements about tables of scientific articles, in XML inside zip archives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

from sciverify.training.examples import Example, label_in
from sciverify.training.tables import row_text, table_example

__all__ = ["semtabfacts"]

_ARCHIVES = ("train_manual_v1.3.2.zip", "dev_v1.1.zip")


def semtabfacts(data: Path) -> list[Example]:
    """The statements of the training and dev parts; the header is the first rows, up to the first with a number.

    The dev part marks the cells that decide a statement: their rows are its rationales.
    """
    examples: list[Example] = []
    for archive in _ARCHIVES:
        for table in _tables(data / "semtabfacts/xml" / archive):
            examples += _examples(table)
    return examples


def _tables(path: Path) -> Iterator[ElementTree.Element]:
    """The tables with their statements, in order of the files' names. `input` holds the same without labels."""
    with ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if "/output/" in name and name.endswith(".xml") and not name.startswith("__MACOSX"):
                yield from ElementTree.fromstring(archive.read(name)).iter("table")


def _examples(table: ElementTree.Element) -> Iterator[Example]:
    caption = " ".join(_text(part) for part in table.findall("caption"))
    rows = _grid(table)
    first = next((n for n, row in enumerate(rows) if n and any(_is_number(cell) for cell in row[1:])), 1)
    header = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows[:first], strict=True)]
    texts = {n: text for n, row in enumerate(rows) if n >= first and (text := row_text(header, row))}
    marked = _marked_rows(table)
    for statement in table.iter("statement"):
        versions = marked.get(statement.get("id", ""))
        rationales = None
        if versions is not None:
            rationales = [frozenset(place for place, n in enumerate(texts) if n in rows) for rows in versions]
        label = label_in("semtabfacts", statement.get("type"))
        example = table_example(_text(statement), caption, texts.values(), label, "semtabfacts", rationales)
        if example and example.claim:
            yield example


def _grid(table: ElementTree.Element) -> list[list[str]]:
    """The table's cells by row and column, spanning cells repeated in every place that they cover."""
    places = {}
    for cell in table.iter("cell"):
        top, bottom, left, right = (
            int(cell.get(name, "0")) for name in ("row-start", "row-end", "col-start", "col-end")
        )
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                places[row, column] = _text(cell)
    height = 1 + max((row for row, _ in places), default=-1)
    width = 1 + max((column for _, column in places), default=-1)
    return [[places.get((row, column), "") for column in range(width)] for row in range(height)]


def _marked_rows(table: ElementTree.Element) -> dict[str, list[set[int]]]:
    """For each statement with marked cells, the rows of each version: a version is one set of cells that suffices."""
    versions: dict[str, dict[str, set[int]]] = {}
    for cell in table.iter("cell"):
        rows = range(int(cell.get("row-start", "0")), int(cell.get("row-end", "0")) + 1)
        for mark in cell.findall("evidence"):
            chosen = versions.setdefault(mark.get("statement_id", ""), {}).setdefault(mark.get("version", ""), set())
            if mark.get("type") == "relevant":
                chosen |= set(rows)
    return {id: list(chosen.values()) for id, chosen in versions.items()}


def _is_number(text: str) -> bool:
    return any(character.isdigit() for character in text) and sum(map(str.isalpha, text)) <= 2


def _text(node: ElementTree.Element) -> str:
    return " ".join(node.get("text", "").split())

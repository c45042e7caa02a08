"""Statements about tables: each row of a table is an element, ``header: value; header: value``.

A statement may need any row, and the label of a whole table isn't the label of a part of it. So tables that would be
read in several windows are left out.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sciverify.records import Label
from sciverify.training.examples import Example, label_of

__all__ = ["infotabs", "row_text", "scitab", "tabfact", "table_example"]

_LONGEST = 1_200  # characters of a table that fits a window of 512 tokens with its statement: numbers are 2.6 a token
_MARKS = re.compile(r"\[(?:BOLD|ITALIC|EMPTY|CONTINUE)\]\s*")


def row_text(header: Sequence[str], cells: Sequence[str]) -> str:
    """A row as it is read: ``header: value`` for each cell with a value, in order."""
    named = ((name.strip(), cell.strip()) for name, cell in zip(header, cells, strict=False))
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def table_example(
    statement: str,
    title: str,
    rows: Iterable[str],
    label: Label | None,
    source: str,
    rationales: Sequence[frozenset[int]] | None = None,
) -> Example | None:
    """A statement against the rows of a table, or None when the table is empty or too long for one window.

    `rationales` are the sets of rows each of which decides the statement; None when nobody has marked them.
    """
    elements = tuple(rows)
    if not elements or sum(map(len, elements)) + len(title) > _LONGEST:
        return None
    decided = label is Label.SUPPORTS or label is Label.REFUTES
    evidence = tuple(rationale for rationale in rationales or () if rationale) if decided else ()
    inside = frozenset().union(*evidence)
    return Example(
        statement.strip(),
        title.strip(),
        elements,
        label,
        targets=None if rationales is None else tuple(n in inside for n in range(len(elements))),
        relevance=True if decided else None,
        evidence=evidence,
        source=source,
    )


def infotabs(data: Path) -> list[Example]:
    """Statements about Wikipedia infoboxes (Gupta et al. 2020), the training part; a row is one key with its values."""
    tables = json.loads(gzip.decompress((data / "infotabs/tables.json.gz").read_bytes()))
    examples = []
    with (data / "infotabs/maindata/infotabs_train.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            table = tables[row["table_id"]]
            rows = [f"{key}: {', '.join(values)}" for key, values in table.items() if key != "title"]
            title = " ".join(table.get("title", ()))
            examples.append(table_example(row["hypothesis"], title, rows, label_of(row["label"]), "infotabs"))
    return [example for example in examples if example]


def tabfact(data: Path) -> list[Example]:
    """TabFact's training statements about Wikipedia tables (Chen et al. 2020): a true and a false one per pair."""
    tables = _tabfact_tables(data / "tabfact/tables.jsonl.gz")
    examples = []
    for table, true, false in json.loads((data / "tabfact/train_pairs.json").read_text(encoding="utf-8")):
        title, rows = tables[table]
        for statement, label in ((true, Label.SUPPORTS), (false, Label.REFUTES)):
            examples.append(table_example(statement, title, rows, label, "tabfact"))
    return [example for example in examples if example]


def scitab(data: Path) -> list[Example]:
    """Claims about tables of computer science papers (Lu et al. 2023); the caption is the title."""
    examples = []
    for row in json.loads((data / "scitab/dataset/sci_tab.json").read_text(encoding="utf-8")):
        header = [_MARKS.sub("", name) for name in row["table_column_names"]]
        lines = (row_text(header, [_MARKS.sub("", cell) for cell in cells]) for cells in row["table_content_values"])
        rows = list(filter(None, lines))
        claim, caption = _MARKS.sub("", row["claim"]), row["table_caption"]
        examples.append(table_example(claim, caption, rows, label_of(row["label"]), "scitab"))
    return [example for example in examples if example]


def _tabfact_tables(path: Path) -> Mapping[str, tuple[str, list[str]]]:
    """Title and rows of each table by its id."""
    tables = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            table = json.loads(line)
            header, *lines = [line.split("#") for line in table["csv"].splitlines() if line.strip()]
            tables[table["id"]] = (table["page"] or "", [text for cells in lines if (text := row_text(header, cells))])
    return tables

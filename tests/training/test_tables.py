from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sciverify.records import Label
from sciverify.training.tables import infotabs, row_text, scitab, tabfact, table_example

CELLS = st.lists(st.text(st.characters(categories=("L", "N")), max_size=4), max_size=5)


class TestRowText:
    def test_cells_with_their_headers(self) -> None:
        assert row_text(["bird", " length ", "", "eggs"], ["tern", "35 cm", "grey", " "]) == (
            "bird: tern; length: 35 cm; grey"
        )

    @given(CELLS, CELLS)
    def test_every_value_under_a_header_is_read(self, header: list[str], cells: list[str]) -> None:
        text = row_text(header, cells)
        assert text.count("; ") == max(0, sum(bool(cell) for cell in cells[: len(header)]) - 1)
        assert all(cell in text for cell in cells[: len(header)])


class TestTableExample:
    def test_rationales(self) -> None:
        rationales = [frozenset({0, 2}), frozenset({1}), frozenset[int]()]
        example = table_example(" s ", " t ", ["a", "b", "c", "d"], Label.REFUTES, "x", rationales)
        assert example is not None
        assert (example.claim, example.title, example.relevance) == ("s", "t", True)
        assert example.targets == (True, True, True, False)
        assert example.evidence == (frozenset({0, 2}), frozenset({1}))

    def test_what_is_unknown_rests_on_no_row(self) -> None:
        example = table_example("s", "t", ["a", "b"], Label.NEI, "x", [frozenset({0})])
        assert example is not None
        assert (example.targets, example.evidence, example.relevance) == ((False, False), (), None)

    def test_unmarked_rows_train_nothing(self) -> None:
        example = table_example("s", "t", ["a", "b"], Label.SUPPORTS, "x")
        assert example is not None
        assert (example.targets, example.evidence) == (None, ())

    def test_too_long_or_empty(self) -> None:
        assert table_example("s", "", ["a" * 600, "b" * 600], None, "x") is not None
        assert table_example("s", "t", ["a" * 600, "b" * 600], None, "x") is None
        assert table_example("s", "t", [], None, "x") is None


def test_infotabs(write: Callable[..., Path], tmp_path: Path) -> None:
    rows = [{"annotater_id": "1", "table_id": "T1", "hypothesis": f'A "{name}', "label": name} for name in "ENC"]
    write("infotabs/maindata/infotabs_train.tsv", rows)
    table = {"title": ["Arctic tern"], "Diet": ["fish", "krill"], "Length": ["35 cm"]}
    (tmp_path / "infotabs/tables.json.gz").write_bytes(gzip.compress(json.dumps({"T1": table}).encode()))
    examples = infotabs(tmp_path)
    assert [e.label for e in examples] == [Label.SUPPORTS, Label.NEI, Label.REFUTES]
    assert {(e.title, e.elements) for e in examples} == {("Arctic tern", ("Diet: fish, krill", "Length: 35 cm"))}
    assert examples[0].claim == 'A "E'


def test_tabfact(tmp_path: Path) -> None:
    folder = tmp_path / "tabfact"
    folder.mkdir()
    tables = [
        {"id": "t1", "page": "terns", "csv": "bird#eggs\ntern#2\ngull#3\n"},
        {"id": "t2", "page": None, "csv": "bird#eggs\nauk#1\n#\n"},
        {"id": "t3", "page": "long", "csv": "bird\n" + "x" * 2000},
    ]
    (folder / "tables.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, tables)).encode()))
    pairs = [[f"t{n}", f"true {n}", f"false {n}"] for n in (1, 2, 3)]
    (folder / "train_pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    examples = tabfact(tmp_path)
    assert [(e.claim, e.label) for e in examples] == [
        ("true 1", Label.SUPPORTS),
        ("false 1", Label.REFUTES),
        ("true 2", Label.SUPPORTS),
        ("false 2", Label.REFUTES),
    ]
    assert examples[0].elements == ("bird: tern; eggs: 2", "bird: gull; eggs: 3")
    assert (examples[2].title, examples[2].elements) == ("", ("bird: auk; eggs: 1",))


def test_scitab(tmp_path: Path) -> None:
    row = {
        "table_caption": "Table 1: F1.",
        "table_column_names": ["[EMPTY]", "[BOLD] F1"],
        "table_content_values": [["ours", "[BOLD] 0.9"], ["[EMPTY]", ""], ["theirs", "[ITALIC] 0.8"]],
        "claim": "[CONTINUE] Ours is better.",
        "label": "not enough info",
    }
    path = tmp_path / "scitab/dataset/sci_tab.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([row]), encoding="utf-8")
    [example] = scitab(tmp_path)
    assert (example.claim, example.title, example.label) == ("Ours is better.", "Table 1: F1.", Label.NEI)
    assert example.elements == ("ours; F1: 0.9", "theirs; F1: 0.8")

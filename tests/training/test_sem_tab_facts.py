from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

from sciverify.records import Label
from sciverify.training.examples import Example
from sciverify.training.sem_tab_facts import semtabfacts


def cell(row: int, column: int, text: str, *marks: tuple[str, str, str], rows: int = 1, columns: int = 1) -> str:
    evidence = "".join(
        f'<evidence statement_id="{id}" version="{version}" type="{type}"/>' for id, version, type in marks
    )
    return (
        f'<cell row-start="{row}" row-end="{row + rows - 1}" col-start="{column}" col-end="{column + columns - 1}" '
        f'text="{text}">{evidence}</cell>'
    )


def read(folder: Path, cells: Sequence[str], *statements: tuple[str, str]) -> list[Example]:
    """A table in the dev archive; the training archive has none, and the copy without labels is passed over."""
    lines = "".join(f'<statement id="{id}" text=" Statement\n {id}. " type="{type}"/>' for id, type in statements)
    table = (
        f'<document><table id="1"><caption text="&#10; Birds. "/><row>{"".join(cells)}</row>{lines}</table></document>'
    )
    path = folder / "semtabfacts/xml"
    path.mkdir(parents=True)
    with ZipFile(path / "train_manual_v1.3.2.zip", "w") as archive:
        archive.writestr("v1.3.2/output/1.html", "<not xml")
    with ZipFile(path / "dev_v1.1.zip", "w") as archive:
        archive.writestr("v1.1/output/1.xml", table)
        archive.writestr("v1.1/input/1.xml", table)
        archive.writestr("__MACOSX/v1.1/output/._1.xml", "damaged")
    return semtabfacts(folder)


HEADER = [cell(0, 0, "bird", rows=2), cell(0, 1, "size", columns=2), cell(1, 1, "length"), cell(1, 2, "weight (g)")]
BODY = [
    cell(2, 0, "tern"),
    cell(2, 1, "35"),
    cell(2, 2, "100"),
    cell(3, 0, "gull"),
    cell(3, 1, "60"),
    cell(3, 2, "1,000"),
]


def test_headers_of_several_rows_and_spanning_cells(tmp_path: Path) -> None:
    [example] = read(tmp_path, [*HEADER, *BODY], ("0", "entailed"))
    assert example.elements == (
        "bird: tern; size length: 35; size weight (g): 100",
        "bird: gull; size length: 60; size weight (g): 1,000",
    )
    assert (example.claim, example.title) == ("Statement 0.", "Birds.")
    assert (example.label, example.targets, example.evidence) == (Label.SUPPORTS, None, ())


def test_a_table_without_numbers_has_one_header_row(tmp_path: Path) -> None:
    cells = [cell(0, 0, "bird"), cell(0, 1, "diet"), cell(1, 0, "tern"), cell(1, 1, "fish")]
    [example] = read(tmp_path, cells, ("0", "refuted"))
    assert example.elements == ("bird: tern; diet: fish",)
    assert example.label is Label.REFUTES


def test_each_version_of_marked_cells_is_a_rationale(tmp_path: Path) -> None:
    marked = [
        cell(2, 1, "35", ("0", "0", "relevant"), ("0", "1", "irrelevant"), ("1", "0", "relevant")),
        cell(3, 1, "60", ("0", "0", "irrelevant"), ("0", "1", "relevant"), ("1", "0", "irrelevant")),
    ]
    header = [cell(0, 0, "bird"), cell(0, 1, "length", ("0", "0", "relevant"))]
    rows = [cell(1, 0, "auk"), cell(1, 1, "9"), cell(2, 0, "tern"), cell(3, 0, "gull")]
    first, unknown, unmarked = read(
        tmp_path, [*header, *rows, *marked], ("0", "entailed"), ("1", "unknown"), ("2", "refuted")
    )
    assert first.targets == (False, True, True)
    assert first.evidence == (frozenset({1}), frozenset({2}))
    assert (unknown.label, unknown.targets, unknown.evidence) == (Label.NEI, (False, False, False), ())
    assert unmarked.targets is None

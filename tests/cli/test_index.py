import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sciverify.index import Index

Run = Callable[..., Any]

DOCUMENTS = [
    {"id": "a1", "title": "Sleep and memory", "text": "Sleep improved recall. Naps did not.", "year": 2001},
    {"id": "a2", "title": "Sleep and mood", "text": "Short sleep lowered mood.", "year": 2010},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with two corpora."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "corpus.jsonl", *DOCUMENTS)
    write(tmp_path / "more.jsonl", {"id": "a3", "title": "Coffee", "text": "Coffee delayed sleep."})
    return tmp_path


def write(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def ids(path: Path) -> list[str]:
    with Index.open(path) as index:
        return [document.id for document in index.documents()]


@pytest.fixture
def index(folder: Path, run: Run) -> Path:
    assert run("index", "build", "i", "corpus.jsonl", "--no-vectors").code == 0
    return folder / "i"


class TestBuild:
    def test_says_what_it_made_and_how_it_got_on(self, folder: Path, run: Run) -> None:
        outcome = run("index", "build", "i", "corpus.jsonl", "more.jsonl", "--no-vectors")
        assert (outcome.code, outcome.out) == (0, "i: 3 documents, without vectors\n")
        assert outcome.err.startswith("indexing: 3 documents in ")
        assert ids(folder / "i") == ["a1", "a2", "a3"]

    def test_makes_vectors_by_default(self, folder: Path, run: Run) -> None:
        assert run("index", "build", "i", "corpus.jsonl").out == "i: 2 documents, with vectors\n"
        assert run("index", "add", "i", "more.jsonl").out == "i: 1 document added, 3 in all\n"
        assert json.loads(run("index", "info", "i", "--json").out)["dimensions"] == 384

    def test_columns_can_be_named(self, folder: Path, run: Run) -> None:
        Path("t.csv").write_text("key,heading,body text\nk1,A title,Some text.\n")
        columns = ["--column", "id=key", "--column", "title=heading", "--column", "text=body text"]
        assert run("index", "build", "i", "t.csv", *columns, "--no-vectors").code == 0
        with Index.open("i") as index:
            [document] = index.documents()
        assert (document.id, document.title, document.elements[0].text) == ("k1", "A title", "Some text.")

    def test_a_bad_line_is_an_error_with_its_number(self, folder: Path, run: Run) -> None:
        with Path("corpus.jsonl").open("a") as file:
            file.write("{not json\n")
        outcome = run("index", "build", "i", "corpus.jsonl", "--no-vectors")
        assert outcome.code == 1
        assert outcome.err.startswith("error: corpus.jsonl:3: ")
        assert outcome.err.count("\n") == 1

    def test_bad_lines_can_be_skipped_and_are_listed(self, folder: Path, run: Run) -> None:
        with Path("corpus.jsonl").open("a") as file:
            file.write("{not json\n")
        outcome = run("index", "build", "i", "corpus.jsonl", "--no-vectors", "--skip-bad")
        assert (outcome.code, outcome.out) == (3, "i: 2 documents, without vectors\n")
        assert "1 input failed:\n  corpus.jsonl:3: " in outcome.err

    def test_ids_that_come_twice(self, folder: Path, run: Run) -> None:
        write(folder / "twice.jsonl", DOCUMENTS[0], DOCUMENTS[1], DOCUMENTS[0] | {"title": "Later"})
        outcome = run("index", "build", "i", "twice.jsonl", "--no-vectors")
        assert outcome.code == 1
        assert "'a1'" in outcome.err
        assert run("index", "build", "j", "twice.jsonl", "--no-vectors", "--replace").code == 0
        with Index.open("j") as index:
            assert {document.title for document in index.documents()} == {"Later", "Sleep and mood"}

    def test_a_finished_index_is_left_alone(self, index: Path, run: Run) -> None:
        outcome = run("index", "build", "i", "more.jsonl", "--no-vectors")
        assert outcome.code == 1
        assert ids(index) == ["a1", "a2"]


class TestChange:
    def test_add(self, index: Path, run: Run) -> None:
        assert run("index", "add", "i", "more.jsonl").out == "i: 1 document added, 3 in all\n"
        assert run("index", "add", "i", "more.jsonl").code == 1
        assert run("index", "add", "i", "more.jsonl", "--replace").code == 0
        assert ids(index) == ["a1", "a2", "a3"]

    def test_remove(self, index: Path, run: Run) -> None:
        assert run("index", "remove", "i", "a1").out == "i: 1 document removed, 1 left\n"
        assert ids(index) == ["a2"]

    def test_remove_from_a_list(self, index: Path, run: Run) -> None:
        Path("ids.txt").write_bytes(b"a1\r\na2\n")
        assert run("index", "remove", "i", "--ids", "ids.txt").out == "i: 2 documents removed, 0 left\n"

    def test_an_unknown_id_removes_nothing(self, index: Path, run: Run) -> None:
        outcome = run("index", "remove", "i", "a1", "zz")
        assert outcome.code == 1
        assert "'zz'" in outcome.err
        assert ids(index) == ["a1", "a2"]


class TestLookAfter:
    def test_info(self, index: Path, run: Run) -> None:
        lines = run("index", "info", "i").out.splitlines()
        assert lines[1] == "documents  2"
        assert lines[2] == "vectors    none: search by words only"
        value = json.loads(run("index", "info", "i", "--json").out)
        assert (value["schema"], value["documents"], value["encoder"]) == ("sciverify.index/1", 2, None)

    def test_check_and_rebuild(self, index: Path, run: Run) -> None:
        assert run("index", "check", "i").out == "i: 2 documents, all parts agree\n"
        assert run("index", "rebuild", "i").out == "i: 2 documents\n"
        assert run("index", "check", "i").code == 0

    @pytest.mark.parametrize("command", ["info", "check", "rebuild"])
    def test_there_is_no_index(self, command: str, folder: Path, run: Run) -> None:
        outcome = run("index", command, "\x1b[2Jnowhere")
        assert outcome.code == 1
        assert outcome.err.startswith("error: [2Jnowhere: there is no index here")
        assert outcome.out == ""

    def test_damage_is_listed_with_the_way_out(self, index: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        from sciverify.records import Problem

        monkeypatch.setattr(Index, "check", lambda self: [Problem("document 'a1'", "its words are missing")])
        outcome = run("index", "check", "i")
        assert outcome.code == 1
        assert "document 'a1': its words are missing" in outcome.err
        assert "sciverify index rebuild i" in outcome.err

    def test_an_open_index_is_refused_by_name(self, index: Path, run: Run, run_process: Run) -> None:
        with Index.open(index):
            outcome = run_process("index", "info", "i")
        assert outcome.code == 1
        assert outcome.err.startswith("error: ")

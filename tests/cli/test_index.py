import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sciverify.cli import main
from sciverify.index import Index
from sciverify.records import Problem

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


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An index of words, for tests that leave it as it is; making one takes a second."""
    folder = tmp_path_factory.mktemp("index")
    write(folder / "corpus.jsonl", *DOCUMENTS)
    assert main(["index", "build", str(folder / "i"), str(folder / "corpus.jsonl"), "--no-vectors"]) == 0
    return str(folder / "i")


def write(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def ids(path: str) -> list[str]:
    with Index.open(path) as index:
        return [document.id for document in index.documents()]


@pytest.mark.usefixtures("folder")
class TestBuild:
    def test_builds_grows_and_shrinks(self, run: Run) -> None:
        built = run("index", "build", "i", "corpus.jsonl", "more.jsonl", "--no-vectors")
        assert (built.code, built.out) == (0, "i: 3 documents, without vectors\n")
        assert built.err.startswith("indexing: 3 documents in ")
        assert ids("i") == ["a1", "a2", "a3"]

        assert run("index", "remove", "i", "a1").out == "i: 1 document removed, 2 left\n"
        Path("ids.txt").write_bytes(b"a2\r\na3\n")
        assert run("index", "remove", "i", "--ids", "ids.txt").out == "i: 2 documents removed, 0 left\n"
        assert run("index", "add", "i", "corpus.jsonl").out == "i: 2 documents added, 2 in all\n"
        assert run("index", "add", "i", "corpus.jsonl").code == 1
        assert run("index", "add", "i", "corpus.jsonl", "--replace").code == 0
        assert ids("i") == ["a1", "a2"]

    def test_makes_vectors_by_default(self, run: Run) -> None:
        assert run("index", "build", "i", "corpus.jsonl").out == "i: 2 documents, with vectors\n"
        assert run("index", "add", "i", "more.jsonl").out == "i: 1 document added, 3 in all\n"
        assert json.loads(run("index", "info", "i", "--json").out)["dimensions"] == 384

    def test_columns_can_be_named(self, run: Run) -> None:
        Path("t.csv").write_text("key,heading,body text\nk1,A title,Some text.\n")
        columns = ["--column", "id=key", "--column", "title=heading", "--column", "text=body text"]
        assert run("index", "build", "i", "t.csv", *columns, "--no-vectors").code == 0
        with Index.open("i") as index:
            [document] = index.documents()
        assert (document.id, document.title, document.elements[0].text) == ("k1", "A title", "Some text.")

    def test_a_bad_line_is_an_error_unless_it_may_be_skipped(self, run: Run) -> None:
        with Path("corpus.jsonl").open("a") as file:
            file.write("{not json\n")
        outcome = run("index", "build", "i", "corpus.jsonl", "--no-vectors")
        assert outcome.code == 1
        assert outcome.err.startswith("error: corpus.jsonl:3: ")
        assert outcome.err.count("\n") == 1
        # The build goes on where it stopped.
        outcome = run("index", "build", "i", "corpus.jsonl", "--no-vectors", "--skip-bad")
        assert (outcome.code, outcome.out) == (3, "i: 2 documents, without vectors\n")
        assert "1 input failed:\n  corpus.jsonl:3: " in outcome.err

    def test_of_documents_with_one_id_the_last_may_stay(self, run: Run) -> None:
        write(Path("twice.jsonl"), *DOCUMENTS, DOCUMENTS[0] | {"title": "Later"})
        assert run("index", "build", "i", "twice.jsonl", "--no-vectors", "--replace").code == 0
        with Index.open("i") as index:
            assert {document.title for document in index.documents()} == {"Later", "Sleep and mood"}


class TestLookAfter:
    def test_info(self, index: str, run: Run) -> None:
        lines = run("index", "info", index).out.splitlines()
        assert lines[1] == "documents  2"
        assert lines[2] == "vectors    none: search by words only"
        value = json.loads(run("index", "info", index, "--json").out)
        assert (value["schema"], value["documents"], value["encoder"]) == ("sciverify.index/1", 2, None)

    def test_check_and_rebuild(self, index: str, run: Run) -> None:
        assert run("index", "check", index).out == f"{index}: 2 documents, all parts agree\n"
        assert run("index", "rebuild", index).out == f"{index}: 2 documents\n"
        assert run("index", "check", index).code == 0

    def test_damage_is_listed_with_the_way_out(self, index: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Index, "check", lambda self: [Problem("document 'a1'", "its words are missing")])
        outcome = run("index", "check", index)
        assert outcome.code == 1
        assert "document 'a1': its words are missing" in outcome.err
        assert f"sciverify index rebuild {index}" in outcome.err


class TestRefused:
    def test_a_finished_index_is_left_alone(self, index: str, folder: Path, run: Run) -> None:
        assert run("index", "build", index, "more.jsonl", "--no-vectors").code == 1
        assert ids(index) == ["a1", "a2"]

    def test_an_unknown_id_removes_nothing(self, index: str, run: Run) -> None:
        outcome = run("index", "remove", index, "a1", "zz")
        assert outcome.code == 1
        assert "'zz'" in outcome.err
        assert ids(index) == ["a1", "a2"]

    def test_an_id_that_is_there_adds_nothing(self, index: str, folder: Path, run: Run) -> None:
        outcome = run("index", "add", index, "more.jsonl", "corpus.jsonl")
        assert outcome.code == 1
        assert "'a1'" in outcome.err
        assert ids(index) == ["a1", "a2"]

    @pytest.mark.parametrize("command", ["info", "check", "rebuild"])
    def test_there_is_no_index(self, command: str, folder: Path, run: Run) -> None:
        outcome = run("index", command, "\x1b[2Jnowhere")
        assert outcome.code == 1
        assert outcome.err.startswith("error: [2Jnowhere: there is no index here")
        assert outcome.out == ""

    def test_an_index_that_is_open_elsewhere(self, index: str, run_process: Run) -> None:
        with Index.open(index):
            outcome = run_process("index", "info", index)
        assert outcome.code == 1
        assert str(os.getpid()) in outcome.err

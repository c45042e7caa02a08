import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sciverify.evaluation.runs import read_run
from sciverify.models import load_cross_encoder

Run = Callable[..., Any]

CLAIMS = [{"id": 1, "claim": "Sleep improves recall."}, {"id": 2, "claim": "Coffee delays sleep."}]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, sleep_index: str) -> Path:
    """A folder with two runs, made once with the models that ship."""
    from sciverify.cli import main

    folder = tmp_path_factory.mktemp("runs")
    (folder / "claims_dev.jsonl").write_text("".join(json.dumps(line) + "\n" for line in CLAIMS))
    for name, options in (("a", ["--evidence", "0"]), ("b", ["--evidence", "1", "--years", "2000-"])):
        paths = [str(folder / "claims_dev.jsonl"), str(folder / f"{name}.jsonl")]
        assert main(["predict", *paths, "--index", sleep_index, *options]) == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them as the current folder."""
    for file in made.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestList:
    def test_one_row_a_run(self, run: Run, folder: Path, sleep_index: str) -> None:
        outcome = run("runs")
        assert outcome.code == 0
        head, a, below, b, _ = outcome.out.splitlines()
        assert head.split() == ["run", "setting", "claims", "started", "failed"]
        assert a.startswith("a.jsonl  open     2 of 2  20")
        assert b.startswith("b.jsonl  open     2 of 2  20")
        assert below.startswith("    default(k=20, joint(evidence=0,")
        assert f"claims_dev.jsonl; {sleep_index} (4 documents); {load_cross_encoder().name}" in below

    def test_folders_runs_and_the_long_form(self, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "sub").mkdir()
        monkeypatch.chdir(folder / "sub")
        assert run("runs").out == "There are no runs here.\n"
        assert run("runs", "list", "..").out == run("runs", "..").out
        assert run("runs", "..").out.count(".jsonl  open") == 2
        assert run("runs", "../a.jsonl").out.count("../a.jsonl") == 1
        assert run("runs", "../claims_dev.jsonl").code == 1
        assert run("runs", "nowhere").code == 1

    def test_json_holds_the_whole_provenance(self, run: Run, folder: Path) -> None:
        outcome = run("runs", "--json")
        listed = json.loads(outcome.out)
        assert listed["schema"] == "sciverify.runs/1"
        assert [(entry["run"], entry["exists"]) for entry in listed["runs"]] == [("a.jsonl", True), ("b.jsonl", True)]
        side = json.loads((folder / "b.jsonl.meta.json").read_text())
        for key, value in side.items():
            assert key == "schema" or listed["runs"][1][key] == value

    def test_what_is_missing_or_broken_is_said(self, run: Run, folder: Path) -> None:
        (folder / "a.jsonl").unlink()
        (folder / "b.jsonl.meta.json").write_text("notes")
        outcome = run("runs")
        assert outcome.code == 3
        assert "a.jsonl (missing)" in outcome.out
        assert "1 input failed:\n  b.jsonl.meta.json: this line is not JSON" in outcome.err

    def test_a_side_file_cannot_colour_the_screen(self, run: Run, folder: Path) -> None:
        side = folder / "a.jsonl.meta.json"
        side.write_text(json.dumps(json.loads(side.read_text()) | {"system": "\x1b[31m[bold]red\x07"}))
        outcome = run("runs")
        assert "\x1b" not in outcome.out
        assert "    [31m[bold]red;" in outcome.out

    def test_help_lists_the_commands(self, run: Run) -> None:
        for option in ("--help", "-h"):
            outcome = run("runs", option)
            assert outcome.code == 0
            assert all(name in outcome.out for name in ("compare", "export", "import", "list"))


class TestCompare:
    def test_settings_and_answers(self, run: Run, folder: Path) -> None:
        outcome = run("runs", "compare", "a.jsonl", "b.jsonl")
        assert outcome.code == 0
        assert 'filters\n    {}\n    {"first_year": 2000}\n' in outcome.out
        assert "system\n    default(k=20, joint(evidence=0," in outcome.out
        assert "index" not in outcome.out
        assert outcome.out.endswith("answers    2 claims of 2 differ: 2 in labels, 0 in sentences only\n")

    def test_all_says_which(self, run: Run, folder: Path) -> None:
        outcome = run("runs", "compare", "a.jsonl", "b.jsonl", "--all")
        first, second = outcome.out.splitlines()[-2:]
        assert first.startswith("claim 1: ")
        assert second.startswith("claim 2: ")
        for document, entry in read_run("a.jsonl")[0].evidence.items():
            assert f"{document} {entry.label} / NEI" in first

    def test_a_run_and_itself(self, run: Run, folder: Path) -> None:
        outcome = run("runs", "compare", "a.jsonl", "a.jsonl", "--all")
        assert outcome.out == (
            "settings   the same\nanswers    0 claims of 2 differ: 0 in labels, 0 in sentences only\n"
        )

    def test_without_a_side_file_the_answers_are_compared(self, run: Run, folder: Path) -> None:
        lines = Path("a.jsonl").read_text().splitlines(keepends=True)
        Path("plain.jsonl").write_text(lines[0] + '{"id": 9, "evidence": {}}\n')
        outcome = run("runs", "compare", "a.jsonl", "plain.jsonl")
        assert outcome.out == (
            "settings   not known of plain.jsonl\n"
            "answers    0 claims of 1 differ: 0 in labels, 0 in sentences only\n"
            "           1 claim only in a.jsonl\n"
            "           1 claim only in plain.jsonl\n"
        )
        assert json.loads(run("runs", "compare", "a.jsonl", "plain.jsonl", "--json").out)["settings"] is None

    def test_json(self, run: Run, folder: Path) -> None:
        found = json.loads(run("runs", "compare", "a.jsonl", "b.jsonl", "--json").out)
        assert found["schema"] == "sciverify.run-comparison/1"
        assert found["runs"] == ["a.jsonl", "b.jsonl"]
        assert found["settings"]["filters"] == [{}, {"first_year": 2000}]
        assert (found["claims"], found["only_first"], found["only_second"]) == (2, [], [])
        assert [difference["claim"] for difference in found["differences"]] == ["1", "2"]

    def test_a_file_that_is_not_there(self, run: Run, folder: Path) -> None:
        assert run("runs", "compare", "a.jsonl", "c.jsonl").code == 1


class TestExchange:
    @pytest.mark.parametrize("form", ["leaderboard", "table", "feverous"])
    def test_out_and_in_again(self, run: Run, folder: Path, form: str) -> None:
        out = run("runs", "export", "a.jsonl", "out.jsonl", "--to", form)
        assert (out.code, out.out) == (0, "out.jsonl: 2 claims\n")
        back = run("runs", "import", "out.jsonl", "c.jsonl", "--from", form, "--claims", "claims_dev.jsonl")
        assert (back.code, back.out) == (0, "c.jsonl: 2 claims\n")
        assert [prediction.claim_id for prediction in read_run("c.jsonl")] == ["1", "2"]
        listed = run("runs", "c.jsonl").out
        assert "c.jsonl  not known  2 of 2" in listed
        assert f"import(from={form!r}, file='out.jsonl'); claims_dev.jsonl\n" in listed
        assert "setting\n    open\n    not known\n" in run("runs", "compare", "a.jsonl", "c.jsonl").out

    def test_trec(self, run: Run, folder: Path) -> None:
        assert run("runs", "export", "a.jsonl", "out.trec", "--to", "trec", "--model", "mine").code == 0
        first = Path("out.trec").read_text().splitlines()[0].split()
        assert first[:2] + first[5:] == ["1", "Q0", "mine"]
        assert first[2] == (read_run("a.jsonl")[0].candidates or ())[0].doc_id

    def test_thresholds_for_a_table(self, run: Run, folder: Path) -> None:
        assert run("runs", "export", "a.jsonl", "t.jsonl", "--to", "table").code == 0
        options = ["--from", "table", "--claims", "claims_dev.jsonl", "--evidence", "1"]
        assert run("runs", "import", "t.jsonl", "c.jsonl", *options).code == 0
        assert [dict(prediction.evidence) for prediction in read_run("c.jsonl")] == [{}, {}]

    def test_nothing_is_replaced_unasked(self, run: Run, folder: Path) -> None:
        Path("out.jsonl").write_text("precious")
        for command in (["export", "a.jsonl", "out.jsonl", "--to"], ["import", "a.jsonl", "out.jsonl", "--from"]):
            before = Path("out.jsonl").read_bytes()
            outcome = run("runs", *command, "leaderboard")
            assert outcome.code == 1
            assert "out.jsonl: this file is there already" in outcome.err
            assert Path("out.jsonl").read_bytes() == before
            assert run("runs", *command, "leaderboard", "--force").code == 0

    def test_an_export_never_takes_the_place_of_a_run(self, run: Run, folder: Path) -> None:
        before = Path("b.jsonl").read_bytes()
        outcome = run("runs", "export", "a.jsonl", "b.jsonl", "--to", "leaderboard", "--force")
        assert outcome.code == 1
        assert "b.jsonl: this is a run with a side file" in outcome.err
        assert Path("b.jsonl").read_bytes() == before

    def test_an_import_is_not_gone_on_with(self, run: Run, folder: Path, sleep_index: str) -> None:
        assert run("runs", "import", "a.jsonl", "c.jsonl", "--from", "leaderboard").code == 0
        outcome = run("predict", "claims_dev.jsonl", "c.jsonl", "--index", sleep_index)
        assert outcome.code == 1
        assert "begun with other settings" in outcome.err

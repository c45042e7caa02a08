"""The examples of docs/scorers/scifact.md are what the code does."""

import json
import re
from pathlib import Path

import pytest

from sciverify.evaluation import Tally, read_run, score_scifact

DOCUMENT = Path(__file__).parents[2] / "docs" / "scorers" / "scifact.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """A folder with the files that the examples name, made from the examples; it is the current one."""
    gold, line = (json.loads(block) for block in blocks("json"))
    line["evidence"]["16"] = {"sentences": [18, 20], "label": "CONTRADICT"}
    corpus = [{"doc_id": id, "title": "t", "abstract": ["s"] * 21} for id in (11, 15, 16)]
    monkeypatch.chdir(tmp_path)
    for name, lines in (("claims_dev.jsonl", [gold]), ("run.jsonl", [line]), ("corpus.jsonl", corpus)):
        Path(name).write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")


def test_the_worked_example_gives_the_figures_in_the_text(example):
    scores = score_scifact("claims_dev.jsonl", "run.jsonl")
    assert scores.abstract_label_only == scores.abstract_label_rationale == Tally(1, 2, 2)
    assert scores.sentence_selection_only == scores.sentence_selection_label == Tally(1, 5, 4)


def test_the_first_example_runs(example, capsys):
    exec(compile(blocks("python")[0], DOCUMENT, "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("scifact, 1 claims")
    assert lines[-1].split()[0] == "0.5"


def test_the_second_example_goes_on_with_a_run(example):
    class System:
        def check(self, claims):
            raise AssertionError("the run is finished")

    before = read_run("run.jsonl")
    exec(compile(blocks("python")[1], DOCUMENT, "exec"), {"system": System()})
    assert read_run("run.jsonl") == before

"""The examples of docs/scorers/fever.md are what the code does."""

import re
from pathlib import Path

import pytest

from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.fever import score_fever
from sciverify.evaluation.feverous import score_feverous

DOCUMENT = Path(__file__).parents[2] / "docs" / "scorers" / "fever.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """A folder with the files that the examples name, made from the examples; it is the current one."""
    monkeypatch.chdir(tmp_path)
    names = ("gold.jsonl", "run.jsonl", "fever_gold.jsonl", "fever_run.jsonl")
    for name, block in zip(names, blocks("json"), strict=True):
        Path(name).write_text(block, encoding="utf-8")


def run(example_code):
    exec(compile(example_code, DOCUMENT, "exec"), {})


def test_the_first_example_shows_the_figures_in_the_text(example, capsys):
    run(blocks("python")[0])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("feverous, 1 claims")
    assert lines[-1].startswith("1.0 {")
    values = score_feverous("gold.jsonl", "run.jsonl").values()
    assert [values[name] for name in ("feverous_score", "label_accuracy", "evidence_recall")] == [1, 1, 1]
    assert values["evidence_precision"] == pytest.approx(2 / 3)
    assert values["evidence_f1"] == pytest.approx(4 / 5)


def test_the_second_example_reads_an_id(capsys):
    run(blocks("python")[1])
    assert capsys.readouterr().out.splitlines() == ["Some_page_sentence_3 cell 0_9_1", "True"]


def test_the_third_example_writes_the_run_above_it(example):
    run(blocks("python")[2])
    assert Path("written.jsonl").read_text(encoding="utf-8") == Path("run.jsonl").read_text(encoding="utf-8")


def test_fevers_files_are_read(example):
    assert set(score_fever("fever_gold.jsonl", "fever_run.jsonl").values().values()) == {1.0}


def test_the_table_of_ids():
    rows = re.findall(r"^\| `([^`]+)` \| `(\[[^`]+\])` \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 7
    for text, parts in rows:
        assert EvidenceId.parse(text) == tuple(re.findall(r'"([^"]*)"', parts))


def test_the_default_depths():
    names = list(score_feverous.__kwdefaults__.items())
    assert names == [("pages", (5,)), ("sentences", (5,)), ("tables", (3,)), ("cells", (25,))]

"""The examples of docs/scorers/scifact-open.md are what the code does."""

import re
from pathlib import Path

import pytest

from sciverify.evaluation.scifact_open import score_scifact_open
from sciverify.evaluation.tally import Tally

pytest.importorskip("pyarrow", reason="needs the extra evaluation")

DOCUMENT = Path(__file__).parents[2] / "docs" / "scorers" / "scifact-open.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """A folder with the files that the examples name, made from the examples; it is the current one."""
    monkeypatch.chdir(tmp_path)
    for name, content in zip(("claims.jsonl", "pairs.jsonl", "run.jsonl"), blocks("json"), strict=True):
        Path(name).write_text(content, encoding="utf-8")


def test_the_examples_print_what_stands_below_them(example, capsys):
    examples, outputs = blocks("python"), blocks("text")
    for code, output in zip(examples, outputs, strict=True):
        exec(compile(code, DOCUMENT, "exec"), {})
        assert capsys.readouterr().out == output


def test_the_figures_in_the_text(example):
    scores = score_scifact_open("claims.jsonl", "pairs.jsonl")
    assert scores.values()["average_precision"] == pytest.approx(5 / 9)
    assert scores.pairs == Tally(correct=1, retrieved=2, relevant=3)


def test_the_run_file_is_for_the_same_claims(example):
    assert score_scifact_open("claims.jsonl", "run.jsonl").pairs == Tally(correct=1, retrieved=1, relevant=3)

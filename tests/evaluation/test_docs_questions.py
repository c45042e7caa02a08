"""The examples of docs/scorers/questions.md and docs/scorers/retrieval.md are what the code does."""

import re
from pathlib import Path

import pytest

from sciverify.corpora import open_corpus
from sciverify.evaluation.beir import read_beir_qrels
from sciverify.evaluation.trec import read_trec_qrels, read_trec_run

FOLDER = Path(__file__).parents[2] / "docs" / "scorers"
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(name, capsys):
    """Write the files that a page shows, run its examples from top to bottom, and compare what they print."""
    names, printed, compared = {}, None, 0
    page = (FOLDER / name).read_text(encoding="utf-8")
    for block in BLOCK.finditer(page):
        content, file = block["content"], re.search(r"`([\w.]+)`:\n\n$", page[: block.start()])
        if file:
            Path(file[1]).write_text(content, encoding="utf-8")
        elif block["language"] == "python":
            exec(compile(content, name, "exec"), names)
            printed = capsys.readouterr().out
        else:
            assert printed is not None
            assert [line.split() for line in printed.splitlines()] == [line.split() for line in content.splitlines()]
            compared += 1
    return compared


@pytest.mark.parametrize(("name", "outputs"), [("questions.md", 3), ("retrieval.md", 1)])
def test_the_examples_print_what_the_page_shows(name, outputs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run_page(name, capsys) == outputs


def test_the_exports_can_be_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_page("retrieval.md", capsys)
    assert read_trec_qrels("qrels.trec") == read_beir_qrels("tea/qrels/dev.tsv") == read_beir_qrels("qrels.tsv")
    assert read_trec_run("again.trec") == read_trec_run("run.trec")
    assert [document.title for document in open_corpus("tea/corpus.jsonl")] == ["On tea"]

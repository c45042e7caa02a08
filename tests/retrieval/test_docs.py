"""The examples of docs/retrieval.md run, and what it says about names and defaults is so."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import sciverify.models
from retrieval_fakes import WordEncoder
from sciverify.index import Index
from sciverify.retrieval import RETRIEVERS, HybridRetriever
from sciverify.testing.retrievers import DOCUMENTS

DOCUMENT = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)


def test_the_first_example_runs(tmp_path, monkeypatch, capsys):
    Index.build(tmp_path / "my.index", DOCUMENTS, encoder=WordEncoder()).close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sciverify.models, "load_encoder", WordEncoder)
    exec(compile(BLOCKS[0], "docs/retrieval.md", "exec"), {})
    name, *found, notice = capsys.readouterr().out.splitlines()
    assert f"`{name}`" in DOCUMENT
    assert found[0].startswith("d02 ")
    assert found[0].endswith("('bm25', 'dense')")
    assert len(found) == 5
    assert notice == ""


def test_the_second_example_is_a_suite_that_runs():
    names: dict[str, object] = {"__name__": "docs"}
    exec(compile(BLOCKS[1], "docs/retrieval.md", "exec"), names)
    suite, source, retriever = (names[name] for name in ("TestMine", "Documents", "TfidfRetriever"))
    suite().test_finds_the_document_that_says_it(retriever(source(DOCUMENTS)))
    suite().test_empty_corpus_gives_a_notice(retriever(source([])))


@pytest.mark.parametrize("name", RETRIEVERS)
def test_every_retriever_has_its_row(name):
    assert re.search(rf"^\| `{name}` \| .+ \| .+ \|$", DOCUMENT, re.MULTILINE)


def test_the_table_of_options_is_complete_and_true():
    rows = dict(re.findall(r"^\| `(\w+)` \| `?([^|`]+)`? \| ", DOCUMENT.split("## Options of")[1], re.MULTILINE))
    options = inspect.signature(HybridRetriever).parameters.values()
    defaults = {option.name: option.default for option in options if option.kind is option.KEYWORD_ONLY}
    assert {name: rows[name].strip('" ') for name in defaults} == {name: str(value) for name, value in defaults.items()}
    assert set(rows) == set(defaults)

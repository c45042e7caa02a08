import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sciverify.cli import main

Run = Callable[..., Any]

HOSTILE = ['"', "(", "AND", "IL-6:", "α-synuclein*", "\x00", "\ud800", "😀", "", "x " * 50_000]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "corpus.tsv"
    path.write_text(
        "id\ttitle\ttext\tyear\tjournal\tretracted\n"
        "a1\tSleep and memory\tSleep improved recall.\t2001\tBMJ\tfalse\n"
        "a2\tSleep and mood\tShort sleep lowered mood.\t2010\tHeart\ttrue\n"
    )
    return path


@pytest.fixture(scope="module")
def index(corpus: Path) -> Path:
    path = corpus.parent / "index"
    assert main(["index", "build", str(path), str(corpus), "--no-vectors"]) == 0
    return path


def found(run: Run, *arguments: str) -> list[str]:
    outcome = run("search", *arguments, "--json")
    assert outcome.code == 0
    return [result["document"]["id"] for result in json.loads(outcome.out)["results"]]


class TestSearch:
    def test_on_the_screen(self, index: Path, run: Run) -> None:
        outcome = run("search", "memory", "--index", str(index))
        assert outcome.code == 0
        assert outcome.out.startswith(" 1. Sleep and memory  [")
        assert "    BMJ · 2001 · a1\n    Sleep improved recall.\n" in outcome.out
        assert outcome.err == ""

    def test_words_alone_where_the_index_has_no_vectors(self, index: Path, run: Run) -> None:
        value = json.loads(run("search", "sleep", "--index", str(index), "--json").out)
        assert value["retriever"].startswith("bm25(")
        assert value["corpus"] == str(index)

    @pytest.mark.parametrize(
        ("filters", "ids"),
        [
            (["--years", "2005-"], ["a2"]),
            (["--years", "-2005"], ["a1"]),
            (["--journal", "Heart"], ["a2"]),
            (["--exclude-retracted"], ["a1"]),
            (["--type", "Review"], []),
            (["--k", "1"], ["a1"]),
        ],
    )
    def test_filters(self, filters: list[str], ids: list[str], index: Path, run: Run) -> None:
        assert found(run, "sleep memory", "--index", str(index), *filters) == ids

    @pytest.mark.parametrize("retriever", ["tfidf", "bm25"])
    def test_retrievers_by_name(self, retriever: str, index: Path, run: Run) -> None:
        value = json.loads(run("search", "memory", "--index", str(index), "--retriever", retriever, "--json").out)
        assert value["retriever"].startswith(f"{retriever}(")
        assert [result["document"]["id"] for result in value["results"]] == ["a1"]

    def test_a_corpus_of_the_moment_is_searched_by_meaning_too(self, corpus: Path, run: Run) -> None:
        outcome = run("search", "remembering things", "--corpus", str(corpus), "--json")
        value = json.loads(outcome.out)
        assert outcome.err.startswith("indexing: 2 documents in ")
        assert (value["retriever"].partition("(")[0], value["corpus"]) == ("hybrid", str(corpus))
        assert value["results"][0]["document"]["id"] == "a1"

    def test_without_vectors_only_words_are_searched(self, corpus: Path, run: Run) -> None:
        assert found(run, "remembering things", "--corpus", str(corpus), "--no-vectors") == []

    def test_vectors_are_missing(self, index: Path, run: Run) -> None:
        assert run("search", "memory", "--index", str(index), "--retriever", "dense").code == 1

    def test_the_text_of_a_result_is_in_the_json(self, index: Path, run: Run) -> None:
        value = json.loads(run("search", "memory", "--index", str(index), "--k", "1", "--json").out)
        assert value["results"][0]["elements"] == [
            {"id": "sentence_0", "kind": "sentence", "text": "Sleep improved recall."}
        ]

    @pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
    def test_hostile_queries(self, query: str, index: Path, run: Run) -> None:
        outcome = run("search", query, "--index", str(index), "--json")
        assert outcome.code == 0
        assert json.loads(outcome.out)["query"] == query

    def test_an_unknown_retriever(self, index: Path, run: Run) -> None:
        outcome = run("search", "x", "--index", str(index), "--retriever", "google")
        assert outcome.code == 1
        assert "tfidf, bm25, dense, hybrid" in outcome.err

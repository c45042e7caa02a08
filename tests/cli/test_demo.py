import json
from collections.abc import Callable
from typing import Any

import pytest

from sciverify.cli.demo import CLAIMS
from sciverify.demo import demo_notice
from sciverify.index import Index

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def demo_corpus(keyword_system: None, sleep_index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small index in the place of the demo corpus."""
    monkeypatch.setattr("sciverify.demo.demo_index", lambda: Index.open(sleep_index), raising=False)


def test_demo_checks_its_claims_and_says_what_next(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    outcome = run("demo")
    for claim in CLAIMS:
        assert f"Claim    {claim}\n" in outcome.out
    assert outcome.out.count("Verdict  ") == len(CLAIMS)
    assert 'sciverify check "your own claim" --index my.index' in outcome.out
    assert outcome.err == f"The demo corpus holds 4 landmark studies. {demo_notice()}\n"
    assert outcome.code == 3  # the small index holds a document that fails


@pytest.mark.parametrize("command", ["check", "search"])
def test_without_a_source_the_demo_corpus_is_used_and_named(command: str, run: Run) -> None:
    outcome = run(command, "Sleep helps", "--json")
    assert json.loads(outcome.out)["corpus"] == "built-in demo corpus"
    assert outcome.err.startswith("Using the built-in demo corpus (4 studies); --index or --corpus names your own.\n")

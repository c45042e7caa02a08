import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model_folders import write_model
from sciverify.consensus import CAVEAT

Run = Callable[..., Any]


@pytest.fixture
def ask(run: Run, keyword_system: None, sleep_index: str) -> Run:
    """`sciverify ask` on the index, years that leave out the broken document."""
    return lambda *arguments: run("ask", "--index", sleep_index, "--years", "2000-", *arguments)


class TestOneQuestion:
    def test_on_the_screen(self, ask: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "120")
        outcome = ask("Sleep helps?")
        assert (outcome.code, outcome.err) == (0, "")
        screen = outcome.out
        assert screen.startswith("Question Sleep helps?\nAnswer   Neutral  counted by hand\n")
        parts = [
            "\n         100% of those that take a side support it (95 % interval 0% to 100%)\n",
            f"\n         {CAVEAT}\n",
            "\n    sentence_1  “Sleep lifted mood.”\n",
            "\nWeighted\n    Affirmative  by probability: 1.60 yes, 0.00 no (100% yes, 95 % interval 29% to 100%)\n",
            "\n    Affirmative  by year (as of 2015): ",
            "\nWithout one article\n    Affirmative  whichever one is left out\n",
            "\nOver time\n    to 2001  Affirmative  1 yes, 0 no (100% yes, 95 % interval 21% to 100%)\n    to 2010  ",
        ]
        assert all(part in screen for part in parts)
        assert sorted(parts, key=screen.index) == parts

    def test_as_json(self, ask: Run, sleep_index: str) -> None:
        outcome = ask("Sleep does not help?", "--json")
        value = json.loads(outcome.out)
        assert outcome.out.startswith("{\n  ")
        assert (value["schema"], value["corpus"]) == ("sciverify.verdict/1", sleep_index)
        assert value["system"] == "science-checker(k=20)"
        assert value["views"]["caveat"] == CAVEAT
        assert [view["label"] for view in value["views"]["weighted"]] == ["Negative"] * 4
        assert [(row["year"], row["refutes"]) for row in value["views"]["over_time"]["years"]] == [(2001, 1), (2010, 2)]

    def test_the_year_from_which_age_is_counted_is_the_latest_read_or_the_one_given(self, ask: Run) -> None:
        def dated(*options: str) -> dict[str, Any]:
            return json.loads(ask("Sleep helps?", "--json", *options).out)["views"]["weighted"][2]

        assert (dated()["by"], dated()["as_of"]) == ("year", 2015)
        assert (dated("--k", "1")["as_of"], dated("--k", "1")["supports"]) == (2001, 1.0)
        assert (dated("--as-of", "2030")["as_of"], dated("--as-of", "2030")["articles"][0]["weight"]) == (2030, 0.5)

    def test_another_system(self, ask: Run) -> None:
        assert json.loads(ask("Sleep?", "--json", "--system", "joint", "--k", "1").out)["system"] == "joint(k=1)"

    def test_an_empty_question_is_a_normal_one(self, ask: Run) -> None:
        outcome = ask("")
        assert outcome.code == 0
        assert outcome.out.startswith("Question (empty)\nAnswer   Neutral")
        assert "Weighted" not in outcome.out


class TestManyQuestions:
    def test_one_json_line_each_in_order(self, ask: Run, tmp_path: Path) -> None:
        questions = [f"Does sleep help {number}?" for number in range(11)]
        (tmp_path / "questions.txt").write_text("\n".join(questions))
        outcome = ask("--questions", str(tmp_path / "questions.txt"), "--json")
        lines = [json.loads(line) for line in outcome.out.splitlines()]
        assert [line["claim"] for line in lines] == [
            {"id": str(number), "text": question} for number, question in enumerate(questions, start=1)
        ]
        assert all("views" in line for line in lines)
        assert outcome.err.startswith("asking: 11 questions in ")

    def test_on_the_screen_from_stdin(self, ask: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Sleep helps?\nNaps help?\n")))
        assert ask("--questions", "-").out.count("\n\nQuestion ") == 1

    @pytest.mark.parametrize("arguments", [[], ["Sleep?", "--questions", "x"], ["Sleep?", "--as-of", "0"]])
    def test_what_is_written_wrongly_is_refused(self, run: Run, arguments: list[str]) -> None:
        outcome = run("ask", *arguments)
        assert (outcome.code, outcome.out) == (2, "")


def test_documents_that_fail_are_listed(run: Run, keyword_system: None, sleep_index: str) -> None:
    outcome = run("ask", "Sleep helps?", "--index", sleep_index)
    assert (outcome.code, outcome.err) == (3, "")
    assert "Problem  document 'a4': it is broken\n" in outcome.out
    outcome = run("ask", "Sleep helps?", "--index", sleep_index, "--json")
    assert outcome.code == 3
    assert outcome.err == "1 input failed:\n  document 'a4': it is broken\n"


def test_science_checker_answers_and_says_what_it_did_not_understand(run: Run, sleep_index: str) -> None:
    outcome = run("ask", "How long is a nap?", "--index", sleep_index, "--json")
    value = json.loads(outcome.out)
    assert outcome.code == 0
    assert value["system"].startswith("science-checker(k=100")
    assert any("not understood as a closed question" in notice for notice in value["notices"])


def test_a_folder_without_a_model_is_refused_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    outcome = run("ask", "x?", "--corpus", "missing.jsonl", "--model", str(tmp_path))
    assert outcome.code == 1
    assert outcome.err.startswith(f"error: {tmp_path}: this folder holds no model")


def test_other_weights(run: Run, tmp_path: Path, sleep_index: str) -> None:
    folder = str(write_model(tmp_path / "mine", name="mine"))
    value = json.loads(run("ask", "Does sleep help?", "--index", sleep_index, "--model", folder, "--json").out)
    assert "model=mine@" in value["system"]

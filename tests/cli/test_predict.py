import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sciverify.evaluation.runs import read_run

Run = Callable[..., Any]

CLAIMS = ["Sleep helps", "Sleep does not help", "Coffee delays sleep", "Nothing at all"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": number * 10, "claim": claim}) + "\n" for number, claim in enumerate(CLAIMS, start=1)]
    (tmp_path / "claims.jsonl").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def predict(run: Run, folder: Path, keyword_system: None, sleep_index: str) -> Run:
    """`sciverify predict` on the index, years that leave out the broken document."""
    return lambda *rest: run("predict", "claims.jsonl", "run.jsonl", "--index", sleep_index, "--years", "2000-", *rest)


class TestPredict:
    def test_writes_scifacts_form(self, predict: Run) -> None:
        outcome = predict()
        assert (outcome.code, outcome.out) == (0, "run.jsonl: 4 claims\n")
        assert outcome.err.startswith("predicting: 4 claims in ")
        assert [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()] == [
            {
                "id": 10,
                "evidence": {
                    "a1": {"sentences": [0], "label": "SUPPORT"},
                    "a2": {"sentences": [1], "label": "SUPPORT"},
                },
            },
            {
                "id": 20,
                "evidence": {
                    "a1": {"sentences": [0], "label": "CONTRADICT"},
                    "a2": {"sentences": [1], "label": "CONTRADICT"},
                },
            },
            {"id": 30, "evidence": {"a3": {"sentences": [0], "label": "SUPPORT"}}},
            {"id": 40, "evidence": {}},
        ]
        assert [prediction.claim_id for prediction in read_run("run.jsonl")] == ["10", "20", "30", "40"]

    def test_goes_on_where_it_stopped(self, predict: Run) -> None:
        predict()
        whole = Path("run.jsonl").read_bytes()
        lines = whole.splitlines(keepends=True)
        Path("run.jsonl").write_bytes(lines[0] + lines[1][:20])
        outcome = predict()
        assert Path("run.jsonl").read_bytes() == whole
        assert "run.jsonl holds 1 of 4 claims already" in outcome.err
        assert "predicting: 3 claims in " in outcome.err

    def test_a_finished_run_is_left_as_it_is(self, predict: Run) -> None:
        predict()
        whole = Path("run.jsonl").read_bytes()
        assert predict().code == 0
        assert Path("run.jsonl").read_bytes() == whole

    def test_force_starts_over(self, predict: Run) -> None:
        Path("run.jsonl").write_text('{"id": 10, "evidence": {}}\n')
        assert predict("--force").code == 0
        assert json.loads(Path("run.jsonl").read_text().splitlines()[0])["evidence"]

    @pytest.mark.parametrize("content", ["a letter\n", '{"id": 77, "evidence": {}}\n'])
    def test_another_file_is_not_touched(self, content: str, predict: Run) -> None:
        Path("run.jsonl").write_text(content)
        outcome = predict()
        assert outcome.code == 1
        assert outcome.err.startswith("error: run.jsonl:1: ")
        assert Path("run.jsonl").read_text() == content

    def test_problems_are_listed_by_claim(self, run: Run, folder: Path, keyword_system: None, sleep_index: str) -> None:
        outcome = run("predict", "claims.jsonl", "run.jsonl", "--index", sleep_index)
        assert outcome.code == 3
        assert "4 inputs failed:\n  claim 10, document 'a4': it is broken\n" in outcome.err
        assert len(read_run("run.jsonl")) == 4

    def test_inputs_that_are_not_there(self, run: Run, predict: Run, sleep_index: str) -> None:
        assert run("predict", "missing.jsonl", "run.jsonl", "--index", sleep_index).code == 1
        assert run("predict", "claims.jsonl", "run.jsonl", "--index", "nowhere").code == 1
        assert run("predict", "claims.jsonl", "no/folder/run.jsonl", "--index", sleep_index).code == 1
        assert not Path("run.jsonl").exists()

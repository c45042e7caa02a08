import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model_folders import write_model
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


def meta() -> dict[str, Any]:
    """The side file of run.jsonl."""
    values: dict[str, Any] = json.loads(Path("run.jsonl.meta.json").read_text(encoding="utf-8"))
    return values


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
        assert predict("--force", "--exclude-retracted").code == 0
        assert meta()["filters"] == {"first_year": 2000, "retracted": False}

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


class TestProvenance:
    def test_the_side_file_says_what_the_run_was_made_with(self, predict: Run, sleep_index: str) -> None:
        assert predict().code == 0
        run = meta()
        assert (run["schema"], run["system"], run["oracle"], run["input"]) == (
            "sciverify.run/1",
            "default(k=20)",
            [],
            "full",
        )
        assert run["claims"] == {
            "file": "claims.jsonl",
            "sha256": hashlib.sha256(Path("claims.jsonl").read_bytes()).hexdigest(),
            "number": 4,
            "split": None,
        }
        assert (run["index"]["path"], run["index"]["documents"]) == (sleep_index, 4)
        assert run["filters"] == {"first_year": 2000}
        assert (run["done"], run["problem_count"], run["resumed"]) == (4, 0, [])
        assert run["started"] <= run["ended"]

    def test_problems_stand_in_it(self, run: Run, folder: Path, keyword_system: None, sleep_index: str) -> None:
        assert run("predict", "claims.jsonl", "run.jsonl", "--index", sleep_index).code == 3
        assert meta()["problem_count"] == 4
        assert meta()["problems"][0] == {"where": "claim 10, document 'a4'", "message": "it is broken"}

    def test_claims_from_stdin_have_a_hash_too(
        self, run: Run, folder: Path, keyword_system: None, sleep_index: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        content = b"Sleep helps\n"
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert run("predict", "-", "run.jsonl", "--index", sleep_index, "--years", "2000-").code == 0
        assert meta()["claims"] == {
            "file": "-",
            "sha256": hashlib.sha256(content).hexdigest(),
            "number": 1,
            "split": None,
        }

    def test_it_is_kept_and_added_to_when_a_run_goes_on(self, predict: Run) -> None:
        predict()
        first = meta()
        assert predict().code == 0
        assert meta() == first
        lines = Path("run.jsonl").read_bytes().splitlines(keepends=True)
        Path("run.jsonl").write_bytes(lines[0])
        assert predict().code == 0
        assert len(meta()["resumed"]) == 1
        assert meta() | {"resumed": [], "ended": first["ended"]} == first

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--k", "2"], "system was default(k=20), is now default(k=2)"),
            (["--exclude-retracted"], "filters was"),
        ],
    )
    def test_other_settings_are_refused_and_nothing_is_touched(
        self, predict: Run, options: list[str], words: str
    ) -> None:
        predict()
        torn = Path("run.jsonl").read_bytes()[:-20]
        Path("run.jsonl").write_bytes(torn)
        before = meta()
        outcome = predict(*options)
        assert outcome.code == 1
        assert words in outcome.err
        assert "--force" in outcome.err
        assert (Path("run.jsonl").read_bytes(), meta()) == (torn, before)
        assert predict(*options, "--force").code == 0

    def test_other_claims_with_the_same_ids_are_other_settings(self, predict: Run) -> None:
        predict()
        claims = Path("claims.jsonl")
        claims.write_text(claims.read_text().replace("Nothing at all", "Something"))
        outcome = predict()
        assert outcome.code == 1
        assert "claims was 4 with SHA-256" in outcome.err

    def test_a_run_without_its_side_file_is_not_gone_on_with(self, predict: Run) -> None:
        predict()
        Path("run.jsonl.meta.json").unlink()
        outcome = predict()
        assert outcome.code == 1
        assert "run.jsonl.meta.json is missing" in outcome.err

    def test_a_side_file_without_its_run_means_nothing(self, predict: Run) -> None:
        predict()
        Path("run.jsonl").unlink()
        Path("run.jsonl.meta.json").write_text("left over")
        assert predict().code == 0
        assert meta()["done"] == 4


GOLD = {
    "id": 1,
    "claim": "Sleep improves recall.",
    "evidence": {"a1": [{"sentences": [0], "label": "SUPPORT"}], "a4": [{"sentences": [0], "label": "CONTRADICT"}]},
}


class TestSettings:
    """The oracle settings and the ablations, with the models that ship."""

    @pytest.fixture
    def predict(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sleep_index: str) -> Run:
        monkeypatch.chdir(tmp_path)
        other = {"id": 2, "claim": "Coffee delays sleep.", "evidence": {}}
        Path("claims.jsonl").write_text("".join(json.dumps(line) + "\n" for line in (GOLD, other)))
        return lambda *rest: run("predict", "claims.jsonl", "run.jsonl", "--index", sleep_index, "--force", *rest)

    @staticmethod
    def read() -> list[list[str]]:
        """The documents that were read for each claim, sorted."""
        run = read_run("run.jsonl")
        return [sorted(candidate.doc_id for candidate in prediction.candidates or ()) for prediction in run]

    def test_gold_documents(self, predict: Run) -> None:
        assert predict("--oracle", "abstract").code == 0
        assert self.read() == [["a1", "a4"], []]
        assert meta()["oracle"] == ["abstract"]
        assert meta()["retriever"] == "oracle()"

    def test_gold_sentences_in_what_is_found(self, predict: Run) -> None:
        assert predict("--evidence", "0").code == 0
        found = self.read()
        assert predict("--evidence", "0", "--oracle", "rationale").code == 0
        assert self.read() == found
        first, second = read_run("run.jsonl")
        assert {id: document.sentences for id, document in first.evidence.items()} == {"a1": (0,), "a4": (0,)}
        assert second.evidence == {}

    @pytest.mark.parametrize("options", [["both"], ["abstract", "--oracle", "rationale"], ["both", "--oracle", "both"]])
    def test_both(self, predict: Run, options: list[str]) -> None:
        assert predict("--oracle", *options).code == 0
        assert self.read() == [["a1", "a4"], []]
        assert meta()["oracle"] == ["abstract", "rationale"]

    @pytest.mark.parametrize("input", ["claim-only", "abstract-only"])
    def test_ablations_read_the_same_documents(self, predict: Run, input: str) -> None:
        assert predict().code == 0
        found = self.read()
        assert predict("--input", input).code == 0
        assert self.read() == found
        assert meta()["input"] == input
        assert meta()["system"].endswith(f" {input}")

    def test_thresholds_are_the_systems(self, predict: Run) -> None:
        assert predict("--evidence", "0.125", "--element", "0.25", "--system", "verisci", "--k", "1").code == 0
        assert meta()["system"] == "verisci(k=1, pipeline(element=0.25, evidence=0.125))"

    def test_other_weights_stand_in_the_side_file(self, predict: Run, tmp_path: Path) -> None:
        for step in ("selector", "labeller"):
            write_model(tmp_path / "two" / step, name=step)
        assert predict("--system", "verisci", "--model", "two").code == 0
        weights = meta()["weights"]
        assert {step: name.split("@")[0] for step, name in weights.items()} == dict(zip(weights, weights, strict=True))
        assert f"selector={weights['selector']}, labeller={weights['labeller']}" in meta()["system"]
        assert all(prediction.candidates for prediction in read_run("run.jsonl"))  # with their probabilities
        write_model(tmp_path / "less", name="less", input="claim-only")
        assert predict("--model", "less").code == 0
        assert meta()["weights"]["verifier"].startswith("less@")
        assert meta()["input"] == "claim-only"

    def test_a_folder_without_a_model(self, predict: Run) -> None:
        outcome = predict("--model", ".")
        assert outcome.code == 1
        assert outcome.err.startswith("error: .: this folder holds no model (model.json is missing). ")
        assert not Path("run.jsonl").exists()

    def test_an_oracle_needs_gold(self, predict: Run) -> None:
        Path("claims.jsonl").write_text('{"id": 1, "claim": "Sleep improves recall."}\n')
        outcome = predict("--oracle", "abstract")
        assert outcome.code == 1
        assert outcome.err.startswith("error: claims.jsonl:1: this line has no 'evidence'. --oracle needs claims with")
        assert not Path("run.jsonl").exists()

    def test_gold_must_fit_the_index(self, predict: Run) -> None:
        gold = GOLD | {"evidence": {"zz": [{"sentences": [0], "label": "SUPPORT"}]}}
        Path("claims.jsonl").write_text(json.dumps(gold) + "\n")
        for oracle in ("abstract", "rationale"):
            outcome = predict("--oracle", oracle)
            assert outcome.code == 1
            assert "zz" in outcome.err
        assert not Path("run.jsonl").exists()

    def test_what_does_not_go_together(self, run: Run, predict: Run, sleep_index: str) -> None:
        assert predict("--oracle", "abstract", "--k", "3").code == 2
        assert predict("--oracle", "label").code == 2
        assert predict("--evidence", "1.5").code == 2

    def test_an_oracle_reads_no_stdin(
        self, run: Run, predict: Run, sleep_index: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(GOLD).encode())))
        assert run("predict", "-", "run.jsonl", "--index", sleep_index, "--oracle", "both").code == 2

    def test_a_system_without_such_settings(
        self, run: Run, predict: Run, keyword_system: None, sleep_index: str
    ) -> None:
        outcome = predict("--input", "claim-only")
        assert outcome.code == 1
        assert "has no oracle settings and no --input" in outcome.err

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from model_folders import write_model
from sciverify.cli.check import text_documents
from sciverify.cli.checking import CLAIMS_AT_ONCE
from sciverify.errors import InputError

Run = Callable[..., Any]

CLAIMS = [f"Sleep helps {number}" for number in range(CLAIMS_AT_ONCE + 3)]


@pytest.fixture
def check(run: Run, keyword_system: None, sleep_index: str) -> Run:
    """`sciverify check` on the index, years that leave out the broken document."""
    return lambda *arguments: run("check", "--index", sleep_index, "--years", "2000-", *arguments)


class TestOneClaim:
    def test_on_the_screen(self, check: Run) -> None:
        outcome = check("Sleep helps")
        assert outcome.code == 0
        assert outcome.out.startswith("Claim    Sleep helps\nVerdict  Neutral  counted by hand\n")
        assert " 2. SUPPORTS 80%  Sleep and mood\n    2010 · a2\n    sentence_1  “Sleep lifted mood.”\n" in outcome.out
        assert "1 paper gives not enough information (--all lists them)." in outcome.out
        assert outcome.err == ""

    def test_all(self, check: Run) -> None:
        assert " 3. NEI 100%  Coffee\n" in check("Sleep helps", "--all").out

    def test_as_json(self, check: Run, sleep_index: str) -> None:
        outcome = check("Sleep does not help", "--json")
        value = json.loads(outcome.out)
        assert outcome.out.startswith("{\n  ")
        assert (value["schema"], value["corpus"]) == ("sciverify.verdict/1", sleep_index)
        assert [finding["label"] for finding in value["findings"]] == ["REFUTES", "REFUTES", "NEI"]
        assert value["claim"] == {"id": "1", "text": "Sleep does not help"}

    def test_an_empty_claim_is_a_normal_question(self, check: Run) -> None:
        outcome = check("")
        assert outcome.code == 0
        assert outcome.out.startswith("Claim    (empty)\nVerdict  Neutral")

    def test_options_reach_the_system(self, check: Run) -> None:
        value = json.loads(check("Sleep", "--json", "--k", "1", "--system", "joint").out)
        assert value["system"] == "joint(k=1)"
        assert len(value["findings"]) == 1
        value = json.loads(check("Sleep", "--json", "--exclude-retracted").out)
        assert [finding["document"]["id"] for finding in value["findings"]] == ["a1", "a2"]


class TestManyClaims:
    @pytest.fixture
    def claims(self, tmp_path: Path) -> str:
        path = tmp_path / "claims.txt"
        path.write_text("\n".join(CLAIMS))
        return str(path)

    def test_one_json_line_each_in_order(self, check: Run, claims: str) -> None:
        outcome = check("--claims", claims, "--json")
        lines = [json.loads(line) for line in outcome.out.splitlines()]
        assert [line["claim"]["text"] for line in lines] == CLAIMS
        assert [line["claim"]["id"] for line in lines] == [str(n + 1) for n in range(len(CLAIMS))]
        assert outcome.err.startswith(f"checking: {len(CLAIMS)} claims in ")

    def test_one_claim_in_a_file_is_a_line_too(self, check: Run, tmp_path: Path) -> None:
        (tmp_path / "one.jsonl").write_text('{"id": "x", "claim": "Sleep helps"}\n')
        outcome = check("--claims", str(tmp_path / "one.jsonl"), "--json")
        assert outcome.out.count("\n") == 1
        assert json.loads(outcome.out)["claim"]["id"] == "x"

    def test_on_the_screen(self, check: Run, claims: str) -> None:
        assert check("--claims", claims).out.count("\n\nClaim    ") == len(CLAIMS) - 1

    def test_from_stdin(self, check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Sleep hélps\nNaps\n".encode())))
        outcome = check("--claims", "-", "--json")
        assert [json.loads(line)["claim"]["text"] for line in outcome.out.splitlines()] == ["Sleep hélps", "Naps"]

    def test_a_file_without_claims(self, check: Run, tmp_path: Path) -> None:
        (tmp_path / "empty.txt").touch()
        outcome = check("--claims", str(tmp_path / "empty.txt"))
        assert outcome.code == 1
        assert "empty.txt" in outcome.err


class TestProblems:
    def test_on_the_screen_they_stand_beside_the_verdict(
        self, run: Run, keyword_system: None, sleep_index: str
    ) -> None:
        outcome = run("check", "Sleep helps", "--index", sleep_index)
        assert outcome.code == 3
        assert "Problem  document 'a4': it is broken\n" in outcome.out
        assert outcome.err == ""

    def test_beside_json_they_are_listed_on_stderr(self, run: Run, keyword_system: None, sleep_index: str) -> None:
        outcome = run("check", "Sleep helps", "--index", sleep_index, "--json")
        assert outcome.code == 3
        assert json.loads(outcome.out)["problems"] == [{"where": "document 'a4'", "message": "it is broken"}]
        assert outcome.err == "1 input failed:\n  document 'a4': it is broken\n"

    def test_skipped_lines_are_listed(self, run: Run, keyword_system: None, tmp_path: Path) -> None:
        corpus = tmp_path / "c.jsonl"
        corpus.write_text('{"id": "1", "text": "Sleep helps."}\n{"id": "2"}\n')
        arguments = ["check", "Sleep helps", "--corpus", str(corpus), "--no-vectors"]
        outcome = run(*arguments, "--skip-bad")
        assert outcome.code == 3
        assert "SUPPORTS" in outcome.out
        assert f"1 input failed:\n  {corpus}:2: " in outcome.err
        assert run(*arguments).code == 1


@pytest.mark.usefixtures("keyword_system")
class TestTextAlone:
    def test_texts_and_files(self, run: Run, tmp_path: Path) -> None:
        paper = tmp_path / "paper.txt"
        paper.write_text("We looked. Sleep helped.", encoding="utf-8-sig")
        outcome = run(
            "check", "Sleep helps", "--text", "Sleep is fine.", "--text", "Other.", "--file", str(paper), "--json"
        )
        value = json.loads(outcome.out)
        assert (outcome.code, value["corpus"]) == (0, "given text")
        assert [finding["document"]["id"] for finding in value["findings"]] == ["text-1", "text-2", str(paper)]
        assert [finding["label"] for finding in value["findings"]] == ["SUPPORTS", "NEI", "SUPPORTS"]

    def test_many_claims(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "claims.txt").write_text("Sleep helps\nNaps help\n")
        outcome = run("check", "--claims", str(tmp_path / "claims.txt"), "--text", "Naps rule.", "--json")
        labels = [json.loads(line)["findings"][0]["label"] for line in outcome.out.splitlines()]
        assert labels == ["NEI", "SUPPORTS"]

    def test_from_stdin(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Sleep helped.")))
        assert "sentence_0  “Sleep helped.”" in run("check", "Sleep helps", "--file", "-").out

    @pytest.mark.parametrize(
        ("content", "problem"), [(b"", "empty"), (b"caf\xe9", "not UTF-8"), (b"%PDF-1.7", "PDF"), (b"a\x00b", "binary")]
    )
    def test_what_is_no_text(self, content: bytes, problem: str, run: Run, tmp_path: Path) -> None:
        (tmp_path / "paper").write_bytes(content)
        outcome = run("check", "x", "--file", str(tmp_path / "paper"))
        assert outcome.code == 1
        assert problem in outcome.err

    @pytest.mark.parametrize("path", ["missing.txt", "."])
    def test_no_file_at_all(self, path: str, run: Run) -> None:
        assert run("check", "x", "--file", path).code == 1


class TestOtherWeights:
    """With models of other names; those that ship have the same weights."""

    def test_a_text(self, run: Run, tmp_path: Path) -> None:
        folder = str(write_model(tmp_path / "mine", name="mine"))
        outcome = run(
            "check", "Sleep improves recall.", "--text", "Sleep improved recall.", "--model", folder, "--json"
        )
        assert outcome.code == 0
        assert json.loads(outcome.out)["system"].startswith("default(k=20, model=mine@")

    def test_an_index(self, run: Run, tmp_path: Path, sleep_index: str) -> None:
        folder = str(write_model(tmp_path / "mine", name="mine"))
        options = ("--index", sleep_index, "--system", "joint", "--model", folder, "--json")
        outcome = run("check", "Sleep improves recall.", *options)
        assert outcome.code == 0
        assert json.loads(outcome.out)["system"].startswith("joint(k=10, model=mine@")

    @pytest.mark.parametrize("source", [("--text", "x"), ("--corpus", "missing.jsonl"), ()])
    def test_a_folder_without_a_model_is_refused_before_anything_is_read(
        self, run: Run, tmp_path: Path, source: tuple[str, ...]
    ) -> None:
        outcome = run("check", "x", *source, "--model", str(tmp_path))
        assert outcome.code == 1
        assert outcome.err.startswith(f"error: {tmp_path}: this folder holds no model")


class TestTextDocuments:
    def test_the_sentences_make_up_the_text(self) -> None:
        text = "First (n = 17). Second et al. [4] said.\n\nThird"
        [document] = text_documents([text], [])
        assert len(document.elements) > 1
        assert all(element.text in text for element in document.elements)

    def test_a_file_named_twice(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        path.write_text("x")
        with pytest.raises(InputError, match="named twice"):
            text_documents([], [path, path])

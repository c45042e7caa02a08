from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation_cases import fill_table, random_case
from sciverify.evaluation.bootstrap import bootstrap, compare
from sciverify.evaluation.scifact import score_scifact
from sciverify.evaluation.tasks import TASKS

Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """gold.jsonl, run.jsonl and corpus.jsonl, and other.jsonl without candidates, in the current folder."""
    monkeypatch.chdir(tmp_path)
    random_case(5, candidates=False).write(tmp_path)
    Path("run.jsonl").rename("other.jsonl")
    random_case(5).write(tmp_path)
    return tmp_path


@pytest.fixture
def evaluate(run: Run, folder: Path) -> Run:
    """`sciverify evaluate scifact` on these files with few resamples."""
    given = ("--gold", "gold.jsonl", "--run", "run.jsonl", "--resamples", "50")
    return lambda *rest: run("evaluate", "scifact", *given, *rest)


class TestTable:
    def test_shows_the_scores_with_their_spread(self, evaluate: Run) -> None:
        outcome = evaluate("--seed", "7")
        assert outcome.code == 0
        scores = score_scifact("gold.jsonl", "run.jsonl")
        spread = bootstrap(scores, resamples=50, seed=7)["abstract_label_only_f1"]
        lines = outcome.out.splitlines()
        assert lines[0].startswith("scifact, 12 claims")
        tally = scores.abstract_label_only
        shown = [f"{100 * figure:.2f}" for figure in (tally.precision, tally.recall, tally.f1)]
        assert lines[1].split()[:5] == ["Abstract", "label-only", *shown]
        assert lines[1].endswith(f"{100 * spread.low:.2f}-{100 * spread.high:.2f}")

    def test_names_where_the_figures_come_from(self, evaluate: Run) -> None:
        lines = dict(line.split(None, 1) for line in evaluate("--setting", "open").out.splitlines()[-8:])
        assert (lines["split"], lines["setting"], lines["system"]) == ("gold.jsonl", "open", "unknown")
        assert (lines["run"], lines["seed"], lines["weights"]) == ("run.jsonl", "0", "unknown")

    def test_compares_with_another_run(self, evaluate: Run) -> None:
        out = evaluate("--compare", "other.jsonl").out
        [line] = [line for line in out[out.index("compared") :].splitlines() if line.startswith("Sentence selection-o")]
        assert line.split()[4] == "+0.00"
        assert line.split()[-1] == "1.0000"

    def test_counts_the_errors(self, evaluate: Run) -> None:
        out = evaluate("--corpus", "corpus.jsonl").out
        assert " errors; average precision " in out
        assert "not retrieved" in out

    def test_what_is_left_out_is_said_on_stderr(self, evaluate: Run) -> None:
        assert "no corpus was given" in evaluate().err
        assert evaluate("--corpus", "corpus.jsonl").err == ""

    def test_a_hostile_path_cannot_move_the_cursor(self, evaluate: Run, folder: Path) -> None:
        Path("run.jsonl").rename("run\x1b[2J.jsonl")
        outcome = evaluate("--run", "run\x1b[2J.jsonl")
        assert outcome.code == 0
        assert "\x1b" not in outcome.out + outcome.err


class TestFiles:
    def test_json_holds_the_same_figures(self, evaluate: Run) -> None:
        value = json.loads(evaluate("--json", "--compare", "other.jsonl").out)
        scores = score_scifact("gold.jsonl", "run.jsonl")
        assert {measure["name"]: measure["value"] for measure in value["measures"]} == scores.values()
        found = compare(scores, score_scifact("gold.jsonl", "other.jsonl"), resamples=50)
        assert {m["name"]: m["p"] for m in value["comparison"]["measures"]} == {n: d.p for n, d in found.items()}

    def test_files_are_there_though_nobody_reads_what_is_printed(
        self, evaluate: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def closed(*_: object) -> None:
            raise BrokenPipeError

        monkeypatch.setattr("sciverify.cli.evaluate.print_report", closed)
        evaluate("--html", "report.html", "--per-claim", "claims.csv", "--errors", "errors.csv")
        assert all(Path(name).stat().st_size for name in ("report.html", "claims.csv", "errors.csv"))

    def test_html_is_a_page(self, evaluate: Run) -> None:
        outcome = evaluate("--html", "report.html", "--corpus", "corpus.jsonl")
        assert outcome.err == "report.html: report\n"
        assert Path("report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    def test_per_claim_has_a_row_for_each(self, evaluate: Run) -> None:
        outcome = evaluate("--per-claim", "claims.csv")
        assert "claims.csv: 12 claims\n" in outcome.err
        with Path("claims.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["id"] for row in rows] == [str(number) for number in range(12)]
        right = score_scifact("gold.jsonl", "run.jsonl").abstract_label_only.correct
        assert sum(int(row["right_label"]) for row in rows) == right

    def test_errors_go_out_and_their_kinds_come_back(self, evaluate: Run) -> None:
        outcome = evaluate("--errors", "errors.csv", "--corpus", "corpus.jsonl")
        assert "errors.csv: " in outcome.err
        fill_table(Path("errors.csv"), kind={0: "coreference", 1: "coreference"})
        counted = evaluate("--kinds", "errors.csv").out
        assert "2 of " in counted
        assert "      2  coreference" in counted.splitlines()
        assert json.loads(evaluate("--kinds", "errors.csv", "--json").out)["kinds"]["sorted"] == 2

    def test_an_unknown_kind_is_an_error_with_its_line(self, evaluate: Run) -> None:
        evaluate("--errors", "errors.csv")
        fill_table(Path("errors.csv"), kind={0: "typo"})
        outcome = evaluate("--kinds", "errors.csv")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("error: errors.csv:2: there is no kind of error 'typo'. Enter one of science")

    def test_a_filled_table_is_not_replaced(self, evaluate: Run) -> None:
        evaluate("--errors", "errors.csv")
        fill_table(Path("errors.csv"), note={0: "odd"})
        assert evaluate("--errors", "errors.csv").code == 1

    @pytest.mark.parametrize(
        "options",
        [
            ("--html", "run.jsonl"),
            ("--per-claim", "./gold.jsonl"),
            ("--errors", "corpus.jsonl", "--corpus", "corpus.jsonl"),
            ("--html", "x", "--per-claim", "x"),
        ],
    )
    def test_what_is_read_is_not_written_over(self, evaluate: Run, folder: Path, options: tuple[str, ...]) -> None:
        before = {path: path.read_bytes() for path in folder.iterdir()}
        outcome = evaluate(*options)
        assert outcome.code == 1
        assert "Give each file its own name" in outcome.err
        assert {path: path.read_bytes() for path in folder.iterdir()} == before

    def test_a_folder_that_does_not_exist(self, evaluate: Run) -> None:
        outcome = evaluate("--html", "none/report.html")
        assert outcome.code == 1
        assert "none/report.html" in outcome.err


class TestTasks:
    def test_without_a_task_they_are_listed(self, run: Run) -> None:
        outcome = run("evaluate")
        assert outcome.code == 0
        assert [line for line in outcome.out.splitlines() if line in TASKS] == list(TASKS)

    def test_an_unknown_task(self, run: Run) -> None:
        outcome = run("evaluate", "scifcat", "--gold", "a", "--run", "b")
        assert outcome.code == 1
        assert outcome.err.startswith("error: there is no task 'scifcat'. Choose one of scifact")

    @pytest.mark.parametrize(
        "arguments",
        [
            ("scifact",),
            ("scifact", "--gold", "a"),
            ("--gold", "a", "--run", "b"),
            ("scifact", "--gold", "a", "--run", "b", "--option", "depth"),
            ("scifact", "--gold", "a", "--run", "b", "--resamples", "1"),
            ("scifact", "--gold", "a", "--run", "b", "--setting", "oracle"),
        ],
    )
    def test_a_command_that_is_written_wrongly(self, run: Run, arguments: tuple[str, ...]) -> None:
        assert run("evaluate", *arguments).code == 2

    def test_an_option_that_the_scorer_lacks(self, evaluate: Run) -> None:
        outcome = evaluate("--option", "depth=3")
        assert outcome.code == 1
        assert "has no option 'depth'" in outcome.err

    def test_an_oracle_run_that_knows_too_much(self, evaluate: Run) -> None:
        outcome = evaluate("--setting", "oracle-abstract")
        assert outcome.code == 1
        assert outcome.err.startswith("error: run.jsonl:")
        assert "so this is no oracle-abstract run" in outcome.err

    def test_pairs_without_rationales(self, run: Run, folder: Path) -> None:
        given = ("--gold", "gold.jsonl", "--run", "run.jsonl", "--resamples", "20", "--corpus", "corpus.jsonl")
        value = json.loads(run("evaluate", "scifact-open", *given, "--json", "--html", "open.html").out)
        figures = {measure["name"]: measure["value"] for measure in value["measures"]}
        assert value["diagnostics"]["average_precision"] == figures["average_precision"]
        assert {group["label_rationale"] for group in value["diagnostics"]["groups"]} == {None}
        assert "Size of the gold rationale" not in Path("open.html").read_text(encoding="utf-8")

    def test_an_option_reaches_the_scorer(self, run: Run, folder: Path) -> None:
        given = ("--gold", "gold.jsonl", "--run", "run.jsonl", "--resamples", "20")
        outcome = run("evaluate", "scifact-open", *given, "--option", "documents=1,2,3", "--json")
        cells = json.loads(outcome.out)["diagnostics"]["confusion"]
        whole = json.loads(run("evaluate", "scifact-open", *given, "--json").out)["diagnostics"]["confusion"]
        assert 0 < sum(cell["pairs"] for cell in cells) < sum(cell["pairs"] for cell in whole)

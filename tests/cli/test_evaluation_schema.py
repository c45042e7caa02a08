from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation_cases import fill_table, random_case
from json_fields import documented_fields, fields_of, paths_in
from sciverify.cli.evaluation_schema import EVALUATION_SCHEMA, EvaluationJson, evaluation_json
from sciverify.cli.schema import to_json
from sciverify.corpora import open_corpus
from sciverify.evaluation.error_table import write_errors
from sciverify.evaluation.report import Report, make_report
from sciverify.evaluation.tasks import find_task


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report that has everything."""
    folder = tmp_path_factory.mktemp("schema")
    gold, run, corpus = random_case(5).write(folder)
    task = find_task("scifact")
    first = make_report(task, gold, run, resamples=2)
    assert first.outcomes is not None
    write_errors(folder / "errors.csv", first.outcomes)
    fill_table(folder / "errors.csv", kind={0: "numerical"})
    return make_report(
        task, gold, run, other=run, corpus=open_corpus(corpus), kinds=folder / "errors.csv", resamples=20
    )


@pytest.fixture(scope="module")
def value(report: Report) -> Any:
    return json.loads(to_json(evaluation_json(report)))


def test_figures_are_those_of_the_report(report: Report, value: Any) -> None:
    assert value["schema"] == "sciverify.evaluation/1"
    assert (value["task"], value["claims"], value["resamples"]) == ("scifact", 12, 20)
    scores = report.scores.values()
    for measure in value["measures"]:
        spread = report.intervals[measure["name"]]
        assert measure["value"] == scores[measure["name"]]
        assert (measure["mean"], measure["sd"]) == (spread.mean, spread.sd)
        assert (measure["low"], measure["high"]) == (spread.low, spread.high)
    assert {m["difference"] for m in value["comparison"]["measures"]} == {0}
    assert value["kinds"]["counts"][2] == {"name": "numerical", "errors": 1}
    assert value["left_out"] == []


def test_the_curve_keeps_all_that_average_precision_needs(report: Report, value: Any) -> None:
    points = value["diagnostics"]["curve"]
    recalls = [0.0, *(point["recall"] for point in points)]
    area = sum((point["recall"] - before) * point["precision"] for point, before in zip(points, recalls, strict=False))
    assert area == pytest.approx(value["diagnostics"]["average_precision"])
    assert report.diagnostics is not None
    assert value["diagnostics"]["average_precision"] == report.diagnostics.average_precision


def test_the_confusion_matrix_has_eleven_cells(report: Report, value: Any) -> None:
    cells = value["diagnostics"]["confusion"]
    assert len({(cell["gold"], cell["predicted"]) for cell in cells}) == 11
    assert report.outcomes is not None
    assert sum(cell["pairs"] for cell in cells) == len(report.outcomes.pairs)


def test_a_bare_run_says_null(tmp_path: Path) -> None:
    gold, run, _ = random_case(5, candidates=False).write(tmp_path)
    bare = evaluation_json(make_report(find_task("scifact"), gold, run, resamples=2))
    assert bare["comparison"] is bare["kinds"] is None
    assert bare["diagnostics"] is not None
    assert bare["diagnostics"]["curve"] is bare["diagnostics"]["average_precision"] is None
    assert bare["diagnostics"]["reliability"] is bare["diagnostics"]["calibration_error"] is None
    assert {group["by"] for group in bare["diagnostics"]["groups"]} == {"label", "rationale size", "evidence documents"}
    assert len(bare["left_out"]) == 3


def test_the_code_gives_the_fields_it_declares(value: Any) -> None:
    assert paths_in(value) == {path for path, _ in fields_of(EvaluationJson)}


def test_every_field_is_documented_with_its_type() -> None:
    assert documented_fields(f"`{EVALUATION_SCHEMA}`") == fields_of(EvaluationJson)

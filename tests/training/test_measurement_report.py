from __future__ import annotations

import json

from measuring_fakes import Literal
from sciverify.records import Label
from sciverify.training.examples import Example
from sciverify.training.measurement_report import measurements_json, measurements_markdown
from sciverify.training.measuring import Measurement, measure_labels
from sciverify.verification import JointVerifier


def measured() -> Measurement:
    examples = [Example(f"{n % 8}", "", (("yes", "no", "perhaps")[n % 3],), Label.SUPPORTS) for n in range(24)]
    return measure_labels("toy", "given texts", JointVerifier(Literal()), examples)


def test_json_holds_every_measure_of_all_that_answered() -> None:
    [entry] = json.loads(json.dumps(measurements_json([measured()], resamples=200)))
    assert (entry["set"], entry["setting"], entry["pairs"], entry["claims"]) == ("toy", "given texts", 24, 8)
    assert set(entry["scores"]) == {"model", "claim-only", "majority"}
    accuracy = entry["scores"]["model"]["accuracy"]
    assert accuracy["value"] == round(1 / 3, 4)
    assert accuracy["low"] <= accuracy["value"] <= accuracy["high"]
    assert entry["scores"]["majority"]["accuracy"] == {"value": 1, "low": 1, "high": 1}
    assert len(entry["scores"]["model"]) == 2 + 3 * 3


def test_the_table_has_a_row_per_measure() -> None:
    head, rule, first, *others = measurements_markdown([measured()], resamples=200).splitlines()
    assert {line.count("|") for line in (head, rule, first, *others)} == {9}
    cells = [cell.strip() for cell in first.strip("|").split("|")]
    assert cells[:4] == ["toy", "given texts, 24 pairs", "Accuracy", "33.3"]
    assert cells[5:7] == ["0.0", "100.0"]
    low, high = map(float, cells[4].split("-"))
    assert low <= 33.3 <= high
    assert [line.split("|")[3].strip() for line in others] == ["Macro-F1", "SUPPORTS R", "REFUTES R", "NEI R"]

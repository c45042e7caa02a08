import json
from dataclasses import replace

from consensus_cases import finding, several
from json_fields import documented_fields, fields_of, paths_in
from sciverify.cli.schema import to_json, verdict_json
from sciverify.cli.views_schema import AnswerJson, ViewsJson, answer_json
from sciverify.consensus import CAVEAT, sum_up
from sciverify.consensus_views import views
from sciverify.consensus_weights import default_weightings
from sciverify.records import Claim, Finding, Label, Verdict

FINDINGS = [
    finding(Label.SUPPORTS, "old", year=2000, sentences=["It works."]),
    finding(Label.REFUTES, "new", year=2020, types=["Randomized Controlled Trial"], sentences=["It fails."]),
    finding(Label.SUPPORTS, "undated", probability=0.5, sentences=["It may."]),
    finding(Label.SUPPORTS, "gone", probability=0.99, year=2010, retracted=True, sentences=["Sure."]),
    finding(Label.NEI, "silent", year=2021),
]


def verdict_on(findings: list[Finding]) -> Verdict:
    return Verdict(Claim("1", "Does it work?"), tuple(findings), sum_up(findings), "s")


def answer(findings: list[Finding], as_of: int = 2020) -> AnswerJson:
    verdict = verdict_on(findings)
    return answer_json(verdict, views(verdict, weightings=default_weightings(as_of=as_of)), corpus="my.index")


def test_it_is_the_verdict_of_every_command_with_views_beside_it() -> None:
    value = dict(answer(FINDINGS))
    del value["views"]
    assert value == dict(verdict_json(verdict_on(FINDINGS), corpus="my.index"))


def test_reads_back_as_it_was_written() -> None:
    assert json.loads(to_json(answer(FINDINGS))) == answer(FINDINGS)


def test_the_views() -> None:
    seen = answer(FINDINGS)["views"]
    assert seen["caveat"] == CAVEAT
    by_design = seen["weighted"][1]
    assert (by_design["by"], by_design["as_of"], by_design["label"]) == ("study design", None, "Balanced")
    assert (by_design["supports"], by_design["refutes"], by_design["share"]) == (0.5, 1.0, 0.333333)
    assert by_design["articles"][0] == {
        "document_id": "new",
        "label": "REFUTES",
        "design": "randomised trial",
        "weight": 1.0,
    }
    assert seen["leave_one_out"]["changes"] == [{"document_id": "new", "label": "Affirmative", "share": 1.0}]
    assert [(row["year"], row["label"]) for row in seen["over_time"]["years"]] == [
        (2000, "Affirmative"),
        (2020, "Balanced"),
    ]
    assert seen["over_time"]["unknown"] == ["undated"]
    assert seen["retracted"] == ["gone"]
    assert [pair["supports"]["document_id"] for pair in seen["conflicts"]] == ["old", "undated", "gone"]
    assert {pair["refutes"]["text"] for pair in seen["conflicts"]} == {"It fails."}
    assert (seen["conflicts"][0]["strength"], seen["conflicts"][1]["supports"]["probability"]) == (0.81, 0.5)


def test_without_a_side_there_are_no_shares() -> None:
    seen = answer(several(0, 0, 2), as_of=0)["views"]
    assert seen["share"] is None
    assert {(view["share"], view["as_of"]) for view in seen["weighted"]} == {(None, None)}
    assert (seen["leave_one_out"]["lowest"], seen["conflicts"]) == (None, [])


def test_any_text_survives() -> None:
    hostile = replace(verdict_on(FINDINGS), claim=Claim("1", "\ud800\x1b"))
    line = to_json(answer_json(hostile, views(hostile, weightings=default_weightings(as_of=2020)), corpus="x"))
    assert line.isascii()
    assert json.loads(line)["claim"]["text"] == "\ud800\x1b"


def test_every_field_is_documented_with_its_type() -> None:
    assert documented_fields("`views`") == fields_of(ViewsJson, "views.")


def test_the_code_gives_the_fields_it_declares() -> None:
    assert paths_in(answer(FINDINGS)["views"], "views.") == {path for path, _ in fields_of(ViewsJson, "views.")}

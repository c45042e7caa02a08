import pytest

from sciverify.errors import RunFileError
from sciverify.evaluation.open_gold import OpenEvidence, load_open_gold
from sciverify.records import Claim, Label
from shared_data import shared_data


def gold_line(entry):
    return {"id": 170, "claim": "Tea cures hiccups.", "evidence": {"58": entry}}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            {"provenance": "pooling", "label": "CONTRADICT", "sentences": [6, 2], "model_ranks": {"a": 12, "b": 3}},
            OpenEvidence(Label.REFUTES, (2, 6), "pooling", {"a": 12, "b": 3}),
        ),
        (
            {"provenance": "citation", "label": "SUPPORT", "sentences": [1], "model_ranks": None},
            OpenEvidence(Label.SUPPORTS, (1,), "citation"),
        ),
        ({"label": "SUPPORT"}, OpenEvidence(Label.SUPPORTS)),
        ({"label": "SUPPORT", "sentences": []}, OpenEvidence(Label.SUPPORTS)),
        (
            [{"sentences": [0, 1], "label": "CONTRADICT"}, {"sentences": [11, 1], "label": "CONTRADICT"}],
            OpenEvidence(Label.REFUTES, (0, 1, 11)),
        ),
    ],
)
def test_the_published_form_and_scifacts_own(write_lines, entry, expected):
    (claim,) = load_open_gold(write_lines("gold.jsonl", gold_line(entry)))
    assert claim.claim == Claim("170", "Tea cures hiccups.")
    assert claim.evidence == {"58": expected}


def test_a_claim_without_evidence_is_a_claim(write_lines):
    claims = load_open_gold(write_lines("gold.jsonl", {"id": "b", "claim": "", "evidence": {}}))
    assert [(entry.claim.id, dict(entry.evidence)) for entry in claims] == [("b", {})]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("SUPPORT", "neither an object nor a list"),
        ([], "neither an object nor a list"),
        ([{"label": "SUPPORT"}, 3], "neither an object nor a list"),
        ({"sentences": [1]}, "no 'label'"),
        ({"label": "NEI"}, "listed as evidence with the label NEI"),
        ({"label": "SUPPORTS"}, "unknown label 'SUPPORTS'"),
        ([{"label": "SUPPORT"}, {"label": "CONTRADICT"}], "both supports and contradicts"),
        ({"label": "SUPPORT", "sentences": [1, 1]}, "stands twice"),
        ({"label": "SUPPORT", "sentences": [-1]}, "no sentence -1"),
        ({"label": "SUPPORT", "provenance": 3}, "provenance"),
        ({"label": "SUPPORT", "model_ranks": {"a": "first"}}, "model_ranks"),
        ({"label": "SUPPORT", "model_ranks": [1]}, "model_ranks"),
    ],
)
def test_malformed_evidence_is_refused_with_its_line(write_lines, entry, problem):
    path = write_lines("gold.jsonl", {"id": 1, "claim": "", "evidence": {}}, gold_line(entry))
    with pytest.raises(RunFileError, match=problem) as caught:
        load_open_gold(path)
    assert caught.value.where == f"{path}:2"


def test_a_claim_stands_once(write_lines):
    path = write_lines("gold.jsonl", *({"id": id, "claim": "", "evidence": {}} for id in (1, "1")))
    with pytest.raises(RunFileError, match="claim 1 was already at"):
        load_open_gold(path)


def test_scifacts_claims_are_gold_too():
    claims = load_open_gold(shared_data("scifact", "claims_dev.jsonl"))
    assert (len(claims), sum(len(entry.evidence) for entry in claims)) == (300, 209)

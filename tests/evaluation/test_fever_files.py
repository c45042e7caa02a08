import pytest

from sciverify.errors import RunFileError
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.fever_files import load_fever, read_fever_run
from sciverify.records import Label

GOLD = {
    "id": 7,
    "verifiable": "VERIFIABLE",
    "label": "SUPPORTS",
    "claim": "Tea cures hiccups.",
    "evidence": [[[9, 10, "Tea_-LRB-drink-RRB-", 0], [9, 11, "Hiccup", 4]], [[12, 13, "Hiccup", 5]]],
}
NEI = {"id": 8, "label": "NOT ENOUGH INFO", "claim": "", "evidence": [[[14, None, None, None]]]}
RUN = {"id": 7, "predicted_label": "SUPPORTS", "predicted_evidence": [["Hiccup", 5]]}


def test_gold(write_lines):
    supports, nei = load_fever(write_lines("gold.jsonl", GOLD, NEI))
    assert (supports.claim.id, supports.label) == ("7", Label.SUPPORTS)
    assert [sorted(map(str, group)) for group in supports.groups] == [
        ["Hiccup_sentence_4", "Tea_-LRB-drink-RRB-_sentence_0"],
        ["Hiccup_sentence_5"],
    ]
    assert (nei.claim.id, nei.label, nei.groups) == ("8", Label.NEI, ())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label": "SUPPORT"}, "'SUPPORT' under 'label' is not a label"),
        ({"evidence": None}, "'evidence' is not a list"),
        ({"evidence": [[9, 10, "A", 0]]}, "an evidence group is not a list of"),
        ({"evidence": [[["A", 0]]]}, "an evidence group is not a list of"),
        ({"evidence": [[[9, None, None, None]]]}, "None is not the title of a page"),
        ({"evidence": [[[9, 10, "", 0]]]}, "'' is not the title"),
        ({"evidence": [[[9, 10, "A", None]]]}, "None is not the number of a line"),
        ({"evidence": [[[9, 10, "A", -1]]]}, "-1 is not the number of a line"),
        ({"evidence": [[[9, 10, "A", True]]]}, "True is not the number of a line"),
        ({"id": 6}, "claim 6 was already at"),
    ],
)
def test_malformed_gold(write_lines, change, problem):
    path = write_lines("gold.jsonl", GOLD | {"id": 6}, GOLD | change)
    with pytest.raises(RunFileError, match=problem) as caught:
        load_fever(path)
    assert caught.value.where == f"{path}:2"
    assert caught.value.remedy


def test_run(write_lines):
    bare = {"predicted_label": "refutes", "predicted_evidence": []}
    first, second = read_fever_run(write_lines("run.jsonl", GOLD | RUN, bare), ["7", "8"])
    assert (first.claim_id, first.label) == ("7", Label.SUPPORTS)
    assert first.evidence == (EvidenceId("Hiccup", "sentence", "5"),)
    assert (second.claim_id, second.label, second.evidence) == ("8", Label.REFUTES, ())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"predicted_label": "NEI"}, "'NEI' under 'predicted_label'"),
        ({"predicted_evidence": ["Hiccup"]}, "'Hiccup' is not a page and a line"),
        ({"predicted_evidence": [["Hiccup", "sentence", "5"]]}, "is not a page and a line"),
        ({"predicted_evidence": [["Hiccup", "5"]]}, "'5' is not the number of a line"),
        ({"predicted_evidence": [[5, "Hiccup"]]}, "5 is not the title of a page"),
        ({"predicted_evidence": [["Hiccup", 5.0]]}, "5.0 is not the number of a line"),
        ({"id": 9}, "claim 9 is not one of the claims"),
        ({"id": 6}, "claim 6 was already at"),
    ],
)
def test_malformed_run(write_lines, change, problem):
    path = write_lines("run.jsonl", RUN | {"id": 6}, RUN | change)
    with pytest.raises(RunFileError, match=problem) as caught:
        list(read_fever_run(path, ["6", "7"]))
    assert caught.value.where == f"{path}:2"
    assert caught.value.remedy

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.feverous_files import (
    feverous_line,
    load_feverous,
    read_feverous_run,
    write_feverous_run,
)
from sciverify.records import Label
from shared_data import shared_data

HEADER = {"id": "", "claim": "", "label": "", "evidence": [{"content": ["", ""], "context": {"": [""]}}]}
GOLD = {
    "evidence": [
        {"content": ["A_b_cell_0_9_1", "A_b_sentence_2"], "context": {"A_b_sentence_2": ["A_b_title"]}},
        {"content": ["C_item_0_2"], "context": {}},
    ],
    "id": 7,
    "claim": "Tea cures hiccups.",
    "label": "REFUTES",
    "annotator_operations": [{"operation": "start", "value": "start", "time": "0"}],
    "challenge": "Other",
}
RUN = {"id": 7, "predicted_label": "REFUTES", "predicted_evidence": [["A_b", "sentence", "2"]]}


class TestGold:
    def test_groups(self, write_lines):
        (gold,) = load_feverous(write_lines("gold.jsonl", GOLD))
        assert (gold.claim.id, gold.claim.text, gold.label) == ("7", "Tea cures hiccups.", Label.REFUTES)
        assert gold.groups == (
            frozenset({EvidenceId("A_b", "cell", "0_9_1"), EvidenceId("A_b", "sentence", "2")}),
            frozenset({EvidenceId("C", "item", "0_2")}),
        )

    def test_the_first_record_may_be_an_empty_header(self, write_lines):
        assert len(load_feverous(write_lines("gold.jsonl", "", HEADER, GOLD))) == 1
        with pytest.raises(RunFileError, match="claim's id is a string"):
            load_feverous(write_lines("gold.jsonl", GOLD, HEADER))
        with pytest.raises(RunFileError, match="no claims"):
            load_feverous(write_lines("gold.jsonl", HEADER))

    def test_not_enough_information_comes_with_evidence(self, write_lines):
        (gold,) = load_feverous(write_lines("gold.jsonl", GOLD | {"label": "NOT ENOUGH INFO"}))
        assert gold.label is Label.NEI
        assert len(gold.groups) == 2

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"label": "MAYBE"}, "'MAYBE' under 'label' is not a label"),
            ({"label": None}, "not a label"),
            ({"claim": 3}, "claim 7 has no text"),
            ({"id": [7]}, "claim's id is a list"),
            ({"evidence": {}}, "'evidence' is not a list"),
            ({"evidence": [["A_sentence_2"]]}, "has no 'content'"),
            ({"evidence": [{"content": "A_sentence_2"}]}, "has no 'content'"),
            ({"evidence": [{"content": ["A_sentence"]}]}, "'A_sentence' is not an evidence id"),
            ({"evidence": [{"content": [3]}]}, "3 is not an evidence id"),
        ],
    )
    def test_malformed(self, write_lines, change, problem):
        path = write_lines("gold.jsonl", HEADER, GOLD | {"id": 6}, GOLD | change)
        with pytest.raises(RunFileError, match=problem) as caught:
            load_feverous(path)
        assert caught.value.where == f"{path}:3"

    def test_a_claim_twice(self, write_lines):
        path = write_lines("gold.jsonl", GOLD, GOLD | {"id": "7"})
        with pytest.raises(RunFileError, match=r"claim 7 was already at .*:1"):
            load_feverous(path)

    def test_published_records(self):
        path = shared_data("feverous", "feverous_native_small", "tentrain", "tentrain.jsonl")
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        gold = load_feverous(path)
        assert len(gold) == 10
        for line, entry in zip(lines, gold, strict=True):
            written = [{str(id) for id in group} for group in entry.groups]
            assert written == [set(group["content"]) for group in line["evidence"]]


class TestRun:
    def test_both_forms_of_an_id_and_gold_fields_beside_them(self, write_lines):
        line = GOLD | RUN | {"predicted_evidence": ["A_b_cell_0_9_1", ["A_b", "sentence", "2"], ["C", "title", ""]]}
        (prediction,) = read_feverous_run(write_lines("run.jsonl", line), ["7"])
        assert [str(id) for id in prediction.evidence] == ["A_b_cell_0_9_1", "A_b_sentence_2", "C_title"]
        assert prediction.label is Label.REFUTES
        assert prediction.pages is prediction.sentences is prediction.tables is None

    @pytest.mark.parametrize("header", [{"header": ""}, HEADER])
    def test_matched_by_order_where_there_are_no_ids(self, write_lines, header):
        lines = [{"predicted_label": label, "predicted_evidence": []} for label in ("supports", "Not Enough Info")]
        predictions = list(read_feverous_run(write_lines("run.jsonl", header, *lines), ["7", "8"]))
        assert [(one.claim_id, one.label) for one in predictions] == [("7", Label.SUPPORTS), ("8", Label.NEI)]

    def test_what_was_retrieved(self, write_lines):
        line = RUN | {
            "predicted_pages": [["A_b", 2000], "C"],
            "predicted_sentences": [["A_b", "sentence_4"]],
            "predicted_tables": [["C", "table_0"], ["C", "table_11"]],
        }
        (prediction,) = read_feverous_run(write_lines("run.jsonl", line), ["7"])
        assert prediction.pages == ("A_b", "C")
        assert prediction.sentences == (EvidenceId("A_b", "sentence", "4"),)
        assert prediction.tables == (("C", "0"), ("C", "11"))

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"predicted_label": "NEI"}, "'NEI' under 'predicted_label' is not a label"),
            ({"predicted_evidence": None}, "'predicted_evidence' is not a list"),
            ({"predicted_evidence": ["A"]}, "'A' is not an evidence id"),
            ({"predicted_evidence": [["A", "sentence", 3]]}, "is not an evidence id"),
            ({"predicted_evidence": [["A", "sentence_3"]]}, "is not an evidence id"),
            ({"predicted_evidence": [["A", "table", "3"]]}, "'table' is not a kind"),
            ({"predicted_evidence": [["", "sentence", "3"]]}, "empty page"),
            ({"predicted_pages": "A"}, "'predicted_pages' is not a list"),
            ({"predicted_pages": [["A"]]}, r"\['A'\] under 'predicted_pages'"),
            ({"predicted_sentences": [["A", "table_0"]]}, "under 'predicted_sentences'"),
            ({"predicted_tables": [["A", "0"]]}, "under 'predicted_tables'"),
        ],
    )
    def test_malformed(self, write_lines, change, problem):
        path = write_lines("run.jsonl", RUN | {"id": 6}, RUN | change)
        with pytest.raises(RunFileError, match=problem) as caught:
            list(read_feverous_run(path, ["6", "7"]))
        assert caught.value.where == f"{path}:2"
        assert caught.value.remedy

    @pytest.mark.parametrize("key", ["predicted_label", "predicted_evidence"])
    def test_a_part_is_missing(self, write_lines, key):
        path = write_lines("run.jsonl", {name: value for name, value in RUN.items() if name != key})
        with pytest.raises(RunFileError, match=f"this line has no '{key}'"):
            list(read_feverous_run(path, ["7"]))

    @pytest.mark.parametrize(
        ("ids", "line", "problem"),
        [
            ([1, 2], None, "ends where claim 3 is due"),
            ([1, 3], 2, "claim 2 is missing"),
            ([1, 2, 3, 4], 4, "claim 4 is not one of the claims"),
            ([1, 3, 2], 2, "claim 3 stands where claim 2 is due"),
            ([1, 2, 2], 3, "claim 2 was already at"),
            ([None, None], None, "ends where claim 3 is due"),
            ([None, None, None, None], 4, "more predictions than the 3 claims"),
            ([None, 3, None], 2, "claim 2 is missing|claim 3 stands where"),
            ([None, 2, 4], 3, "claim 4 is not one of"),
            ([None, "", 3], 2, "claim's id is a string"),
        ],
    )
    def test_claims_must_be_golds_in_its_order(self, write_lines, ids, line, problem):
        bare = {"predicted_label": "SUPPORTS", "predicted_evidence": []}
        path = write_lines("run.jsonl", *(bare if id is None else bare | {"id": id} for id in ids))
        with pytest.raises(RunFileError, match=problem) as caught:
            list(read_feverous_run(path, ["1", "2", "3"]))
        assert caught.value.where == (f"{path}:{line}" if line else str(path))


class TestWriter:
    def test_the_form_of_the_shared_task(self):
        assert feverous_line("7", Label.REFUTES, [EvidenceId("A_b", "sentence", "2")]) == RUN
        assert feverous_line("007", Label.NEI, []) == {
            "id": "007",
            "predicted_label": "NOT ENOUGH INFO",
            "predicted_evidence": [],
        }

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(list(Label)),
                st.lists(
                    st.builds(
                        EvidenceId,
                        st.text(st.characters(codec="utf-8"), min_size=1),
                        st.sampled_from(["cell", "sentence"]),
                        st.just("0_1_2"),
                    ),
                    max_size=3,
                ),
            ),
            min_size=1,
            max_size=4,
        )
    )
    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_is_read_back_as_it_was(self, tmp_path, predictions):
        rows = [(str(i), label, evidence) for i, (label, evidence) in enumerate(predictions)]
        write_feverous_run(tmp_path / "run.jsonl", rows)
        read = read_feverous_run(tmp_path / "run.jsonl", [id for id, _, _ in rows])
        assert [(one.claim_id, one.label, list(one.evidence)) for one in read] == rows

    def test_a_folder_that_is_not_there(self, tmp_path):
        with pytest.raises(RunFileError, match="cannot be written") as caught:
            write_feverous_run(tmp_path / "no" / "run.jsonl", [])
        assert caught.value.where == str(tmp_path / "no" / "run.jsonl")

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation import PredictedCandidate, PredictedDocument, Prediction, read_run
from sciverify.evaluation.exchange import export_run, import_run, write_run
from sciverify.evaluation.pair_files import read_pairs
from sciverify.evaluation.trec import read_trec_run
from sciverify.records import Label, Probabilities

SUPPORTS, REFUTES, NEI = Label.SUPPORTS, Label.REFUTES, Label.NEI


def candidate(id, score, label, *probabilities, found_by=("bm25",)):
    return PredictedCandidate(id, score, found_by, label, Probabilities(*probabilities))


RUN = [
    Prediction(
        "1",
        {"11": PredictedDocument(SUPPORTS, (1, 4)), "12": PredictedDocument(REFUTES, (0,))},
        "",
        (
            candidate("13", 9.5, NEI, 0.1, 0.1, 0.8),
            candidate("11", 7.25, SUPPORTS, 0.6, 0.1, 0.3),
            candidate("12", 7.25, REFUTES, 0.05, 0.9, 0.05),
        ),
    ),
    Prediction("2", {}, "", ()),
    Prediction("x", {"14": PredictedDocument(REFUTES, (3,))}, "", (candidate("14", -1.0, REFUTES, 0.2, 0.5, 0.3),)),
]


@pytest.fixture
def run(tmp_path):
    write_run(tmp_path / "run.jsonl", RUN)
    return tmp_path / "run.jsonl"


def bare(predictions):
    """What a line says, without where it stands."""
    return [(p.claim_id, dict(p.evidence), p.candidates) for p in predictions]


def answers(predictions):
    return [(p.claim_id, dict(p.evidence)) for p in predictions]


def test_a_written_run_is_read_back(run):
    assert bare(read_run(run)) == bare(RUN)
    with pytest.raises(RunFileError, match="there already"):
        write_run(run, RUN)
    write_run(run, RUN[:1], replace=True)
    assert len(read_run(run)) == 1


class TestLeaderboard:
    def test_only_the_published_keys_are_left(self, run, tmp_path):
        assert export_run(run, tmp_path / "out.jsonl", "leaderboard") == 3
        lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
        assert lines == [
            {
                "id": 1,
                "evidence": {
                    "11": {"sentences": [1, 4], "label": "SUPPORT"},
                    "12": {"sentences": [0], "label": "CONTRADICT"},
                },
            },
            {"id": 2, "evidence": {}},
            {"id": "x", "evidence": {"14": {"sentences": [3], "label": "CONTRADICT"}}},
        ]

    def test_a_run_without_candidates_can_be_exported_too(self, tmp_path, write_lines):
        path = write_lines("published.jsonl", {"id": 1, "evidence": {}, "note": "x"})
        export_run(path, tmp_path / "out.jsonl", "leaderboard")
        assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == '{"id": 1, "evidence": {}}\n'

    def test_and_back(self, run, tmp_path):
        export_run(run, tmp_path / "out.jsonl", "leaderboard")
        assert answers(import_run(tmp_path / "out.jsonl", "leaderboard")) == answers(RUN)
        imported = import_run(tmp_path / "out.jsonl", "leaderboard", claim_ids=["1", "2", "x"])
        assert {prediction.candidates for prediction in imported} == {None}
        with pytest.raises(RunFileError, match="ends where claim 3 is due"):
            import_run(tmp_path / "out.jsonl", "leaderboard", claim_ids=["1", "2", "x", "3"])


class TestTrec:
    def test_every_candidate_has_its_retrieval_score(self, run, tmp_path):
        export_run(run, tmp_path / "out.trec", "trec", model="mine")
        assert read_trec_run(tmp_path / "out.trec") == {"1": {"13": 9.5, "11": 7.25, "12": 7.25}, "x": {"14": -1.0}}
        assert (tmp_path / "out.trec").read_text(encoding="utf-8").startswith("1 Q0 13 1 9.5 mine\n")

    def test_the_tag_is_the_runs_name(self, run, tmp_path):
        export_run(run, tmp_path / "out.trec", "trec")
        assert (tmp_path / "out.trec").read_text(encoding="utf-8").split()[5] == "run"


class TestTable:
    @pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.parquet"])
    def test_and_back(self, run, tmp_path, name):
        export_run(run, tmp_path / name, "table", model="mine")
        table = read_pairs(tmp_path / name)
        assert table.models == ("mine",)
        assert len(table) == 4
        imported = import_run(tmp_path / name, "table", claim_ids=["1", "2", "x"])
        assert answers(imported) == answers(RUN)
        for one, other in zip(imported, RUN, strict=True):
            assert [c.doc_id for c in one.candidates] == [c.doc_id for c in other.candidates]
            assert [c.probabilities for c in one.candidates] == [c.probabilities for c in other.candidates]
        assert [c.score for c in imported[0].candidates] == [1.0, 1 / 2, 1 / 3]
        assert answers(import_run(tmp_path / name, "table")) == answers([RUN[0], RUN[2]])

    def test_a_threshold_makes_the_labels_anew(self, run, tmp_path):
        export_run(run, tmp_path / "t.jsonl", "table")
        sure = import_run(tmp_path / "t.jsonl", "table", evidence=0.75)
        assert answers(sure) == [("1", {"12": PredictedDocument(REFUTES, (0,))}), ("x", {})]
        all_of_them = import_run(tmp_path / "t.jsonl", "table", evidence=0.0)
        assert [list(p.evidence) for p in all_of_them] == [["13", "11", "12"], ["14"]]
        assert all_of_them[0].evidence["13"] == PredictedDocument(SUPPORTS, ())  # support and contradiction tie
        write_run(tmp_path / "again.jsonl", all_of_them)
        assert answers(read_run(tmp_path / "again.jsonl")) == answers(all_of_them)

    def test_a_published_table_without_ranks_of_retrieval_goes_by_confidence(self, tmp_path, write_lines):
        row = {
            "claim_id": 1,
            "doc_id": 5,
            "model": "m",
            "predicted_label": "NEI",
            "predicted_rationale": None,
            "rank": 2,
        }
        path = write_lines(
            "t.jsonl",
            row | {"p_contradict": 0.1, "p_nei": 0.6, "p_support": 0.3, "rank": 2},
            row | {"doc_id": 6, "p_contradict": 0.3, "p_nei": 0.1, "p_support": 0.6004, "predicted_label": "SUPPORT"},
            row | {"doc_id": 5, "model": "n", "p_contradict": 1, "p_nei": 0, "p_support": 0},
        )
        with pytest.raises(SettingError, match="several models"):
            import_run(path, "table")
        [found] = import_run(path, "table", model="m")
        assert [(c.doc_id, c.score, c.found_by) for c in found.candidates] == [("6", 0.6004, ()), ("5", 0.3, ())]
        assert found.candidates[0].probabilities.supports == pytest.approx(0.6004 / 1.0004)
        assert found.evidence == {"6": PredictedDocument(SUPPORTS, ())}

    def test_a_table_of_labels_alone_has_no_candidates_and_takes_no_threshold(self, write_lines):
        path = write_lines("t.jsonl", {"claim_id": 1, "doc_id": 5, "predicted_label": "CONTRADICT"})
        assert bare(import_run(path, "table")) == [("1", {"5": PredictedDocument(REFUTES, ())}, None)]
        with pytest.raises(SettingError, match="without probabilities"):
            import_run(path, "table", evidence=0.5)

    def test_a_claim_that_is_not_asked(self, write_lines):
        path = write_lines("t.jsonl", {"claim_id": 1, "doc_id": 5, "predicted_label": "NEI"})
        with pytest.raises(RunFileError, match="claim 1 is not one of the claims") as caught:
            import_run(path, "table", claim_ids=["2"])
        assert caught.value.where == f"{path}:1"


class TestFeverous:
    def test_the_surest_document_decides(self, run, tmp_path):
        export_run(run, tmp_path / "out.jsonl", "feverous")
        lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
        assert lines == [
            {"id": 1, "predicted_label": "REFUTES", "predicted_evidence": [["12", "sentence", "0"]]},
            {"id": 2, "predicted_label": "NOT ENOUGH INFO", "predicted_evidence": []},
            {"id": "x", "predicted_label": "REFUTES", "predicted_evidence": [["14", "sentence", "3"]]},
        ]

    def test_documents_that_agree_are_quoted_surest_first(self, tmp_path):
        quoted = {"a": PredictedDocument(SUPPORTS, (2, 1)), "b": PredictedDocument(SUPPORTS, (5,))}
        read = (candidate("a", 2.0, SUPPORTS, 0.6, 0.2, 0.2), candidate("b", 1.0, SUPPORTS, 0.7, 0.1, 0.2))
        write_run(tmp_path / "r.jsonl", [Prediction("1", quoted, "", read)])
        export_run(tmp_path / "r.jsonl", tmp_path / "out.jsonl", "feverous")
        line = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
        assert line["predicted_evidence"] == [["b", "sentence", "5"], ["a", "sentence", "2"], ["a", "sentence", "1"]]

    def test_import_keeps_sentences_by_page(self, write_lines):
        evidence = [["A page", "sentence", "3"], "B_cell_0_1_2", "A page_sentence_0", ["A page", "sentence", "3"]]
        path = write_lines(
            "f.jsonl",
            {"id": 1, "predicted_label": "SUPPORTS", "predicted_evidence": evidence},
            {"id": 2, "predicted_label": "NOT ENOUGH INFO", "predicted_evidence": evidence},
        )
        assert bare(import_run(path, "feverous", claim_ids=["1", "2"])) == [
            ("1", {"A page": PredictedDocument(SUPPORTS, (3, 0)), "B": PredictedDocument(SUPPORTS, ())}, None),
            ("2", {}, None),
        ]
        with pytest.raises(SettingError, match="only be read for given claims"):
            import_run(path, "feverous")


class TestRefusals:
    @pytest.mark.parametrize("to", ["trec", "table", "feverous"])
    def test_a_run_without_candidates(self, tmp_path, write_lines, to):
        path = write_lines("r.jsonl", {"id": 1, "evidence": {}, "candidates": []}, {"id": 2, "evidence": {}})
        with pytest.raises(RunFileError, match="claim 2 lists no 'candidates'") as caught:
            export_run(path, tmp_path / "out.jsonl", to)
        assert caught.value.where == f"{path}:2"
        assert not (tmp_path / "out.jsonl").exists()

    @pytest.mark.parametrize("to", ["leaderboard", "trec", "table", "feverous"])
    def test_a_file_that_is_there(self, run, tmp_path, to):
        out = tmp_path / "out.jsonl"
        out.write_text("precious", encoding="utf-8")
        with pytest.raises(RunFileError, match="there already"):
            export_run(run, out, to)
        assert out.read_text(encoding="utf-8") == "precious"
        export_run(run, out, to, replace=True)
        assert out.read_text(encoding="utf-8") != "precious"

    def test_unknown_forms_and_options(self, run, tmp_path):
        with pytest.raises(SettingError, match="exported to 'csv'"):
            export_run(run, tmp_path / "o", "csv")
        with pytest.raises(SettingError, match="imported from 'trec'"):
            import_run(run, "trec")
        with pytest.raises(SettingError, match="for tables only"):
            import_run(run, "leaderboard", evidence=0.5)
        export_run(run, tmp_path / "t.jsonl", "table")
        with pytest.raises(SettingError, match="not a probability"):
            import_run(tmp_path / "t.jsonl", "table", evidence=1.5)


@st.composite
def predictions(draw):
    found = []
    for id in draw(st.lists(st.sampled_from("123456789"), unique=True, min_size=1, max_size=4)):
        documents = draw(st.lists(st.sampled_from("abcdef"), unique=True, min_size=1, max_size=4))
        shares = np.array(draw(st.lists(st.tuples(*[st.integers(1, 99)] * 3), min_size=6, max_size=6)), dtype=float)
        scores = sorted(draw(st.lists(st.floats(-9, 9), min_size=6, max_size=6)), reverse=True)
        read, evidence = [], {}
        for document, share, score in zip(documents, shares / shares.sum(axis=1, keepdims=True), scores, strict=False):
            label = draw(st.sampled_from(list(Label)))
            read.append(candidate(document, score, label, *share.tolist()))
            if label is not NEI:
                evidence[document] = PredictedDocument(label, tuple(draw(st.permutations([0, 1, 2]))))
        found.append(Prediction(id, evidence, "", tuple(read)))
    return found


@given(predictions())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_run_survives_a_table(tmp_path, made):
    write_run(tmp_path / "r.jsonl", made, replace=True)
    export_run(tmp_path / "r.jsonl", tmp_path / "t.jsonl", "table", replace=True)
    imported = import_run(tmp_path / "t.jsonl", "table", claim_ids=[prediction.claim_id for prediction in made])
    assert answers(imported) == answers(made)
    for one, other in zip(imported, made, strict=True):
        assert [(c.doc_id, c.label, c.probabilities) for c in one.candidates] == [
            (c.doc_id, c.label, c.probabilities) for c in other.candidates
        ]

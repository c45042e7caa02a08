import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError
from sciverify.evaluation import PredictedCandidate, Prediction, RunWriter, prediction_line, read_run
from sciverify.evaluation.form import parse_lines
from sciverify.evaluation.runs import predictions_from, run_line
from sciverify.records import (
    Candidate,
    Claim,
    Consensus,
    ConsensusLabel,
    Document,
    Finding,
    Label,
    Probabilities,
    Quote,
    Verdict,
)


def found(id, label, score, found_by=("bm25",), probabilities=(0.7, 0.1, 0.2)):
    document = Document.from_sentences(id, "", ["Zero.", "One."])
    quotes = () if label is Label.NEI else (Quote.whole(document.elements[1]),)
    return Finding(document, label, Probabilities(*probabilities), quotes, Candidate(document, score, found_by))


def verdict(*findings, id="1"):
    consensus = Consensus(ConsensusLabel.NEUTRAL, 0, 0, 0, 0.0, 1.0, 1.0, "for the test")
    return Verdict(Claim(id, "Tea cures hiccups."), findings, consensus, "test")


ENTRY = {
    "doc_id": "11",
    "score": 12.5,
    "found_by": ["bm25", "dense"],
    "label": "NEI",
    "p_support": 0.25,
    "p_contradict": 0.25,
    "p_nei": 0.5,
}


class TestWriting:
    def test_all_documents_stand_in_the_order_of_retrieval(self):
        sure = found("c", Label.REFUTES, 1.0, probabilities=(0.0, 0.9, 0.1))
        line = prediction_line(verdict(sure, found("b", Label.NEI, 2.5, ("dense",)), found("a", Label.NEI, 1.0)))
        assert line["evidence"] == {"c": {"sentences": [1], "label": "CONTRADICT"}}
        assert [entry["doc_id"] for entry in line["candidates"]] == ["b", "a", "c"]
        assert line["candidates"][0] == {
            "doc_id": "b",
            "score": 2.5,
            "found_by": ["dense"],
            "label": "NEI",
            "p_support": 0.7,
            "p_contradict": 0.1,
            "p_nei": 0.2,
        }
        assert line["candidates"][2]["label"] == "CONTRADICT"

    def test_a_verdict_that_does_not_say_how_it_was_found_has_no_candidates(self):
        document = Document.from_sentences("x", "", ["Zero."])
        unknown = Finding(document, Label.NEI, Probabilities(0, 0, 1))
        assert prediction_line(verdict(found("a", Label.NEI, 1.0), unknown)) == {"id": 1, "evidence": {}}

    @pytest.mark.parametrize("score", [float("inf"), float("nan")])
    def test_a_score_that_json_cannot_hold_is_refused(self, score):
        with pytest.raises(RunFileError, match="retrieval score") as caught:
            prediction_line(verdict(found("a", Label.NEI, score)))
        assert caught.value.where == "claim 1"

    def test_a_line_is_one_write(self, tmp_path):
        written = []
        many = verdict(*(found(f"document {number}", Label.SUPPORTS, -number) for number in range(500)))

        class File:
            def __init__(self, file):
                self.file = file

            def write(self, data):
                written.append(len(data))
                return self.file.write(data)

            def close(self):
                self.file.close()

        with RunWriter(tmp_path / "run.jsonl", [Claim("1", "")]) as run:
            run._file = File(run._file)
            run.write(many)
        assert written == [(tmp_path / "run.jsonl").stat().st_size]
        assert len(read_run(tmp_path / "run.jsonl")[0].candidates) == 500


class TestReading:
    def test_a_run_in_the_published_form_says_nothing_of_candidates(self, write_lines):
        path = write_lines("run.jsonl", {"id": 1, "evidence": {}}, {"id": 2, "evidence": {}, "candidates": []})
        assert [prediction.candidates for prediction in read_run(path)] == [None, ()]

    def test_candidates_keep_their_order(self, write_lines):
        other = ENTRY | {"doc_id": "7", "score": 99, "label": "SUPPORT", "note": "further keys don't matter"}
        evidence = {"7": {"sentences": [0], "label": "SUPPORT"}}
        path = write_lines("run.jsonl", {"id": 1, "evidence": evidence, "candidates": [ENTRY, other]})
        first, second = read_run(path, ["1"], {"7": 1, "11": 1})[0].candidates
        assert first == PredictedCandidate("11", 12.5, ("bm25", "dense"), Label.NEI, Probabilities(0.25, 0.25, 0.5))
        assert (second.doc_id, second.score, second.label) == ("7", 99.0, Label.SUPPORTS)

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            *[({"doc_id": id}, "candidate 1 has no 'doc_id'") for id in (11, "", None)],
            *[({"score": score}, "candidate 1 has no 'score'") for score in ("1", None, True, 10**400)],
            *[({"found_by": names}, "candidate 1 has no 'found_by'") for names in ("bm25", [1], None)],
            *[({"label": label}, "candidate 1 has the label") for label in ("SUPPORTS", "nei", None, 1)],
            *[({"p_nei": share}, "sum to 1") for share in (0.6, None, "0.5", True, -0.5)],
        ],
    )
    def test_a_malformed_candidate_is_refused(self, write_lines, change, problem):
        path = write_lines("run.jsonl", {"id": 1, "evidence": {}, "candidates": [ENTRY | change]})
        with pytest.raises(RunFileError, match=problem) as caught:
            read_run(path)
        assert caught.value.where == f"{path}:1"

    @pytest.mark.parametrize("name", ENTRY)
    def test_every_key_is_needed(self, write_lines, name):
        entry = {key: value for key, value in ENTRY.items() if key != name}
        with pytest.raises(RunFileError, match="candidate 1"):
            read_run(write_lines("run.jsonl", {"id": 1, "evidence": {}, "candidates": [entry]}))

    @pytest.mark.parametrize(
        ("candidates", "problem"),
        [
            ({}, "is not a list"),
            (None, "is not a list"),
            ([ENTRY, 3], "candidate 2 is not an object"),
            ([ENTRY, ENTRY], "candidate 2 names document '11' again"),
        ],
    )
    def test_a_malformed_list_is_refused(self, write_lines, candidates, problem):
        with pytest.raises(RunFileError, match=problem):
            read_run(write_lines("run.jsonl", {"id": 1, "evidence": {}, "candidates": candidates}))

    @pytest.mark.parametrize(
        ("evidence", "candidates"),
        [
            ({}, [ENTRY | {"label": "SUPPORT"}]),
            ({"11": {"sentences": [0], "label": "SUPPORT"}}, [ENTRY]),
            ({"11": {"sentences": [0], "label": "SUPPORT"}}, [ENTRY | {"label": "CONTRADICT"}]),
            ({"11": {"sentences": [0], "label": "SUPPORT"}}, []),
        ],
    )
    def test_candidates_and_evidence_must_agree(self, write_lines, evidence, candidates):
        with pytest.raises(RunFileError, match="disagree on document '11'"):
            read_run(write_lines("run.jsonl", {"id": 1, "evidence": evidence, "candidates": candidates}))

    def test_a_candidate_must_be_in_the_corpus(self, write_lines):
        path = write_lines("run.jsonl", {"id": 1, "evidence": {}, "candidates": [ENTRY]})
        with pytest.raises(RunFileError, match="the corpus has no document '11'"):
            read_run(path, corpus={"12": 3})


@st.composite
def candidates(draw):
    ids = draw(st.lists(st.text(min_size=1), unique=True, max_size=6))
    read = []
    for id in ids:
        supports = draw(st.floats(0, 1))
        refutes = draw(st.floats(0, 1)) * (1 - supports)
        read.append(
            PredictedCandidate(
                id,
                draw(st.floats(allow_nan=False, allow_infinity=False)),
                tuple(draw(st.lists(st.text(), max_size=2))),
                Label.NEI,
                Probabilities(supports, refutes, 1 - supports - refutes),
            )
        )
    return tuple(read)


@given(candidates())
@settings(max_examples=50)
def test_candidates_survive_the_way_through_a_line_to_the_last_bit(read):
    prediction = Prediction("1", {}, "run.jsonl:1", read)
    written = json.dumps(run_line(prediction)).encode("ascii")
    assert list(predictions_from(parse_lines([written], "run.jsonl"))) == [prediction]

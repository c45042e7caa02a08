import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError
from sciverify.evaluation import PredictedDocument, Prediction, RunWriter, prediction_line, read_run
from sciverify.records import (
    Claim,
    Consensus,
    ConsensusLabel,
    Document,
    Element,
    ElementKind,
    Finding,
    Label,
    Probabilities,
    Quote,
    Verdict,
)

DOCUMENT = Document.from_sentences("11", "Tea and hiccups", ["Zero.", "One.", "Two.", "Three."])


def finding(label=Label.SUPPORTS, scores=((1, 0.9),), document=DOCUMENT):
    quotes = tuple(Quote.whole(document.element(f"sentence_{number}"), score) for number, score in scores)
    return Finding(document, label, Probabilities(0.5, 0.3, 0.2), quotes)


def verdict(id="1", *findings):
    consensus = Consensus(ConsensusLabel.NEUTRAL, 0, 0, 0, 0.0, 1.0, 1.0, "for the test")
    return Verdict(Claim(id, "Tea cures hiccups."), findings, consensus, "test")


class TestPredictionLine:
    def test_sentences_stand_in_order_of_score(self):
        line = prediction_line(verdict("1", finding(scores=((0, 0.2), (3, 0.9), (1, 0.5)))))
        assert line == {"id": 1, "evidence": {"11": {"sentences": [3, 1, 0], "label": "SUPPORT"}}}

    def test_equal_scores_keep_the_findings_order(self):
        line = prediction_line(verdict("1", finding(scores=((3, 0.5), (0, 0.5)))))
        assert line["evidence"]["11"]["sentences"] == [3, 0]

    def test_documents_without_a_label_are_left_out(self):
        other = Document.from_sentences("x/2", "", ["Zero."])
        line = prediction_line(
            verdict("1", finding(Label.NEI, ()), finding(Label.REFUTES, ((0, 1.0),), document=other)),
        )
        assert line == {"id": 1, "evidence": {"x/2": {"sentences": [0], "label": "CONTRADICT"}}}
        assert prediction_line(verdict("1")) == {"id": 1, "evidence": {}, "candidates": []}

    def test_a_sentence_quoted_in_pieces_stands_once_at_its_best_place(self):
        start, end = Quote("sentence_0", 0, 2, "Ze", 0.3), Quote("sentence_0", 2, 4, "ro", 0.9)
        pieces = (start, Quote("sentence_1", 0, 1, "O", 0.5), end)
        found = Finding(DOCUMENT, Label.SUPPORTS, Probabilities(1, 0, 0), pieces)
        assert prediction_line(verdict("1", found))["evidence"]["11"]["sentences"] == [0, 1]

    @pytest.mark.parametrize(
        ("id", "written"),
        [
            *[("0", 0), ("52", 52), ("-3", -3), ("052", "052"), ("+1", "+1"), ("1.0", "1.0"), ("-0", "-0"), ("-", "-")],
            *[("1_0", "1_0"), (" 1", " 1"), ("9" * 30, "9" * 30), ("c1", "c1"), ("²", "²"), ("١", "١")],
        ],
    )
    def test_ids_that_look_like_numbers_are_written_as_numbers(self, id, written):
        assert prediction_line(verdict(id))["id"] == written

    def test_only_sentences_have_a_place_in_the_form(self):
        elements = (
            Element("cell_0_0_0", ElementKind.CELL, "5 mg"),
            Element("sentence_0", ElementKind.SENTENCE, "Zero."),
        )
        page = Document("p", "", elements)
        cell, sentence = (Quote.whole(element) for element in elements)
        both = Finding(page, Label.REFUTES, Probabilities(0, 1, 0), (cell, sentence))
        assert prediction_line(verdict("1", both))["evidence"]["p"]["sentences"] == [0]
        with pytest.raises(RunFileError, match="quotes no sentence") as caught:
            prediction_line(verdict("1", Finding(page, Label.REFUTES, Probabilities(0, 1, 0), (cell,))))
        assert caught.value.where == "document 'p'"

    def test_two_findings_on_one_document_have_no_place_either(self):
        with pytest.raises(RunFileError, match="two findings on document '11'") as caught:
            prediction_line(verdict("8", finding(), finding(Label.REFUTES)))
        assert caught.value.where == "claim 8"


class TestReadRun:
    def test_keeps_the_order_of_lines_and_sentences(self, write_lines):
        path = write_lines(
            "run.jsonl",
            {"id": 5, "evidence": {"b": {"sentences": [3, 1], "label": "SUPPORT"}}, "system": "x"},
            {"id": "2", "evidence": {"a": {"sentences": [], "label": "CONTRADICT"}}},
        )
        expected = [
            Prediction("5", {"b": PredictedDocument(Label.SUPPORTS, (3, 1))}, f"{path}:1"),
            Prediction("2", {"a": PredictedDocument(Label.REFUTES, ())}, f"{path}:2"),
        ]
        assert read_run(path) == expected
        assert read_run(path, ["5", "2"], {"a": 0, "b": 4}) == expected

    def test_a_claim_stands_once_even_without_a_claims_file(self, write_lines):
        path = write_lines("run.jsonl", {"id": 5, "evidence": {}}, {"id": "5", "evidence": {}})
        with pytest.raises(RunFileError, match=f"claim 5 was already at {path}:1"):
            read_run(path)


CLAIMS = [Claim(id, f"claim {id}") for id in ("1", "3", "x", "5")]
VERDICTS = [
    verdict("1", finding(scores=((2, 0.9), (0, 0.8)))),
    verdict("3"),
    verdict("x", finding(Label.REFUTES)),
    verdict("5", finding(document=Document.from_sentences('ü"\n\ud800', "", ["Zero.", "One."]))),
]


def write_all(path, verdicts=VERDICTS, claims=CLAIMS):
    with RunWriter(path, claims) as run:
        for made in verdicts[run.done :]:
            run.write(made)
    return path.read_bytes()


class TestRunWriter:
    def test_writes_what_is_read_back(self, tmp_path):
        path = tmp_path / "run.jsonl"
        write_all(path)
        read = read_run(path, [claim.id for claim in CLAIMS])
        assert [prediction.claim_id for prediction in read] == ["1", "3", "x", "5"]
        assert read[0].evidence == {"11": PredictedDocument(Label.SUPPORTS, (2, 0))}
        assert list(read[3].evidence) == ['ü"\n\ud800']

    def test_each_line_is_on_disk_when_write_returns(self, tmp_path):
        path = tmp_path / "run.jsonl"
        with RunWriter(path, CLAIMS) as run:
            for number, made in enumerate(VERDICTS, start=1):
                run.write(made)
                assert path.read_bytes().count(b"\n") == number
                assert (run.done, run.remaining) == (number, tuple(CLAIMS[number:]))

    def test_a_run_cut_at_any_byte_ends_as_if_it_had_not_been_cut(self, tmp_path):
        whole = write_all(tmp_path / "whole.jsonl")
        ends = [end for end, byte in enumerate(whole) if byte == ord("\n")]
        for size in range(len(whole) + 1):
            path = tmp_path / "cut.jsonl"
            path.write_bytes(whole[:size])
            with RunWriter(path, CLAIMS) as run:
                # A line that is whole but for its end is kept, anything less is done again.
                assert run.done == sum(size >= end for end in ends)
                assert run.remaining == tuple(CLAIMS[run.done :])
                for made in VERDICTS[run.done :]:
                    run.write(made)
            assert path.read_bytes() == whole

    def test_a_finished_run_has_nothing_left_and_is_not_touched(self, tmp_path):
        path = tmp_path / "run.jsonl"
        whole = write_all(path)
        with RunWriter(path, CLAIMS) as run:
            assert run.remaining == ()
            with pytest.raises(RunFileError, match="claim 5 came where the end of the run was due"):
                run.write(VERDICTS[-1])
        assert path.read_bytes() == whole

    def test_a_last_line_without_its_end_is_kept_when_it_is_whole(self, tmp_path):
        path = tmp_path / "run.jsonl"
        path.write_text('{"evidence": {}, "id": 1}', encoding="utf-8")  # from another program, other key order
        with RunWriter(path, CLAIMS) as run:
            assert run.done == 1
            run.write(VERDICTS[1])
        assert [prediction.claim_id for prediction in read_run(path)] == ["1", "3"]

    def test_replace_starts_anew(self, tmp_path):
        path = tmp_path / "run.jsonl"
        for old in (write_all(path), b"", b"\n", b'{"id": 9, "evidence": {}}\nbroken', b'{"id": 9, "evid'):
            path.write_bytes(old)
            with RunWriter(path, CLAIMS, replace=True) as run:
                assert run.done == 0
            assert path.read_bytes() == b""

    @pytest.mark.parametrize(
        "content", ["my notes", '{"id": 1, "claim": "a claim"}\n', '{"id": 1, "evidence": {"1": []}}\n']
    )
    def test_replace_takes_nothing_but_a_run_away(self, tmp_path, content):
        path = tmp_path / "run.jsonl"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(RunFileError, match="is no run, so it is not replaced"):
            RunWriter(path, CLAIMS, replace=True)
        assert path.read_text(encoding="utf-8") == content

    @pytest.mark.parametrize(
        ("content", "line", "problem"),
        [
            ("my notes", 1, "not JSON"),
            ("my notes\n", 1, "not JSON"),
            ('{"id": 1, "claim": "a gold file"}\n', 1, "no 'evidence'"),
            ('{"id": 3, "evidence": {}}\n', 1, "claim 1 is missing before this line"),
            ('{"id": 1, "evidence": {}}\n{"id": 4, "evidence": {}}\n', 2, "claim 4 is not one of the claims"),
            ('{"id": 1, "evidence": {}}\n{"id": 4, "evidence": {}}', 2, "claim 4 is not one of the claims"),
            ('{"id": 3, "evidence": {}}\n{"id": 1, "evidence": {}}\n', 1, "claim 3 stands where claim 1 is due"),
            ('{"id": 1, "evid\n{"id": 3, "evidence": {}}\n', 1, "not JSON"),
            ('{"id": 1, "evidence": {}}\n{"id": 1, "evidence": {}}\n', 2, "claim 1 was already at"),
            ('{"id": 1, "evidence": {}}\n\n[', 3, "not JSON"),
        ],
    )
    def test_a_file_that_is_another_run_or_no_run_is_left_alone(self, tmp_path, content, line, problem):
        path = tmp_path / "run.jsonl"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(RunFileError, match=problem) as caught:
            RunWriter(path, CLAIMS)
        assert caught.value.where == f"{path}:{line}"
        assert path.read_text(encoding="utf-8") == content

    def test_verdicts_come_in_the_claims_order(self, tmp_path):
        path = tmp_path / "run.jsonl"
        with RunWriter(path, CLAIMS) as run:
            with pytest.raises(RunFileError, match="claim 3 came where claim 1 was due"):
                run.write(VERDICTS[1])
            run.write(VERDICTS[0])
        assert read_run(path)[0].claim_id == "1"

    def test_a_verdict_without_a_line_leaves_the_run_as_it_was(self, tmp_path):
        path = tmp_path / "run.jsonl"
        with RunWriter(path, CLAIMS) as run:
            with pytest.raises(RunFileError, match="two findings"):
                run.write(verdict("1", finding(), finding()))
            assert (run.done, path.read_bytes()) == (0, b"")
            run.write(VERDICTS[0])
            assert run.done == 1

    def test_claims_need_distinct_ids(self, tmp_path):
        for ids in (("1", "1"), ("",)):
            with pytest.raises(RunFileError, match="distinct, non-empty ids"):
                RunWriter(tmp_path / "run.jsonl", [Claim(id, "") for id in ids])
        assert not list(tmp_path.iterdir())

    def test_a_path_that_cannot_be_opened(self, tmp_path):
        for path in (tmp_path, tmp_path / "missing" / "run.jsonl"):
            with pytest.raises(RunFileError, match="cannot be opened") as caught:
                RunWriter(path, CLAIMS)
            assert caught.value.where == str(path)

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
    def test_a_full_disk_is_said_and_the_run_goes_on_later(self, tmp_path):
        path = tmp_path / "run.jsonl"
        run = RunWriter(path, CLAIMS)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, run._file.fileno())
        os.close(full)
        with pytest.raises(RunFileError, match="cannot be written") as caught:
            run.write(VERDICTS[0])
        assert "space" in caught.value.remedy
        assert run.done == 0
        run.close()
        assert write_all(path).count(b"\n") == 4


@given(
    st.lists(st.text(min_size=1), unique=True, max_size=5).filter(lambda ids: len(set(ids)) == len(ids)),
    st.lists(st.permutations(range(4)), min_size=5, max_size=5),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_id_survives_the_way_through_a_file(tmp_path, ids, orders):
    path = tmp_path / "run.jsonl"
    claims = [Claim(id, "") for id in ids]
    with RunWriter(path, claims, replace=True) as run:
        for id, order in zip(ids, orders, strict=False):
            document = Document.from_sentences(id, "", ["a", "b", "c", "d"])
            scores = [(number, 1 - place / 10) for place, number in enumerate(order)]
            run.write(verdict(id, finding(scores=scores, document=document)))
    read = read_run(path, ids)
    assert [list(prediction.evidence) for prediction in read] == [[id] for id in ids]
    for prediction, order in zip(read, orders, strict=False):
        assert prediction.evidence[prediction.claim_id].sentences == tuple(order)
    for line in path.read_text(encoding="ascii").splitlines():
        assert set(json.loads(line)) == {"id", "evidence"}

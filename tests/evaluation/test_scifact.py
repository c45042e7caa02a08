import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation import (
    GoldClaim,
    GoldEvidence,
    PredictedDocument,
    Prediction,
    SciFactScores,
    Tally,
    bootstrap,
    load_gold,
    score_predictions,
    score_scifact,
)
from sciverify.records import Claim, Label
from shared_data import shared_data

GOLD = {
    "id": 52,
    "claim": "Tea cures hiccups.",
    "evidence": {
        "11": [{"sentences": [0, 1], "label": "SUPPORT"}, {"sentences": [11], "label": "SUPPORT"}],
        "15": [{"sentences": [4], "label": "SUPPORT"}],
    },
}
RUN = {
    "id": 52,
    "evidence": {
        "11": {"sentences": [1, 11, 13], "label": "SUPPORT"},
        "16": {"sentences": [18, 20], "label": "CONTRADICT"},
    },
}


def slow_scores(gold, run):
    """The four metrics straight from their definition, on the JSON objects: (correct, retrieved, relevant) each."""
    gold_pairs = [(claim["id"], document) for claim in gold for document in claim["evidence"]]
    run_pairs = [(line["id"], document) for line in run for document in line["evidence"]]
    gold_sentences = [
        (claim["id"], document, sentence)
        for claim in gold
        for document, rationales in claim["evidence"].items()
        for rationale in rationales
        for sentence in rationale["sentences"]
    ]
    by_id = {claim["id"]: claim for claim in gold}
    label_only, rationalized, selection, selection_label, run_sentences = [], [], [], [], []
    for line in run:
        for document, predicted in line["evidence"].items():
            run_sentences += [(line["id"], document, sentence) for sentence in predicted["sentences"]]
            if document not in by_id[line["id"]]["evidence"]:
                continue
            rationales = by_id[line["id"]]["evidence"][document]
            right = predicted["label"] == rationales[0]["label"]
            limit = 3
            while all(len(rationale["sentences"]) > limit for rationale in rationales):
                limit += 1
            shown = predicted["sentences"][:limit]
            if right:
                label_only.append((line["id"], document))
            if right and any(all(s in shown for s in rationale["sentences"]) for rationale in rationales):
                rationalized.append((line["id"], document))
            for sentence in predicted["sentences"]:
                for rationale in rationales:
                    if sentence in rationale["sentences"] and all(
                        other in predicted["sentences"] for other in rationale["sentences"]
                    ):
                        selection.append((line["id"], document, sentence))
                        if right:
                            selection_label.append((line["id"], document, sentence))
    documents = (len(run_pairs), len(gold_pairs))
    sentences = (len(run_sentences), len(gold_sentences))
    return {
        "abstract_label_only": (len(label_only), *documents),
        "abstract_label_rationale": (len(rationalized), *documents),
        "sentence_selection_only": (len(selection), *sentences),
        "sentence_selection_label": (len(selection_label), *sentences),
    }


DOCUMENTS = st.sampled_from(["1", "2", "3", "4"])
LABELS = st.sampled_from(["SUPPORT", "CONTRADICT"])
NUMBERS = st.lists(st.integers(0, 7), unique=True, max_size=7)


@st.composite
def gold_evidence(draw):
    """Disjoint rationales: a list of distinct sentences cut into non-empty pieces."""
    evidence = {}
    for document in draw(st.sets(DOCUMENTS, max_size=3)):
        numbers, label = draw(NUMBERS.filter(bool)), draw(LABELS)
        cuts = sorted(draw(st.sets(st.integers(1, 7), max_size=3)))
        pieces = [numbers[start:end] for start, end in zip([0, *cuts], [*cuts, 8], strict=True)]
        evidence[document] = [{"sentences": piece, "label": label} for piece in pieces if piece]
    return evidence


run_evidence = st.dictionaries(DOCUMENTS, st.fixed_dictionaries({"sentences": NUMBERS, "label": LABELS}), max_size=4)


@st.composite
def gold_and_run(draw):
    gold, run = [], []
    for id in range(draw(st.integers(1, 5))):
        gold.append({"id": id, "claim": "c", "evidence": draw(gold_evidence())})
        run.append({"id": id, "evidence": draw(run_evidence)})
    return gold, run


def score(gold, run):
    """Score JSON objects without a detour over the disk."""
    labels = {"SUPPORT": Label.SUPPORTS, "CONTRADICT": Label.REFUTES}
    return score_predictions(
        [
            GoldClaim(
                Claim(str(line["id"]), line["claim"]),
                {
                    document: GoldEvidence(
                        labels[rationales[0]["label"]], tuple(frozenset(r["sentences"]) for r in rationales)
                    )
                    for document, rationales in line["evidence"].items()
                },
            )
            for line in gold
        ],
        [
            Prediction(
                str(line["id"]),
                {
                    document: PredictedDocument(labels[entry["label"]], tuple(entry["sentences"]))
                    for document, entry in line["evidence"].items()
                },
            )
            for line in run
        ],
    )


def gold_as_run(gold):
    """Predict exactly the gold, the smallest rationale first so that it is among the sentences shown."""
    return [
        {
            "id": line["id"],
            "evidence": {
                document: {
                    "sentences": [
                        s for r in sorted(rationales, key=lambda r: len(r["sentences"])) for s in r["sentences"]
                    ],
                    "label": rationales[0]["label"],
                }
                for document, rationales in line["evidence"].items()
            },
        }
        for line in gold
    ]


class TestWorkedExample:
    def test_from_files(self, write_lines):
        scores = score_scifact(write_lines("gold.jsonl", GOLD), write_lines("run.jsonl", RUN))
        for tally in (scores.abstract_label_only, scores.abstract_label_rationale):
            assert (tally.precision, tally.recall, tally.f1) == (1 / 2, 1 / 2, 1 / 2)
        for tally in (scores.sentence_selection_only, scores.sentence_selection_label):
            assert tally == Tally(correct=1, retrieved=5, relevant=4)
            assert (tally.precision, tally.recall, tally.f1) == (1 / 5, 1 / 4, pytest.approx(2 / 9))

    def test_a_wrong_label_keeps_the_selected_sentence(self):
        run = {"id": 52, "evidence": {"11": {"sentences": [11], "label": "CONTRADICT"}}}
        scores = score([GOLD], [run])
        assert scores.abstract_label_only == scores.abstract_label_rationale == Tally(0, 1, 2)
        assert scores.sentence_selection_only == Tally(1, 1, 4)
        assert scores.sentence_selection_label == Tally(0, 1, 4)

    def test_the_order_of_sentences_counts_at_abstract_level_only(self):
        late = {"id": 52, "evidence": {"15": {"sentences": [1, 2, 3, 4], "label": "SUPPORT"}}}
        scores = score([GOLD], [late])
        assert (scores.abstract_label_only.correct, scores.abstract_label_rationale.correct) == (1, 0)
        assert scores.sentence_selection_label.correct == 1
        early = {"id": 52, "evidence": {"15": {"sentences": [4, 1, 2, 3], "label": "SUPPORT"}}}
        assert score([GOLD], [early]).abstract_label_rationale.correct == 1

    def test_more_sentences_are_shown_where_the_smallest_rationale_is_longer(self):
        gold = {"id": 1, "claim": "", "evidence": {"1": [{"sentences": [0, 1, 2, 3], "label": "SUPPORT"}]}}
        run = {"id": 1, "evidence": {"1": {"sentences": [3, 2, 1, 0, 9], "label": "SUPPORT"}}}
        assert score([gold], [run]).abstract_label_rationale.correct == 1
        run["evidence"]["1"]["sentences"] = [3, 2, 9, 1, 0]
        assert score([gold], [run]).abstract_label_rationale.correct == 0


@given(gold_and_run())
@settings(max_examples=300)
def test_agrees_with_the_definition(pair):
    gold, run = pair
    scores = score(gold, run)
    expected = slow_scores(gold, run)
    assert {name: (t.correct, t.retrieved, t.relevant) for name, t in scores.metrics().items()} == expected


@given(gold_and_run())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_score_as_objects_do(tmp_path: Path, pair):
    gold, run = pair
    for name, lines in (("gold", gold), ("run", run)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert score_scifact(tmp_path / "gold", tmp_path / "run", dict.fromkeys("1234", 8)) == score(gold, run)


@given(gold_and_run())
def test_gold_against_gold_is_perfect(pair):
    gold, _ = pair
    for tally in score(gold, gold_as_run(gold)).metrics().values():
        perfect = 1.0 if tally.relevant else 0.0
        assert (tally.precision, tally.recall, tally.f1) == (perfect, perfect, perfect)


@given(gold_and_run())
def test_an_empty_prediction_has_no_recall(pair):
    gold, run = pair
    for tally in score(gold, [line | {"evidence": {}} for line in run]).metrics().values():
        assert (tally.precision, tally.recall, tally.f1) == (0, 0, 0)


@given(gold_and_run())
def test_the_order_of_documents_changes_nothing(pair):
    gold, run = pair
    turned = [line | {"evidence": dict(reversed(line["evidence"].items()))} for line in run]
    assert score(gold, run) == score(gold, turned)


@given(gold_and_run(), LABELS, NUMBERS)
def test_a_wrong_document_never_raises_precision(pair, label, numbers):
    gold, run = pair
    worse = [run[0] | {"evidence": run[0]["evidence"] | {"wrong": {"sentences": numbers, "label": label}}}, *run[1:]]
    before, after = score(gold, run).metrics(), score(gold, worse).metrics()
    for name in before:
        assert after[name].precision <= before[name].precision
        assert after[name].recall == before[name].recall


@given(gold_and_run())
def test_a_rationale_is_harder_than_a_label(pair):
    scores = score(*pair)
    assert scores.abstract_label_rationale.correct <= scores.abstract_label_only.correct
    assert scores.sentence_selection_label.correct <= scores.sentence_selection_only.correct
    for tally in scores.metrics().values():
        assert 0 <= tally.correct <= min(tally.retrieved, tally.relevant)


class TestMalformedFiles:
    @pytest.mark.parametrize(
        ("run", "line", "problem"),
        [
            ([1, 2], None, "ends where claim 3 is due"),
            ([1, 3], 2, "claim 2 is missing before this line"),
            ([1, 2, 3, 4], 4, "claim 4 is not one of the claims"),
            ([1, 4, 2, 3], 2, "claim 4 is not one of the claims"),
            ([1, 3, 2], 2, "claim 3 stands where claim 2 is due"),
            ([1, 2, 2, 3], 3, "claim 2 was already at"),
            ([], None, "ends where claim 1 is due"),
        ],
    )
    def test_claims_must_be_golds_in_its_order(self, write_lines, run, line, problem):
        gold = write_lines("gold.jsonl", *({"id": id, "claim": "", "evidence": {}} for id in (1, 2, 3)))
        path = write_lines("run.jsonl", *({"id": id, "evidence": {}} for id in run))
        with pytest.raises(RunFileError, match=problem) as caught:
            score_scifact(gold, path)
        assert caught.value.where == (f"{path}:{line}" if line else str(path))
        assert caught.value.remedy

    @pytest.mark.parametrize(
        ("evidence", "problem"),
        [
            ({"11": {"sentences": [12], "label": "SUPPORT"}}, "no sentence 12"),
            ({"99": {"sentences": [0], "label": "SUPPORT"}}, "the corpus has no document '99'"),
            ({"11": {"sentences": [0], "label": "NOT_ENOUGH_INFO"}}, "listed as evidence"),
            ({"11": {"sentences": [0], "label": "SUPPORTS"}}, "unknown label 'SUPPORTS'"),
            ({"11": {"sentences": [0, 0], "label": "SUPPORT"}}, "stands twice"),
            ({"11": [{"sentences": [0], "label": "SUPPORT"}]}, "not an object"),
        ],
    )
    def test_predictions_are_checked_against_the_corpus_too(self, write_lines, evidence, problem):
        gold = write_lines("gold.jsonl", GOLD)
        path = write_lines("run.jsonl", {"id": 52, "evidence": evidence})
        with pytest.raises(RunFileError, match=problem) as caught:
            score_scifact(gold, path, {"11": 12, "15": 5})
        assert caught.value.where == f"{path}:1"

    def test_predictions_in_memory_are_held_to_the_same_order(self):
        with pytest.raises(RunFileError, match="claim 53 is not one of the claims"):
            score([GOLD], [RUN | {"id": 53}])
        with pytest.raises(SettingError, match="no gold claims"):
            score([], [])


class TestBootstrap:
    def test_brackets_the_scores(self):
        gold = [GOLD | {"id": id} for id in range(30)]
        run = [RUN | {"id": id} if id % 3 else {"id": id, "evidence": {}} for id in range(30)]
        scores = score(gold, run)
        intervals = bootstrap(scores, resamples=2_000, seed=7)
        for name, tally in scores.metrics().items():
            recall = intervals[f"{name}_recall"]
            assert recall.low < tally.recall < recall.high
            assert recall.mean == pytest.approx(tally.recall, abs=0.01)
            assert recall.sd > 0
            # Every prediction that was made is equally precise, so resampling cannot move precision.
            assert intervals[f"{name}_precision"].sd == pytest.approx(0, abs=1e-12)

    def test_resamples_claims_not_documents(self):
        """Two claims, one perfect and one empty: a resample scores 0, 2/3 or 1, weighted by the claims' evidence."""
        gold = [GOLD, {"id": 2, "claim": "", "evidence": {"7": [{"sentences": [0], "label": "SUPPORT"}]}}]
        run = [*gold_as_run(gold)[:1], {"id": 2, "evidence": {}}]
        recall = bootstrap(score(gold, run), resamples=4_000)["abstract_label_only_recall"]
        assert (recall.low, recall.high) == (0, 1)
        assert recall.mean == pytest.approx((0 + 2 * 2 / 3 + 1) / 4, abs=0.03)


def test_values_are_the_tallies_by_name():
    scores = score([GOLD], [RUN])
    assert list(scores.values())[:3] == [f"abstract_label_only_{part}" for part in ("precision", "recall", "f1")]
    for name, tally in scores.metrics().items():
        assert scores.values()[f"{name}_f1"] == tally.f1
    assert isinstance(scores, SciFactScores)
    assert "counts" not in repr(scores)


def test_scifact_dev_against_itself():
    path = shared_data("scifact", "claims_dev.jsonl")
    with path.open(encoding="utf-8") as file:
        gold = [json.loads(line) for line in file]
    scores = score(gold, gold_as_run(gold))
    assert [tally.f1 for tally in scores.metrics().values()] == [1, 1, 1, 1]
    assert scores.abstract_label_only.relevant == sum(len(entry.evidence) for entry in load_gold(path)) == 209
    assert scores.sentence_selection_only.relevant == 366

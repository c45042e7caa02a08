import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.bootstrap import bootstrap, compare
from sciverify.evaluation.open_gold import load_open_gold
from sciverify.evaluation.pair_files import read_pairs
from sciverify.evaluation.scifact_open import gold_labels, score_pairs, score_scifact_open
from sciverify.evaluation.table import scores_table
from sciverify.evaluation.tally import Tally

NAMES = ("SUPPORT", "CONTRADICT", "NEI")


def pair(claim, doc, label, support=None, contradict=None, **more):
    row = {"claim_id": claim, "doc_id": doc, "predicted_label": label, **more}
    if support is None:
        return row
    return row | {"p_support": support, "p_contradict": contradict, "p_nei": 1 - support - contradict}


def gold_lines(evidence):
    """Gold from {claim: {doc: label}}."""
    return [
        {"id": claim, "claim": "c", "evidence": {doc: {"label": label} for doc, label in documents.items()}}
        for claim, documents in evidence.items()
    ]


@pytest.fixture
def score(tmp_path):
    """Score gold {claim: {doc: label}} against rows, through files."""

    def run(gold, rows, **options):
        paths = tmp_path / "gold.jsonl", tmp_path / "pairs.jsonl"
        for path, lines in zip(paths, (gold_lines(gold), rows), strict=True):
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        if not rows:
            paths[1].write_text(
                "".join(json.dumps({"id": claim, "evidence": {}, "candidates": []}) + "\n" for claim in gold)
            )
        return score_scifact_open(*paths, **options)

    return run


GOLD = {1: {"a": "SUPPORT", "b": "CONTRADICT"}, 2: {"a": "SUPPORT"}, 3: {}}


class TestByHand:
    rows = (
        pair(1, "a", "SUPPORT", 0.9, 0.05),
        pair(1, "b", "SUPPORT", 0.8, 0.1),  # the wrong label
        pair(1, "c", "NEI", 0.2, 0.3),
        pair(2, "a", "NEI", 0.4, 0.1),  # missed, but ranked with the right label
        pair(3, "a", "CONTRADICT", 0.1, 0.6),  # no evidence
    )

    def test_precision_recall_and_f1_follow_the_predicted_labels(self, score):
        scores = score(GOLD, self.rows)
        assert scores.pairs == Tally(correct=1, retrieved=3, relevant=3)
        values = scores.values()
        assert [values[f"pairs_{part}"] for part in ("precision", "recall", "f1")] == pytest.approx([1 / 3] * 3)

    def test_average_precision_ranks_the_pairs_predicted_nei_too(self, score):
        # 0.9 right, 0.8 wrong, 0.6 wrong, 0.4 right (2 of 4), 0.3 wrong; three gold pairs.
        scores = score(GOLD, self.rows)
        assert scores.values()["average_precision"] == pytest.approx((1 + 2 / 4) / 3)
        assert scores.curve().threshold.tolist() == [0.9, 0.8, 0.6, 0.4, 0.3]
        assert scores.curve().recall == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3, 2 / 3])

    def test_its_label_is_the_larger_of_the_two_whatever_was_predicted(self, score):
        scores = score(GOLD, [pair(1, "a", "CONTRADICT", 0.5, 0.25)])
        assert scores.values() == {
            "pairs_precision": 0,
            "pairs_recall": 0,
            "pairs_f1": 0,
            "average_precision": pytest.approx(1 / 3),
        }
        assert score(GOLD, [pair(1, "b", "CONTRADICT", 0.4, 0.4)]).values()["average_precision"] == 0  # SUPPORT

    def test_gold_pairs_that_nobody_retrieved_cost_recall(self, score):
        values = score(GOLD, [pair(1, "a", "SUPPORT", 1, 0)]).values()
        assert values["pairs_recall"] == values["average_precision"] == pytest.approx(1 / 3)

    def test_per_claim_counts(self, score):
        columns, counts = score(GOLD, self.rows).per_claim()
        assert columns == ("retrieved_pairs", "relevant_pairs", "right_label")
        assert counts.tolist() == [[2, 2, 1], [0, 1, 0], [1, 0, 0]]

    def test_only_some_documents(self, score):
        scores = score(GOLD, self.rows, documents={"a"})
        assert scores.pairs == Tally(correct=1, retrieved=2, relevant=2)
        assert scores.values()["average_precision"] == pytest.approx((1 + 2 / 3) / 2)

    def test_one_of_several_models(self, score):
        rows = [pair(1, "a", "SUPPORT", 1, 0, model="m"), pair(2, "a", "CONTRADICT", 0, 1, model="n")]
        assert score(GOLD, rows, model="m").pairs == Tally(1, 1, 3)
        assert score(GOLD, rows, model="n").pairs == Tally(0, 1, 3)
        with pytest.raises(SettingError, match="Name one of: m, n"):
            score(GOLD, rows)

    def test_without_probabilities_there_is_no_average_precision(self, score):
        scores = score(GOLD, [pair(1, "a", "SUPPORT"), pair(2, "a", "NEI")])
        assert [measure.name for measure in scores.measures] == ["pairs_precision", "pairs_recall", "pairs_f1"]
        assert scores.values()["pairs_precision"] == 1
        with pytest.raises(SettingError, match="no precision-recall curve"):
            scores.curve()

    def test_the_table_in_percent(self, score):
        lines = scores_table(score(GOLD, self.rows)).splitlines()
        assert lines[0].startswith("scifact-open, 3 claims")
        assert lines[1].split()[-3:] == ["33.33"] * 3
        assert lines[2].split()[-1] == "50.00"


class TestMalformedFiles:
    def test_a_claim_that_gold_lacks(self, score, tmp_path):
        with pytest.raises(RunFileError, match="claim 4 is not one of gold's") as caught:
            score(GOLD, [pair(1, "a", "NEI"), pair(4, "a", "NEI")])
        assert caught.value.where == f"{tmp_path / 'pairs.jsonl'}:2"

    @pytest.mark.parametrize(
        ("claims", "problem"), [([1, 2], "claim 3 is missing"), ([1, 2, 3, 4], "claim 4 is not one of gold's")]
    )
    def test_a_run_file_lists_golds_claims(self, write_lines, claims, problem):
        gold = write_lines("gold.jsonl", *gold_lines(GOLD))
        run = write_lines("run.jsonl", *({"id": id, "evidence": {}, "candidates": []} for id in claims))
        with pytest.raises(RunFileError, match=problem):
            score_scifact_open(gold, run)

    def test_probabilities_for_all_pairs_or_none(self, score, tmp_path):
        with pytest.raises(RunFileError, match="no probabilities, others of its model have") as caught:
            score(GOLD, [pair(1, "a", "NEI", 0.1, 0.1), pair(1, "b", "NEI")])
        assert caught.value.where == f"{tmp_path / 'pairs.jsonl'}:2"

    def test_no_gold_claims(self, write_lines):
        table = read_pairs(write_lines("pairs.jsonl", pair(1, "a", "NEI")))
        with pytest.raises(SettingError, match="no gold claims"):
            score_pairs([], table)


def test_a_run_file_of_ours_is_scored_as_the_table_that_it_is(write_lines):
    shares = {"p_support": 0.75, "p_contradict": 0.125, "p_nei": 0.125}
    even = {"p_support": 0.5, "p_contradict": 0, "p_nei": 0.5}
    candidates = [
        {"doc_id": "a", "score": 2.0, "found_by": [], "label": "SUPPORT", **shares},
        {"doc_id": "c", "score": 1.0, "found_by": [], "label": "NEI", **even},
    ]
    gold = write_lines("gold.jsonl", *gold_lines({1: {"a": "SUPPORT", "c": "SUPPORT"}, 2: {}}))
    line = {"id": 1, "evidence": {"a": {"sentences": [0], "label": "SUPPORT"}}, "candidates": candidates}
    run = write_lines("run.jsonl", line, {"id": 2, "evidence": {}, "candidates": []})
    scores = score_scifact_open(gold, run)
    assert scores.pairs == Tally(1, 1, 2)
    assert scores.values()["average_precision"] == 1


@st.composite
def gold_and_rows(draw):
    docs, claims = st.sampled_from("abcd"), range(draw(st.integers(1, 4)))
    gold = {claim: draw(st.dictionaries(docs, st.sampled_from(NAMES[:2]), max_size=3)) for claim in claims}
    rows = []
    for claim in claims:
        for doc in draw(st.sets(docs)):
            eighths = draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
            rows.append(pair(claim, doc, draw(st.sampled_from(NAMES)), *(n / 8 for n in eighths)))
    return gold, rows


some_pairs = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@some_pairs
@given(gold_and_rows())
def test_it_agrees_with_the_definition_pair_by_pair(score, case):
    gold, rows = case
    values = score(gold, rows).values()
    truth = {(claim, doc): label for claim, documents in gold.items() for doc, label in documents.items()}
    right = sum(truth.get((row["claim_id"], row["doc_id"])) == row["predicted_label"] for row in rows)
    retrieved = sum(row["predicted_label"] != "NEI" for row in rows)
    precision, recall = (right / n if n else 0 for n in (retrieved, len(truth)))
    f1 = 2 * precision * recall / (precision + recall) if right else 0
    best = ["CONTRADICT" if row["p_contradict"] > row["p_support"] else "SUPPORT" for row in rows]
    found = [truth.get((row["claim_id"], row["doc_id"])) == label for row, label in zip(rows, best, strict=True)]
    confidence = [max(row["p_support"], row["p_contradict"]) for row in rows]
    average = average_precision_score(found, confidence) * sum(found) / len(truth) if any(found) else 0
    assert list(values.values()) == pytest.approx([precision, recall, f1, average], abs=1e-12)


@some_pairs
@given(gold_and_rows())
def test_gold_against_gold_is_one(score, case):
    gold, _ = case
    rows = [
        pair(claim, doc, label, *((1, 0) if label == "SUPPORT" else (0, 1)))
        for claim, documents in gold.items()
        for doc, label in documents.items()
    ]
    assert set(score(gold, rows).values().values()) == ({1.0} if rows else {0.0})


@some_pairs
@given(gold_and_rows())
def test_an_empty_prediction_has_recall_nought(score, case):
    gold, _ = case
    assert set(score(gold, []).values().values()) == {0.0}


@some_pairs
@given(gold_and_rows(), st.randoms())
def test_the_order_of_rows_changes_nothing(score, case, random):
    gold, rows = case
    weights = np.array([[random.randint(0, 3) for _ in gold]]) + 1.0
    shuffled = random.sample(rows, len(rows))
    assert score(gold, rows).weighted(weights).tolist() == score(gold, shuffled).weighted(weights).tolist()


@some_pairs
@given(gold_and_rows(), st.sampled_from(NAMES[:2]), st.floats(0, 1))
def test_a_wrong_pair_more_never_raises_anything(score, case, label, support):
    gold, rows = case
    wrong = pair(0, "wrong", label, support, 1 - support)
    before, after = score(gold, rows).values(), score(gold, [*rows, wrong]).values()
    assert all(after[name] <= before[name] for name in before)


@some_pairs
@given(gold_and_rows(), st.randoms())
def test_a_weight_is_as_many_copies_of_the_claim(score, case, random):
    gold, rows = case
    weights = [random.randint(0, 3) for _ in gold]
    weights[0] += 1
    copies = [(claim, f"{claim}-{copy}") for claim, weight in zip(gold, weights, strict=True) for copy in range(weight)]
    copied_rows = [row | {"claim_id": name} for claim, name in copies for row in rows if row["claim_id"] == claim]
    copied = score({name: gold[claim] for claim, name in copies}, copied_rows).values()
    weighted = score(gold, rows).weighted(np.array([weights], dtype=float))[0]
    # Without a row left there are no pairs at all: every measure is 0.
    assert list(copied.values()) == pytest.approx(weighted.tolist(), abs=1e-12)


@some_pairs
@given(gold_and_rows())
def test_a_seed_repeats_to_the_last_bit(score, case):
    gold, rows = case
    scores = score(gold, rows)
    first = bootstrap(scores, resamples=20, seed=3)
    assert first == bootstrap(scores, resamples=20, seed=3)
    assert all(0 <= interval.low <= interval.high <= 1 for interval in first.values())


def test_two_systems_are_compared_on_the_same_draws(score):
    better = score(GOLD, [pair(1, "a", "SUPPORT", 0.9, 0), pair(2, "a", "SUPPORT", 0.8, 0)])
    worse = score(GOLD, [pair(1, "a", "SUPPORT", 0.9, 0), pair(3, "a", "SUPPORT", 0.95, 0)])
    differences = compare(better, worse, resamples=200)
    assert differences["average_precision"].value == pytest.approx(2 / 3 - 1 / 6)
    assert differences["pairs_f1"].value > 0


def test_gold_labels_of_the_rows(write_lines):
    gold = load_open_gold(write_lines("gold.jsonl", *gold_lines(GOLD)))
    rows = [pair(2, "a", "NEI"), pair(1, "c", "NEI"), pair(1, "b", "NEI"), pair(2, "b", "NEI"), pair(1, "a", "NEI")]
    table = read_pairs(write_lines("pairs.jsonl", *rows))
    assert [NAMES[label] for label in gold_labels(gold, table)] == ["SUPPORT", "NEI", "CONTRADICT", "NEI", "SUPPORT"]

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from sciverify.evaluation import average_precision
from sciverify.evaluation.average_precision import RankedPairs


@st.composite
def rankings(draw):
    """Pairs of up to 5 claims with many ties, more gold pairs than are found, and a row of weights."""
    claims = draw(st.integers(1, 5))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, claims - 1), st.integers(0, 6), st.booleans()), min_size=1, max_size=40)
    )
    claim, tenths, correct = (np.array(column) for column in zip(*pairs, strict=True))
    missed = np.array(draw(st.lists(st.integers(0, 3), min_size=claims, max_size=claims)))
    relevant = np.bincount(claim[correct], minlength=claims) + missed
    weights = draw(st.lists(st.integers(0, 4), min_size=claims, max_size=claims).filter(any))
    return RankedPairs(claim, tenths / 10, correct, relevant.astype(float)), np.array([weights], dtype=float)


def slow_average_precision(claim, score, correct, relevant):
    """Straight from the definition, on lists."""
    total = sum(relevant)
    average = previous = 0.0
    for threshold in sorted(set(score), reverse=True):
        found = sum(right for s, right in zip(score, correct, strict=True) if s >= threshold)
        retrieved = sum(s >= threshold for s in score)
        recall = found / total if total else 0.0
        average += (recall - previous) * found / retrieved
        previous = recall
    return average


def by_hand(*pairs, relevant):
    """One claim; pairs are (score, correct)."""
    score, correct = (np.array(column) for column in zip(*pairs, strict=True))
    ranked = RankedPairs(np.zeros(len(pairs), dtype=int), score, correct, np.array([float(relevant)]))
    return ranked.average_precision(np.ones((1, 1)))[0]


class TestByHand:
    def test_a_right_pair_below_a_wrong_one(self):
        assert by_hand((0.9, True), (0.8, False), (0.7, True), relevant=2) == pytest.approx((1 + 2 / 3) / 2)

    def test_ties_share_a_threshold(self):
        tied = [(0.9, True), (0.5, False), (0.5, True)]
        assert by_hand(*tied, relevant=2) == by_hand(*reversed(tied), relevant=2) == pytest.approx((1 + 2 / 3) / 2)

    def test_recall_is_over_all_gold_pairs(self):
        assert by_hand((0.9, True), relevant=4) == 0.25

    @pytest.mark.parametrize(("correct", "relevant"), [(False, 3), (False, 0)])
    def test_nothing_right_is_nought(self, correct, relevant):
        assert by_hand((0.9, correct), relevant=relevant) == 0

    def test_no_pairs_at_all(self):
        empty = RankedPairs(np.zeros(0, dtype=int), np.zeros(0), np.zeros(0, dtype=bool), np.array([2.0]))
        assert empty.average_precision(np.ones((3, 1))).tolist() == [0, 0, 0]
        assert [len(part) for part in empty.curve()] == [0, 0, 0]


@settings(max_examples=300, deadline=None)
@given(rankings())
def test_it_agrees_with_the_definition_and_with_scikit_learn(case):
    ranked, weights = case
    claim, score, correct, relevant = ranked.claim, ranked.score, ranked.correct, ranked.relevant
    once, drawn = ranked.average_precision(np.concatenate([np.ones_like(weights), weights]))
    assert once == pytest.approx(slow_average_precision(claim, score, correct, relevant), abs=1e-12)
    for value, row in ((once, np.ones_like(weights[0])), (drawn, weights[0])):
        pair_weights = row[claim]
        found = (pair_weights * correct).sum()
        # scikit-learn knows only the pairs it is given, so its recall ends at 1.
        theirs = average_precision_score(correct, score, sample_weight=pair_weights) if found else 0.0
        assert value == pytest.approx(theirs * found / (row @ relevant) if found else 0.0, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(rankings())
def test_a_weight_is_as_many_copies_of_the_claim(case):
    ranked, weights = case
    copies = [claim for claim, weight in enumerate(weights[0]) for _ in range(int(weight))]
    rows = [np.flatnonzero(ranked.claim == claim) for claim in copies]
    index = np.concatenate(rows)
    copied = RankedPairs(
        np.repeat(np.arange(len(copies)), [len(row) for row in rows]),
        ranked.score[index],
        ranked.correct[index],
        ranked.relevant[copies],
    )
    expected = copied.average_precision(np.ones((1, len(copies))))
    assert ranked.average_precision(weights) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(rankings(), st.integers(1, 7), st.integers(1, 7))
def test_the_size_of_strips_and_blocks_changes_nothing(case, strip, cells):
    ranked, weights = case
    weights = np.concatenate([weights + extra for extra in range(5)])
    expected = ranked.average_precision(weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(average_precision, "_STRIP", strip)
        patch.setattr(average_precision, "_CELLS", cells)
        assert ranked.average_precision(weights) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(rankings())
def test_the_curve_is_scikit_learns_without_its_end_point(case):
    ranked, _ = case
    ours = ranked.curve()
    found = int(ranked.correct.sum())
    assert ours.recall[-1] == (found / ranked.relevant.sum() if found else 0)
    if found:
        precision, recall, thresholds = precision_recall_curve(ranked.correct, ranked.score)
        assert ours.threshold.tolist() == thresholds[::-1].tolist()
        assert ours.precision == pytest.approx(precision[:-1][::-1])
        assert ours.recall * ranked.relevant.sum() == pytest.approx(recall[:-1][::-1] * found)


def test_memory_does_not_grow_with_the_weightings():
    random = np.random.default_rng(0)
    ranked = RankedPairs(
        random.integers(50, size=20_000), random.random(20_000), random.random(20_000) < 0.1, np.full(50, 90.0)
    )
    ranked.average_precision(np.ones((1, 50)))
    peaks = []
    for rows in (256, 2048):
        weights = random.integers(3, size=(rows, 50)).astype(float)
        tracemalloc.start()
        ranked.average_precision(weights)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100_000  # what comes back: a few numbers per weighting

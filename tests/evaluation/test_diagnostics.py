import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

from evaluation_cases import random_case
from sciverify.evaluation.diagnostics import LABELS, diagnose, reliability
from sciverify.evaluation.outcomes import ErrorType, outcomes_of
from sciverify.evaluation.scifact import score_predictions
from sciverify.evaluation.tally import Tally
from sciverify.records import Label

SEEDS = st.integers(0, 10_000)


def diagnosed(seed, *, candidates=True, corpus=True):
    case = random_case(seed, candidates=candidates)
    found = outcomes_of(case.gold, case.predictions)
    return case, found, diagnose(found, case.counts if corpus else None)


def total(groups):
    parts = [(group.label_only, group.label_rationale) for group in groups]
    return tuple(
        Tally(*(sum(getattr(pair[n], name) for pair in parts) for name in ("correct", "retrieved", "relevant")))
        for n in (0, 1)
    )


class TestGroups:
    @given(SEEDS, st.booleans())
    def test_every_way_to_part_the_documents_adds_up_to_the_scores(self, seed, candidates):
        case, _, found = diagnosed(seed, candidates=candidates)
        scores = score_predictions(case.gold, case.predictions)
        expected = (scores.abstract_label_only, scores.abstract_label_rationale)
        assert (found.overall.label_only, found.overall.label_rationale) == expected
        assert total(found.labels) == total(found.lengths) == total(found.evidence_documents) == expected

    @given(SEEDS)
    def test_rationale_sizes_leave_out_what_is_no_evidence(self, seed):
        case, outcomes, found = diagnosed(seed)
        label_only, both = total(found.rationale_sizes)
        scores = score_predictions(case.gold, case.predictions)
        wrong = sum(pair.error is ErrorType.NO_EVIDENCE for pair in outcomes.pairs)
        assert label_only.retrieved == scores.abstract_label_only.retrieved - wrong
        assert (label_only.correct, label_only.relevant) == (
            scores.abstract_label_only.correct,
            scores.abstract_label_only.relevant,
        )
        assert both.correct == scores.abstract_label_rationale.correct

    @given(SEEDS)
    def test_names_say_what_is_in_a_group(self, seed):
        case, _, found = diagnosed(seed)
        by_size = {group.name: group.label_only.relevant for group in found.rationale_sizes}
        sizes = [min(map(len, part.rationales)) for entry in case.gold for part in entry.evidence.values()]
        assert by_size.get("1 sentence", 0) == sizes.count(1)
        assert by_size.get("2 sentences", 0) == sizes.count(2)
        assert by_size.get("4 or more sentences", 0) == sum(size >= 4 for size in sizes)
        by_evidence = {group.name: group.label_only.relevant for group in found.evidence_documents}
        assert by_evidence.get("0 documents", 0) == 0
        assert by_evidence.get("1 document", 0) == sum(len(entry.evidence) == 1 for entry in case.gold)
        by_length = {group.name: group.label_only.relevant for group in found.lengths}
        lengths = [case.counts[id] for entry in case.gold for id in entry.evidence]
        assert by_length.get("up to 6 sentences", 0) == sum(length <= 6 for length in lengths)
        assert by_length.get("7 to 9 sentences", 0) == sum(7 <= length <= 9 for length in lengths)
        assert by_length.get("13 or more sentences", 0) == sum(length >= 13 for length in lengths)

    def test_labels_count_a_prediction_for_the_label_it_gives(self):
        _, outcomes, found = diagnosed(3)
        for group in found.labels:
            label = Label(group.name)
            right = sum(pair.gold is pair.predicted is label for pair in outcomes.pairs)
            given = sum(pair.predicted is label for pair in outcomes.pairs)
            gold = sum(pair.gold is label for pair in outcomes.pairs)
            assert group.label_only == Tally(right, given, gold)


class TestConfusion:
    @given(SEEDS, st.booleans())
    def test_every_outcome_is_in_one_cell(self, seed, candidates):
        _, outcomes, found = diagnosed(seed, candidates=candidates)
        assert found.confusion.sum() == len(outcomes.pairs)
        assert found.confusion[0, 0] + found.confusion[1, 1] == found.overall.label_only.correct
        assert found.confusion[:, :2].sum() == found.overall.label_only.retrieved
        assert found.confusion[:2].sum() == found.overall.label_only.relevant
        assert found.confusion[2, 3] == 0
        assert candidates or found.confusion[:, 2].sum() == 0

    @given(SEEDS)
    def test_error_types_follow_from_it(self, seed):
        _, _, found = diagnosed(seed)
        errors, cells = found.error_types, found.confusion
        assert errors.get(ErrorType.WRONG_LABEL, 0) == cells[0, 1] + cells[1, 0]
        assert errors.get(ErrorType.NO_EVIDENCE, 0) == cells[2, 0] + cells[2, 1]
        assert errors.get(ErrorType.READ_AS_NEI, 0) == cells[0, 2] + cells[1, 2]
        assert errors.get(ErrorType.NOT_RETRIEVED, 0) == cells[0, 3] + cells[1, 3]
        right = found.overall.label_only.correct - found.overall.label_rationale.correct
        assert errors.get(ErrorType.RATIONALE, 0) == right


class TestCurve:
    @given(SEEDS)
    def test_agrees_with_scikit_learn(self, seed):
        case, outcomes, found = diagnosed(seed)
        read = [pair for pair in outcomes.pairs if pair.probabilities is not None]
        relevant = sum(len(entry.evidence) for entry in case.gold)
        scores = np.array([max(pair.probabilities.supports, pair.probabilities.refutes) for pair in read])
        hits = np.array(
            [
                pair.gold is (Label.SUPPORTS if p.supports >= p.refutes else Label.REFUTES)
                for pair in read
                if (p := pair.probabilities)
            ]
        )
        if not hits.any():
            assert found.average_precision == 0
            return
        precision, recall, thresholds = precision_recall_curve(hits, scores)
        share = hits.sum() / relevant  # scikit-learn knows nothing of gold pairs that were not read
        shown = len(found.curve.threshold)
        np.testing.assert_allclose(found.curve.threshold[::-1][-len(thresholds) :], thresholds)
        np.testing.assert_allclose(found.curve.precision[::-1], precision[:shown])
        np.testing.assert_allclose(found.curve.recall[::-1], recall[:shown] * share)
        assert found.average_precision == pytest.approx(average_precision_score(hits, scores) * share)

    def test_is_left_out_where_the_run_states_no_probabilities(self):
        _, _, found = diagnosed(1, candidates=False)
        assert found.curve is found.average_precision is found.reliability is None
        assert any("no candidates" in reason for reason in found.left_out)

    def test_nothing_is_left_out_without_saying_so(self):
        assert diagnosed(1)[2].left_out == ()
        _, _, found = diagnosed(1, corpus=False)
        assert found.lengths == ()
        assert any("no corpus" in reason for reason in found.left_out)


class TestReliability:
    def test_known_values(self):
        probabilities = np.array([[0.92, 0.05, 0.03]] * 4 + [[0.2, 0.55, 0.25]] * 2)
        found = reliability(probabilities, np.array([0, 0, 0, 1, 1, 2]))
        low, high = found.bins
        assert (low.low, low.high, low.pairs, low.accuracy) == (0.5, 0.6, 2, 0.5)
        assert low.confidence == pytest.approx(0.55)
        assert (high.low, high.high, high.pairs, high.accuracy) == (0.9, 1.0, 4, 0.75)
        assert found.error == pytest.approx(4 / 6 * 0.17 + 2 / 6 * 0.05)
        assert found.pairs == 6

    def test_certainty_falls_into_the_last_bin(self):
        found = reliability(np.array([[1.0, 0.0, 0.0]]), np.array([0]))
        assert [(bin.low, bin.accuracy) for bin in found.bins] == [(0.9, 1.0)]
        assert found.error == 0

    @given(SEEDS)
    def test_counts_all_pairs_with_probabilities(self, seed):
        _, outcomes, found = diagnosed(seed)
        read = [pair for pair in outcomes.pairs if pair.probabilities is not None]
        assert found.reliability.pairs == len(read)
        right = sum(pair.gold is max(LABELS, key=lambda label, p=pair.probabilities: p.of(label)) for pair in read)
        assert sum(bin.pairs * bin.accuracy for bin in found.reliability.bins) == pytest.approx(right)

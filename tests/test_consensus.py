from __future__ import annotations

import random
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus_cases import MIXED, NEI, NO, RANKS, YES, several
from sciverify.consensus import CAVEAT, even_split_p, from_counts, share_of_yes, sum_up, wilson_interval
from sciverify.records import ConsensusLabel

COUNTS = st.integers(0, 40)
PARTS = st.floats(0, 30)


@pytest.mark.parametrize(
    ("supports", "refutes", "answer"),
    [
        (0, 0, ConsensusLabel.NEUTRAL),
        (1, 0, ConsensusLabel.AFFIRMATIVE),
        (0, 3, ConsensusLabel.NEGATIVE),
        (1, 1, ConsensusLabel.BALANCED),
        (3, 1, ConsensusLabel.BALANCED),  # p = 0.62: one against is enough where so few are in favour
        (1, 3, ConsensusLabel.BALANCED),
        (5, 1, ConsensusLabel.BALANCED),  # p = 0.22
        (7, 1, ConsensusLabel.BALANCED),  # p = 0.070
        (8, 1, ConsensusLabel.AFFIRMATIVE),  # p = 0.039
        (9, 1, ConsensusLabel.AFFIRMATIVE),  # p = 0.021
        (1, 9, ConsensusLabel.NEGATIVE),
    ],
)
def test_the_four_answers(supports, refutes, answer):
    assert sum_up(several(supports, refutes, nei=4)).label is answer


def test_nothing_found_is_neutral_and_says_why():
    consensus = sum_up([])
    assert consensus.label is ConsensusLabel.NEUTRAL
    assert (consensus.low, consensus.high) == (0.0, 1.0)
    assert "No document" in consensus.reason


def test_few_documents_of_one_mind_come_with_a_warning():
    assert "cannot rule out chance" in sum_up(several(2, 0)).reason
    assert "cannot rule out chance" not in sum_up(several(12, 0)).reason


def test_conflict_is_shown_even_where_one_side_wins():
    consensus = sum_up(several(20, 1))
    assert consensus.label is ConsensusLabel.AFFIRMATIVE
    assert consensus.conflict


@given(COUNTS, COUNTS, COUNTS)
def test_counts_are_kept_and_sides_are_symmetric(supports, refutes, nei):
    one, other = sum_up(several(supports, refutes, nei)), sum_up(several(refutes, supports, nei))
    assert (one.supports, one.refutes, one.nei) == (supports, refutes, nei)
    assert one.p_value == other.p_value
    assert one.low == pytest.approx(1 - other.high)
    opposite = {
        ConsensusLabel.AFFIRMATIVE: ConsensusLabel.NEGATIVE,
        ConsensusLabel.NEGATIVE: ConsensusLabel.AFFIRMATIVE,
    }
    assert other.label is opposite.get(one.label, one.label)


def test_the_binomial_test_agrees_with_known_values():
    assert even_split_p(9, 1) == pytest.approx(22 / 1024)
    assert even_split_p(5, 5) == 1.0
    assert even_split_p(0, 0) == 1.0
    assert even_split_p(0, 6) == pytest.approx(2 / 64)
    assert even_split_p(3, 2) == even_split_p(2, 3) == 1.0


@given(COUNTS, COUNTS)
def test_the_binomial_test_counts_outcomes(supports, refutes):
    n = supports + refutes
    as_extreme = sum(comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(supports - refutes))
    assert even_split_p(supports, refutes) == pytest.approx(as_extreme / 2**n)


@given(COUNTS, COUNTS)
def test_the_test_for_fractions_is_that_for_counts(supports, refutes):
    assert even_split_p(float(supports), float(refutes)) == pytest.approx(even_split_p(supports, refutes), rel=1e-9)


@pytest.mark.parametrize(
    ("supports", "refutes", "p"),
    [
        (2.5, 0.0, 2 * 2**-2.5),  # I½(a, 1) = 2**-a
        (6.25, 0.0, 2 * 2**-6.25),
        (3.5, 1.0, 2 * (4.5 * 2**-3.5 - 3.5 * 2**-4.5)),  # I½(a, 2) = (a + 1) 2**-a - a 2**-(a + 1)
        (0.7, 0.0, 1.0),
    ],
)
def test_the_test_for_fractions_agrees_with_closed_forms(supports, refutes, p):
    assert even_split_p(supports, refutes) == pytest.approx(p)
    assert even_split_p(refutes, supports) == pytest.approx(p)


@given(PARTS, PARTS, PARTS)
def test_more_of_the_majority_is_never_nearer_to_an_even_split(one, other, more):
    fewer, majority = sorted((one, other))
    assert even_split_p(majority + more, fewer) <= even_split_p(majority, fewer) + 1e-12


def test_a_thousand_documents_can_be_tested():
    assert even_split_p(600, 400) == pytest.approx(even_split_p(600.0, 400.0), rel=1e-9)
    assert 0 < even_split_p(5000, 4000) < 1e-20


def test_wilsons_interval_agrees_with_published_values():
    # Newcombe 1998, Statistics in Medicine 17:857, table I, method 3: 81/263 and 0/20
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_holds_the_share(successes, failures):
    low, high = wilson_interval(successes, successes + failures)
    assert 0 <= low <= high <= 1
    if successes + failures:
        assert low - 1e-9 <= successes / (successes + failures) <= high + 1e-9


@given(PARTS, PARTS, PARTS)
def test_more_in_favour_never_lowers_the_interval(successes, failures, more):
    low, high = wilson_interval(successes, successes + failures)
    new_low, new_high = wilson_interval(successes + more, successes + failures + more)
    assert 0 <= low <= high <= 1
    assert new_low >= low - 1e-12
    assert new_high >= high - 1e-12


def test_the_share_is_of_those_that_take_a_side():
    assert share_of_yes(3, 1) == 0.75
    assert share_of_yes(0, 2) == 0.0
    assert share_of_yes(0, 0) is None


@given(MIXED, st.randoms(use_true_random=False))
def test_the_order_of_articles_does_not_matter(findings, source: random.Random):
    shuffled = source.sample(findings, len(findings))
    assert sum_up(shuffled) == sum_up(findings)


@given(MIXED, NEI)
def test_an_article_without_enough_information_changes_nothing_but_its_count(findings, nei):
    before, after = sum_up(findings), sum_up([*findings, nei])
    assert after == from_counts(before.supports, before.refutes, before.nei + 1)
    assert (after.label, after.reason, after.low, after.high) == (before.label, before.reason, before.low, before.high)


@given(MIXED, YES, NO)
def test_one_more_never_moves_the_answer_to_the_other_side(findings, yes, no):
    before, more, less = sum_up(findings), sum_up([*findings, yes]), sum_up([*findings, no])
    assert RANKS[less.label] <= RANKS[before.label] <= RANKS[more.label]
    assert ConsensusLabel.NEUTRAL not in {more.label, less.label}
    assert more.low >= before.low or before.label is ConsensusLabel.NEUTRAL


def test_one_more_yes_never_moves_any_count_towards_no():
    for supports in range(70):
        for refutes in range(70):
            answer, more = from_counts(supports, refutes).label, from_counts(supports + 1, refutes).label
            assert RANKS[answer] <= RANKS[more], (supports, refutes)


def test_the_caveat_says_what_it_is_the_balance_of():
    assert "documents that were searched" in CAVEAT
    assert "not the truth" in CAVEAT

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.consensus import binomial_p, sum_up, wilson_interval
from sciverify.records import ConsensusLabel, Document, Finding, Label, Probabilities, Quote

DOCUMENT = Document.from_sentences("d", "", ["Evidence."])
COUNTS = st.integers(0, 40)


def findings(supports: int, refutes: int, nei: int = 0) -> list[Finding]:
    quote = (Quote.whole(DOCUMENT.elements[0]),)
    even = Probabilities(0.4, 0.4, 0.2)
    labels = [Label.SUPPORTS] * supports + [Label.REFUTES] * refutes + [Label.NEI] * nei
    return [Finding(DOCUMENT, label, even, () if label is Label.NEI else quote) for label in labels]


@pytest.mark.parametrize(
    ("supports", "refutes", "answer"),
    [
        (0, 0, ConsensusLabel.NEUTRAL),
        (1, 0, ConsensusLabel.AFFIRMATIVE),
        (0, 3, ConsensusLabel.NEGATIVE),
        (1, 1, ConsensusLabel.BALANCED),
        (5, 1, ConsensusLabel.BALANCED),  # p = 0.22
        (9, 1, ConsensusLabel.AFFIRMATIVE),  # p = 0.021
        (1, 9, ConsensusLabel.NEGATIVE),
    ],
)
def test_the_four_answers(supports, refutes, answer):
    assert sum_up(findings(supports, refutes, nei=4)).label is answer


def test_nothing_found_is_neutral_and_says_why():
    consensus = sum_up([])
    assert consensus.label is ConsensusLabel.NEUTRAL
    assert (consensus.low, consensus.high) == (0.0, 1.0)
    assert "No document" in consensus.reason


def test_few_documents_of_one_mind_come_with_a_warning():
    assert "cannot rule out chance" in sum_up(findings(2, 0)).reason
    assert "cannot rule out chance" not in sum_up(findings(12, 0)).reason


def test_conflict_is_shown_even_where_one_side_wins():
    consensus = sum_up(findings(20, 1))
    assert consensus.label is ConsensusLabel.AFFIRMATIVE
    assert consensus.conflict


@given(COUNTS, COUNTS, COUNTS)
def test_counts_are_kept_and_sides_are_symmetric(supports, refutes, nei):
    one, other = sum_up(findings(supports, refutes, nei)), sum_up(findings(refutes, supports, nei))
    assert (one.supports, one.refutes, one.nei) == (supports, refutes, nei)
    assert one.p_value == other.p_value
    assert one.low == pytest.approx(1 - other.high)
    opposite = {
        ConsensusLabel.AFFIRMATIVE: ConsensusLabel.NEGATIVE,
        ConsensusLabel.NEGATIVE: ConsensusLabel.AFFIRMATIVE,
    }
    assert other.label is opposite.get(one.label, one.label)


def test_the_binomial_test_agrees_with_known_values():
    assert binomial_p(9, 1) == pytest.approx(22 / 1024)
    assert binomial_p(5, 5) == 1.0
    assert binomial_p(0, 0) == 1.0
    assert binomial_p(0, 6) == pytest.approx(2 / 64)


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

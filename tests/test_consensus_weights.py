from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus_cases import MIXED, NEI, NO, RANKS, YES, finding, several
from sciverify.consensus import sum_up
from sciverify.consensus_weights import DESIGN_WEIGHTS, Weighting, default_weightings, weighted
from sciverify.errors import SettingError
from sciverify.records import ConsensusLabel, Label
from sciverify.study_design import StudyDesign

PLAIN = Weighting("none")
BY_PROBABILITY, BY_DESIGN, BY_YEAR, BY_ALL = default_weightings(as_of=2020, half_life=10)
WEIGHTINGS = st.sampled_from([PLAIN, BY_PROBABILITY, BY_DESIGN, BY_YEAR, BY_ALL])


def test_trials_stand_above_observation_and_observation_above_the_laboratory():
    assert set(DESIGN_WEIGHTS) == set(StudyDesign)
    best = min(DESIGN_WEIGHTS[StudyDesign.SYSTEMATIC_REVIEW], DESIGN_WEIGHTS[StudyDesign.RANDOMISED_TRIAL])
    assert best > DESIGN_WEIGHTS[StudyDesign.OBSERVATIONAL] > DESIGN_WEIGHTS[StudyDesign.LABORATORY] > 0
    assert DESIGN_WEIGHTS[StudyDesign.OBSERVATIONAL] > DESIGN_WEIGHTS[StudyDesign.UNKNOWN]
    assert DESIGN_WEIGHTS[StudyDesign.UNKNOWN] > DESIGN_WEIGHTS[StudyDesign.LABORATORY]


@pytest.mark.parametrize(
    ("weighting", "weight"),
    [
        (PLAIN, 1.0),
        (BY_PROBABILITY, 0.8),
        (BY_DESIGN, DESIGN_WEIGHTS[StudyDesign.OBSERVATIONAL]),
        (BY_YEAR, 0.25),
        (BY_ALL, 0.8 * DESIGN_WEIGHTS[StudyDesign.OBSERVATIONAL] * 0.25),
    ],
)
def test_a_weight_is_the_product_of_its_factors(weighting, weight):
    article = finding(Label.SUPPORTS, probability=0.8, year=2000, types=["Observational Study"])
    assert weighting.weight(article) == pytest.approx(weight)


@pytest.mark.parametrize(("year", "weight"), [(2020, 1.0), (2031, 1.0), (2010, 0.5), (1990, 0.125), (None, 0.5)])
def test_an_article_loses_half_of_its_weight_every_half_life(year, weight):
    assert BY_YEAR.weight(finding(Label.REFUTES, year=year)) == pytest.approx(weight)


def test_an_old_article_under_a_short_half_life_weighs_nothing():
    weighting = Weighting("year", half_life=1e-3, as_of=2020)
    result = weighted([finding(Label.SUPPORTS, year=1950)], weighting)
    assert (result.label, result.share) == (ConsensusLabel.NEUTRAL, None)
    assert (result.low, result.high, result.p_value) == (0.0, 1.0, 1.0)
    assert [article.weight for article in result.articles] == [0.0]


@given(st.integers(0, 25), st.integers(0, 25), st.integers(0, 3))
def test_without_weights_it_is_the_plain_count(supports, refutes, nei):
    plain, result = sum_up(several(supports, refutes, nei)), weighted(several(supports, refutes, nei), PLAIN)
    assert (result.label, result.supports, result.refutes) == (plain.label, plain.supports, plain.refutes)
    assert (result.low, result.high) == (plain.low, plain.high)
    assert result.p_value == pytest.approx(plain.p_value, rel=1e-9)


def test_trials_outweigh_case_reports():
    trials = [finding(Label.REFUTES, f"t{n}", types=["Randomized Controlled Trial"]) for n in range(7)]
    reports = [finding(Label.SUPPORTS, f"c{n}", types=["Case Reports"]) for n in range(8)]
    assert sum_up([*trials, *reports]).label is ConsensusLabel.BALANCED
    result = weighted([*trials, *reports], Weighting("design", designs=DESIGN_WEIGHTS | {StudyDesign.CASE_REPORT: 0.0}))
    assert result.label is ConsensusLabel.NEGATIVE
    assert weighted([*trials, *reports], BY_DESIGN).share == pytest.approx(1 / 8)
    assert [article.finding for article in result.articles][:7] == trials


def test_many_weak_articles_do_not_make_a_narrow_interval():
    weak = [finding(Label.SUPPORTS, f"c{n}", types=["In Vitro"]) for n in range(8)]
    strong = [finding(Label.SUPPORTS, "r", types=["Meta-Analysis"])]
    assert weighted(weak, BY_DESIGN).low == pytest.approx(weighted(strong, BY_DESIGN).low)
    assert "the weight of 1.00 articles alone cannot rule out chance" in weighted(weak, BY_DESIGN).reason


def test_a_heavy_yes_does_not_unsettle_many_light_ones():
    """Kish's effective size would fall from 10 to 2.5 here, and Wilson's interval at it would reach below one half."""
    light = [finding(Label.SUPPORTS, f"y{n}", types=["In Vitro"]) for n in range(90)]
    light += [finding(Label.REFUTES, f"n{n}", types=["In Vitro"]) for n in range(10)]
    heavy = finding(Label.SUPPORTS, "h", types=["Meta-Analysis"])
    before, after = weighted(light, BY_DESIGN), weighted([*light, heavy], BY_DESIGN)
    assert before.label is after.label is ConsensusLabel.AFFIRMATIVE
    assert before.low < after.low


def test_retracted_articles_are_left_out_and_named():
    kept = finding(Label.REFUTES, "kept")
    flagged = finding(Label.SUPPORTS, "flagged", retracted=True)
    typed = finding(Label.SUPPORTS, "a-typed", types=["Retracted Publication"])
    silent = finding(Label.NEI, "silent", retracted=True)
    for weighting in (PLAIN, *default_weightings()):
        result = weighted([flagged, kept, silent, typed], weighting)
        assert result.label is ConsensusLabel.NEGATIVE
        assert result.retracted == (typed.document, flagged.document)
        assert [article.finding for article in result.articles] == [kept]


@pytest.mark.parametrize(
    ("supports", "refutes", "reason"),
    [
        (0, 0, "No document that counts"),
        (2, 0, "All documents that count support the claim; the weight of 2.00 articles alone cannot rule out chance"),
        (0, 9, "All documents that count refute the claim."),
        (1, 2, "the weight of 1.00 articles in favour, the weight of 2.00 articles against: not told from an even"),
        (20, 1, "the weight of 20.00 articles in favour, the weight of 1.00 articles against: told from an even"),
    ],
)
def test_the_reason_says_how_the_rule_came_to_its_answer(supports, refutes, reason):
    assert weighted(several(supports, refutes), PLAIN).reason.startswith(reason)


def test_the_present_year_is_where_age_starts_unless_another_is_given():
    assert {weighting.as_of for weighting in default_weightings(as_of=2011)} == {None, 2011}
    by_year = default_weightings()[2]
    assert by_year.as_of is not None
    assert by_year.as_of > 2020
    assert by_year.weight(finding(Label.SUPPORTS, year=by_year.as_of)) == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"half_life": 0.0, "as_of": 2020},
        {"half_life": -3.0, "as_of": 2020},
        {"half_life": float("nan"), "as_of": 2020},
        {"half_life": 10.0},
        {"designs": {StudyDesign.UNKNOWN: 1.0}},
        {"designs": dict.fromkeys(StudyDesign, 1.5)},
        {"designs": dict.fromkeys(StudyDesign, float("nan"))},
    ],
)
def test_a_weighting_that_means_nothing_is_refused(options):
    with pytest.raises(SettingError) as caught:
        Weighting("wrong", **options)
    assert caught.value.remedy


@given(MIXED, WEIGHTINGS, st.randoms(use_true_random=False))
def test_the_order_of_articles_does_not_matter(findings, weighting, source: random.Random):
    assert weighted(source.sample(findings, len(findings)), weighting) == weighted(findings, weighting)


@given(MIXED, WEIGHTINGS, NEI)
def test_an_article_without_enough_information_changes_nothing(findings, weighting, nei):
    assert weighted([*findings, nei], weighting) == weighted(findings, weighting)


@given(MIXED, WEIGHTINGS, YES, NO)
def test_one_more_never_moves_the_answer_to_the_other_side(findings, weighting, yes, no):
    before = weighted(findings, weighting)
    more, less = weighted([*findings, yes], weighting), weighted([*findings, no], weighting)
    assert RANKS[less.label] <= RANKS[before.label] <= RANKS[more.label]
    if before.share is not None:
        assert more.share is not None
        assert more.share >= before.share - 1e-12
        assert more.low >= before.low - 1e-12


@given(MIXED, WEIGHTINGS)
def test_the_interval_holds_the_share_and_the_weights_add_up(findings, weighting):
    result = weighted(findings, weighting)
    assert result.supports + result.refutes == pytest.approx(sum(article.weight for article in result.articles))
    assert all(0 <= article.weight <= 1 for article in result.articles)
    assert (result.share is None) == (result.label is ConsensusLabel.NEUTRAL)
    if result.share is not None:
        assert result.low - 1e-9 <= result.share <= result.high + 1e-9

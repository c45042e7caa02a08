from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus_cases import MIXED, NEI, NO, RANKS, YES, finding, several
from sciverify.consensus import CAVEAT, sum_up
from sciverify.consensus_views import ConsensusViews, conflicts, leave_one_out, over_time, views
from sciverify.consensus_weights import Weighting, default_weightings
from sciverify.errors import SettingError
from sciverify.records import Claim, ConsensusLabel, Finding, Label, Verdict


def verdict(findings: list[Finding]) -> Verdict:
    return Verdict(Claim("1", "Tea cures hiccups."), tuple(findings), sum_up(findings), "test")


def views_of(findings: list[Finding]) -> ConsensusViews:
    return views(verdict(findings), weightings=default_weightings(as_of=2020))


def answer_by(year: int, findings: list[Finding]) -> ConsensusLabel:
    rows = [row for row in over_time(findings).years if row.year <= year]
    return rows[-1].label if rows else ConsensusLabel.NEUTRAL


def test_all_views_of_a_verdict_are_there():
    result = views_of(several(9, 1, 3))
    assert result.consensus.label is ConsensusLabel.AFFIRMATIVE
    assert result.share == 0.9
    assert [one.weighting.name for one in result.weighted] == [
        "probability",
        "study design",
        "year",
        "probability, study design and year",
    ]
    assert len(result.conflicts) == 9
    assert result.caveat == CAVEAT


def test_the_callers_weightings_and_limit_are_taken():
    result = views(verdict(several(3, 3)), weightings=[Weighting("none")], most_conflicts=2)
    assert [one.weighting.name for one in result.weighted] == ["none"]
    assert len(result.conflicts) == 2


def test_a_verdict_without_findings_has_empty_views():
    result = views_of([])
    assert result.share is None
    assert {one.label for one in result.weighted} == {ConsensusLabel.NEUTRAL}
    assert (result.leave_one_out.changes, result.leave_one_out.lowest) == ((), None)
    assert (result.over_time.years, result.over_time.unknown, result.conflicts) == ((), (), ())


def test_the_one_article_that_unanimity_hangs_on_is_named():
    findings = [*several(3, 0), finding(Label.REFUTES, "against")]
    result = leave_one_out(findings)
    assert result.label is ConsensusLabel.BALANCED
    [change] = result.changes
    assert (change.finding, change.label, change.share) == (findings[-1], ConsensusLabel.AFFIRMATIVE, 1.0)
    assert (result.lowest, result.highest) == (pytest.approx(2 / 3), 1.0)


def test_every_article_is_named_where_each_one_counts():
    result = leave_one_out(several(8, 1))  # 8 to 1 is told from an even split, 7 to 1 is not
    assert {change.finding.document.id for change in result.changes} == {f"d{number}" for number in range(8)}
    assert {change.label for change in result.changes} == {ConsensusLabel.BALANCED}


def test_an_answer_with_something_to_spare_hangs_on_no_article():
    assert leave_one_out(several(12, 1)).changes == ()


def test_without_its_only_article_nothing_is_left():
    result = leave_one_out(several(1, 0, 2))
    assert [(change.label, change.share) for change in result.changes] == [(ConsensusLabel.NEUTRAL, None)]
    assert result.lowest is None


@given(MIXED)
def test_leaving_out_is_counting_the_rest(findings):
    result = leave_one_out(findings)
    rests = [(left, sum_up([*findings[:n], *findings[n + 1 :]])) for n, left in enumerate(findings)]
    changed = [(left, rest) for left, rest in rests if rest.label is not sum_up(findings).label]
    assert len(result.changes) == len(changed)
    for change in result.changes:
        assert (change.finding, change.label) in [(left, rest.label) for left, rest in changed]
    shares = [
        rest.supports / (rest.supports + rest.refutes)
        for left, rest in rests
        if left.label is not Label.NEI and rest.supports + rest.refutes
    ]
    assert (result.lowest, result.highest) == (min(shares, default=None), max(shares, default=None))


def test_the_count_grows_with_the_years():
    findings = [
        finding(Label.SUPPORTS, "a", year=1990),
        finding(Label.SUPPORTS, "b", year=1990),
        finding(Label.NEI, "c", year=1995),
        finding(Label.REFUTES, "d", year=2001),
        finding(Label.REFUTES, "e"),
        finding(Label.NEI, "f"),
    ]
    result = over_time(findings)
    assert [(row.year, row.supports, row.refutes, row.label) for row in result.years] == [
        (1990, 2, 0, ConsensusLabel.AFFIRMATIVE),
        (2001, 2, 1, ConsensusLabel.BALANCED),
    ]
    assert [row.share for row in result.years] == [1.0, pytest.approx(2 / 3)]
    assert all(row.low <= row.share <= row.high for row in result.years)
    assert [document.id for document in result.unknown] == ["e"]


@given(MIXED)
def test_each_year_is_the_count_of_the_articles_up_to_it(findings):
    result = over_time(findings)
    dated = [f for f in findings if f.document.metadata.year is not None]
    sided = [f for f in findings if f.label is not Label.NEI]
    assert len(result.unknown) == sum(f.document.metadata.year is None for f in sided)
    assert [row.year for row in result.years] == sorted({f.document.metadata.year for f in sided} - {None})
    for row in result.years:
        plain = sum_up(f for f in dated if f.document.metadata.year <= row.year)
        assert (row.label, row.supports, row.refutes) == (plain.label, plain.supports, plain.refutes)
        assert (row.low, row.high) == (plain.low, plain.high)


@given(MIXED, YES, NO, st.integers(1900, 2030))
def test_one_more_never_moves_the_answer_of_a_year_to_the_other_side(findings, yes, no, year):
    before = RANKS[answer_by(year, findings)]
    assert RANKS[answer_by(year, [*findings, no])] <= before <= RANKS[answer_by(year, [*findings, yes])]


def test_conflicts_are_verbatim_pairs_the_strongest_first():
    findings = [
        finding(Label.SUPPORTS, "weak", probability=0.5),
        finding(Label.REFUTES, "no", probability=0.8, sentences=["It does not.", "Not at all."]),
        finding(Label.NEI, "silent"),
        finding(Label.SUPPORTS, "sure", probability=0.9, sentences=["It does."]),
        finding(Label.SUPPORTS, "gone", probability=0.99, retracted=True),
    ]
    result = conflicts(findings)
    assert [(pair.supports.document.id, pair.refutes.document.id) for pair in result] == [
        ("sure", "no"),
        ("weak", "no"),
        ("gone", "no"),
    ]
    assert [pair.strength for pair in result] == [pytest.approx(p) for p in (0.72, 0.4, 0.792)]
    best = result[0]
    assert (best.refutes.quote.element_id, best.refutes.quote.text) == ("sentence_0", "It does not.")
    for pair in result:
        for cited in (pair.supports, pair.refutes):
            element = cited.document.element(cited.quote.element_id)
            assert element.text[cited.quote.start : cited.quote.end] == cited.quote.text


def test_without_two_sides_there_is_no_conflict():
    assert conflicts(several(4, 0, 2)) == ()


def test_a_negative_number_of_conflicts_is_refused():
    with pytest.raises(SettingError):
        conflicts([], -1)


@given(MIXED, st.integers(0, 8))
def test_the_limit_keeps_the_strongest_of_all_pairs(findings, most):
    supports = sum(f.label is Label.SUPPORTS for f in findings)
    refutes = sum(f.label is Label.REFUTES for f in findings)
    all_pairs = conflicts(findings, len(findings) ** 2)
    assert len(all_pairs) == supports * refutes
    assert conflicts(findings, most) == all_pairs[:most]


@given(MIXED, st.randoms(use_true_random=False))
def test_the_order_of_articles_does_not_matter(findings, source: random.Random):
    assert views_of(source.sample(findings, len(findings))) == views_of(findings)


@given(MIXED, NEI)
def test_an_article_without_enough_information_changes_no_view(findings, nei):
    before, after = views_of(findings), views_of([*findings, nei])
    assert (after.share, after.weighted, after.leave_one_out) == (before.share, before.weighted, before.leave_one_out)
    assert (after.over_time, after.conflicts) == (before.over_time, before.conflicts)


def test_retracted_articles_are_named_and_count_in_no_view_but_the_last_of_the_conflicts():
    findings = [
        finding(Label.REFUTES, "no", year=2020),
        finding(Label.SUPPORTS, "gone", year=2010, retracted=True),
        finding(Label.SUPPORTS, "marked", types=["Retracted Publication"]),
        finding(Label.NEI, "silent", retracted=True),
    ]
    result = views(Verdict(Claim("1", "Tea cures hiccups."), tuple(findings), sum_up(findings[:1]), "test"))
    assert result.leave_one_out.label is result.consensus.label is ConsensusLabel.NEGATIVE
    assert [(row.year, row.supports, row.refutes) for row in result.over_time.years] == [(2020, 0, 1)]
    assert result.over_time.unknown == ()
    assert [document.id for document in result.retracted] == ["gone", "marked"]
    assert {pair.supports.document.id for pair in result.conflicts} == {"gone", "marked"}

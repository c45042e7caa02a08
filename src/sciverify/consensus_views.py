"""The findings seen from other sides than the plain count: weighed, without one article, by year, as pairs of quotes.

Every view is a function of the findings alone. Their order doesn't matter, a finding labelled NEI never changes it, and
one more SUPPORTS never moves an answer in it towards Negative (nor one more REFUTES towards Affirmative).
`weighted` leaves retracted articles out and names them; `leave_one_out` and `over_time` count what they are given, and
`views` gives them the articles that aren't retracted, as a verdict's consensus counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sciverify.consensus import CAVEAT, decide, even_split_p, share_of_yes, wilson_interval
from sciverify.consensus_weights import WeightedConsensus, Weighting, certainty, default_weightings, identity, weighted
from sciverify.errors import SettingError
from sciverify.records import Consensus, ConsensusLabel, Document, Finding, Label, Quote, Verdict
from sciverify.study_design import is_retracted, part_retracted

__all__ = [
    "CONFLICTS",
    "CitedQuote",
    "Conflict",
    "ConsensusViews",
    "LeaveOneOut",
    "LeftOut",
    "OverTime",
    "YearRow",
    "conflicts",
    "leave_one_out",
    "over_time",
    "views",
]

CONFLICTS = 10  # pairs of quotes that are listed unless more are asked for


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An article without which the answer is another; `share` is that of SUPPORTS among the rest, None without any."""

    finding: Finding
    label: ConsensusLabel
    share: float | None


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """What becomes of the plain count when any one article is left out.

    Attributes:
        label: the answer of all.
        changes: the articles whose removal changes it, by document id.
        lowest: the smallest share of SUPPORTS that leaving one out gives; None where no article is left.
        highest: the largest.
    """

    label: ConsensusLabel
    changes: tuple[LeftOut, ...]
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, slots=True)
class YearRow:
    """The plain count of all articles up to and including a year in which one took a side."""

    year: int
    supports: int
    refutes: int
    label: ConsensusLabel
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OverTime:
    """The plain count as it grew, and the articles that take a side but have no known year, by document id.

    The articles of `unknown` are in no row.
    """

    years: tuple[YearRow, ...]
    unknown: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """A verbatim quote with its document, and the probability of the label that it justifies."""

    document: Document
    quote: Quote
    probability: float


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two quotes that say the opposite; `strength` is the product of the probabilities of their labels."""

    supports: CitedQuote
    refutes: CitedQuote
    strength: float


@dataclass(frozen=True, slots=True)
class ConsensusViews:
    """All views of one verdict; `caveat` is the sentence to be shown beside each.

    `retracted` are the articles that take a side and were left out of all but `conflicts`, by document id.
    """

    consensus: Consensus
    share: float | None
    weighted: tuple[WeightedConsensus, ...]
    leave_one_out: LeaveOneOut
    over_time: OverTime
    conflicts: tuple[Conflict, ...]
    retracted: tuple[Document, ...]
    caveat: str = CAVEAT


def views(
    verdict: Verdict, *, weightings: Sequence[Weighting] | None = None, most_conflicts: int = CONFLICTS
) -> ConsensusViews:
    """Every view of a verdict, with the weightings of `default_weightings` unless others are given.

    Raises:
        SettingError: `most_conflicts` is negative.
    """
    findings = verdict.findings
    counted, retracted = part_retracted(findings)
    return ConsensusViews(
        verdict.consensus,
        share_of_yes(verdict.consensus.supports, verdict.consensus.refutes),
        tuple(weighted(findings, w) for w in (default_weightings() if weightings is None else weightings)),
        leave_one_out(counted),
        over_time(counted),
        conflicts(findings, most_conflicts),
        tuple(finding.document for finding in sorted(retracted, key=identity)),
    )


def leave_one_out(findings: Iterable[Finding]) -> LeaveOneOut:
    """Count again without each article in turn.

    All articles of one label have the same effect on a count, so two more counts answer for all of them.
    """
    sides = _sides(findings)
    supports, refutes = len(sides[Label.SUPPORTS]), len(sides[Label.REFUTES])
    label = _answer(supports, refutes)
    changes: list[LeftOut] = []
    shares: list[float] = []
    for side, rest in ((Label.SUPPORTS, (supports - 1, refutes)), (Label.REFUTES, (supports, refutes - 1))):
        if not sides[side]:
            continue
        share = share_of_yes(*rest)
        shares += [] if share is None else [share]
        if (answer := _answer(*rest)) is not label:
            changes += [LeftOut(finding, answer, share) for finding in sides[side]]
    changes.sort(key=lambda change: identity(change.finding))
    return LeaveOneOut(label, tuple(changes), min(shares, default=None), max(shares, default=None))


def over_time(findings: Iterable[Finding]) -> OverTime:
    """Count the articles up to each year in which one took a side, earliest first."""
    sides = _sides(findings)
    by_year: dict[int, list[int]] = {}
    unknown: list[Finding] = []
    for number, label in enumerate((Label.SUPPORTS, Label.REFUTES)):
        for finding in sides[label]:
            year = finding.document.metadata.year
            if year is None:
                unknown.append(finding)
            else:
                by_year.setdefault(year, [0, 0])[number] += 1
    rows, supports, refutes = [], 0, 0
    for year in sorted(by_year):
        supports, refutes = supports + by_year[year][0], refutes + by_year[year][1]
        low, high = wilson_interval(supports, supports + refutes)
        share = supports / (supports + refutes)
        rows.append(YearRow(year, supports, refutes, _answer(supports, refutes), share, low, high))
    return OverTime(tuple(rows), tuple(finding.document for finding in sorted(unknown, key=identity)))


def conflicts(findings: Iterable[Finding], most: int = CONFLICTS) -> tuple[Conflict, ...]:
    """Pairs of an article that supports and one that refutes, each with its best quote, the strongest pairs first.

    Pairs with a retracted article come after those without. At most `most` of the pairs, SUPPORTS times REFUTES in
    all, are given.

    Raises:
        SettingError: `most` is negative.
    """
    if most < 0:
        raise SettingError(f"the number of conflicts can't be {most}", remedy="Give 0 or more")
    sides = _sides(findings)
    # A pair is never better placed than the pair with a better placed article on one side: `most` of each side suffice.
    yes, no = (sorted(sides[label], key=_placed)[:most] for label in (Label.SUPPORTS, Label.REFUTES))
    pairs = sorted(((a, b) for a in yes for b in no), key=lambda pair: _pair_placed(*pair))
    return tuple(Conflict(_cited(a), _cited(b), certainty(a) * certainty(b)) for a, b in pairs[:most])


def _sides(findings: Iterable[Finding]) -> dict[Label, list[Finding]]:
    sides: dict[Label, list[Finding]] = {label: [] for label in Label}
    for finding in findings:
        sides[finding.label].append(finding)
    return sides


def _answer(supports: int, refutes: int) -> ConsensusLabel:
    return decide(supports, refutes, even_split_p(supports, refutes))


def _placed(finding: Finding) -> tuple[object, ...]:
    return (is_retracted(finding.document.metadata), -certainty(finding), *identity(finding))


def _pair_placed(yes: Finding, no: Finding) -> tuple[object, ...]:
    retracted = sum(is_retracted(finding.document.metadata) for finding in (yes, no))
    return (retracted, -certainty(yes) * certainty(no), _placed(yes), _placed(no))


def _cited(finding: Finding) -> CitedQuote:
    return CitedQuote(finding.document, finding.rationale[0], certainty(finding))

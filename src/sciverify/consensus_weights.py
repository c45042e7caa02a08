"""The consensus where an article counts in part: by the model's probability, its study design, its year.

A weight is a number from 0 to 1, the part of an article that it counts for, and depends on nothing but the article. The
parts on either side are added up and read by the rule of the plain count, whose test and interval are defined for
fractions. So with all weights 1 this is the plain count, and less weight means a wider interval: it is that of a sample
of as many articles as the weights add up to, which is never more than Kish's effective sample size. Kish's own, and a
bootstrap, were not taken because there one heavy article more in favour can widen the interval so far that the answer
falls from Affirmative to Balanced; here it can't.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import fsum, isfinite
from types import MappingProxyType

from sciverify.consensus import SIGNIFICANCE, decide, even_split_p, share_of_yes, wilson_interval
from sciverify.errors import SettingError
from sciverify.records import ConsensusLabel, Document, Finding, Label
from sciverify.study_design import StudyDesign, part_retracted, study_design

__all__ = [
    "DESIGN_WEIGHTS",
    "HALF_LIFE",
    "WeightedArticle",
    "WeightedConsensus",
    "Weighting",
    "certainty",
    "default_weightings",
    "identity",
    "weighted",
]

# The ladder is that of the Oxford levels of evidence (OCEBM 2011, treatment benefits), its first two steps made one; an
# unknown design stands between observational and laboratory. The numbers are a convention, not a measurement.
DESIGN_WEIGHTS: Mapping[StudyDesign, float] = MappingProxyType(
    {
        StudyDesign.SYSTEMATIC_REVIEW: 1.0,
        StudyDesign.RANDOMISED_TRIAL: 1.0,
        StudyDesign.OTHER_TRIAL: 0.5,
        StudyDesign.OBSERVATIONAL: 0.5,
        StudyDesign.UNKNOWN: 0.25,
        StudyDesign.CASE_REPORT: 0.125,
        StudyDesign.REVIEW_OR_OPINION: 0.125,
        StudyDesign.LABORATORY: 0.125,
    }
)

HALF_LIFE = 20.0  # years in which an article loses half of its weight: a convention too


@dataclass(frozen=True)
class Weighting:
    """What an article's weight depends on: the product of the factors that are asked for.

    Args:
        name: what a screen calls it.
        by_probability: the factor is the probability of the article's label.
        designs: the factor of each study design, 0 to 1.
        half_life: the factor is ½ for an article of this age in years, ¼ for one of twice the age; an article of
            unknown year counts as one of this age.
        as_of: the year from which age is counted, needed with `half_life`; later articles count in full.

    Raises:
        SettingError: a design has no weight or one outside 0 to 1; the half-life is not above 0, or has no `as_of`.
    """

    name: str
    by_probability: bool = False
    designs: Mapping[StudyDesign, float] | None = None
    half_life: float | None = None
    as_of: int | None = None

    def __post_init__(self) -> None:
        if self.designs is not None:
            for design in StudyDesign:
                value = self.designs.get(design)
                if value is None or not 0 <= value <= 1:
                    raise SettingError(
                        f"the weight of the design {design.value!r} is {value}",
                        remedy="Give every study design a weight from 0 to 1",
                    )
        if self.half_life is not None and not (isfinite(self.half_life) and self.half_life > 0):
            raise SettingError(f"the half-life is {self.half_life}", remedy="Give a number of years above 0")
        if self.half_life is not None and self.as_of is None:
            raise SettingError("a half-life needs the year from which age is counted", remedy="Give as_of=YEAR")

    def weight(self, finding: Finding) -> float:
        """The part of an article that this finding counts for, 0 to 1."""
        metadata = finding.document.metadata
        weight = certainty(finding) if self.by_probability else 1.0
        if self.designs is not None:
            weight *= self.designs[study_design(metadata.publication_types)]
        if self.half_life is not None and self.as_of is not None:
            age = self.half_life if metadata.year is None else max(0, self.as_of - metadata.year)
            weight *= 0.5 ** (age / self.half_life)
        return float(weight)


@dataclass(frozen=True, slots=True)
class WeightedArticle:
    """An article that takes a side, and the part of it that counts."""

    finding: Finding
    design: StudyDesign
    weight: float


@dataclass(frozen=True, slots=True)
class WeightedConsensus:
    """What the articles say together when each counts by its weight.

    Attributes:
        label: the answer.
        supports, refutes: the weight on either side, in articles.
        share: of the weight in favour, 0 to 1; None where there is no weight.
        low, high: the 95 % interval of the share; 0 and 1 where there is no weight.
        p_value: of the test against an even split.
        reason: how the rule came to the answer, in a sentence.
        articles: those that take a side and aren't retracted, the heaviest first.
        retracted: those that were left out because they are retracted, by document id.
    """

    weighting: Weighting
    label: ConsensusLabel
    supports: float
    refutes: float
    share: float | None
    low: float
    high: float
    p_value: float
    reason: str
    articles: tuple[WeightedArticle, ...]
    retracted: tuple[Document, ...]


def default_weightings(
    *,
    designs: Mapping[StudyDesign, float] = DESIGN_WEIGHTS,
    half_life: float = HALF_LIFE,
    as_of: int | None = None,
) -> tuple[Weighting, ...]:
    """By probability, by study design, by year, and by all three; `as_of` is the present year where none is given.

    Raises:
        SettingError: see `Weighting`.
    """
    year = datetime.now(UTC).year if as_of is None else as_of
    return (
        Weighting("probability", by_probability=True),
        Weighting("study design", designs=designs),
        Weighting("year", half_life=half_life, as_of=year),
        Weighting(
            "probability, study design and year", by_probability=True, designs=designs, half_life=half_life, as_of=year
        ),
    )


def weighted(findings: Iterable[Finding], weighting: Weighting) -> WeightedConsensus:
    """Sum findings up with weights, retracted articles left out."""
    counted, retracted = part_retracted(findings)
    articles = [
        WeightedArticle(finding, study_design(finding.document.metadata.publication_types), weighting.weight(finding))
        for finding in counted
        if finding.label is not Label.NEI
    ]
    supports, refutes = (
        fsum(article.weight for article in articles if article.finding.label is label)  # exact: in any order the same
        for label in (Label.SUPPORTS, Label.REFUTES)
    )
    p = even_split_p(supports, refutes)
    label = decide(supports, refutes, p)
    low, high = wilson_interval(supports, supports + refutes)
    return WeightedConsensus(
        weighting,
        label,
        supports,
        refutes,
        share_of_yes(supports, refutes),
        low,
        high,
        p,
        _reason(label, supports, refutes, p),
        tuple(sorted(articles, key=lambda article: (-article.weight, *identity(article.finding)))),
        tuple(finding.document for finding in sorted(retracted, key=identity)),
    )


def certainty(finding: Finding) -> float:
    """The probability of a finding's label, within 0 to 1."""
    return min(1.0, max(0.0, float(finding.probabilities.of(finding.label))))


def identity(finding: Finding) -> tuple[object, ...]:
    """A key that puts findings in one order, whatever order they came in: by document id before all."""
    quotes = tuple((quote.element_id, quote.start, quote.end) for quote in finding.rationale)
    return (finding.document.id, finding.label.value, certainty(finding), quotes)


def _reason(label: ConsensusLabel, supports: float, refutes: float, p: float) -> str:
    if label is ConsensusLabel.NEUTRAL:
        return "No document that counts supports or refutes the claim."
    chance = f"(p = {p:.2g})"
    if not supports or not refutes:
        side = "support" if supports else "refute"
        few = f"; {_parts(supports + refutes)} alone cannot rule out chance {chance}" if p > SIGNIFICANCE else ""
        return f"All documents that count {side} the claim{few}."
    told = "not told" if label is ConsensusLabel.BALANCED else "told"
    return f"{_parts(supports)} in favour, {_parts(refutes)} against: {told} from an even split {chance}."


def _parts(weight: float) -> str:
    return f"the weight of {weight:.2f} articles"

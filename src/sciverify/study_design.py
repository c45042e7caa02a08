"""What kind of study a document reports, read from its publication types alone.

`PUBLICATION_TYPES` is the whole rule: PubMed's terms (the branches "Study Characteristics" and "Publication Formats" of
MeSH, a few of Embase's terms for work on animals and in vitro), each with its design. Terms are compared without case,
spaces and punctuation, so that ``MetaAnalysis`` and ``meta-analysis`` are ``Meta-Analysis``. Terms that say nothing
about the design (Journal Article, Multicenter Study, Comparative Study, Preprint ...) aren't listed. A document without
a listed term is of unknown design: neither title nor text is searched for one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from sciverify.records import Finding, Label, Metadata

__all__ = ["PUBLICATION_TYPES", "StudyDesign", "is_retracted", "part_retracted", "study_design"]


class StudyDesign(StrEnum):
    """The designs that are told apart, in the order in which one is chosen where a document's types name several.

    A laboratory or animal study comes before the trials: a randomised trial on animals is one of animals.
    """

    SYSTEMATIC_REVIEW = "meta-analysis or systematic review"
    LABORATORY = "in vitro or animal study"
    RANDOMISED_TRIAL = "randomised trial"
    OTHER_TRIAL = "other trial"
    OBSERVATIONAL = "observational study"
    CASE_REPORT = "case report"
    REVIEW_OR_OPINION = "review or opinion"
    UNKNOWN = "unknown"


_TERMS: Mapping[StudyDesign, tuple[str, ...]] = {
    StudyDesign.SYSTEMATIC_REVIEW: ("Meta-Analysis", "Network Meta-Analysis", "Systematic Review"),
    StudyDesign.LABORATORY: (
        "Animal Experiment",
        "Animal Study",
        "Animals",
        "Clinical Trial, Veterinary",
        "In Vitro",
        "In Vitro Study",
        "In Vitro Techniques",
        "Observational Study, Veterinary",
        "Randomized Controlled Trial, Veterinary",
    ),
    StudyDesign.RANDOMISED_TRIAL: (
        "Equivalence Trial",
        "Pragmatic Clinical Trial",
        "Randomised Controlled Trial",
        "Randomized Controlled Trial",
    ),
    StudyDesign.OTHER_TRIAL: (
        "Adaptive Clinical Trial",
        "Clinical Trial",
        "Clinical Trial, Phase I",
        "Clinical Trial, Phase II",
        "Clinical Trial, Phase III",
        "Clinical Trial, Phase IV",
        "Controlled Clinical Trial",
    ),
    StudyDesign.OBSERVATIONAL: ("Clinical Study", "Observational Study", "Twin Study"),
    StudyDesign.CASE_REPORT: ("Case Report", "Case Reports"),
    StudyDesign.REVIEW_OR_OPINION: (
        "Address",
        "Clinical Conference",
        "Clinical Trial Protocol",
        "Comment",
        "Congress",
        "Consensus Development Conference",
        "Consensus Development Conference, NIH",
        "Consensus Statement",
        "Editorial",
        "Expression of Concern",
        "Guideline",
        "Historical Article",
        "Interview",
        "Introductory Journal Article",
        "Lecture",
        "Letter",
        "News",
        "Newspaper Article",
        "Overall",
        "Patient Education Handout",
        "Personal Narrative",
        "Practice Guideline",
        "Published Erratum",
        "Retraction of Publication",
        "Review",
        "Review Article",
        "Scoping Review",
    ),
}

PUBLICATION_TYPES: Mapping[str, StudyDesign] = MappingProxyType(
    {term: design for design, terms in _TERMS.items() for term in terms}
)


def study_design(publication_types: Iterable[str]) -> StudyDesign:
    """The design that the publication types name: the first in the order of `StudyDesign` where they name several."""
    named = {_design_of(term) for term in publication_types}
    return next(design for design in StudyDesign if design in named or design is StudyDesign.UNKNOWN)


def is_retracted(metadata: Metadata) -> bool:
    """Whether a document is marked as retracted, by its flag or by PubMed's type ``Retracted Publication``."""
    return metadata.retracted or any(_folded(term) == "retractedpublication" for term in metadata.publication_types)


def part_retracted(findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings that count in a consensus, and those that take a side but whose documents are retracted."""
    counted: list[Finding] = []
    retracted: list[Finding] = []
    for finding in findings:
        if not is_retracted(finding.document.metadata):
            counted.append(finding)
        elif finding.label is not Label.NEI:
            retracted.append(finding)
    return counted, retracted


@lru_cache(maxsize=1_000)
def _design_of(term: str) -> StudyDesign:
    return _BY_FOLDED.get(_folded(term), StudyDesign.UNKNOWN)


def _folded(term: str) -> str:
    return "".join(character for character in term.casefold() if character.isalnum())


_BY_FOLDED = {_folded(term): design for term, design in PUBLICATION_TYPES.items()}

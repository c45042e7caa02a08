from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.demo import demo_documents
from sciverify.records import Metadata
from sciverify.study_design import PUBLICATION_TYPES, StudyDesign, is_retracted, study_design

TERMS = st.lists(st.sampled_from([*PUBLICATION_TYPES, "Journal Article", "Multicenter Study"]) | st.text(max_size=12))


@pytest.mark.parametrize(
    ("types", "design"),
    [
        (("Journal Article", "Meta-Analysis", "Systematic Review"), StudyDesign.SYSTEMATIC_REVIEW),
        (("Meta-Analysis", "Randomized Controlled Trial"), StudyDesign.SYSTEMATIC_REVIEW),
        (("Journal Article", "Multicenter Study", "Randomized Controlled Trial"), StudyDesign.RANDOMISED_TRIAL),
        (("Clinical Trial, Phase III", "Randomized Controlled Trial"), StudyDesign.RANDOMISED_TRIAL),
        (("Letter", "Pragmatic Clinical Trial"), StudyDesign.RANDOMISED_TRIAL),
        (("Clinical Trial, Phase II",), StudyDesign.OTHER_TRIAL),
        (("Observational Study", "Multicenter Study"), StudyDesign.OBSERVATIONAL),
        (("Case Reports", "Review"), StudyDesign.CASE_REPORT),
        (("Review", "Systematic Review"), StudyDesign.SYSTEMATIC_REVIEW),
        (("Journal Article", "Review"), StudyDesign.REVIEW_OR_OPINION),
        (("Scoping Review",), StudyDesign.REVIEW_OR_OPINION),
        (("Clinical Trial Protocol", "Journal Article"), StudyDesign.REVIEW_OR_OPINION),
        (("Randomized Controlled Trial, Veterinary", "Randomized Controlled Trial"), StudyDesign.LABORATORY),
        (("In Vitro",), StudyDesign.LABORATORY),
        (("Journal Article", "Multicenter Study", "Comparative Study"), StudyDesign.UNKNOWN),
        ((), StudyDesign.UNKNOWN),
    ],
)
def test_the_design_of_publication_types(types, design):
    assert study_design(types) is design


@pytest.mark.parametrize("term", ["meta-analysis", "MetaAnalysis", "META ANALYSIS", " Meta-Analysis."])
def test_spelling_does_not_matter(term):
    assert study_design([term]) is StudyDesign.SYSTEMATIC_REVIEW


def test_a_term_inside_another_is_not_found():
    assert study_design(["Review of Reported Tumor Cases", "Not a Meta-Analysis"]) is StudyDesign.UNKNOWN


def test_every_term_stands_once_and_has_a_known_design():
    folded = {"".join(filter(str.isalnum, term.casefold())) for term in PUBLICATION_TYPES}
    assert len(folded) == len(PUBLICATION_TYPES)
    assert set(PUBLICATION_TYPES.values()) == set(StudyDesign) - {StudyDesign.UNKNOWN}


@given(TERMS, st.randoms(use_true_random=False))
def test_neither_order_nor_a_term_without_a_design_matters(types, source: random.Random):
    shuffled = [*types, "Journal Article"]
    source.shuffle(shuffled)
    assert study_design(shuffled) is study_design(types)


@given(TERMS, st.sampled_from(list(PUBLICATION_TYPES)))
def test_one_more_term_never_moves_down_the_order(types, more):
    order = list(StudyDesign)
    assert order.index(study_design([*types, more])) <= order.index(study_design(types))


@pytest.mark.parametrize(
    ("metadata", "retracted"),
    [
        (Metadata(retracted=True), True),
        (Metadata(publication_types=("Journal Article", "Retracted Publication")), True),
        (Metadata(publication_types=("Retraction of Publication",)), False),
        (Metadata(), False),
    ],
)
def test_retraction_is_told_by_flag_and_by_type(metadata, retracted):
    assert is_retracted(metadata) is retracted


def test_the_demo_corpus_has_every_design_but_those_its_types_cannot_tell():
    designs = {document.id: study_design(document.metadata.publication_types) for document in demo_documents()}
    assert designs["demo-cast-1991"] is StudyDesign.RANDOMISED_TRIAL
    assert set(designs.values()) == set(StudyDesign) - {StudyDesign.LABORATORY}
    assert all(is_retracted(d.metadata) == d.metadata.retracted for d in demo_documents())

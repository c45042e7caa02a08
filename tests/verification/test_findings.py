from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.models.crossencoder import Decision
from sciverify.records import Candidate, Claim, Document, Finding, Label, Problem
from sciverify.verification.findings import each_apart, make_finding, quotable

DOCUMENT = Document.from_sentences("d", "Title", ["One.", "", "Three.", "Four."])
CANDIDATE = Candidate(DOCUMENT, 1.0)


def find(probabilities: tuple[float, float, float], elements: tuple[float, ...], **decision: float) -> Finding:
    logits = np.array(elements, dtype=np.float32)
    return make_finding(CANDIDATE, np.array(probabilities), logits, Decision(**decision))  # type: ignore[arg-type]


def test_below_the_evidence_threshold_a_document_is_nei_and_quotes_nothing():
    found = find((0.3, 0.1, 0.6), (5, 5, 5, 5), evidence=0.5)
    assert (found.label, found.rationale) == (Label.NEI, ())


def test_at_the_threshold_the_likelier_side_stands():
    assert find((0.3, 0.2, 0.5), (5, 5, 5, 5), evidence=0.5).label is Label.SUPPORTS
    assert find((0.2, 0.3, 0.5), (5, 5, 5, 5), evidence=0.5).label is Label.REFUTES


def test_elements_that_reach_the_threshold_are_quoted_best_first_and_blank_ones_never():
    found = find((0.9, 0.05, 0.05), (0.1, 9, 3, -1), element=0.5)
    assert [quote.element_id for quote in found.rationale] == ["sentence_2", "sentence_0"]


def test_when_no_element_reaches_it_the_best_one_is_quoted():
    found = find((0.9, 0.05, 0.05), (-2, -1, -3, -4), element=0.5)
    assert [quote.text for quote in found.rationale] == ["One."]


def test_at_most_so_many_elements_are_quoted():
    assert len(find((0.9, 0.05, 0.05), (4, 4, 4, 4), quotes=2).rationale) == 2


def test_a_document_with_nothing_to_quote_is_nei_however_sure_the_model_is():
    blank = Document.from_sentences("blank", "", ["", "  "])
    found = make_finding(Candidate(blank, 1.0), np.array([0.9, 0.05, 0.05]), np.array([3, 3], np.float32), Decision())
    assert found.label is Label.NEI


def test_quotable_leaves_out_blank_elements():
    assert quotable(DOCUMENT) == [0, 2, 3]


@given(
    st.lists(st.floats(0.01, 10), min_size=3, max_size=3),
    st.lists(st.floats(-30, 30, width=32), min_size=4, max_size=4),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_any_scores_make_a_finding_that_keeps_its_promises(weights, elements, evidence, element):
    total = sum(weights)
    found = find(tuple(w / total for w in weights), tuple(elements), evidence=evidence, element=element)
    assert (found.label is Label.NEI) == (not found.rationale)


def test_only_the_document_at_fault_is_lost():
    pairs = [(Claim("1", "c"), Candidate(Document.from_sentences(f"d{n}", "", ["x"]), 1.0)) for n in range(7)]

    def verify(pairs):
        if any(candidate.document.id == "d4" for _, candidate in pairs):
            raise ValueError("cannot read it")
        return [find((0.9, 0.05, 0.05), (1, 1, 1, 1)) for _ in pairs]

    results = each_apart(verify, pairs)
    assert [type(result) for result in results] == [Finding] * 4 + [Problem] + [Finding] * 2
    assert results[4] == Problem("document 'd4'", "ValueError: cannot read it")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_stopping_is_not_a_problem_of_a_document(error):
    def verify(pairs):
        raise error

    with pytest.raises(error):
        each_apart(verify, [(Claim("1", "c"), CANDIDATE)])

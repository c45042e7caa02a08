from __future__ import annotations

import numpy as np
import pytest

from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Decision, Passage, Scores
from sciverify.records import Candidate, Claim, Document, Finding, Label, Problem
from sciverify.verification import GivenRationaleVerifier, JointVerifier
from sciverify.verification.reading import ModelVerifier

CLAIM = Claim("c", "Tea cures hiccups.")
DOCUMENT = Document.from_sentences("d", "Tea", ["Zero.", "One.", "Two.", "Three.", " ", "Five.", "Six.", "Seven."])


class Model:
    """Keeps what it is given to read and always answers the same probabilities."""

    name = "fake@0"
    decision = Decision()

    def __init__(self, supports=0.8, refutes=0.1):
        self.answer = np.array([supports, refutes, 1 - supports - refutes])
        self.read = []

    def score(self, passages):
        self.read += passages
        return [Scores(np.zeros(3, np.float32), 0.0, np.zeros(len(p.elements), np.float32)) for p in passages]

    def probabilities(self, scores):
        return self.answer


def verify(model, rationales, documents=(DOCUMENT,), decision=None):
    decision = decision or Decision()
    verifier = GivenRationaleVerifier(model, decision, {"c": {"d": rationales}})
    return verifier.verify([(CLAIM, Candidate(document, 1.0)) for document in documents])


def ids(finding):
    return [quote.element_id for quote in finding.rationale]


def test_only_the_rationales_are_read_and_all_of_them_quoted():
    model = Model()
    [found] = verify(model, [{"sentence_5", "sentence_2", "sentence_7"}, {"sentence_6", "sentence_3"}, {"sentence_0"}])
    [passage] = model.read
    assert (passage.claim, passage.title) == ("Tea cures hiccups.", "Tea")
    assert list(passage.elements) == ["Zero.", "Two.", "Three.", "Five.", "Six.", "Seven."]
    assert found.label is Label.SUPPORTS
    assert found.probabilities.supports == 0.8
    # More than `Decision.quotes`: the rationale is given. The smallest comes first.
    expected = [f"sentence_{number}" for number in (0, 3, 6, 2, 5, 7)]
    assert ids(found) == expected
    assert {quote.score for quote in found.rationale} == {1.0}


def test_the_label_is_the_models_even_where_it_says_nothing():
    assert verify(Model(0.1, 0.6), [{"sentence_1"}])[0].label is Label.REFUTES
    [found] = verify(Model(0.2, 0.1), [{"sentence_1"}])
    assert (found.label, found.rationale) == (Label.NEI, ())
    assert found.probabilities.nei == pytest.approx(0.7)
    assert verify(Model(0.8, 0.1), [{"sentence_1"}], decision=Decision(evidence=0.95))[0].label is Label.NEI


def test_a_document_without_a_rationale_is_nei_and_not_read():
    other = Document.from_sentences("other", "", ["Tea cures hiccups."])
    model = Model()
    found = verify(model, [{"sentence_1"}], [other, DOCUMENT, other], Decision(evidence=0.0))
    assert [finding.label for finding in found] == [Label.NEI, Label.SUPPORTS, Label.NEI]
    assert found[0].probabilities.nei == 1.0
    assert len(model.read) == 1
    verifier = GivenRationaleVerifier(model, Decision(), {"another claim": {"d": [{"sentence_1"}]}})
    [found] = verifier.verify([(CLAIM, Candidate(DOCUMENT, 1.0))])
    assert found.label is Label.NEI


def test_a_rationale_of_blank_sentences_is_none():
    model = Model()
    [found] = verify(model, [{"sentence_4"}])
    assert (found.label, model.read) == (Label.NEI, [])
    assert ids(verify(model, [{"sentence_4", "sentence_1"}])[0]) == ["sentence_1"]


def test_an_element_that_the_document_lacks_is_a_problem_of_that_document():
    first, second = verify(Model(), [{"sentence_99"}], [DOCUMENT, Document.from_sentences("e", "", ["Zero."])])
    assert isinstance(first, Problem)
    assert "sentence_99" in first.message
    assert isinstance(second, Finding)


def test_the_shipped_model_can_be_told_too():
    verifier = JointVerifier()
    assert isinstance(verifier, ModelVerifier)
    given = GivenRationaleVerifier(verifier.model, verifier.decision, {"c": {"d": [{"sentence_0"}]}})
    assert isinstance(given, ModelVerifier)
    check = load_cross_encoder().card["self_check"][0]
    document = Document.from_sentences("d", check["title"], check["elements"])
    given = GivenRationaleVerifier(verifier.model, verifier.decision, {"c": {"d": [{"sentence_1"}]}})
    [found] = given.verify([(Claim("c", check["claim"]), Candidate(document, 1.0))])
    alone = verifier.model.score([Passage(check["claim"], check["title"], check["elements"][1:2])])
    assert found.probabilities.supports == pytest.approx(verifier.model.probabilities(alone[0])[0])
    assert ids(found) == ([] if found.label is Label.NEI else ["sentence_1"])

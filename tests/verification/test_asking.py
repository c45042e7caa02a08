from __future__ import annotations

from collections.abc import Sequence

import pytest

from measuring_fakes import Literal
from sciverify.records import Candidate, Claim, Document, Finding, Label, Problem
from sciverify.testing.verifiers import VerifierSuite
from sciverify.verification import JointVerifier, PartialModel, QuestionVerifier
from sciverify.verification.reading import ModelVerifier

DOCUMENT = Document.from_sentences("d", "Tea", ["yes"])


class Spy(JointVerifier):
    """Reads "yes" as support and "no" as refutation, and remembers the claims."""

    def __init__(self) -> None:
        super().__init__(Literal())
        self.read: list[str] = []

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        self.read += [claim.text for claim, _ in pairs]
        return super().verify(pairs)


class TestAsVerifier(VerifierSuite):
    @pytest.fixture
    def verifier(self) -> QuestionVerifier:
        return QuestionVerifier(JointVerifier())


def verify(text: str, document: Document = DOCUMENT) -> tuple[list[str], Finding]:
    spy = Spy()
    [finding] = QuestionVerifier(spy).verify([(Claim("q", text), Candidate(document, 1.0))])
    assert isinstance(finding, Finding)
    return spy.read, finding


def test_the_claim_that_a_question_asks_about_is_judged():
    read, finding = verify("Is gout cured by tea?")
    assert read == ["gout is cured by tea"]
    assert finding.label is Label.SUPPORTS


def test_where_yes_denies_the_claim_the_sides_are_changed_over():
    read, turned = verify("Does tea not cure gout?")
    assert read == ["tea cures gout"]
    _, finding = verify("Does tea cure gout?")
    assert (finding.label, turned.label) == (Label.SUPPORTS, Label.REFUTES)
    assert turned.rationale == finding.rationale
    assert turned.probabilities.refutes == finding.probabilities.supports
    assert turned.probabilities.supports == finding.probabilities.refutes
    assert turned.probabilities.nei == finding.probabilities.nei


@pytest.mark.parametrize("text", ["Tea does not cure gout.", "Tea cures gout.", "Why does tea cure gout?", "", "?"])
def test_what_is_no_closed_question_is_judged_as_it_stands(text):
    read, finding = verify(text)
    assert read == [text]
    assert finding.label is Label.SUPPORTS


def test_another_model_may_read():
    verifier = QuestionVerifier(JointVerifier(Literal()))
    assert isinstance(verifier, ModelVerifier)
    partial = verifier.with_model(PartialModel(verifier.model, "claim-only"))
    assert isinstance(partial.inner, JointVerifier)
    assert partial.decision == verifier.decision
    assert partial.model is not verifier.model

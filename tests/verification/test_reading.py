from __future__ import annotations

import pytest

from sciverify.errors import SettingError
from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Passage
from sciverify.records import Candidate, Claim, Document
from sciverify.testing.verifiers import EVIDENCE, VerifierSuite
from sciverify.verification import INPUTS, JointVerifier, PartialModel, PipelineVerifier

PASSAGE = Passage("Exercise lowers pressure.", "A trial", ["We asked.", "It fell."])


class Recorder:
    """The shipped model, keeping what it is given to read."""

    def __init__(self):
        model = load_cross_encoder()
        self.name, self.decision, self.probabilities = model.name, model.decision, model.probabilities
        self._score, self.read = model.score, []

    def score(self, passages):
        self.read += passages
        return self._score(passages)


def test_each_input_hides_what_it_says():
    for input, seen in (
        ("full", PASSAGE),
        ("claim-only", Passage(PASSAGE.claim, "", ["", ""])),
        ("abstract-only", Passage("", PASSAGE.title, PASSAGE.elements)),
    ):
        model = Recorder()
        PartialModel(model, input).score([PASSAGE])
        assert model.read == [seen]
    with pytest.raises(SettingError, match="claim-only, abstract-only"):
        PartialModel(Recorder(), "title-only")


@pytest.mark.parametrize("kind", [JointVerifier, PipelineVerifier])
def test_nothing_of_the_hidden_part_reaches_the_model(kind):
    pairs = [(Claim("1", PASSAGE.claim), Candidate(EVIDENCE, 1.0))]
    whole = kind(evidence=0.0, element=0.1)
    for input in INPUTS[1:]:
        model = Recorder()
        whole.with_model(PartialModel(model, input)).verify(pairs)
        texts = {text for passage in model.read for text in (passage.title, *passage.elements)}
        claims = {passage.claim for passage in model.read}
        assert model.read
        assert (claims, texts) == (({PASSAGE.claim}, {""}) if input == "claim-only" else ({""}, texts - {""}))


@pytest.mark.parametrize("kind", [JointVerifier, PipelineVerifier])
def test_a_verifier_with_another_model_keeps_its_thresholds(kind):
    chosen = kind(evidence=0.25, element=0.35)
    other = chosen.with_model(PartialModel(chosen.model, "abstract-only"))
    assert (other.name, other.decision) == (chosen.name, chosen.decision)


def test_without_the_document_every_document_gets_the_same_label():
    verifier = JointVerifier().with_model(PartialModel(load_cross_encoder(), "claim-only"))
    other = Document.from_sentences("other", "Weather", ["It rained.", "It snowed.", "The sun shone."])
    found = verifier.verify(
        [(Claim("1", "Exercise lowers blood pressure."), Candidate(d, 1.0)) for d in (EVIDENCE, other)]
    )
    assert found[0].probabilities == found[1].probabilities


def test_without_the_claim_opposite_claims_get_the_same_label():
    verifier = JointVerifier().with_model(PartialModel(load_cross_encoder(), "abstract-only"))
    claims = [Claim("1", "Exercise lowers blood pressure."), Claim("2", "Exercise raises blood pressure.")]
    found = verifier.verify([(claim, Candidate(EVIDENCE, 1.0)) for claim in claims])
    assert found[0].probabilities == found[1].probabilities
    with_claims = JointVerifier().verify([(claim, Candidate(EVIDENCE, 1.0)) for claim in claims])
    assert with_claims[0].probabilities != with_claims[1].probabilities


@pytest.mark.parametrize("input", INPUTS[1:])
class TestPartialVerifier(VerifierSuite):
    @pytest.fixture
    def verifier(self, input):
        return JointVerifier().with_model(PartialModel(load_cross_encoder(), input))

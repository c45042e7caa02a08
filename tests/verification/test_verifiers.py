from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from measuring_fakes import Literal
from sciverify.errors import SettingError
from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Decision, Passage, Scores
from sciverify.records import Candidate, Claim, Document, Label
from sciverify.testing.verifiers import EVIDENCE, VerifierSuite
from sciverify.verification import JointVerifier, PartialModel, PipelineVerifier


class TestJointVerifier(VerifierSuite):
    @pytest.fixture
    def verifier(self):
        return JointVerifier()

    def test_thresholds_may_be_given(self, verifier):
        never = JointVerifier(evidence=1.0)
        [found] = self.verify(never, "Exercise lowers blood pressure.", [EVIDENCE])
        assert found.label is Label.NEI
        generous = JointVerifier(evidence=0.0, element=0.0)
        [found] = self.verify(generous, "Exercise lowers blood pressure.", [EVIDENCE])
        assert len(found.rationale) == 3

    def test_the_name_prints_the_thresholds(self):
        assert JointVerifier(evidence=0.25, element=0.5, reread=0, alone=1).name == (
            "joint(evidence=0.25, element=0.5, reread=0, alone=1)"
        )

    def test_how_well_a_document_was_found_counts(self):
        document = Document.from_sentences("d", "", ["yes indeed."])
        pairs = [(Claim("1", "So it is."), Candidate(document, score)) for score in (1.0, 0.5, 0.1, 17.0)]
        for weight, labels in ((0.0, "yyyy"), (12.0, "ynny")):
            found = JointVerifier(Literal(decision=Decision(retrieval=weight))).verify(pairs)
            assert ["n" if finding.label is Label.NEI else "y" for finding in found] == list(labels)
            assert (found[0].probabilities == found[1].probabilities) == (weight == 0)


class TestPipelineVerifier(VerifierSuite):
    @pytest.fixture
    def verifier(self):
        return PipelineVerifier()

    def test_the_label_comes_from_the_chosen_sentences_alone(self):
        for evidence in (0.5, 0.0):
            verifier = PipelineVerifier(element=0.999999, evidence=evidence)
            [found] = self.verify(verifier, "Exercise lowers blood pressure.", [EVIDENCE])
            assert found.label is Label.NEI  # no sentence was chosen, so there is nothing to label from
            assert found.probabilities.nei == 1.0


class Contrary(Literal):
    """Says the opposite of what it reads, and remembers that."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision=decision)
        self.read: list[Passage] = []

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        self.read += passages
        return [replace(scores, label=scores.label[[1, 0, 2]]) for scores in super().score(passages)]


class TestPipelineOfTwoModels(VerifierSuite):
    @pytest.fixture
    def verifier(self):
        return PipelineVerifier(load_cross_encoder(), PartialModel(load_cross_encoder(), "full"))

    def test_one_chooses_and_the_other_labels(self):
        document = Document.from_sentences("d", "Title", ["Who knows.", "yes indeed.", "It rained."])
        labeller = Contrary(Decision())
        [found] = PipelineVerifier(Literal(), labeller).verify([(Claim("1", "So."), Candidate(document, 1.0))])
        assert found.label is Label.REFUTES
        assert [quote.element_id for quote in found.rationale] == ["sentence_1"]
        assert labeller.read == [Passage("So.", "Title", ["yes indeed."])]

    def test_each_brings_its_own_thresholds(self):
        selector = Literal(decision=Decision(temperature=9, element=0.3, evidence=0.1, quotes=2))
        labeller = Literal(decision=Decision(temperature=2, element=0.9, evidence=0.7, quotes=8))
        verifier = PipelineVerifier(selector, labeller)
        assert verifier.decision == Decision(temperature=2, element=0.3, evidence=0.7, quotes=2)
        assert verifier.name == "pipeline(element=0.3, evidence=0.7)"
        given = PipelineVerifier(selector, labeller, element=0.0, evidence=0.0)
        assert (given.decision.element, given.decision.evidence) == (0, 0)

    def test_the_thresholds_of_one_model_are_of_whole_documents(self):
        both = Literal(decision=Decision(element=0.3, evidence=0.7))
        for verifier in (PipelineVerifier(both), PipelineVerifier(both, both)):
            assert not verifier.has_two_models
            assert (verifier.decision.element, verifier.decision.evidence) == (0.5, 0.5)

    def test_both_may_be_replaced(self):
        verifier = PipelineVerifier(Literal(), Literal(), element=0.25)
        one, two = Literal(), Literal()
        changed = verifier.with_model(two, one)
        assert (changed.selector, changed.model, changed.decision) == (one, two, verifier.decision)
        assert not verifier.with_model(one).has_two_models


@pytest.mark.parametrize("verifier", [JointVerifier, PipelineVerifier])
@pytest.mark.parametrize("option", ["evidence", "element"])
@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), "high"])
def test_a_threshold_out_of_range_is_refused(verifier, option, value):
    with pytest.raises(SettingError, match=option):
        verifier(**{option: value})


def test_the_known_pairs_of_the_card_get_their_labels():
    """Two opposite claims on one document, and one on a document about something else."""
    pairs = []
    for check in load_cross_encoder().card["self_check"]:
        document = Document.from_sentences("known", check["title"], check["elements"])
        pairs.append((Claim("1", check["claim"]), Candidate(document, 1.0)))
    found = JointVerifier().verify(pairs)
    assert [finding.label for finding in found] == [Label.SUPPORTS, Label.REFUTES, Label.NEI]
    for finding in found[:2]:
        assert "sentence_1" in {quote.element_id for quote in finding.rationale}  # the one that says it

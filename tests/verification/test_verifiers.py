from __future__ import annotations

import pytest

from measuring_fakes import Literal
from sciverify.errors import SettingError
from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Decision
from sciverify.records import Candidate, Claim, Document, Label
from sciverify.testing.verifiers import EVIDENCE, VerifierSuite
from sciverify.verification import JointVerifier, PipelineVerifier


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
        assert JointVerifier(evidence=0.25, element=0.5, reread=0).name == "joint(evidence=0.25, element=0.5, reread=0)"

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

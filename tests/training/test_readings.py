"""How two models are read and fitted on held-out claims; whole documents are in test_calibration.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from measuring_fakes import Literal
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.models.crossencoder import Decision, Passage, Scores, calibrated
from sciverify.records import Candidate, Claim, Document, Filters, Finding, Label, Ranking
from sciverify.training.calibration import calibration_error, score_decision
from sciverify.training.readings import TwoSteps
from sciverify.verification import PipelineVerifier

DOCUMENTS = [
    Document.from_sentences("for", "", ["Nothing here.", "They say yes clearly.", "maybe so."]),
    Document.from_sentences("against", "", ["They say no clearly.", "maybe so."]),
    Document.from_sentences("other", "", ["maybe so.", "Nothing here.", "Nor here."]),
]


def claim(id: str, evidence: Mapping[str, tuple[Label, int]]) -> GoldClaim:
    found = {document: GoldEvidence(label, (frozenset({n}),)) for document, (label, n) in evidence.items()}
    return GoldClaim(Claim(id, f"Claim {id}."), found)


CLAIMS = [
    claim("1", {"for": (Label.SUPPORTS, 1), "against": (Label.REFUTES, 0)}),
    claim("2", {"for": (Label.SUPPORTS, 1)}),
    claim("3", {}),
]


class Finds:
    """Every document, in one order, with scores of no scale."""

    name = "finds()"

    def retrieve(self, claims: Sequence[Claim], k: int = 10, filters: Filters | None = None) -> list[Ranking]:
        found = tuple(Candidate(document, 40.0 - n) for n, document in enumerate(DOCUMENTS[:k]))
        return [Ranking(found) for _ in claims]


class Selector(Literal):
    """Sure of "clearly", in doubt (0.7) about "maybe"."""

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        doubt = {"clearly": 4.0, "maybe": 0.85}
        return [
            Scores(np.zeros(3, np.float32), 0.0, np.array([self._logit(t, doubt) for t in p.elements], np.float32))
            for p in passages
        ]

    @staticmethod
    def _logit(text: str, doubt: Mapping[str, float]) -> float:
        return next((logit for word, logit in doubt.items() if word in text), -4.0)


class Labeller(Literal):
    """Counts what it reads."""

    def __init__(self) -> None:
        super().__init__(sure=3.0)
        self.read: list[Passage] = []

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        self.read += passages
        return super().score(passages)


@pytest.fixture
def labeller() -> Labeller:
    return Labeller()


@pytest.fixture
def read(labeller: Labeller) -> Any:
    return TwoSteps().read({"selector": Selector(), "labeller": labeller}, CLAIMS, Finds())


def test_each_element_is_read_alone(read: Any) -> None:
    assert [(item.gold.claim.id, item.candidate.document.id, item.rank) for item in read] == [
        (entry.claim.id, document.id, rank) for entry in CLAIMS for rank, document in enumerate(DOCUMENTS)
    ]
    assert read[0].elements.tolist() == pytest.approx([-4, 4, 0.85])


def test_the_label_is_that_of_what_a_threshold_chooses(read: Any, labeller: Labeller) -> None:
    strict, loose = (TwoSteps().scored(read, Decision(element=threshold)) for threshold in (0.9, 0.5))
    nothing = strict[2].scores.label
    assert calibrated(nothing, Decision(temperature=3.0)).tolist() == [0, 0, 1]
    assert np.isfinite(loose[2].scores.label).all()
    assert len(labeller.read) == len({(p.claim, tuple(p.elements)) for p in labeller.read})
    before = len(labeller.read)
    TwoSteps().scored(read[:4], Decision(element=0.4))  # it chooses what 0.5 does
    assert len(labeller.read) == before


def test_the_selector_is_fitted_before_the_labeller(read: Any) -> None:
    decision = TwoSteps().fit(read, CLAIMS)
    assert decision.element > 0.7  # what it doubts is never in a rationale
    assert decision.retrieval == 0  # the scores of TF-IDF have no scale
    scored = TwoSteps().scored(read, decision)
    scores = score_decision(scored, CLAIMS, decision)
    assert scores.sentence_selection_only.recall == 1
    assert 0 <= calibration_error(scored, decision) < 0.5


def test_it_reads_as_the_system_does(read: Any, labeller: Labeller) -> None:
    """The same probabilities as the verifier that gets the decision."""
    decision = Decision(temperature=1.5, element=0.6, evidence=0.4)
    pairs = [
        (entry.claim, candidate) for entry in CLAIMS for candidate in Finds().retrieve([entry.claim])[0].candidates
    ]
    labeller.decision = decision
    selector = Selector(decision=decision)
    found = PipelineVerifier(selector, labeller).verify(pairs)
    expected: list[NDArray[np.float64]] = [
        calibrated(item.scores.label, decision, item.candidate.score) for item in TwoSteps().scored(read, decision)
    ]
    for finding, probabilities in zip(found, expected, strict=True):
        assert isinstance(finding, Finding)
        shown = finding.probabilities
        assert [shown.supports, shown.refutes, shown.nei] == pytest.approx(probabilities.tolist())


def test_quantisation_sees_one_element_at_a_time() -> None:
    whole = [Passage(str(n), "T", [f"{n} {e}" for e in range(size)]) for n, size in enumerate((2, 2, 0, 2))]
    assert [passage.elements for passage in TwoSteps().passages(whole)] == [["0 0"], ["1 1"], ["3 0"]]

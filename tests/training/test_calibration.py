from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.models.crossencoder import LABELS, Decision, Passage, Scores, calibrated, softmax
from sciverify.records import Candidate, Claim, Document, Filters, Label, Ranking
from sciverify.training.calibration import (
    Scored,
    calibration_error,
    fit_decision,
    fit_probabilities,
    score_candidates,
    score_decision,
)

DOCUMENTS = {
    id: Document.from_sentences(id, f"About {id}", [f"{id} zero.", f"{id} one.", f"{id} two."]) for id in "abcd"
}


def claim(id: str, evidence: Mapping[str, tuple[Label, tuple[int, ...]]]) -> GoldClaim:
    return GoldClaim(
        Claim(id, f"claim {id}"), {doc: GoldEvidence(label, (frozenset(s),)) for doc, (label, s) in evidence.items()}
    )


def scored(
    gold: GoldClaim, document: str, rank: int, probabilities: Sequence[float], elements: Sequence[float]
) -> Scored:
    """A candidate whose scores are given as probabilities."""
    label = np.log(np.array(probabilities, dtype=np.float32))
    chances = np.array(elements, dtype=np.float32)
    logits = np.log(chances / (1 - chances))
    return Scored(gold, Candidate(DOCUMENTS[document], 1.0), rank, Scores(label, 0.0, logits))


CLAIMS = [
    claim("1", {"a": (Label.SUPPORTS, (0, 2))}),
    claim("2", {"b": (Label.REFUTES, (1,))}),
    claim("3", {}),
    claim("4", {"c": (Label.SUPPORTS, (2,))}),
]
# Evidence has at least 0.72, the rest at most 0.66; rationale sentences at least 0.83, the others at most 0.76.
SCORED = [
    scored(CLAIMS[0], "a", 0, (0.70, 0.02, 0.28), (0.90, 0.75, 0.84)),
    scored(CLAIMS[0], "d", 1, (0.30, 0.35, 0.35), (0.90, 0.76, 0.20)),
    scored(CLAIMS[1], "a", 0, (0.60, 0.05, 0.35), (0.60, 0.60, 0.60)),
    scored(CLAIMS[1], "b", 1, (0.10, 0.64, 0.26), (0.70, 0.83, 0.10)),
    scored(CLAIMS[2], "d", 0, (0.33, 0.33, 0.34), (0.95, 0.60, 0.60)),
    scored(CLAIMS[3], "c", 0, (0.92, 0.02, 0.06), (0.20, 0.72, 0.86)),
]


def test_the_gold_label_of_a_pair() -> None:
    assert [s.label for s in SCORED[:4]] == [Label.SUPPORTS, Label.NEI, Label.NEI, Label.REFUTES]


class TestScoreCandidates:
    def test_pairs_come_in_the_order_of_claim_and_rank(self) -> None:
        class Fixed:
            name = "fixed"

            def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
                found = {"1": "ab", "2": "", "3": "cab"}
                return [Ranking(tuple(Candidate(DOCUMENTS[d], 1.0) for d in found[c.id][:k])) for c in claims]

        class Model:
            def score(self, passages: Sequence[Passage]) -> list[Scores]:
                self.passages = passages
                return [
                    Scores(np.zeros(3, np.float32), float(n), np.zeros(3, np.float32)) for n in range(len(passages))
                ]

        model = Model()
        found = score_candidates(model, CLAIMS[:3], Fixed(), 2)  # type: ignore[arg-type]
        assert [(s.gold.claim.id, s.candidate.document.id, s.rank) for s in found] == [
            ("1", "a", 0),
            ("1", "b", 1),
            ("3", "c", 0),
            ("3", "a", 1),
        ]
        assert [s.scores.relevance for s in found] == [0, 1, 2, 3]
        assert model.passages[2] == Passage("claim 3", "About c", ["c zero.", "c one.", "c two."])


class TestProbabilities:
    @pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
    def test_a_known_temperature_is_found(self, temperature: float) -> None:
        rng = np.random.default_rng(11)
        logits = rng.normal(scale=3 * temperature, size=(6000, 3))
        drawn = [rng.choice(3, p=row) for row in softmax(logits / temperature)]
        found = fit_probabilities([labelled(row, LABELS[label]) for row, label in zip(logits, drawn, strict=True)])
        assert found.temperature == pytest.approx(temperature, rel=0.1)

    @pytest.mark.parametrize("weight", [0.0, 2.0, 6.0])
    def test_a_known_weight_of_retrieval_is_found(self, weight: float) -> None:
        rng = np.random.default_rng(7)
        logits = rng.normal(scale=2, size=(6000, 3))
        retrieved = rng.uniform(size=6000)
        probabilities = calibrated(logits, Decision(retrieval=weight), retrieved)
        drawn = [LABELS[rng.choice(3, p=row)] for row in probabilities]
        found = fit_probabilities(
            [labelled(*row) for row in zip(logits, drawn, retrieved, strict=True)],
        )
        assert found.temperature == pytest.approx(1, rel=0.1)
        assert found.retrieval == pytest.approx(weight, abs=0.5)

    def test_retrieval_that_misleads_is_left_out(self) -> None:
        """Nothing makes a document likelier for being found last."""
        worse = [labelled(np.zeros(3), Label.NEI if n % 2 else Label.SUPPORTS, float(n % 2)) for n in range(20)]
        assert fit_probabilities(worse).retrieval == 0

    def test_a_model_that_is_always_right_gets_colder_and_one_that_guesses_hotter(self) -> None:
        right = [labelled(np.eye(3)[n % 3], LABELS[n % 3]) for n in range(30)]
        guesses = [labelled(np.eye(3)[n % 3] * 4, LABELS[n // 3 % 3]) for n in range(27)]
        assert fit_probabilities(right).temperature < 1 < fit_probabilities(guesses).temperature


class TestDecision:
    def test_thresholds_part_what_can_be_parted(self) -> None:
        decision = fit_decision(SCORED, CLAIMS)
        scores = score_decision(SCORED, CLAIMS, decision)
        assert {name: tally.f1 for name, tally in scores.metrics().items()} == dict.fromkeys(scores.metrics(), 1.0)
        assert decision.temperature == fit_probabilities(SCORED).temperature
        default = score_decision(SCORED, CLAIMS, Decision())
        assert default.abstract_label_rationale.f1 < 1
        assert default.sentence_selection_label.f1 < 1

    def test_the_evidence_threshold_is_that_of_tempered_probabilities(self) -> None:
        cold = score_decision(SCORED, CLAIMS, Decision(temperature=1.0, evidence=0.7, element=0.8))
        hot = score_decision(SCORED, CLAIMS, Decision(temperature=8.0, evidence=0.7, element=0.8))
        assert cold.abstract_label_only.correct == 3
        assert hot.abstract_label_only.retrieved < 3

    def test_three_sentences_are_quoted_at_most(self) -> None:
        assert fit_decision(SCORED, CLAIMS).quotes == 3

    def test_retrieval_decides_where_the_model_cannot(self) -> None:
        found = scored(CLAIMS[0], "a", 0, (0.5, 0.1, 0.4), (0.9, 0.1, 0.1))
        late = replace(found, candidate=replace(found.candidate, score=0.2))
        for retrieval, retrieved in ((0.0, 1), (5.0, 0)):
            scores = score_decision([late], CLAIMS, Decision(retrieval=retrieval))
            assert scores.abstract_label_only.retrieved == retrieved

    def test_only_ranks_below_k_count(self) -> None:
        decision = Decision(evidence=0.7, element=0.8)
        found = [score_decision(SCORED, CLAIMS, decision, k).abstract_label_rationale.correct for k in (1, 2, None)]
        assert found == [2, 3, 3]

    def test_when_nothing_is_likely_every_claim_still_counts(self) -> None:
        scores = score_decision(SCORED, CLAIMS, Decision(evidence=0.99))
        assert len(scores.counts) == 4
        tally = scores.abstract_label_only
        assert (tally.correct, tally.retrieved, tally.relevant) == (0, 0, 3)


class TestCalibrationError:
    def test_known_values(self) -> None:
        def sure(probability: float, right: int, wrong: int) -> list[Scored]:
            rest = (1 - probability) / 2
            logits = np.log([probability, rest, rest])
            return [labelled(logits, label) for label in [Label.SUPPORTS] * right + [Label.NEI] * wrong]

        assert calibration_error(sure(0.9, 9, 1), Decision()) == pytest.approx(0, abs=1e-6)
        assert calibration_error(sure(0.9, 6, 4), Decision()) == pytest.approx(0.3, abs=1e-6)
        both = sure(0.9, 6, 4) + sure(0.55, 22, 8)  # a quarter is off by 0.3, the rest by 22/30 - 0.55
        assert calibration_error(both, Decision()) == pytest.approx(0.25 * 0.3 + 0.75 * (22 / 30 - 0.55), abs=1e-6)

    def test_opposite_errors_of_one_bin_even_out(self) -> None:
        one = labelled(np.log([0.5, 0.25, 0.25]), Label.SUPPORTS)
        other = labelled(np.log([0.5, 0.25, 0.25]), Label.REFUTES)
        assert calibration_error([one, other], Decision()) == pytest.approx(0, abs=1e-6)

    def test_the_temperature_is_applied(self) -> None:
        wrong = [labelled(np.array([9.0, 0, 0]), Label.REFUTES), labelled(np.array([9.0, 0, 0]), Label.SUPPORTS)]
        assert calibration_error(wrong, Decision()) == pytest.approx(0.5, abs=1e-3)
        assert calibration_error(wrong, Decision(temperature=8.0)) < 0.2

    def test_certainty_falls_into_the_last_bin(self) -> None:
        assert calibration_error([labelled(np.array([1000.0, 0, 0]), Label.SUPPORTS)], Decision()) == 0


def test_softmax_of_large_logits() -> None:
    rows = softmax(np.array([[1e4, 0, -1e4], [0, 0, 0]]))
    np.testing.assert_allclose(rows, [[1, 0, 0], [1 / 3] * 3])


def labelled(logits: NDArray[np.float64], label: Label, retrieved: float = 1.0) -> Scored:
    """A candidate with these label logits and this gold label."""
    evidence: dict[str, tuple[Label, tuple[int, ...]]] = {} if label is Label.NEI else {"a": (label, (0,))}
    scores = Scores(logits.astype(np.float32), 0.0, np.zeros(3, np.float32))
    return Scored(claim("1", evidence), Candidate(DOCUMENTS["a"], retrieved), 0, scores)

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from measuring_fakes import Literal
from sciverify.errors import TrainingError
from sciverify.evaluation.bootstrap import bootstrap
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.models.crossencoder import Passage, Scores
from sciverify.records import Claim, Document, Label
from sciverify.systems.experiment import with_documents
from sciverify.systems.pipeline import Pipeline
from sciverify.training.examples import Example
from sciverify.training.measuring import BASELINES, SIDES, Measurement, measure_documents, measure_labels
from sciverify.training.science import Cited
from sciverify.verification import JointVerifier

SUPPORTS, REFUTES, NEI = Label


class TestLabels:
    def test_known_values(self) -> None:
        measured = labels(("a", "yes", SUPPORTS), ("b", "no", REFUTES), ("c", "perhaps", REFUTES), ("d", "yes", NEI))
        assert (measured.name, measured.setting, measured.pairs) == ("toy", "given texts", 4)
        assert set(measured.scores) == {"model", *BASELINES}
        model = measured.scores["model"].values()
        assert model["accuracy"] == 2 / 4
        assert (model["supports_recall"], model["refutes_recall"], model["nei_recall"]) == (1, 1 / 2, 0)
        assert model["macro_f1"] == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)

    def test_the_baselines_answer_without_the_text(self) -> None:
        measured = labels(("a", "yes", SUPPORTS), ("b", "no", REFUTES), ("c", "no", REFUTES), ("d", "perhaps", NEI))
        assert measured.scores["model"].values()["accuracy"] == 1
        assert measured.scores["claim-only"].values()["nei_recall"] == 1
        assert measured.scores["claim-only"].values()["accuracy"] == 1 / 4
        assert measured.scores["majority"].values()["refutes_recall"] == 1
        assert measured.scores["majority"].values()["accuracy"] == 2 / 4

    def test_labels_that_cannot_be_chosen_share_no_probability(self) -> None:
        class Doubtful(Literal):
            def _score(self, passage: Passage) -> Scores:
                return Scores(np.log(np.array([0.1, 0.3, 0.6], np.float32)), 0.0, np.zeros(1, np.float32))

        examples = [Example("a", "", ("x",), REFUTES)]
        of_two = measure_labels("toy", "given texts", JointVerifier(Doubtful()), examples, SIDES)
        assert of_two.scores["model"].values()["accuracy"] == 1
        assert of_two.calibration_error == pytest.approx(1 - 0.75)
        assert of_two.scores["model"].values()["macro_f1"] == 1 / 2  # over two labels, though only one occurs
        of_three = measure_labels("toy", "given texts", JointVerifier(Doubtful()), examples)
        assert of_three.scores["model"].values()["accuracy"] == 0

    def test_the_texts_of_one_claim_are_drawn_together(self) -> None:
        alone = labels(*((f"{n}", "yes" if n % 2 else "no", SUPPORTS) for n in range(40)))
        together = labels(*((f"{n // 20}", "yes" if n < 20 else "no", SUPPORTS) for n in range(40)))
        assert len(alone.scores["model"].ids) == 40
        assert len(together.scores["model"].ids) == 2
        assert alone.scores["model"].values()["accuracy"] == together.scores["model"].values()["accuracy"] == 1 / 2
        few, many = (bootstrap(m.scores["model"], resamples=200)["accuracy"].sd for m in (together, alone))
        assert few > 2 * many

    def test_calibration_error_is_that_of_the_likeliest_label(self) -> None:
        sure = labels(("a", "yes", SUPPORTS), ("b", "yes", REFUTES), model=Literal(50.0))
        assert sure.calibration_error == pytest.approx(1 / 2)

    @pytest.mark.parametrize("examples", [[], [Example("a", "", ("x",))], [Example("a", "", ("x",), NEI)]])
    def test_what_cannot_be_measured_is_refused(self, examples: list[Example]) -> None:
        with pytest.raises(TrainingError) as caught:
            measure_labels("toy", "given texts", JointVerifier(Literal()), examples, SIDES)
        assert caught.value.where == "toy"


class TestDocuments:
    corpus: ClassVar = {
        "a": Document.from_sentences("a", "", ["Methods.", "It is yes indeed.", "Notes.", "More."]),
        "b": Document.from_sentences("b", "", ["Perhaps.", "Unknown."]),
        "c": Document.from_sentences("c", "", ["no effect.", "Unknown."]),
    }
    claims = (
        GoldClaim(Claim("1", "One."), {"a": GoldEvidence(SUPPORTS, (frozenset({1}),))}, ("a", "b")),
        GoldClaim(Claim("2", "Two."), {"c": GoldEvidence(SUPPORTS, (frozenset({0}),))}, ("c",)),
    )

    def measured(self, majority_reads: int | None = None) -> Measurement:
        data = Cited("toy", self.claims, self.corpus)
        system = Pipeline("toy", JointVerifier(Literal()))
        told = with_documents(system, data, {gold.claim.id: gold.cited for gold in self.claims})
        return measure_documents("toy", "given documents", told, self.claims, majority_reads)

    def test_known_values(self) -> None:
        measured = self.measured()
        assert measured.pairs == 3
        model = measured.scores["model"].values()
        assert model["abstract_label_only_precision"] == model["abstract_label_only_recall"] == 1 / 2
        assert model["sentence_selection_only_f1"] == 1
        assert model["sentence_selection_label_f1"] == 1 / 2
        likely = np.exp(4) / (np.exp(4) + 2)
        assert measured.calibration_error == pytest.approx(likely - 2 / 3)

    def test_a_model_that_sees_only_the_claim_finds_nothing(self) -> None:
        assert set(self.measured().scores["claim-only"].values().values()) == {0}

    def test_the_majority_quotes_what_comes_first(self) -> None:
        everywhere = self.measured().scores["majority"].values()
        assert everywhere["abstract_label_only_precision"] == 2 / 3
        assert everywhere["abstract_label_rationale_recall"] == 1
        assert everywhere["sentence_selection_only_precision"] == 2 / (3 + 2 + 2)
        first_only = self.measured(1).scores["majority"].values()
        assert first_only["abstract_label_only_precision"] == 1

    def test_a_document_that_cannot_be_read_stops_the_measurement(self) -> None:
        class Broken(Literal):
            def score(self, passages: object) -> list[Scores]:
                raise ValueError("out of order")

        data = Cited("toy", self.claims, self.corpus)
        told = with_documents(Pipeline("toy", JointVerifier(Broken())), data, {"1": ("a",), "2": ("c",)})
        with pytest.raises(TrainingError, match="out of order") as caught:
            measure_documents("toy", "given documents", told, self.claims, None)
        assert "claim 1" in caught.value.where


def labels(*texts: tuple[str, str, Label], model: Literal | None = None) -> Measurement:
    examples = [Example(claim, "", (text,), label) for claim, text, label in texts]
    return measure_labels("toy", "given texts", JointVerifier(model or Literal()), examples)

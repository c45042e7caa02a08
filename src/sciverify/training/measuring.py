"""What a verifier gets right on annotated claims, beside two baselines.

The baselines are *claim-only*, the same model with its document hidden (`sciverify.verification.PartialModel`), and
*majority*, the most frequent answer. There are two ways: SciFact's four metrics of a system that reads whole documents,
and how often the likeliest label is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import TrainingError
from sciverify.evaluation.boolean import BooleanAnswer, score_boolean_answers
from sciverify.evaluation.diagnostics import reliability
from sciverify.evaluation.gold import GoldClaim
from sciverify.evaluation.measures import CountedScores, Measure, Scores, prf_measures
from sciverify.evaluation.runs import PredictedDocument, Prediction, predicted_documents
from sciverify.evaluation.scifact import score_predictions
from sciverify.models.crossencoder import LABELS, Decision, Passage
from sciverify.records import Label
from sciverify.systems.experiment import with_input
from sciverify.systems.pipeline import Pipeline
from sciverify.training.examples import Example
from sciverify.verification import JointVerifier, PartialModel
from sciverify.verification.reading import PassageModel
from sciverify.verification.rereading import reread

__all__ = ["BASELINES", "SIDES", "Measurement", "measure_documents", "measure_labels"]

BASELINES = ("claim-only", "majority")
SIDES = (Label.SUPPORTS, Label.REFUTES)

_SHOWN = 3  # sentences that the majority quotes: as many as SciFact's abstract level looks at
_MEASURES = (
    Measure("accuracy", "Accuracy"),
    Measure("macro_f1", "Macro-F1"),
    *(measure for label in LABELS for measure in prf_measures(label.value.lower(), label.value)),
)


@dataclass(frozen=True)
class Measurement:
    """A set in one setting, and the scores on it.

    Attributes:
        name: the set.
        setting: what the model was given.
        pairs: of a claim and a text, all that were read.
        scores: by what answered: "model", and each of `BASELINES`. The units that are resampled are claims.
        calibration_error: expected, of the model's likeliest label, over all pairs that it read.
    """

    name: str
    setting: str
    pairs: int
    scores: Mapping[str, Scores]
    calibration_error: float


def measure_documents(
    name: str, setting: str, system: Pipeline, gold: Sequence[GoldClaim], majority_reads: int | None
) -> Measurement:
    """SciFact's four metrics of a system.

    Args:
        name: the set.
        setting: what the system is given.
        system: what is asked.
        gold: the claims.
        majority_reads: of how many of a claim's candidates, the best, the majority says the more frequent of SUPPORTS
            and REFUTES, quoting their first three sentences; None is all.

    Raises:
        TrainingError: a document could not be read, or the system retrieves nothing.
    """
    predictions, probabilities, labels = _run(system, gold)
    hidden, *_ = _run(with_input(system, "claim-only"), gold)
    scores = {
        "model": score_predictions(gold, predictions),
        "claim-only": score_predictions(gold, hidden),
        "majority": score_predictions(gold, _majority(system, gold, majority_reads)),
    }
    return Measurement(name, setting, len(labels), scores, reliability(probabilities, labels).error)


def measure_labels(
    name: str, setting: str, verifier: JointVerifier, examples: Sequence[Example], classes: Sequence[Label] = LABELS
) -> Measurement:
    """Accuracy, macro-F1, and precision, recall and F1 of each label, of the likeliest label of each example.

    The thresholds of the decision play no part: they balance precision and recall of findings.

    Args:
        name: the set.
        setting: what is read.
        verifier: what reads, a second time too if its decision says so.
        examples: with labels.
        classes: the labels to choose from; the probabilities of the others are left out. Macro-F1 is over these.

    Raises:
        TrainingError: there are no examples, or one has none of these labels.
    """
    if not examples or any(example.label not in classes for example in examples):
        raise TrainingError(f"an example has none of the labels {', '.join(classes)}, or there are none", where=name)
    gold = [example.label for example in examples if example.label is not None]
    passages = [Passage(example.claim, example.title, example.elements) for example in examples]
    probabilities = _probabilities(verifier.model, passages, classes, verifier.decision)
    hidden = _probabilities(PartialModel(verifier.model, "claim-only"), passages, classes, verifier.decision)
    [(most_frequent, _)] = Counter(gold).most_common(1)
    claims = [example.claim for example in examples]
    scores = {
        "model": _label_scores(claims, gold, _likeliest(probabilities), classes),
        "claim-only": _label_scores(claims, gold, _likeliest(hidden), classes),
        "majority": _label_scores(claims, gold, [most_frequent] * len(gold), classes),
    }
    columns = np.array([LABELS.index(label) for label in gold])
    return Measurement(name, setting, len(gold), scores, reliability(probabilities, columns).error)


def _run(
    system: Pipeline, gold: Sequence[GoldClaim]
) -> tuple[list[Prediction], NDArray[np.float64], NDArray[np.int64]]:
    """A system's predictions, and over all pairs that it read the probabilities, shape (pairs, 3), and gold labels."""
    predictions, probabilities, labels = [], [], []
    for entry, verdict in zip(gold, system.check([entry.claim for entry in gold]), strict=True):
        if verdict.problems:
            raise TrainingError(
                verdict.problems[0].message, where=f"claim {entry.claim.id}, {verdict.problems[0].where}"
            )
        predictions.append(Prediction(entry.claim.id, predicted_documents(verdict.findings)))
        for finding in verdict.findings:
            evidence = entry.evidence.get(finding.document.id)
            probabilities.append([finding.probabilities.of(label) for label in LABELS])
            labels.append(LABELS.index(evidence.label if evidence else Label.NEI))
    return predictions, np.array(probabilities, dtype=np.float64).reshape(-1, len(LABELS)), np.array(labels, np.int64)


def _majority(system: Pipeline, gold: Sequence[GoldClaim], read: int | None) -> list[Prediction]:
    sides = Counter(evidence.label for entry in gold for evidence in entry.evidence.values())
    label = max(SIDES, key=lambda side: sides[side])
    if system.retriever is None:
        raise TrainingError("a system that retrieves nothing cannot be measured", remedy="Give it an index")
    rankings = system.retriever.retrieve([entry.claim for entry in gold], system.k)
    return [
        Prediction(
            entry.claim.id,
            {
                candidate.document.id: PredictedDocument(label, tuple(range(len(candidate.document.elements))[:_SHOWN]))
                for candidate in ranking.candidates[:read]
                if candidate.document.elements
            },
        )
        for entry, ranking in zip(gold, rankings, strict=True)
    ]


def _probabilities(
    model: PassageModel, passages: Sequence[Passage], classes: Sequence[Label], decision: Decision
) -> NDArray[np.float64]:
    """Of the labels in `classes`, the others 0; shape (passages, 3), rows sum to 1."""
    read = reread(model, passages, model.score(passages), decision.reread, decision.alone)
    probabilities = np.array([model.probabilities(scores) for scores in read])
    probabilities *= [label in classes for label in LABELS]
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))


def _likeliest(probabilities: NDArray[np.float64]) -> list[Label]:
    return [LABELS[column] for column in probabilities.argmax(axis=1)]


def _label_scores(
    claims: Sequence[str], gold: Sequence[Label], said: Sequence[Label], classes: Sequence[Label]
) -> CountedScores:
    """Scores of labels pair by pair, resampled by claim, for the pairs of one claim are alike."""
    pairs = score_boolean_answers(
        {str(n): label for n, label in enumerate(gold)},
        {str(n): BooleanAnswer(label) for n, label in enumerate(said)},
        classes=classes,
    )
    order = {claim: row for row, claim in enumerate(dict.fromkeys(claims))}
    counts = np.zeros((len(order), pairs.counts.shape[1]))
    np.add.at(counts, [order[claim] for claim in claims], pairs.counts)
    return CountedScores("labels", tuple(order), _MEASURES, pairs.columns, counts, pairs.formula)

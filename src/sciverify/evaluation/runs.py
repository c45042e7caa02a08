"""Runs: files of predictions in SciFact's published form.

One JSON object a line, in the order of the claims file::

    {"id": 1, "evidence": {"11": {"sentences": [1, 11, 13], "label": "SUPPORT"}}, "candidates": [...]}

Sentences are numbered from 0 and stand best first. Documents that say nothing about the claim are left out of
``evidence``. ``candidates`` is ours and may be missing: every document that was read, in the order of retrieval
(`sciverify.evaluation.candidates`). `sciverify.evaluation.run_writer` writes runs line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from sciverify.errors import RunFileError, place
from sciverify.evaluation.candidates import PredictedCandidate, candidate_object, predicted_candidates, read_candidates
from sciverify.evaluation.form import (
    LABELS,
    Line,
    claim_id,
    evidence_label,
    evidence_object,
    read_lines,
    sentences,
)
from sciverify.records import ElementKind, Finding, Label, Verdict

__all__ = [
    "PredictedDocument",
    "Prediction",
    "check_order",
    "json_id",
    "predicted_documents",
    "prediction_line",
    "predictions_from",
    "read_run",
    "run_line",
]

_NAMES = {label: name for name, label in LABELS.items()}


@dataclass(frozen=True, slots=True)
class PredictedDocument:
    """What was predicted for one document: SUPPORTS or REFUTES, and sentence numbers, best first."""

    label: Label
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line of a run: the documents predicted as evidence for a claim, and where the line stands.

    `candidates` are all documents that were read, rank 1 first; None where the run does not say.
    """

    claim_id: str
    evidence: Mapping[str, PredictedDocument]
    where: str = ""
    candidates: tuple[PredictedCandidate, ...] | None = None


def prediction_line(verdict: Verdict) -> dict[str, object]:
    """A verdict as a line of a run, ready for `json.dumps`.

    Raises:
        RunFileError: as from `predicted_documents` and `predicted_candidates`.
    """
    where = f"claim {verdict.claim.id}"
    documents = predicted_documents(verdict.findings, where)
    return run_line(Prediction(verdict.claim.id, documents, "", predicted_candidates(verdict.findings, where)))


def run_line(prediction: Prediction) -> dict[str, object]:
    """A prediction as a line of a run, ready for `json.dumps`."""
    line: dict[str, object] = {
        "id": json_id(prediction.claim_id),
        "evidence": {
            id: {"sentences": list(document.sentences), "label": _NAMES[document.label]}
            for id, document in prediction.evidence.items()
        },
    }
    if prediction.candidates is not None:
        line["candidates"] = [candidate_object(candidate) for candidate in prediction.candidates]
    return line


def predicted_documents(findings: Iterable[Finding], where: str = "") -> dict[str, PredictedDocument]:
    """The findings that support or refute, by document id: what a run file holds of them.

    Elements other than sentences are left out: the form has no place for them.

    Raises:
        RunFileError: there are two findings on one document, or one that quotes no sentence.
    """
    predicted: dict[str, PredictedDocument] = {}
    for finding in findings:
        if finding.label is Label.NEI:
            continue
        id = finding.document.id
        if id in predicted:
            raise RunFileError(
                f"there are two findings on document {id!r}", where=where, remedy="Give each document one finding"
            )
        predicted[id] = PredictedDocument(finding.label, tuple(_sentence_numbers(finding)))
    return predicted


def read_run(
    path: str | Path, claim_ids: Sequence[str] | None = None, corpus: Mapping[str, int] | None = None
) -> list[Prediction]:
    """The predictions of a file, in file order.

    Args:
        path: the run file.
        claim_ids: the claims that it must list, in this order; None takes any.
        corpus: how many sentences each document has; None leaves out the check of ids and upper bounds.

    Raises:
        RunFileError: a line is malformed, or the claims are not the expected ones.
    """
    predictions = predictions_from(read_lines(path), corpus)
    if claim_ids is not None:
        check_order(predictions, claim_ids, path)
    return predictions


def predictions_from(lines: Iterable[Line], corpus: Mapping[str, int] | None = None) -> list[Prediction]:
    """The predictions that these lines hold; arguments and errors as for `read_run`."""
    predictions: dict[str, Prediction] = {}
    for line in lines:
        prediction = _prediction(line.fields, line.where, corpus)
        earlier = predictions.setdefault(prediction.claim_id, prediction)
        if earlier is not prediction:
            problem = f"claim {prediction.claim_id} was already at {earlier.where}"
            raise RunFileError(problem, where=line.where, remedy="Keep one of them")
    return list(predictions.values())


def check_order(
    predictions: Sequence[Prediction], claim_ids: Sequence[str], path: str | Path = "", *, complete: bool = True
) -> None:
    """Refuse predictions that are not for these claims in this order; with `complete` False, for the first of them.

    Raises:
        RunFileError: a claim is missing, unknown or out of its place; the message says which.
    """
    predicted, wanted = {prediction.claim_id for prediction in predictions}, set(claim_ids)
    for prediction, expected in zip_longest(predictions, claim_ids):
        if prediction is None:
            if complete:
                problem = f"the file ends where claim {expected} is due"
                raise RunFileError(problem, where=place(path), remedy="Finish the run first")
            return
        if prediction.claim_id == expected:
            continue
        if prediction.claim_id not in wanted:
            problem = f"claim {prediction.claim_id} is not one of the claims"
        elif expected not in predicted:
            problem = f"claim {expected} is missing before this line"
        else:
            problem = f"claim {prediction.claim_id} stands where claim {expected} is due"
        remedy = "A run lists the same claims as the claims file, in the same order"
        raise RunFileError(problem, where=prediction.where, remedy=remedy)


def _sentence_numbers(finding: Finding) -> list[int]:
    best_first = sorted(finding.rationale, key=lambda quote: -quote.score)
    stem = f"{ElementKind.SENTENCE.value}_"
    ids = dict.fromkeys(quote.element_id for quote in best_first)  # one sentence may be quoted in several pieces
    numbers = [int(id.removeprefix(stem)) for id in ids if finding.document.element(id).kind is ElementKind.SENTENCE]
    if not numbers:
        raise RunFileError(
            "the finding quotes no sentence",
            where=f"document {finding.document.id!r}",
            remedy="SciFact's form holds sentences only; write the verdict as JSON instead",
        )
    return numbers


def json_id(id: str) -> int | str:
    """SciFact's ids are numbers; any other id stays the string it is, so that reading it back gives the same id."""
    number = id.removeprefix("-")
    if number.isascii() and number.isdigit() and len(number) < 19 and str(int(id)) == id:
        return int(id)
    return id


def _prediction(fields: Mapping[str, object], where: str, corpus: Mapping[str, int] | None) -> Prediction:
    id = claim_id(fields, where)
    evidence: dict[str, PredictedDocument] = {}
    for document, entry in evidence_object(fields, where).items():
        if not isinstance(entry, dict):
            raise RunFileError(
                f"what is predicted for document {document!r} is not an object",
                where=where,
                remedy='Write it as {"sentences": [...], "label": ...}',
            )
        label = evidence_label(entry, document, where)
        evidence[document] = PredictedDocument(label, sentences(entry, document, where, corpus))
    labels = {document: entry.label for document, entry in evidence.items()}
    return Prediction(id, evidence, where, read_candidates(fields, labels, where, corpus))

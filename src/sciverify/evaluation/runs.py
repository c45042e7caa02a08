"""Runs: files of predictions in SciFact's published form, written line by line so that a long run can go on later.

One JSON object a line, in the order of the claims file::

    {"id": 1, "evidence": {"11": {"sentences": [1, 11, 13], "label": "SUPPORT"}}}

Sentences are numbered from 0 and stand best first. Documents that say nothing about the claim are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from itertools import zip_longest
from pathlib import Path
from types import TracebackType

from sciverify.errors import RunFileError, place
from sciverify.evaluation.form import (
    LABELS,
    Line,
    claim_id,
    evidence_label,
    evidence_object,
    parse_line,
    parse_lines,
    read_lines,
    sentences,
)
from sciverify.records import Claim, ElementKind, Finding, Label, Verdict

__all__ = [
    "PredictedDocument",
    "Prediction",
    "RunWriter",
    "check_order",
    "predicted_documents",
    "prediction_line",
    "read_run",
]

_NAMES = {label: name for name, label in LABELS.items()}
_LINE_START = b'{"id": '


@dataclass(frozen=True, slots=True)
class PredictedDocument:
    """What was predicted for one document: SUPPORTS or REFUTES, and sentence numbers, best first."""

    label: Label
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line of a run: the documents predicted as evidence for a claim, and where the line stands."""

    claim_id: str
    evidence: Mapping[str, PredictedDocument]
    where: str = ""


def prediction_line(verdict: Verdict) -> dict[str, object]:
    """A verdict in SciFact's form, ready for `json.dumps`.

    Raises:
        RunFileError: as from `predicted_documents`.
    """
    documents = predicted_documents(verdict.findings, f"claim {verdict.claim.id}")
    return {
        "id": _json_id(verdict.claim.id),
        "evidence": {
            id: {"sentences": list(document.sentences), "label": _NAMES[document.label]}
            for id, document in documents.items()
        },
    }


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
    predictions = _predictions(read_lines(path), corpus)
    if claim_ids is not None:
        check_order(predictions, claim_ids, path)
    return predictions


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


class RunWriter:
    """Appends one line per verdict, in the order of the claims, and goes on where an earlier run stopped.

    Every line is handed to the operating system before `write` returns, so that a process that is killed loses at most
    the line it was writing. That torn line is removed when the file is opened again. Use it as a context manager::

        with RunWriter("run.jsonl", claims) as run:
            for claim in run.remaining:
                run.write(system.check([claim])[0])

    Args:
        path: the run file; its folder must exist.
        claims: all claims of the run, in order.
        replace: start anew and drop the predictions that the file holds.

    Raises:
        RunFileError: two claims share an id, the file cannot be opened, or it holds something else than predictions
            for the first of these claims (it is left as it is).
    """

    def __init__(self, path: str | Path, claims: Sequence[Claim], *, replace: bool = False) -> None:
        self.path = Path(path)
        self._claims = tuple(claims)
        ids = [claim.id for claim in self._claims]
        if "" in ids or len(set(ids)) < len(ids):
            raise RunFileError("the claims of a run need distinct, non-empty ids", where=place(path))
        self._done = 0
        try:
            self._file = self._start_anew() if replace else self._resume()
        except OSError as error:
            raise self._failure("opened", error) from error

    @property
    def done(self) -> int:
        """How many claims have their line, those of earlier runs included."""
        return self._done

    @property
    def remaining(self) -> tuple[Claim, ...]:
        """The claims that have no line yet, in order."""
        return self._claims[self._done :]

    def write(self, verdict: Verdict) -> None:
        """Append the next claim's line.

        Raises:
            RunFileError: it is not the next claim's verdict, it has no SciFact form, or the disk refuses it.
        """
        expected = self._claims[self._done].id if self._done < len(self._claims) else None
        if verdict.claim.id != expected:
            what = f"claim {expected}" if expected is not None else "the end of the run"
            raise RunFileError(
                f"claim {verdict.claim.id} came where {what} was due",
                where=place(self.path),
                remedy="Write the verdicts in the order of `remaining`",
            )
        line = json.dumps(prediction_line(verdict)).encode("ascii") + b"\n"
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            self.close()  # nothing may follow half a line
            raise self._failure("written", error) from error
        self._done += 1

    def close(self) -> None:
        """Close the file; lines can no longer be written."""
        self._file.close()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start_anew(self) -> FileIO:
        if self.path.exists():
            # A wrong name must not cost a claims file or somebody's notes.
            with self.path.open("rb") as file:
                first = file.readline()
            try:
                if not _is_torn(first, place(self.path, 1)):
                    _predictions(parse_lines([first], self.path), None)
            except RunFileError as error:
                raise RunFileError(
                    f"what this file holds is no run, so it is not replaced ({error.problem})",
                    where=place(self.path),
                    remedy="Name another file, or delete this one yourself",
                ) from error
        return self.path.open("wb", buffering=0)

    def _resume(self) -> FileIO:
        content = self.path.read_bytes() if self.path.exists() else b""
        lines = content.split(b"\n")
        torn = _is_torn(lines[-1], place(self.path, len(lines)))
        predictions = _predictions(parse_lines(lines[:-1] if torn else lines, self.path), None)
        check_order(predictions, [claim.id for claim in self._claims], self.path, complete=False)
        self._done = len(predictions)
        file = self.path.open("ab", buffering=0)
        if torn:
            file.truncate(len(content) - len(lines[-1]))
        elif lines[-1]:
            file.write(b"\n")
        return file

    def _failure(self, what: str, error: OSError) -> RunFileError:
        return RunFileError(
            f"cannot be {what} ({error.strerror or error})",
            where=place(self.path),
            remedy="Check the folder, its permissions and the space left, then start the run again: it goes on here",
        )


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


def _json_id(id: str) -> int | str:
    """SciFact's ids are numbers; any other id stays the string it is, so that reading it back gives the same id."""
    number = id.removeprefix("-")
    if number.isascii() and number.isdigit() and len(number) < 19 and str(int(id)) == id:
        return int(id)
    return id


def _predictions(lines: Iterable[Line], corpus: Mapping[str, int] | None) -> list[Prediction]:
    predictions: dict[str, Prediction] = {}
    for line in lines:
        prediction = _prediction(line.fields, line.where, corpus)
        earlier = predictions.setdefault(prediction.claim_id, prediction)
        if earlier is not prediction:
            problem = f"claim {prediction.claim_id} was already at {earlier.where}"
            raise RunFileError(problem, where=line.where, remedy="Keep one of them")
    return list(predictions.values())


def _prediction(fields: Mapping[str, object], where: str, corpus: Mapping[str, int] | None) -> Prediction:
    id = claim_id(fields, where)
    evidence = {}
    for document, entry in evidence_object(fields, where).items():
        if not isinstance(entry, dict):
            raise RunFileError(
                f"what is predicted for document {document!r} is not an object",
                where=where,
                remedy='Write it as {"sentences": [...], "label": ...}',
            )
        label = evidence_label(entry, document, where)
        evidence[document] = PredictedDocument(label, sentences(entry, document, where, corpus))
    return Prediction(id, evidence, where)


def _is_torn(tail: bytes, where: str) -> bool:
    """Whether the end of a file is a line of ours that was cut off: half an object, since a whole one is kept.

    Raises:
        RunFileError: it is neither, so the file is not a run and must not be cut.
    """
    if not tail.strip():
        return False
    try:
        parse_line(tail, where)
    except RunFileError:
        if tail.startswith(_LINE_START) or _LINE_START.startswith(tail):
            return True
        raise
    return False

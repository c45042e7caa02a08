"""The documents that were read for a claim, as a run holds them: all of them, in the order they were retrieved.

Each is one object of a line's ``candidates``, rank 1 first::

    {"doc_id": "11", "score": 12.3, "found_by": ["bm25"], "label": "SUPPORT",
     "p_support": 0.7, "p_contradict": 0.1, "p_nei": 0.2}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from sciverify.errors import RecordError, RunFileError
from sciverify.evaluation.form import LABELS
from sciverify.records import Finding, Label, Probabilities

__all__ = ["CANDIDATE_LABELS", "PredictedCandidate", "candidate_object", "predicted_candidates", "read_candidates"]

CANDIDATE_LABELS: Mapping[str, Label] = {**LABELS, "NEI": Label.NEI}
"""The names of the three labels that a document that was read can have."""

_NAMES = {label: name for name, label in CANDIDATE_LABELS.items()}
_PROBABILITIES = ("p_support", "p_contradict", "p_nei")


@dataclass(frozen=True, slots=True)
class PredictedCandidate:
    """A document that was read for a claim: `score` is that of retrieval, `label` the verifier's."""

    doc_id: str
    score: float
    found_by: tuple[str, ...]
    label: Label
    probabilities: Probabilities


def predicted_candidates(findings: Iterable[Finding], where: str = "") -> tuple[PredictedCandidate, ...] | None:
    """What was read, rank 1 first; None where a finding doesn't say how its document was found.

    The rank is the one that every retriever promises (`sciverify.stages.Retriever`): scores falling, ties by document
    id. A document that could not be verified is a problem of the verdict, not a finding, and so has no place here.

    Raises:
        RunFileError: a retrieval score is not a finite number, which JSON cannot hold.
    """
    read = []
    for finding in findings:
        if finding.candidate is None:
            return None
        if not isfinite(finding.candidate.score):
            problem = f"document {finding.document.id!r} has the retrieval score {finding.candidate.score}"
            raise RunFileError(problem, where=where, remedy="A retriever must give finite scores")
        score, found_by = float(finding.candidate.score), finding.candidate.found_by
        read.append(
            PredictedCandidate(finding.document.id, score, found_by, finding.label, finding.probabilities),
        )
    return tuple(sorted(read, key=lambda candidate: (-candidate.score, candidate.doc_id)))


def candidate_object(candidate: PredictedCandidate) -> dict[str, object]:
    """A candidate as it stands in a line, ready for `json.dumps`."""
    probabilities = candidate.probabilities
    return {
        "doc_id": candidate.doc_id,
        "score": candidate.score,
        "found_by": list(candidate.found_by),
        "label": _NAMES[candidate.label],
        "p_support": float(probabilities.supports),
        "p_contradict": float(probabilities.refutes),
        "p_nei": float(probabilities.nei),
    }


def read_candidates(
    fields: Mapping[str, object],
    evidence: Mapping[str, Label],
    where: str,
    corpus: Mapping[str, int] | None = None,
) -> tuple[PredictedCandidate, ...] | None:
    """The ``candidates`` of a line, rank 1 first; None where the line has none, as in the published form.

    Args:
        fields: the line.
        evidence: the label of each document of its ``evidence``.
        where: the spot in the file.
        corpus: how many sentences each document has; None leaves out the check of ids.

    Raises:
        RunFileError: an entry is malformed or stands twice, or the candidates disagree with the evidence.
    """
    if "candidates" not in fields:
        return None
    entries = fields["candidates"]
    if not isinstance(entries, list):
        raise RunFileError("'candidates' is not a list", where=where, remedy="List the documents read, rank 1 first")
    read: dict[str, PredictedCandidate] = {}
    for rank, entry in enumerate(entries, start=1):
        candidate = _candidate(entry, rank, where)
        if candidate.doc_id in read:
            raise RunFileError(f"candidate {rank} names document {candidate.doc_id!r} again", where=where)
        if corpus is not None and candidate.doc_id not in corpus:
            problem = f"the corpus has no document {candidate.doc_id!r}"
            raise RunFileError(problem, where=where, remedy="Check which corpus it is")
        read[candidate.doc_id] = candidate
    labelled = {id: candidate.label for id, candidate in read.items() if candidate.label is not Label.NEI}
    if labelled != dict(evidence):
        at_odds = next(id for id in {**labelled, **evidence} if labelled.get(id) != evidence.get(id))
        raise RunFileError(
            f"'candidates' and 'evidence' disagree on document {at_odds!r}",
            where=where,
            remedy="The evidence is what the candidates with a label other than NEI are",
        )
    return tuple(read.values())


def _candidate(entry: object, rank: int, where: str) -> PredictedCandidate:
    def fail(problem: str) -> RunFileError:
        remedy = 'Write it as {"doc_id": ..., "score": ..., "found_by": [...], "label": ..., "p_support": ..., ...}'
        return RunFileError(f"candidate {rank} {problem}", where=where, remedy=remedy)

    if not isinstance(entry, dict):
        raise fail("is not an object")
    id, found_by, label = entry.get("doc_id"), entry.get("found_by"), entry.get("label")
    if not isinstance(id, str) or not id:
        raise fail("has no 'doc_id' that is a string")
    if not isinstance(found_by, list) or not all(isinstance(name, str) for name in found_by):
        raise fail("has no 'found_by' that is a list of names")
    if not isinstance(label, str) or label not in CANDIDATE_LABELS:
        raise fail(f"has the label {label!r}, not {', '.join(CANDIDATE_LABELS)}")
    score, *shares = (_number(entry.get(name)) for name in ("score", *_PROBABILITIES))
    if score is None:
        raise fail("has no 'score' that is a number")
    try:
        supports, refutes, nei = (float("nan") if share is None else share for share in shares)
        probabilities = Probabilities(supports, refutes, nei)
    except RecordError:
        raise fail(f"has no {', '.join(_PROBABILITIES)} that are probabilities and sum to 1") from None
    return PredictedCandidate(id, score, tuple(found_by), CANDIDATE_LABELS[label], probabilities)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None

"""FEVER's files: gold claims and predictions as published.

Gold, one JSON object a line. An evidence group is a list of [annotation, evidence, page, line]; for a claim without
enough information, page and line are null::

    {"id": 7, "claim": "...", "label": "REFUTES", "evidence": [[[92206, 104971, "Some_page", 7]]]}

Predictions; the id may be left out::

    {"id": 7, "predicted_label": "REFUTES", "predicted_evidence": [["Some_page", 7]]}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sciverify.errors import RunFileError
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import (
    EvidenceGold,
    EvidencePrediction,
    gold_claims,
    list_of,
    predicted_claims,
    published_label,
)
from sciverify.evaluation.form import Line
from sciverify.records import ElementKind, Label

__all__ = ["load_fever", "read_fever_run"]

_GROUPS = 'Write the groups as [[[annotation id, evidence id, "Some_page", 7], ...], ...]'
_SENTENCES = 'Write each sentence as ["Some_page", 7]'


def load_fever(path: str | Path) -> list[EvidenceGold]:
    """The claims of a file with their evidence groups, in file order; sentences are named as in FEVEROUS.

    Raises:
        RunFileError: a line is not of the published form.
    """
    gold = []
    for line, claim in gold_claims(path):
        label = published_label(line.fields, "label", line.where)
        gold.append(EvidenceGold(claim, label, tuple(_groups(line, label))))
    return gold


def read_fever_run(path: str | Path, claim_ids: Sequence[str]) -> Iterator[EvidencePrediction]:
    """Yield the predictions of a file for these claims, in their order, without holding them all.

    Raises:
        RunFileError: a line is malformed, or the claims are not these in this order.
    """
    return predicted_claims(path, claim_ids, _prediction)


def _groups(line: Line, label: Label) -> Iterator[frozenset[EvidenceId]]:
    for group in list_of(line.fields, "evidence", line.where, _GROUPS):
        if not isinstance(group, list) or not all(isinstance(entry, list) and len(entry) == 4 for entry in group):
            problem = "an evidence group is not a list of [annotation, evidence, page, line]"
            raise RunFileError(problem, where=line.where, remedy=_GROUPS)
        if label is Label.NEI and all(entry[2:] == [None, None] for entry in group):
            continue
        yield frozenset(_sentence(page, number, line.where, _GROUPS) for _, _, page, number in group)


def _prediction(line: Line, claim_id: str) -> EvidencePrediction:
    where, fields = line
    evidence = []
    for value in list_of(fields, "predicted_evidence", where, _SENTENCES):
        if not isinstance(value, list) or len(value) != 2:
            raise RunFileError(f"{value!r} is not a page and a line", where=where, remedy=_SENTENCES)
        evidence.append(_sentence(value[0], value[1], where, _SENTENCES))
    return EvidencePrediction(claim_id, published_label(fields, "predicted_label", where), tuple(evidence), where=where)


def _sentence(page: object, number: object, where: str, remedy: str) -> EvidenceId:
    if not isinstance(page, str) or not page:
        raise RunFileError(f"{page!r} is not the title of a page", where=where, remedy=remedy)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise RunFileError(f"{number!r} is not the number of a line", where=where, remedy=remedy)
    return EvidenceId(page, ElementKind.SENTENCE.value, str(number))

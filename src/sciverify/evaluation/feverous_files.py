"""FEVEROUS's files: gold claims as published, and predictions, read and written.

Gold, one JSON object a line (further keys are passed over)::

    {"id": 7, "claim": "...", "label": "REFUTES",
     "evidence": [{"content": ["Some page_sentence_3", "Some page_cell_0_9_1"], "context": {...}}]}

Predictions, in the form of the shared task; the id may be left out, and ids may be strings as in gold::

    {"id": 7, "predicted_label": "REFUTES", "predicted_evidence": [["Some page", "sentence", "3"]]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from sciverify.errors import RecordError, RunFileError
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import (
    LABEL_NAMES,
    EvidenceGold,
    EvidencePrediction,
    gold_claims,
    list_of,
    predicted_claims,
    published_label,
)
from sciverify.evaluation.exports import write_lines
from sciverify.evaluation.form import Line
from sciverify.records import ElementKind, Label

__all__ = ["feverous_line", "load_feverous", "read_feverous_run", "write_feverous_run"]

_GROUPS = 'Write the groups as [{"content": ["Some page_sentence_3", ...], "context": {...}}, ...]'
_IDS = 'Write each id as ["Some page", "sentence", "3"] or "Some page_sentence_3"'

Item = TypeVar("Item")


def load_feverous(path: str | Path) -> list[EvidenceGold]:
    """The claims of a file with their evidence groups, in file order.

    Raises:
        RunFileError: a line is not of the published form.
    """
    return [
        EvidenceGold(claim, published_label(line.fields, "label", line.where), tuple(_groups(line)))
        for line, claim in gold_claims(path)
    ]


def read_feverous_run(path: str | Path, claim_ids: Sequence[str]) -> Iterator[EvidencePrediction]:
    """Yield the predictions of a file for these claims, in their order, without holding them all.

    What the published retrieval baseline writes beside the prediction is kept: ``predicted_pages`` (titles, or pairs
    of title and score), ``predicted_sentences`` and ``predicted_tables`` (pairs of title and ``sentence_3`` or
    ``table_0``), each best first. Gold fields in the same lines are passed over.

    Raises:
        RunFileError: a line is malformed, or the claims are not these in this order.
    """
    return predicted_claims(path, claim_ids, _prediction)


def feverous_line(claim_id: str, label: Label, evidence: Iterable[EvidenceId]) -> dict[str, object]:
    """A prediction in the form of the shared task, ready for `json.dumps`. Ids that are numbers are written as such."""
    number = claim_id.isascii() and claim_id.isdigit() and str(int(claim_id)) == claim_id
    return {
        "id": int(claim_id) if number else claim_id,
        "predicted_label": LABEL_NAMES[label],
        "predicted_evidence": [list(id) for id in evidence],
    }


def write_feverous_run(path: str | Path, predictions: Iterable[tuple[str, Label, Iterable[EvidenceId]]]) -> None:
    """Write predictions (claim id, label, evidence best first) as a file that FEVEROUS's scorer takes.

    Raises:
        RunFileError: the file can't be written.
    """
    write_lines(path, (json.dumps(feverous_line(*prediction)) for prediction in predictions), replace=True)


def _groups(line: Line) -> Iterable[frozenset[EvidenceId]]:
    for group in list_of(line.fields, "evidence", line.where, _GROUPS):
        content = group.get("content") if isinstance(group, dict) else None
        if not isinstance(content, list):
            raise RunFileError("an evidence group has no 'content'", where=line.where, remedy=_GROUPS)
        yield frozenset(_id(value, line.where) for value in content)


def _prediction(line: Line, claim_id: str) -> EvidencePrediction:
    where, fields = line
    return EvidencePrediction(
        claim_id,
        published_label(fields, "predicted_label", where),
        tuple([_id(value, where) for value in list_of(fields, "predicted_evidence", where, _IDS)]),
        _retrieved(fields, "predicted_pages", where, _page),
        _retrieved(fields, "predicted_sentences", where, _sentence),
        _retrieved(fields, "predicted_tables", where, _table),
        where,
    )


def _id(value: object, where: str) -> EvidenceId:
    try:
        if isinstance(value, str):
            return EvidenceId.parse(value)
        if isinstance(value, list) and len(value) == 3:
            page, kind, position = value
            if isinstance(page, str) and isinstance(kind, str) and isinstance(position, str):
                return EvidenceId.checked(page, kind, position)
    except RecordError as error:
        raise RunFileError(error.problem, where=where, remedy=error.remedy or _IDS) from error
    raise RunFileError(f"{value!r} is not an evidence id", where=where, remedy=_IDS)


def _retrieved(
    fields: Mapping[str, object], key: str, where: str, item: Callable[[object], Item | None]
) -> tuple[Item, ...] | None:
    if key not in fields:
        return None
    remedy = 'List pages as ["title", score], sentences as ["title", "sentence_3"], tables as ["title", "table_0"]'
    found = []
    for value in list_of(fields, key, where, remedy):
        one = item(value)
        if one is None:
            raise RunFileError(f"{value!r} under '{key}' is not of the published form", where=where, remedy=remedy)
        found.append(one)
    return tuple(found)


def _page(value: object) -> str | None:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], int | float):
        value = value[0]
    return value if isinstance(value, str) and value else None


def _sentence(value: object) -> EvidenceId | None:
    pair = _pair(value, ElementKind.SENTENCE)
    return EvidenceId(pair[0], ElementKind.SENTENCE.value, pair[1]) if pair else None


def _table(value: object) -> tuple[str, str] | None:
    return _pair(value, "table")


def _pair(value: object, kind: str) -> tuple[str, str] | None:
    """The title and number of ``["title", "KIND_NUMBER"]``."""
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) and part for part in value)):
        return None
    page, element = value
    number = element.removeprefix(f"{kind}_")
    return (page, number) if number != element and number.isascii() and number.isdigit() else None

"""What the files of FEVER and FEVEROUS have in common: labels, claims, and how predictions are matched with gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sciverify.errors import RunFileError
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.form import Line, claim_id, read_lines, refuse_twice
from sciverify.evaluation.gold import with_claims
from sciverify.evaluation.runs import PredictedDocument, Prediction, check_order
from sciverify.records import Claim, Label

__all__ = [
    "LABEL_NAMES",
    "EvidenceGold",
    "EvidencePrediction",
    "claim_only",
    "gold_claims",
    "list_of",
    "predicted_claims",
    "published_label",
]

LABEL_NAMES: Mapping[Label, str] = {
    Label.SUPPORTS: "SUPPORTS",
    Label.REFUTES: "REFUTES",
    Label.NEI: "NOT ENOUGH INFO",
}
"""What FEVER and FEVEROUS call the labels."""

_LABELS = {name: label for label, name in LABEL_NAMES.items()}
_NO_EVIDENCE: Mapping[str, PredictedDocument] = {}


@dataclass(frozen=True, slots=True)
class EvidenceGold:
    """A claim with its label and its evidence groups, each of which justifies the label by itself."""

    claim: Claim
    label: Label
    groups: tuple[frozenset[EvidenceId], ...]


@dataclass(frozen=True, slots=True)
class EvidencePrediction:
    """A predicted label with its evidence, best first.

    `pages`, `sentences` and `tables` (page and number) are what was retrieved, best first, where the run tells it
    apart from `evidence`; None where it doesn't.
    """

    claim_id: str
    label: Label
    evidence: tuple[EvidenceId, ...]
    pages: tuple[str, ...] | None = None
    sentences: tuple[EvidenceId, ...] | None = None
    tables: tuple[tuple[str, str], ...] | None = None
    where: str = ""


def gold_claims(path: str | Path) -> Iterator[tuple[Line, Claim]]:
    """The lines of a gold file with their claims; a header record (see `predicted_claims`) is passed over.

    Raises:
        RunFileError: a claim's id or text is missing, a claim stands twice, or there is none.
    """
    return with_claims(_without_header(read_lines(path)), path)


def predicted_claims(
    path: str | Path, claim_ids: Sequence[str], prediction: Callable[[Line, str], EvidencePrediction]
) -> Iterator[EvidencePrediction]:
    """Yield the predictions of a file for these claims, in their order, without holding them all.

    A line without an id is for the claim whose turn it is. The published files may open with a record that is no
    claim, ``{"id": "", ...}`` or ``{"header": ""}``; it is passed over.
    Whether the claims are all there is known, and said, after the last line only.

    Args:
        path: the predictions.
        claim_ids: gold's claims.
        prediction: makes one of a line and the id of its claim.

    Raises:
        RunFileError: a claim is missing, unknown, out of its place, or there twice; or from `prediction`.
    """
    seen: list[Prediction] = []
    first_seen: dict[str, str] = {}
    for line in _without_header(read_lines(path)):
        if "id" in line.fields:
            id = claim_id(line.fields, line.where)
            refuse_twice(first_seen, id, line.where)
        elif len(seen) < len(claim_ids):
            id = claim_ids[len(seen)]
        else:
            problem = f"there are more predictions than the {len(claim_ids)} claims of gold"
            raise RunFileError(problem, where=line.where, remedy="Check that the two files belong together")
        seen.append(claim_only(id, line.where))
        yield prediction(line, id)
    check_order(seen, claim_ids, path)


def claim_only(claim_id: str, where: str) -> Prediction:
    """What `check_order` looks at."""
    return Prediction(claim_id, _NO_EVIDENCE, where=where)


def published_label(fields: Mapping[str, object], key: str, where: str) -> Label:
    """The label under this key, in capitals or not, as the published scorers take it.

    Raises:
        RunFileError: it is missing or none of the three.
    """
    value = fields.get(key)
    if isinstance(value, str) and value.upper() in _LABELS:
        return _LABELS[value.upper()]
    problem = f"{value!r} under '{key}' is not a label" if key in fields else f"this line has no '{key}'"
    raise RunFileError(problem, where=where, remedy=f"Write one of {', '.join(_LABELS)}")


def list_of(fields: Mapping[str, object], key: str, where: str, remedy: str) -> list[object]:
    """The list under this key.

    Raises:
        RunFileError: it is missing or no list.
    """
    value = fields.get(key)
    if not isinstance(value, list):
        problem = f"'{key}' is not a list" if key in fields else f"this line has no '{key}'"
        raise RunFileError(problem, where=where, remedy=remedy)
    return value


def _without_header(lines: Iterator[Line]) -> Iterator[Line]:
    first = next(lines, None)
    if first is None:
        return iter(())
    is_header = first.fields.get("id") == "" or first.fields.keys() == {"header"}
    return lines if is_header else chain([first], lines)

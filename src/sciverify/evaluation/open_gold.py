"""SciFact-Open's gold claims: which documents hold evidence, with which label; every other pair counts as NEI.

One JSON object a line. The published form has one object per evidence document::

    {"id": 170, "claim": "...",
     "evidence": {"5824985": {"provenance": "citation", "label": "CONTRADICT", "sentences": [10, 15],
                              "model_ranks": null}}}

SciFact's own form, a list of rationales per document (`sciverify.evaluation.gold`), serves too; its rationales become
one set of sentences. Only the label is scored, so sentences may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from sciverify.errors import RunFileError
from sciverify.evaluation.form import evidence_label, evidence_object, sentences
from sciverify.evaluation.gold import claim_lines
from sciverify.records import Claim, Label

__all__ = ["OpenClaim", "OpenEvidence", "load_open_gold"]


@dataclass(frozen=True, slots=True)
class OpenEvidence:
    """What a document says about a claim.

    Attributes:
        label: SUPPORTS or REFUTES.
        sentences: highlights, rising, not checked by annotators where the evidence was pooled.
        provenance: "citation" (from SciFact), "pooling" (found by a system), or "" where the file doesn't say.
        model_ranks: the rank that each pooled system gave the pair, by the system's name.
    """

    label: Label
    sentences: tuple[int, ...] = ()
    provenance: str = ""
    model_ranks: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class OpenClaim:
    """A claim with its evidence by document id."""

    claim: Claim
    evidence: Mapping[str, OpenEvidence]


def load_open_gold(path: str | Path) -> list[OpenClaim]:
    """The claims of a file with their evidence, in file order.

    Raises:
        RunFileError: a line is of neither form, or a claim stands twice.
    """
    return [
        OpenClaim(
            claim,
            {
                document: _evidence(entry, document, line.where)
                for document, entry in evidence_object(line.fields, line.where).items()
            },
        )
        for line, claim in claim_lines(path)
    ]


def _evidence(entry: object, document: str, where: str) -> OpenEvidence:
    listed = entry if isinstance(entry, list) else [entry]
    parts = [part for part in listed if isinstance(part, dict)]
    if not parts or len(parts) < len(listed):
        raise RunFileError(
            f"the gold evidence of document {document!r} is neither an object nor a list of rationales",
            where=where,
            remedy='Write it as {"label": ..., "sentences": [...], "provenance": ...}',
        )
    labels = {evidence_label(part, document, where) for part in parts}
    if len(labels) > 1:
        raise RunFileError(f"document {document!r} both supports and contradicts the claim", where=where)
    marked = [sentences(part, document, where) for part in parts if part.get("sentences") is not None]
    provenance, ranks = parts[0].get("provenance"), parts[0].get("model_ranks")
    if not isinstance(provenance, str | None):
        raise RunFileError(f"the provenance of document {document!r} is not a string", where=where)
    if not isinstance(ranks, dict | None) or not all(type(rank) is int for rank in (ranks or {}).values()):
        raise RunFileError(f"the model_ranks of document {document!r} are not numbers by model", where=where)
    numbers = tuple(sorted({number for part in marked for number in part}))
    return OpenEvidence(labels.pop(), numbers, provenance or "", MappingProxyType(ranks or {}))

"""A system that is told a part of the gold answer: the oracle settings of SciFact (§6.2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sciverify.errors import SettingError
from sciverify.evaluation.gold import GoldClaim
from sciverify.records import ElementKind
from sciverify.stages import DocumentSource
from sciverify.systems.experiment import with_documents, with_rationales
from sciverify.systems.pipeline import Pipeline

__all__ = ["ORACLES", "with_oracle"]

ORACLES = ("abstract", "rationale")
"""What a system may be told."""


def with_oracle(
    system: Pipeline, gold: Sequence[GoldClaim], source: DocumentSource, oracles: Collection[str]
) -> Pipeline:
    """The system with some of its inputs fixed to gold's; no label is ever given.

    Args:
        system: the system.
        gold: the claims that it will be asked, with their evidence; what has none has nothing to be told.
        source: the index that the system searches.
        oracles: of `ORACLES`. "abstract": the documents with gold evidence are read, and no others. "rationale": of
            the documents read, those with gold evidence are labelled from their gold sentences, which are quoted; the
            others are NEI.

    Raises:
        InputError: the source lacks a gold document, or such a document lacks a gold sentence.
        SettingError: there is no such oracle, or the system cannot be given rationales.
    """
    if unknown := sorted(set(oracles) - set(ORACLES)):
        raise SettingError(f"there is no oracle {unknown[0]!r}", remedy=f"Choose one of {', '.join(ORACLES)}")
    if "abstract" in oracles:
        system = with_documents(system, source, {entry.claim.id: list(entry.evidence) for entry in gold})
    if "rationale" in oracles:
        rationales = {
            entry.claim.id: {
                document: [
                    frozenset(f"{ElementKind.SENTENCE.value}_{number}" for number in rationale)
                    for rationale in evidence.rationales
                ]
                for document, evidence in entry.evidence.items()
            }
            for entry in gold
        }
        system = with_rationales(system, source, rationales)
    return system

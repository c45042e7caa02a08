"""The one example type that every data set becomes, and the names of labels in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sciverify.errors import TrainingError
from sciverify.records import Label

__all__ = ["Example", "Span", "label_of"]

_LABELS: Mapping[str, Label] = {
    **dict.fromkeys(("support", "supports", "entailment", "e", "yes", "true"), Label.SUPPORTS),
    **dict.fromkeys(("contradict", "refutes", "contradiction", "c", "no", "false"), Label.REFUTES),
    **dict.fromkeys(("nei", "not_enough_info", "not enough info", "not enough", "neutral", "n", "maybe"), Label.NEI),
}


def label_of(name: object) -> Label:
    """The label behind a data set's own name for it, in any case.

    Raises:
        TrainingError: the name isn't known. Numbers are refused: their order differs from set to set, so the adapter
            that knows it must name them.
    """
    try:
        return _LABELS[str(name).strip().lower()]
    except KeyError:
        raise TrainingError(f"{name!r} is not the name of a label", remedy=f"Known: {', '.join(_LABELS)}") from None


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of element number `element`."""

    element: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """A claim (or question) against the elements of a document; a target that is None trains nothing.

    Attributes:
        targets: for each element, whether it belongs to a rationale.
        relevance: whether the document bears on the claim.
        evidence: complete rationales, as sets of element positions; a window that holds none of them is NEI.
    """

    claim: str
    title: str
    elements: tuple[str, ...]
    label: Label | None = None
    targets: tuple[bool, ...] | None = None
    relevance: bool | None = None
    spans: tuple[Span, ...] | None = None
    evidence: tuple[frozenset[int], ...] = ()
    weight: float = 1.0
    source: str = ""

    def __post_init__(self) -> None:
        if self.targets is not None and len(self.targets) != len(self.elements):
            raise TrainingError(
                f"{len(self.targets)} element targets for {len(self.elements)} elements", where=self.source
            )

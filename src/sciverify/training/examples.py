"""The one example type that every data set becomes, and the names of labels in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sciverify.errors import TrainingError
from sciverify.records import Label

__all__ = ["Example", "Span", "label_in", "label_of"]

_LABELS: Mapping[str, Label] = {
    **dict.fromkeys(("support", "supports", "entailment", "e", "yes", "true"), Label.SUPPORTS),
    **dict.fromkeys(("contradict", "refutes", "contradiction", "c", "no", "false"), Label.REFUTES),
    **dict.fromkeys(("nei", "not_enough_info", "not enough info", "not enough", "neutral", "n", "maybe"), Label.NEI),
}

# Names and numbers that mean what they mean in one set only; None is a name that tells no label.
_LABELS_IN: Mapping[str, Mapping[str, Label | None]] = {
    "fever": {"0": Label.NEI, "1": Label.SUPPORTS, "2": Label.REFUTES},
    # Of superiority claims on trials: 1 where the difference is significant, 0 where it is not, 2 where the abstract
    # is not on the trial's result.
    "clinifact": {"0": Label.REFUTES, "1": Label.SUPPORTS, "2": Label.NEI},
    # REFUTE stands for every citation that isn't accurate: oversimplified, misquoted and unsubstantiated ones beside
    # contradictions (Sarol et al. 2024), so it tells no label.
    "citint": {"SUPPORT": Label.SUPPORTS, "REFUTE": None},
    "semtabfacts": {"entailed": Label.SUPPORTS, "refuted": Label.REFUTES, "unknown": Label.NEI},
    "sufficient_facts": {"SUPPORTED": Label.SUPPORTS, "NOT ENOUGH": Label.NEI},
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


def label_in(data_set: str, name: object) -> Label | None:
    """The label behind a name or number that one data set gives its own meaning; None where it tells no label.

    Raises:
        TrainingError: the data set has no such name.
    """
    names = _LABELS_IN[data_set]
    if name not in names:
        raise TrainingError(
            f"{name!r} is not a label of {data_set}", where=data_set, remedy=f"Known: {', '.join(names)}"
        )
    return names[str(name)]


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
        spans: where the answer to a question stands; the first that lies in a window trains it.
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

"""Coverage at k: the share of claims with one gold group whose pages, sentences, tables or cells were all retrieved.

Only the claims that have such elements in gold are asked about: a claim that rests on a table says nothing of how
well sentences are found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import count
from math import inf
from typing import NamedTuple

from sciverify.errors import SettingError
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import EvidencePrediction
from sciverify.evaluation.measures import Measure
from sciverify.records import ElementKind

__all__ = ["Depths", "coverage_columns", "coverage_measures", "coverage_row", "depths"]

Depths = Mapping[str, tuple[int, ...]]
"""The depths k by part: ``{"pages": (1, 5), "sentences": (5,)}``; the parts are pages, sentences, tables and cells."""

_SENTENCE = ElementKind.SENTENCE.value
_CELLS = frozenset({ElementKind.CELL.value, ElementKind.HEADER_CELL.value})
_OF_TABLES = _CELLS | {ElementKind.TABLE_CAPTION.value}


class _Part(NamedTuple):
    name: str
    title: str
    units: Callable[[Iterable[EvidenceId]], Iterable[Hashable]]
    retrieved: Callable[[EvidencePrediction], Iterable[Hashable] | None]


def _pages(ids: Iterable[EvidenceId]) -> list[str]:
    return [id.page for id in ids]


def _sentences(ids: Iterable[EvidenceId]) -> list[EvidenceId]:
    return [id for id in ids if id.kind == _SENTENCE]


def _tables(ids: Iterable[EvidenceId]) -> list[tuple[str, str]]:
    """The page and number of the table that each cell or caption belongs to."""
    return [(id.page, id.position.partition("_")[0]) for id in ids if id.kind in _OF_TABLES]


def _cells(ids: Iterable[EvidenceId]) -> list[EvidenceId]:
    return [id for id in ids if id.kind in _CELLS]


_PARTS: Mapping[str, _Part] = {
    "pages": _Part("page_coverage", "Page coverage", _pages, lambda prediction: prediction.pages),
    "sentences": _Part("sentence_recall", "Sentence recall", _sentences, lambda prediction: prediction.sentences),
    "tables": _Part("table_recall", "Table recall", _tables, lambda prediction: prediction.tables),
    "cells": _Part("cell_recall", "Cell recall", _cells, lambda _: None),
}


def depths(**parts: Iterable[int]) -> Depths:
    """Put the depths of each part in order; a part without any is left out.

    Raises:
        SettingError: a depth is not a whole number from 1 on.
    """
    asked = {}
    for part, values in parts.items():
        ks = tuple(values)
        for k in ks:
            if not isinstance(k, int) or isinstance(k, bool) or k < 1:
                raise SettingError(f"{k!r} is not a depth for {part}", remedy="Give whole numbers from 1 on")
        if ks:
            asked[part] = tuple(sorted(set(ks)))
    return asked


def coverage_measures(depths: Depths) -> tuple[Measure, ...]:
    """One measure per part and depth: ``page_coverage_at_5``, ``sentence_recall_at_5`` and so on."""
    return tuple(
        Measure(f"{_PARTS[part].name}_at_{k}", f"{_PARTS[part].title} at {k}")
        for part, ks in depths.items()
        for k in ks
    )


def coverage_columns(depths: Depths) -> tuple[str, ...]:
    """The columns of `coverage_row`: for each part the claims that it asks about, then the covered ones by depth."""
    return tuple(
        column
        for part, ks in depths.items()
        for column in (f"claims_with_{part}", *(f"{_PARTS[part].name}_at_{k}" for k in ks))
    )


def coverage_row(groups: Sequence[frozenset[EvidenceId]], prediction: EvidencePrediction, depths: Depths) -> list[int]:
    """What one claim adds to each of `coverage_columns`, 0 or 1.

    What the run does not list as retrieved is taken from its evidence, in order, not cut off anywhere.
    """
    row: list[int] = []
    for name, ks in depths.items():
        part = _PARTS[name]
        wanted = [units for group in groups if (units := part.units(group))]
        needed = _depth_needed(wanted, part, prediction) if wanted else inf
        row += [int(bool(wanted)), *(int(needed <= k) for k in ks)]
    return row


def _depth_needed(wanted: Iterable[Iterable[Hashable]], part: _Part, prediction: EvidencePrediction) -> float:
    """How deep one must look to have all units of one group; infinite where no group is found as a whole."""
    retrieved = part.retrieved(prediction)
    found = part.units(prediction.evidence) if retrieved is None else retrieved
    rank = dict(zip(dict.fromkeys(found), count(1)))
    return min(max([rank.get(unit, inf) for unit in units]) for units in wanted)

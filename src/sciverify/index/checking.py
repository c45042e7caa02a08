"""Do the records, the words and the vectors of an index agree?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sciverify.errors import IndexDamagedError
from sciverify.index.codec import decode, decode_id
from sciverify.index.core import Core
from sciverify.index.engine import Engine, Point
from sciverify.index.store import Row
from sciverify.index.sync import word_settings
from sciverify.index.words import WordSettings
from sciverify.records import Problem

__all__ = ["check"]

_NAMED = 5  # documents that a problem names; the others are counted
_SEARCHED = 20  # documents that are looked for through a search


def check(core: Core) -> list[Problem]:
    """Compare every document with what the engine holds of it; an empty list means that all parts agree."""
    where = str(core.directory)
    problems = [Problem(where, f"the records file is damaged: {message}") for message in core.store.damage()]
    if core.damage is not None:
        return [*problems, Problem(where, core.damage.problem)]
    comparison = _Comparison(core.engine, word_settings(core.store), core.store.setting("dimensions"))
    try:
        for rows in core.store.rows_in_order():
            comparison.records(rows, {row.number for row in core.store.altered(rows)})
        comparison.strangers()
    except IndexDamagedError as error:
        problems.append(Problem(error.where, error.problem))
    return [*problems, *(Problem(where, text) for text in comparison.told())]


class _Comparison:
    def __init__(self, engine: Engine, settings: WordSettings, dimensions: int | None) -> None:
        self._engine = engine
        self._settings = settings
        self._dimensions = dimensions
        self._known: set[int] = set()
        self._searched = 0
        self._faults: dict[str, list[str]] = {}

    def records(self, rows: list[Row], altered: set[int]) -> None:
        """Compare a page of rows, of which some are known not to be what was stored."""
        points = self._engine.points([row.number for row in rows])
        for row in rows:
            self._known.add(row.number)
            fault = "altered since it was stored" if row.number in altered else self._fault(row, points.get(row.number))
            if fault:
                self._faults.setdefault(fault, []).append(repr(decode_id(row.id)))

    def strangers(self) -> None:
        """Look for points without a record."""
        extra = [number for number in self._engine.numbers() if number not in self._known]
        if extra:
            self._faults["in the search engine without a record"] = [f"number {number}" for number in extra]

    def told(self) -> Iterable[str]:
        """One sentence per kind of fault."""
        for fault, names in self._faults.items():
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield f"{len(names)} document(s) {fault}: {', '.join(names[:_NAMED])}{more}"

    def _fault(self, row: Row, point: Point | None) -> str | None:
        try:
            document = decode(row.record)
        except ValueError:
            return "whose record cannot be read"
        if (row.vector and len(row.vector) // 4) != self._dimensions:
            return "whose vector is missing or has the wrong size"
        if point is None:
            return "missing from the search engine"
        expected = Point.of(row.number, document, row.vector, self._settings)
        if point.payload != expected.payload:
            return "whose metadata differ in the search engine"
        if not _same_words(point, expected):
            return "whose words differ in the search engine"
        if not _close(point.meaning, expected.meaning):
            return "whose vector differs in the search engine"
        if self._searched < _SEARCHED and expected.terms:
            self._searched += 1
            if not self._engine.finds(expected):
                return "that the search engine does not find"
        return None


def _same_words(one: Point, other: Point) -> bool:
    if set(one.terms) != set(other.terms):
        return False
    order, other_order = np.argsort(one.terms), np.argsort(other.terms)
    return np.allclose(np.array(one.weights)[order], np.array(other.weights)[other_order], rtol=1e-5)


def _close(one: list[float] | None, other: list[float] | None) -> bool:
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and np.allclose(one, other, atol=1e-6)

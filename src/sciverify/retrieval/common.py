"""What the retrievers share: options checked, hits turned into rankings, and the reasons for an empty one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from sciverify.errors import InputError, SettingError
from sciverify.records import Candidate, Document, Ranking
from sciverify.stages import DocumentSource

__all__ = [
    "EMPTY_CORPUS",
    "NO_LETTER",
    "NO_MATCH",
    "NO_WORD",
    "Found",
    "Scored",
    "best_first",
    "check_count",
    "rankings",
    "scored",
]

NO_WORD = "The claim holds no word to search for (only stop words, punctuation or nothing at all)."
NO_LETTER = "The claim holds no letter and no digit, so it has no meaning to search for."
NO_MATCH = "No document that the filters let through matches the claim."
EMPTY_CORPUS = "There are no documents to search."
_REMOVED = "What the search found has been removed meanwhile."


class Scored(NamedTuple):
    """A document's id, its score (higher is better), and which searches found it."""

    id: str
    score: float
    found_by: tuple[str, ...]


class Found(NamedTuple):
    """What the search for one claim gave, best first, or the reason why it gave nothing."""

    hits: Sequence[Scored] = ()
    notice: str = ""


def check_count(name: str, value: int) -> int:
    """The value, if it is a whole number of at least 1.

    Raises:
        SettingError: it isn't.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SettingError(
            f"{name} must be a whole number of at least 1, not {value!r}", remedy=f"Give a {name} of 1 or more"
        )
    return value


def best_first(hits: Iterable[Scored]) -> list[Scored]:
    """Scores falling, ties by document id."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def scored(hits: Iterable[tuple[str, float]], finder: str) -> list[Scored]:
    """What one search of an index found, best first; the engine leaves the order of equal scores open."""
    return best_first(Scored(id, float(score), (finder,)) for id, score in hits)


def rankings(source: DocumentSource, results: Sequence[Found]) -> list[Ranking]:
    """Fetch each document once, however many claims found it, and build the rankings.

    A document that has left the source since it was found is left out.
    """
    documents = _fetch(source, list(dict.fromkeys(hit.id for found in results for hit in found.hits)))
    return [_ranking(found, documents) for found in results]


def _ranking(found: Found, documents: Mapping[str, Document]) -> Ranking:
    candidates = tuple(
        Candidate(documents[hit.id], hit.score, hit.found_by) for hit in found.hits if hit.id in documents
    )
    return Ranking(candidates, _REMOVED if found.hits and not candidates else found.notice)


def _fetch(source: DocumentSource, ids: list[str]) -> dict[str, Document]:
    if not ids:
        return {}
    try:
        return dict(zip(ids, source.documents(ids), strict=True))
    except InputError:  # at least one is gone: rare, so asking one by one is good enough
        documents = {}
        for id in ids:
            with suppress(InputError):
                documents[id] = next(source.documents([id]))
        return documents

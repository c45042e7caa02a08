"""BM25 as sparse vectors: each word a dimension, each document its term weights, the engine multiplies by IDF.

The weight of a word that occurs ``n`` times in a document of ``L`` words is
``n (k1 + 1) / (n + k1 (1 - b + b L / average_length))`` (Robertson and Zaragoza 2009); a query gives every distinct
word the weight 1. `average_length` is fixed when an index receives its first documents: weights are stored per
document and must stay comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from sciverify.text.analysis import analyse, split_words, stem

__all__ = ["MOST_QUERY_TERMS", "WordSettings", "average_length", "document_weights", "query_terms", "term_id"]

MOST_QUERY_TERMS = 512
"""A query is cut to this many distinct words: a pasted paper must not stall the search."""


@dataclass(frozen=True, slots=True)
class WordSettings:
    """BM25's parameters. `average_length` counts analysed words; k1 and b did best on SciFact's training claims."""

    average_length: float
    k1: float = 1.2
    b: float = 0.75


def document_weights(text: str, settings: WordSettings) -> tuple[list[int], list[float]]:
    """Term ids (distinct) and their BM25 weights before IDF; both empty for a text without words."""
    counts = Counter(map(_numbers.__getitem__, split_words(text)))
    counts.pop(_STOP, None)
    k1, b = settings.k1, settings.b
    floor = k1 * (1 - b + b * counts.total() / settings.average_length)
    once = (k1 + 1) / (1 + floor)  # most words come once
    return list(counts), [once if count == 1 else count * (k1 + 1) / (count + floor) for count in counts.values()]


def query_terms(text: str) -> list[int]:
    """The distinct term ids of a query, at most `MOST_QUERY_TERMS`, in order of first appearance."""
    return list(dict.fromkeys(map(term_id, analyse(text))))[:MOST_QUERY_TERMS]


def average_length(texts: Iterable[str]) -> float:
    """Mean number of analysed words, at least 1 so that it can divide."""
    lengths = [len(analyse(text)) for text in texts]
    return max(1.0, sum(lengths) / len(lengths)) if lengths else 1.0


def term_id(word: str) -> int:
    """A stable 32-bit number for a stemmed word, the same in every process and on every machine.

    Two stems with one number count as the same word. Among a million distinct stems about 116 pairs collide, so one
    word in 4,300 has a double, nearly always a rare one; no document is ever lost by it.
    """
    return int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "little")


_STOP = -1


class _Numbers(dict[str, int]):
    """Word to the number of its stem, or `_STOP`; remembered, because a dictionary is faster than a function."""

    def __missing__(self, word: str) -> int:
        found = stem(word)
        number = term_id(found) if found else _STOP
        if len(self) >= 500_000:
            self.clear()
        self[word] = number
        return number


_numbers = _Numbers()

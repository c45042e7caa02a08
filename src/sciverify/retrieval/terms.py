"""TF-IDF weights of words and word pairs over a body of texts, in numpy arrays (no scipy, no scikit-learn).

The numbers are those of scikit-learn's ``TfidfVectorizer(stop_words="english", ngram_range=(1, 2))``, which VeriSci
uses for retrieval (Wadden et al. 2020, SciFact §5): lower case, words of two or more word characters, stop words
dropped before pairs are formed, raw counts, idf = ln((1 + n) / (1 + df)) + 1, vectors of length 1.

Only single words are kept as strings. A term is an integer: the number of its last word, and above 32 bits one more
than the number of the word before it (0 for a single word). Pairs are by far the most terms, so this keeps 200,000
abstracts within a few hundred megabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sciverify.retrieval.stopwords import ENGLISH_STOP_WORDS
from sciverify.text.clean import searchable

__all__ = ["TermSpace", "words_of"]

_WORD = re.compile(r"\b\w\w+\b")
_BLOCK = 4096  # texts counted at a time: bounds the memory of sorting
_STOPPED = -1
_UNKNOWN = -2


def words_of(text: str) -> list[str]:
    """The words that TF-IDF sees, in order."""
    return [word for word in _all_words(text) if word not in ENGLISH_STOP_WORDS]


class TermSpace:
    """The texts as weighted terms; `scores` compares a query with all of them.

    Postings are stored by term (compressed sparse columns): text numbers and counts of term ``t`` lie at
    ``starts[t]:starts[t + 1]``. Counts and lengths give exact weights in less memory than weights would take.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = _WordNumbers.fromkeys(ENGLISH_STOP_WORDS, _STOPPED)
        blocks: list[_Block] = []
        self._size = 0
        texts = iter(texts)
        while batch := list(islice(texts, _BLOCK)):
            blocks.append(self._count(batch, self._size))
            self._size += len(batch)
        self._terms = _union([block.terms for block in blocks])
        self._merge(blocks)

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Bytes in the arrays; the dictionary of single words comes on top."""
        arrays = (self._terms, self._starts, self._owners, self._counts, self._lengths)
        return sum(array.nbytes for array in arrays)

    def scores(self, words: list[str]) -> NDArray[np.float64]:
        """Cosine of the query with every text, shape ``(len(self),)``; all 0 when no text holds one of its words."""
        scores = np.zeros(self._size)
        numbers = np.array([self._words.get(word, _UNKNOWN) for word in words], dtype=np.int64)
        wanted, counts = np.unique(_terms_in(numbers), return_counts=True)
        places = np.searchsorted(self._terms, wanted)
        places[places == len(self._terms)] = 0
        known = np.flatnonzero(self._terms[places] == wanted) if len(self._terms) else np.empty(0, dtype=np.int64)
        if not len(known):
            return scores
        places, counts = places[known], counts[known]
        idf = self._idf(self._starts[places + 1] - self._starts[places])
        weights = counts * idf
        weights *= idf / np.sqrt(weights @ weights)  # the query's length 1, and the documents' share of idf
        for place, weight in zip(places.tolist(), weights.tolist(), strict=True):
            postings = slice(self._starts[place], self._starts[place + 1])
            scores[self._owners[postings]] += weight * self._counts[postings]  # a text stands once in a term's postings
        scores /= self._lengths
        return scores

    def _idf(self, frequency: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.log((1 + self._size) / (1 + frequency)) + 1

    def _count(self, texts: list[str], first: int) -> _Block:
        """Count the terms of some texts, the first of which has the number `first`."""
        numbers: list[int] = []
        sizes: list[int] = []
        number_of = self._words.__getitem__
        for text in texts:
            found = _all_words(text)
            numbers.extend(map(number_of, found))
            sizes.append(len(found))
        words = np.array(numbers, dtype=np.int64)
        kept = words != _STOPPED
        owners = np.repeat(np.arange(first, first + len(texts), dtype=np.int32), sizes)
        return _Block.of(words[kept], owners[kept])

    def _merge(self, blocks: list[_Block]) -> None:
        """Put the blocks' postings in order of term; the blocks come in order of text, so each is appended."""
        frequency = np.zeros(len(self._terms), dtype=np.int64)
        for block in blocks:
            frequency[np.searchsorted(self._terms, block.terms)] += block.sizes
        idf = self._idf(frequency)
        self._starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(frequency)])
        highest = max((int(block.counts.max(initial=0)) for block in blocks), default=0)
        self._owners = np.empty(self._starts[-1], dtype=np.int32)
        self._counts = np.empty(self._starts[-1], dtype=np.min_scalar_type(highest))
        squares = np.zeros(self._size)
        free = self._starts[:-1].copy()
        blocks.reverse()
        while blocks:  # each is dropped as soon as it is copied
            block = blocks.pop()
            places, sizes = np.searchsorted(self._terms, block.terms), block.sizes.astype(np.int64)
            begins = np.cumsum(sizes) - sizes
            targets = np.arange(len(block.owners)) + np.repeat(free[places] - begins, sizes)
            self._owners[targets] = block.owners
            self._counts[targets] = block.counts
            free[places] += sizes
            weights = block.counts * np.repeat(idf[places], sizes)
            squares += np.bincount(block.owners, weights * weights, minlength=self._size)
        self._lengths = np.sqrt(squares)
        self._lengths[squares == 0] = 1.0  # a text without words: its score is 0 / 1


@dataclass(frozen=True, slots=True)
class _Block:
    """The terms of some texts in rising order, and for each the texts that hold it (also rising) with their counts."""

    terms: NDArray[np.int64]
    sizes: NDArray[np.unsignedinteger]  # how many texts hold each term
    owners: NDArray[np.int32]
    counts: NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, numbers: NDArray[np.int64], owners: NDArray[np.int32]) -> _Block:
        """Count terms, given word numbers in reading order and the text that each stands in."""
        same_text = np.flatnonzero(owners[1:] == owners[:-1])
        terms = np.concatenate([numbers, _pairs(numbers[same_text], numbers[same_text + 1])])
        owners = np.concatenate([owners, owners[same_text]])
        order = np.argsort(terms, kind="stable")  # stable: within a term, texts stay in order
        terms, owners = terms[order], owners[order]
        changed = terms[1:] != terms[:-1]
        firsts = np.flatnonzero(np.concatenate([[len(terms) > 0], changed | (owners[1:] != owners[:-1])]))
        counts = np.diff(firsts, append=len(terms))
        terms, owners = terms[firsts], owners[firsts]
        starts = np.flatnonzero(np.concatenate([[len(terms) > 0], terms[1:] != terms[:-1]]))
        return cls(terms[starts], _small(np.diff(starts, append=len(terms))), owners, _small(counts))


def _terms_in(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The terms of one text whose words have these numbers (negative: a word that no text holds)."""
    known = numbers >= 0
    pairs = np.flatnonzero(known[1:] & known[:-1])
    return np.concatenate([numbers[known], _pairs(numbers[pairs], numbers[pairs + 1])])


def _pairs(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    return ((before + 1) << 32) | after


def _small(values: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
    """The same numbers (none negative) in as few bytes as they need."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _union(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """All distinct values, rising; merged two at a time, because parts share most of what is frequent."""
    while len(parts) > 1:
        parts = [_distinct(parts[place : place + 2]) for place in range(0, len(parts), 2)]
    return parts[0] if parts else np.empty(0, dtype=np.int64)


def _distinct(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    values = np.sort(np.concatenate(parts))
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


def _all_words(text: str) -> list[str]:
    return _WORD.findall(searchable(text).lower())


class _WordNumbers(dict[str, int]):
    """Word to number; a new word gets the next number, while stop words all have the number `_STOPPED`."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number

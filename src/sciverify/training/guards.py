"""What keeps SciFact's dev claims unseen: no training example may repeat one of their claim-abstract pairs.

Other sets share abstracts with SciFact under other ids, and SciFact's own training claims hold counterclaims of dev
claims. So pairs are compared by what they say. A pair is a leak when both hold:

- the claims are nearly the same: of the different stems (`sciverify.text.analysis`, which drops stop words and "not")
  that either has, 60 % are in both. A claim of four stems with one exchanged, "raises" for "lowers", is still the same;
- the documents are the same: they have one title, or a run of eight words in common (a shorter sentence: all of it).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciverify.corpora import open_corpus
from sciverify.corpora.fields import clean_sentences
from sciverify.evaluation.gold import load_gold
from sciverify.records import Document
from sciverify.text.analysis import analyse, split_words
from sciverify.training.examples import Example

__all__ = ["DevPairs", "drop_leaks", "load_dev_pairs", "unlabelled_abstracts"]

_SAME_CLAIM = 0.6  # Jaccard index of the stems
_RUN = 8  # words
_STOCK_PHRASES = 2


@dataclass(frozen=True, slots=True)
class DevPairs:
    """SciFact's dev claims, each with the texts of the abstracts that it cites or has evidence in."""

    claims: tuple[frozenset[str], ...]
    documents: tuple[tuple[int, ...], ...]
    titles: tuple[tuple[str, ...], ...]
    runs: tuple[frozenset[tuple[str, ...]], ...]
    by_stem: Mapping[str, Sequence[int]]

    def touches(self, example: Example) -> bool:
        """Whether the example's claim and document are a pair of dev."""
        return self.has(self.documents_of(example.claim), example)

    def documents_of(self, claim: str) -> frozenset[int]:
        """The documents, by number, of all dev claims that are nearly this one."""
        stems = frozenset(analyse(claim))
        shared = Counter(number for stem in stems for number in self.by_stem.get(stem, ()))
        same = (
            number
            for number, count in shared.items()
            if count >= _SAME_CLAIM * (len(stems) + len(self.claims[number]) - count)
        )
        return frozenset(document for number in same for document in self.documents[number])

    def has(self, documents: Iterable[int], example: Example) -> bool:
        """Whether the example's document is one of these, by title or by text."""
        title = _words(example.title)
        runs = frozenset(run for element in example.elements for run in _runs(element))
        return any((title and title == self.titles[d]) or runs & self.runs[d] for d in documents)


def load_dev_pairs(data: Path) -> DevPairs:
    """The pairs of SciFact's dev claims in a data folder; none where it has no SciFact."""
    path = data / "scifact/claims_dev.jsonl"
    if not path.exists():
        return DevPairs((), (), (), (), {})
    gold = load_gold(path)
    wanted = dict.fromkeys(id for claim in gold for id in (*claim.evidence, *claim.cited))
    corpus = {d.id: d for d in open_corpus(data / "scifact/corpus.jsonl") if d.id in wanted}
    place = {id: number for number, id in enumerate(wanted)}
    claims = tuple(frozenset(analyse(claim.claim.text)) for claim in gold)
    by_stem: dict[str, list[int]] = {}
    for number, stems in enumerate(claims):
        for stem in stems:
            by_stem.setdefault(stem, []).append(number)
    return DevPairs(
        claims,
        tuple(tuple({place[id] for id in (*claim.evidence, *claim.cited)}) for claim in gold),
        tuple(_words(corpus[id].title) for id in wanted),
        tuple(frozenset(run for e in corpus[id].elements for run in _runs(e.text)) for id in wanted),
        by_stem,
    )


def drop_leaks(examples: Iterable[Example], pairs: DevPairs) -> tuple[list[Example], Mapping[str, int]]:
    """The examples that touch no pair of dev, and how many were dropped, by their source."""
    documents: dict[str, frozenset[int]] = {}  # most claims stand in several examples
    kept: list[Example] = []
    dropped: Counter[str] = Counter()
    for example in examples:
        if example.claim not in documents:
            documents[example.claim] = pairs.documents_of(example.claim)
        if documents[example.claim] and pairs.has(documents[example.claim], example):
            dropped[example.source] += 1
        else:
            kept.append(example)
    return kept, dropped


def unlabelled_abstracts(data: Path) -> Iterator[Document]:
    """The collected medical abstracts that are not in SciFact, in file order.

    Left out are those flagged as SciFact's, those with the title of one of its abstracts, and those with two or more of
    their sentences in one of them (one is often a stock phrase).
    """
    titles, sentences = set(), set()
    for document in open_corpus(data / "scifact/corpus.jsonl"):
        titles.add(_words(document.title))
        sentences |= {words for e in document.elements if len(words := _words(e.text)) >= _RUN}
    with gzip.open(data / "abstracts/medical_abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row["in_scifact_corpus"] or _words(row["title"]) in titles:
                continue
            texts = clean_sentences(row["abstract"])
            if texts and sum(_words(text) in sentences for text in texts) < _STOCK_PHRASES:
                yield Document.from_sentences(f"{row['source']} {row['id']}", row["title"], texts)


def _words(text: str) -> tuple[str, ...]:
    return tuple(split_words(text))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """All runs of `_RUN` words of a text; the whole of a shorter one."""
    words = _words(text)
    for start in range(max(1, len(words) - _RUN + 1)):
        yield words[start : start + _RUN]

"""Conclusions of medical abstracts against the sentences that they rest on: labelled pairs that nobody had to label.

What an abstract's title states or its last sentence concludes is supported by its other sentences; turned round or
negated (`sciverify.training.augment`) it is refuted by them, which teaches to compare directions in the field's own
words. Against the closest sentences of another abstract on the same subject it is neither.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from sciverify.records import Label
from sciverify.retrieval import TfidfRetriever
from sciverify.text.analysis import analyse
from sciverify.training.examples import Example
from sciverify.training.unlabelled import Abstracts, Statement, others_like, shuffled_statements, together

__all__ = ["conclusions"]

_SHOWN = 3  # sentences, as many as a rationale that is read alone
_COVERED = 0.6  # of a claim's stems: below it, what the claim says isn't in those sentences


def conclusions(abstracts: Abstracts, seed: int, neutral: float = 0.4) -> Iterator[Example]:
    """Each claim that the three sentences closest to it cover, with these as its evidence, in random order.

    Args:
        abstracts: where from.
        seed: of the order, and of which claims are read against another abstract.
        neutral: the share of the claims that are also read against one of the abstracts most like them (NEI); an
            abstract that covers the claim as well is passed over, for it may say the same.
    """
    rng = random.Random(f"{seed}-conclusions")
    statements = shuffled_statements(abstracts, rng)
    retriever = TfidfRetriever(abstracts)
    for batch in together((statement, chosen) for statement in statements if (chosen := _evidence(statement))):
        asked = [statement for statement, _ in batch if rng.random() < neutral]
        found = others_like(retriever, asked)
        for statement, chosen in batch:
            yield _example(statement.claim, statement.title, statement.elements, chosen, Label.SUPPORTS)
        for statement, near in zip(asked, found, strict=True):
            rng.shuffle(near)
            for document in near:
                texts = tuple(element.text for element in document.elements)
                chosen, covered = _closest(statement.claim, texts)
                if chosen and covered < _COVERED:
                    title = document.title if statement.title else ""  # or a title would give the label away
                    yield _example(statement.claim, title, texts, chosen, Label.NEI)
                    break


def _evidence(statement: Statement) -> list[int]:
    """The positions of the sentences that a claim rests on; none where they don't cover it."""
    chosen, covered = _closest(statement.claim, statement.elements)
    return chosen if covered >= _COVERED else []


def _closest(claim: str, sentences: Sequence[str]) -> tuple[list[int], float]:
    """The sentences that share the most stems with a claim, in reading order, and the share of its stems they hold."""
    wanted = set(analyse(claim))
    shared = [wanted & set(analyse(sentence)) for sentence in sentences]
    best = sorted(range(len(sentences)), key=lambda n: (-len(shared[n]), n))[:_SHOWN]
    chosen = sorted(n for n in best if shared[n])
    return chosen, len(set().union(*(shared[n] for n in chosen))) / max(1, len(wanted))


def _example(claim: str, title: str, sentences: Sequence[str], chosen: Sequence[int], label: Label) -> Example:
    evidence = (frozenset(range(len(chosen))),) if label is not Label.NEI else ()
    return Example(claim, title, tuple(sentences[n] for n in chosen), label, evidence=evidence, source="conclusions")

"""Parts of a data set that are kept for measuring, cut so that no document has claims on both sides.

COVID-Fact and Climate-FEVER give up a fifth, PubMedQA one of five folds. NLI4CT's dev part and BioASQ's later years are
kept, and what trains on their documents left out. HealthVer keeps its published parts, which share abstracts.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sciverify.errors import TrainingError
from sciverify.text.analysis import split_words
from sciverify.training import questions, science, trials
from sciverify.training.examples import Example
from sciverify.training.science import Cited

__all__ = [
    "HELD_OUT",
    "PUBMEDQA_FOLDS",
    "climate_fever",
    "covidfact",
    "group_folds",
    "healthver",
    "held_out",
    "part_of",
    "pubmedqa",
]

PUBMEDQA_FOLDS = 5
_SHARE = 0.2
_SEED = 4  # of all divisions: they must not move with a recipe's seed


def held_out(name: str, data: Path, fold: int = 1) -> list[Example]:
    """The examples of a set that its training part leaves out, by name, of `HELD_OUT`.

    Whole documents for HealthVer (its dev part) and COVID-Fact, single sentences for Climate-FEVER, contexts for
    PubMedQA (`fold` of `PUBMEDQA_FOLDS`), snippets for BioASQ (yes/no questions of years 10 and 11), sections for
    NLI4CT (its dev part).

    Raises:
        TrainingError: nothing is held out under this name, or there is no such fold.
        FileNotFoundError: its files are not in the data folder.
    """
    if name not in HELD_OUT:
        raise TrainingError(f"nothing is held out under the name {name!r}", remedy=f"Known: {', '.join(HELD_OUT)}")
    if name == "healthver":
        return science.abstracts(science.load_cited(data / "healthver", part="dev"))
    if name == "covidfact":
        return science.abstracts(covidfact(data, held=True))
    if name == "climate_fever":
        return climate_fever(data, held=True)
    if name == "pubmedqa":
        return pubmedqa(data, fold, held=True)
    if name == "bioasq":
        return questions.bioasq_yesno(data, questions.BIOASQ_HELD_OUT)
    return trials.nli4ct(data, "dev")


HELD_OUT = ("healthver", "covidfact", "climate_fever", "pubmedqa", "bioasq", "nli4ct")
"""The sets with a held-out part, by the name that `held_out` takes."""


def healthver(data: Path) -> Cited:
    """HealthVer's training claims, without those that are its dev claims too but for case and punctuation.

    The published parts share most abstracts.
    """
    dev = {tuple(split_words(gold.claim.text)) for gold in science.load_cited(data / "healthver", part="dev").claims}
    train = science.load_cited(data / "healthver")
    return replace(train, claims=tuple(g for g in train.claims if tuple(split_words(g.claim.text)) not in dev))


def covidfact(data: Path, *, held: bool) -> Cited:
    """COVID-Fact's claims and abstracts on one side: a fifth of the claims is held out, with its abstracts."""
    whole = science.load_cited(data / "covidfact")
    documents = [{*gold.evidence, *gold.cited} for gold in whole.claims]
    chosen = part_of(documents, _SHARE, _SEED)
    claims = tuple(gold for n, gold in enumerate(whole.claims) if (n in chosen) is held)
    other = frozenset(id for n, ids in enumerate(documents) if (n in chosen) is not held for id in ids)
    corpus = {id: document for id, document in whole.corpus.items() if id not in other}
    return replace(whole, claims=claims, corpus=corpus)


def climate_fever(data: Path, *, held: bool) -> list[Example]:
    """Climate-FEVER's pairs on one side: a fifth of them is held out.

    Nearly all claims are linked through the articles that they share, so the document here is the sentence: no claim
    and no sentence is on both sides. Claims on the sentences that many claims share are never held out.
    """
    pairs = science.climate_fever(data)
    chosen = part_of([(("claim", e.claim), (e.title, *e.elements)) for e in pairs], _SHARE, _SEED)
    return [example for n, example in enumerate(pairs) if (n in chosen) is held]


def pubmedqa(data: Path, fold: int, *, held: bool) -> list[Example]:
    """PubMedQA's questions in a fold (from 1), or in all the others.

    Raises:
        TrainingError: there is no such fold.
    """
    if not 1 <= fold <= PUBMEDQA_FOLDS:
        raise TrainingError(f"PubMedQA has no fold {fold}", remedy=f"Folds are 1 to {PUBMEDQA_FOLDS}")
    examples = questions.pubmedqa(data)
    folds = group_folds([[example.elements] for example in examples], PUBMEDQA_FOLDS, _SEED)
    return [example for example, of in zip(examples, folds, strict=True) if (of == fold - 1) is held]


def group_folds(documents: Sequence[Iterable[Hashable]], count: int, seed: int) -> list[int]:
    """The fold of each item, 0 to `count` - 1, from the documents that each item is on.

    Items that share a document, directly or through others, are in one fold. The folds are as even as the seeded order
    of these groups allows: the larger come first, each into the smallest fold.
    """
    folds = [0] * len(documents)
    sizes = [0] * count
    for group in sorted(_shuffled_groups(documents, seed), key=len, reverse=True):
        smallest = sizes.index(min(sizes))
        sizes[smallest] += len(group)
        for item in group:
            folds[item] = smallest
    return folds


def part_of(documents: Sequence[Iterable[Hashable]], share: float, seed: int) -> Collection[int]:
    """The items of a part that is to be held out: at most `share` of all, and no document of theirs is on the others.

    The groups of items that share a document are drawn in a seeded order; one that is too large is passed over.
    """
    room = int(share * len(documents))
    chosen: set[int] = set()
    for group in _shuffled_groups(documents, seed):
        if len(chosen) + len(group) <= room:
            chosen.update(group)
    return chosen


def _shuffled_groups(documents: Sequence[Iterable[Hashable]], seed: int) -> list[list[int]]:
    """The items by group, in a seeded order; groups are the connected components of items and documents."""
    parents = list(range(len(documents)))

    def root(item: int) -> int:
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    first: dict[Hashable, int] = {}
    for item, of_item in enumerate(documents):
        for document in of_item:
            parents[root(item)] = root(first.setdefault(document, item))
    groups: dict[int, list[int]] = {}
    for item in range(len(documents)):
        groups.setdefault(root(item), []).append(item)
    order = sorted(groups.values())  # whatever the hashes of this process: strings hash anew in each
    random.Random(f"{seed}-groups").shuffle(order)
    return order

"""SciFact, HealthVer and COVID-Fact (one format), Climate-FEVER and CitInt as training examples.

Each of the first three comes in two sizes: whole abstracts, and single rationales against single other sentences
(a sentence trains six times as fast as an abstract).
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciverify.corpora import open_corpus
from sciverify.evaluation.gold import GoldClaim, load_gold
from sciverify.records import Claim, Document, Label
from sciverify.retrieval import TfidfRetriever
from sciverify.stages import DocumentSource
from sciverify.training.examples import Example, label_in, label_of

__all__ = ["Cited", "abstracts", "citint", "climate_fever", "hard_negatives", "load_cited", "sentences"]

_CANDIDATES = 30  # how deep hard negatives are drawn from


@dataclass(frozen=True, slots=True)
class Cited(DocumentSource):
    """A data set in SciFact's format: claims, and the corpus by document id."""

    name: str
    claims: tuple[GoldClaim, ...]
    corpus: Mapping[str, Document]

    def __len__(self) -> int:
        return len(self.corpus)

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """See `sciverify.stages.DocumentSource`."""
        yield from self.corpus.values() if ids is None else (self.corpus[id] for id in ids)


def load_cited(folder: Path, *, part: str = "train", without: frozenset[str] = frozenset()) -> Cited:
    """The claims of a part (train or dev) of a folder and its corpus, less the claims with an id in `without`."""
    corpus = {document.id: document for document in open_corpus(folder / "corpus.jsonl")}
    claims = load_gold(folder / f"claims_{part}.jsonl")
    return Cited(folder.name, tuple(c for c in claims if c.claim.id not in without), corpus)


def abstracts(data: Cited) -> list[Example]:
    """Each claim against each of its cited abstracts; without evidence in it the label is NEI."""
    examples = []
    for gold in data.claims:
        for id in dict.fromkeys((*gold.evidence, *gold.cited)):
            examples.append(_abstract(gold, data.corpus[id], data.name))
    return examples


def hard_negatives(data: Cited, count: int) -> list[Example]:
    """Each claim against the `count` abstracts most alike by TF-IDF that it doesn't cite: NEI, not relevant."""
    if not count:
        return []
    claims = [gold.claim for gold in data.claims]
    rankings = TfidfRetriever(data).retrieve(claims, _CANDIDATES)
    examples = []
    for gold, ranking in zip(data.claims, rankings, strict=True):
        known = {*gold.evidence, *gold.cited}
        others = [c.document for c in ranking.candidates if c.document.id not in known]
        examples += [_negative(gold.claim, document, data.name) for document in others[:count]]
    return examples


def sentences(data: Cited, seed: int) -> list[Example]:
    """Each rationale against its claim, and one sentence more of the same abstracts, which are NEI."""
    rng = random.Random(f"{seed}-{data.name}-sentences")
    examples = []
    for gold in data.claims:
        for id in dict.fromkeys((*gold.evidence, *gold.cited)):
            document = data.corpus[id]
            texts = [element.text for element in document.elements]
            evidence = gold.evidence.get(id)
            rationales = evidence.rationales if evidence else ()
            for rationale in rationales:
                if evidence:
                    chosen = tuple(texts[n] for n in sorted(rationale))
                    examples.append(_rationale(gold.claim, document, chosen, evidence.label, data.name))
            inside = frozenset().union(*rationales)
            others = [n for n in range(len(texts)) if n not in inside]
            for n in rng.sample(others, min(len(others), 1 + len(rationales))):
                examples.append(_rationale(gold.claim, document, (texts[n],), Label.NEI, data.name))
    return examples


def climate_fever(data: Path) -> list[Example]:
    """Climate claims, each against five labelled Wikipedia sentences (Diggelmann et al. 2020)."""
    examples = []
    for line in (data / "climate_fever/climate-fever.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for evidence in row["evidences"]:
            label = label_of(evidence["evidence_label"])
            text = evidence["evidence"].strip().strip('"')
            document = Document.from_sentences(evidence["article"] or "page", evidence["article"], [text])
            examples.append(_rationale(Claim("", row["claim"]), document, (text,), label, "climate_fever"))
    return examples


def citint(data: Path) -> list[Example]:
    """Sentences that cite a paper, each against five sentences of that paper (Sarol et al. 2024), at half weight.

    An accurate citation is SUPPORTS, an irrelevant one NEI; an inaccurate one trains the choice of sentences alone.
    """
    with (data / "citint/corpus.jsonl").open(encoding="utf-8") as file:
        corpus = {str(row["doc_id"]): tuple(row["abstract"]) for row in map(json.loads, file)}
    examples = []
    for line in (data / "citint/claims_train.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        claim = " ".join(_CITATION.sub("", row["claim"]).split())
        for id in map(str, row["cited_doc_ids"]):
            rationales = row["evidence"].get(id, [])
            evidence = tuple(frozenset(rationale["sentences"]) for rationale in rationales)
            inside = frozenset().union(*evidence)
            label = label_in("citint", rationales[0]["label"]) if rationales else Label.NEI
            targets = tuple(n in inside for n in range(len(corpus[id])))
            relevance = True if evidence else None
            if corpus[id]:
                examples.append(
                    Example(claim, "", corpus[id], label, targets, relevance, None, evidence, 0.5, "citint")
                )
    return examples


_CITATION = re.compile(r"\s*[\[(]?<\|(?:cit|multi_cit|other_cit)\|>[\])]?")


def _abstract(gold: GoldClaim, document: Document, source: str) -> Example:
    evidence = gold.evidence.get(document.id)
    inside = frozenset().union(*evidence.rationales) if evidence else frozenset()
    return Example(
        gold.claim.text.strip(),
        document.title,
        tuple(element.text for element in document.elements),
        evidence.label if evidence else Label.NEI,
        targets=tuple(n in inside for n in range(len(document.elements))),
        relevance=True if evidence else None,  # a cited abstract without evidence may still be on the subject
        evidence=evidence.rationales if evidence else (),
        source=source,
    )


def _negative(claim: Claim, document: Document, source: str) -> Example:
    texts = tuple(element.text for element in document.elements)
    return Example(
        claim.text.strip(), document.title, texts, Label.NEI, (False,) * len(texts), relevance=False, source=source
    )


def _rationale(claim: Claim, document: Document, texts: tuple[str, ...], label: Label, source: str) -> Example:
    relevant = label is not Label.NEI
    return Example(
        claim.text.strip(),
        document.title,
        texts,
        label,
        (relevant,) * len(texts),
        evidence=(frozenset(range(len(texts))),) if relevant else (),
        source=source,
    )

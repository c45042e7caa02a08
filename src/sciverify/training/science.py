"""SciFact, HealthVer and COVID-Fact (one format), Climate-FEVER and Evidence Inference as training examples.

Each of the first three comes in two sizes: whole abstracts, and single rationales against single other sentences
(a sentence trains six times as fast as an abstract).
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciverify.corpora import open_corpus
from sciverify.evaluation.gold import GoldClaim, load_gold
from sciverify.records import Claim, Document, Label
from sciverify.retrieval import TfidfRetriever
from sciverify.stages import DocumentSource
from sciverify.training.examples import Example, label_of

__all__ = ["Cited", "abstracts", "climate_fever", "directions", "hard_negatives", "load_cited", "sentences"]

_CANDIDATES = 30  # how deep hard negatives are drawn from


@dataclass(frozen=True, slots=True)
class Cited(DocumentSource):
    """A data set in SciFact's format: the claims that train, and the corpus by document id."""

    name: str
    claims: tuple[GoldClaim, ...]
    corpus: Mapping[str, Document]

    def __len__(self) -> int:
        return len(self.corpus)

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """See `sciverify.stages.DocumentSource`."""
        yield from self.corpus.values() if ids is None else (self.corpus[id] for id in ids)


def load_cited(folder: Path, *, without: frozenset[str] = frozenset()) -> Cited:
    """The training claims of a folder and its corpus, less the claims with an id in `without`."""
    corpus = {document.id: document for document in open_corpus(folder / "corpus.jsonl")}
    claims = load_gold(folder / "claims_train.jsonl")
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


def directions(data: Path, seed: int) -> list[Example]:
    """Directional claims made from Evidence Inference: one true and one false statement per annotated extract.

    The prompt's outcome went up, down or neither with the intervention against the comparator; the statement says so,
    or says another of the three.
    """
    folder = data / "evidence_inference"
    with (folder / "prompts_merged.csv").open(encoding="utf-8", newline="") as file:
        prompts = {row["PromptID"]: row for row in csv.DictReader(file)}
    rng = random.Random(f"{seed}-directions")
    examples, seen = [], set()
    with (folder / "v2_annotations.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = " ".join(row["Annotations"].split())
            found = _DIRECTION_OF.get(row["Label"])
            if found is None or row["PromptID"] not in prompts or not 40 < len(text) < 800 or (text, found) in seen:
                continue
            seen.add((text, found))
            prompt = prompts[row["PromptID"]]
            other = rng.choice([d for d in _STATEMENTS if d != found])
            for direction, label in ((found, Label.SUPPORTS), (other, Label.REFUTES)):
                statement = rng.choice(_STATEMENTS[direction]).format(
                    x=_phrase(prompt["Intervention"]), y=_phrase(prompt["Outcome"]), z=_phrase(prompt["Comparator"])
                )
                claim = Claim("", statement[:1].upper() + statement[1:])
                document = Document.from_sentences("extract", "", [text])
                examples.append(_rationale(claim, document, (text,), label, "directions"))
    return examples


_DIRECTION_OF = {
    "significantly increased": "up",
    "significantly increase": "up",
    "significantly decreased": "down",
    "no significant difference": "same",
}
_STATEMENTS = {
    "up": ("{x} increases {y} compared with {z}.", "{y} is higher with {x} than with {z}.", "{x} raises {y}."),
    "down": ("{x} decreases {y} compared with {z}.", "{y} is lower with {x} than with {z}.", "{x} reduces {y}."),
    "same": (
        "{x} has no effect on {y} compared with {z}.",
        "{y} does not differ between {x} and {z}.",
        "{x} does not change {y}.",
    ),
}


def _phrase(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


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

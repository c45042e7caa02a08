"""Gold claims, a run on them and the corpus, made at random from a seed, in memory or as files."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import dataclass
from pathlib import Path

from sciverify.evaluation.candidates import PredictedCandidate
from sciverify.evaluation.form import LABELS
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.evaluation.runs import PredictedDocument, Prediction, run_line
from sciverify.records import Claim, Document, ElementKind, Label, Probabilities

NAMES = {label: name for name, label in LABELS.items()}
SIDES = (Label.SUPPORTS, Label.REFUTES)


@dataclass(frozen=True)
class Case:
    """A gold file, a run and a corpus in memory."""

    gold: list[GoldClaim]
    predictions: list[Prediction]
    documents: dict[str, Document]

    @property
    def counts(self) -> dict[str, int]:
        """How many sentences each document has."""
        return {id: len(document.elements) for id, document in self.documents.items()}

    def write(self, folder: Path) -> tuple[Path, Path, Path]:
        """The three files: gold, run and corpus."""
        gold, run, corpus = folder / "gold.jsonl", folder / "run.jsonl", folder / "corpus.jsonl"
        _write(gold, [gold_line(entry) for entry in self.gold])
        _write(run, [run_line(prediction) for prediction in self.predictions])
        _write(corpus, [corpus_line(document) for document in self.documents.values()])
        return gold, run, corpus


def random_case(seed: int, *, claims: int = 12, candidates: bool = True, text: str = "") -> Case:
    """A case with all sorts of right and wrong outcomes; `text` stands in every claim, title and sentence."""
    chance = random.Random(seed)
    documents = {
        str(number): Document.from_sentences(
            str(number),
            f"Title {number} {text}".strip(),
            [f"Sentence {n} of {number}. {text}".strip() for n in range(chance.randint(4, 16))],
        )
        for number in range(30)
    }
    gold, predictions = [], []
    for number in range(claims):
        claim = Claim(str(number), f"Claim {number} {text}".strip())
        evidence = {id: _evidence(chance, documents[id]) for id in chance.sample(list(documents), chance.randint(0, 3))}
        gold.append(GoldClaim(claim, evidence, tuple(evidence)))
        predictions.append(_prediction(chance, gold[-1], documents, number, candidates))
    return Case(gold, predictions, documents)


def fill_table(path: Path, **cells: dict[int, str]) -> None:
    """Enter something in rows of an error table: ``fill_table(path, kind={0: "numerical"})``."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for column, values in cells.items():
        for number, value in values.items():
            rows[number][column] = value
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def gold_line(entry: GoldClaim) -> dict[str, object]:
    """A gold claim as a line of SciFact's claims file."""
    evidence = {
        id: [{"sentences": sorted(rationale), "label": NAMES[part.label]} for rationale in part.rationales]
        for id, part in entry.evidence.items()
    }
    return {"id": entry.claim.id, "claim": entry.claim.text, "cited_doc_ids": [], "evidence": evidence}


def corpus_line(document: Document) -> dict[str, object]:
    """A document as a line of SciFact's corpus."""
    sentences = [element.text for element in document.elements if element.kind is ElementKind.SENTENCE]
    return {"doc_id": document.id, "title": document.title, "abstract": sentences}


def _evidence(chance: random.Random, document: Document) -> GoldEvidence:
    numbers = chance.sample(range(len(document.elements)), chance.randint(1, 4))
    cut = chance.randint(1, len(numbers))
    rationales = tuple(frozenset(part) for part in (numbers[:cut], numbers[cut:]) if part)
    return GoldEvidence(chance.choice(SIDES), rationales)


def _prediction(
    chance: random.Random, gold: GoldClaim, documents: dict[str, Document], number: int, candidates: bool
) -> Prediction:
    read = [id for id in gold.evidence if chance.random() < 0.8]
    read += [id for id in chance.sample(list(documents), 4) if id not in gold.evidence]
    chance.shuffle(read)
    evidence, listed = {}, []
    for rank, id in enumerate(read):
        truth = gold.evidence.get(id)
        weights = {label: chance.random() + 0.01 for label in Label}
        weights[truth.label if truth else Label.NEI] += 0.7
        shares = [weight / sum(weights.values()) for weight in weights.values()]
        label = max(zip(shares, Label, strict=True))[1]
        probabilities = Probabilities(shares[0], shares[1], 1 - shares[0] - shares[1])
        listed.append(PredictedCandidate(id, 9.0 - rank, ("bm25",), label, probabilities))
        if label is not Label.NEI:
            numbers = chance.sample(range(len(documents[id].elements)), chance.randint(1, 4))
            if truth and chance.random() < 0.6:
                numbers = list(dict.fromkeys([*truth.rationales[0], *numbers]))
            evidence[id] = PredictedDocument(label, tuple(numbers))
    return Prediction(gold.claim.id, evidence, f"run.jsonl:{number + 1}", tuple(listed) if candidates else None)


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

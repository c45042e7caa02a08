"""Between the two forms of annotated pairs: examples as training reads them, gold claims as the scorers do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sciverify.errors import TrainingError
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.records import Claim, Document, Label
from sciverify.retrieval import TfidfRetriever
from sciverify.training.examples import Example
from sciverify.training.science import Cited

__all__ = ["as_cited", "gold_rationales"]

_SHOWN = 2  # sentences of a document without evidence


def as_cited(name: str, examples: Sequence[Example]) -> Cited:
    """Examples of whole documents as a set of claims that cite them.

    Examples with the same claim are one claim; documents are the same when title and elements are.

    Raises:
        TrainingError: an example has no label, or SUPPORTS or REFUTES without a rationale.
    """
    documents: dict[tuple[str, tuple[str, ...]], Document] = {}
    claims: dict[str, _Collected] = {}
    for example in examples:
        content = (example.title, example.elements)
        document = documents.setdefault(content, Document.from_sentences(str(len(documents)), *content))
        collected = claims.setdefault(example.claim, _Collected())
        collected.cited.append(document.id)
        if example.label is Label.NEI:
            continue
        if example.label is None or not example.evidence:
            raise TrainingError("an example has no label or no rationale", where=f"{name}, {example.claim!r}")
        collected.evidence[document.id] = GoldEvidence(example.label, example.evidence)
    gold = [
        GoldClaim(Claim(str(number), text), found.evidence, tuple(dict.fromkeys(found.cited)))
        for number, (text, found) in enumerate(claims.items())
    ]
    return Cited(name, tuple(gold), {document.id: document for document in documents.values()})


def gold_rationales(data: Cited) -> list[Example]:
    """Each claim with the sentences that decide it, one example per cited document: what a labeller alone is asked.

    Of a document with evidence these are the sentences of all its rationales. Of one without, they are the two most
    like the claim by TF-IDF, as VeriSci's labeller is trained (Wadden et al. 2020, §5).
    """
    pairs = [(gold, id) for gold in data.claims for id in dict.fromkeys((*gold.evidence, *gold.cited))]
    silent = [(gold.claim, id) for gold, id in pairs if id not in gold.evidence]
    alike = dict(zip(((claim.id, id) for claim, id in silent), _most_alike(data, silent), strict=True))
    examples = []
    for gold, id in pairs:
        document, evidence = data.corpus[id], gold.evidence.get(id)
        chosen = sorted(frozenset().union(*evidence.rationales)) if evidence else alike[gold.claim.id, id]
        label = evidence.label if evidence else Label.NEI
        texts = tuple(document.elements[n].text for n in chosen)
        examples.append(Example(gold.claim.text, document.title, texts, label, source=data.name))
    return examples


@dataclass(slots=True)
class _Collected:
    evidence: dict[str, GoldEvidence] = field(default_factory=dict)
    cited: list[str] = field(default_factory=list)


def _most_alike(data: Cited, pairs: Sequence[tuple[Claim, str]]) -> list[list[int]]:
    """For each claim and document the positions of the sentences most like the claim, in reading order."""
    if not pairs:
        return []
    sentences = {
        f"{id} {n}": Document.from_sentences(f"{id} {n}", "", [element.text])
        for id in dict.fromkeys(id for _, id in pairs)
        for n, element in enumerate(data.corpus[id].elements)
    }
    rankings = TfidfRetriever(Cited(data.name, (), sentences)).retrieve([claim for claim, _ in pairs], len(sentences))
    chosen = []
    for (_, id), ranking in zip(pairs, rankings, strict=True):
        found = [c.document.id.rsplit(" ", 1) for c in ranking.candidates]
        own = [int(n) for document, n in found if document == id]
        rest = [n for n in range(len(data.corpus[id].elements)) if n not in own]  # they share no word with the claim
        chosen.append(sorted([*own, *rest][:_SHOWN]))
    return chosen

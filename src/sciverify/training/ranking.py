"""Questions and topics with what answers them: these train relevance and the choice of elements, no label."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from sciverify.corpora import open_corpus, read_claims
from sciverify.training.entailment import untokenised
from sciverify.training.examples import Example

__all__ = ["nfcorpus", "question_sentences", "trecqa", "wikiqa"]

_PER_TOPIC = 2  # documents of NFCorpus that are relevant to a topic, and as many that aren't
_NEARBY = 60  # questions on each side: the same article or the next, where other paragraphs are


def wikiqa(data: Path) -> list[Example]:
    """WikiQA's training questions, each against the first sentences of a page (Yang et al. 2015)."""
    path = data / "qa/wikiqa_trecqa/tjurczyk/WikiQA_data/WikiQASent-train.txt"
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return _questions(((question, text, label) for question, text, label in rows), "wikiqa")


def trecqa(data: Path) -> list[Example]:
    """TrecQA's training questions, each against sentences of newspapers (Wang et al. 2007)."""
    path = data / "qa/wikiqa_trecqa/wang/data/anssel/wang/train.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["qtext"], row["atext"], row["label"]) for row in csv.DictReader(file)]
    return _questions(rows, "trecqa")


def question_sentences(data: Path, seed: int) -> list[Example]:
    """SQuAD's questions against the sentence with the answer, and against one of the sentences near it.

    The texts are in lower case (Du et al. 2017).
    """
    folder = data / "qa/squad_nqg/data/processed"
    rng = random.Random(f"{seed}-question-sentences")
    examples = []
    for part in ("dev", "test"):
        questions, sentences = (
            [untokenised(line) for line in (folder / f"{kind}-{part}.txt").read_text(encoding="utf-8").splitlines()]
            for kind in ("tgt", "src")
        )
        for number, (question, sentence) in enumerate(zip(questions, sentences, strict=True)):
            examples.append(_answer(question, sentence, True))
            nearby = sentences[max(0, number - _NEARBY) : number + _NEARBY]
            if others := [other for other in nearby if other != sentence]:
                examples.append(_answer(question, rng.choice(others), False))
    return examples


def nfcorpus(data: Path, seed: int) -> list[Example]:
    """NFCorpus' training topics (Boteva et al. 2016): two relevant abstracts each, and two that no one linked to it."""
    folder = data / "nfcorpus"
    topics = {claim.id: claim.text for claim in read_claims(folder / "queries.jsonl")}
    corpus = {document.id: document for document in open_corpus(folder / "corpus.jsonl", format="beir")}
    linked: dict[str, dict[str, int]] = {}
    with (folder / "qrels/train.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            linked.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    rng, ids = random.Random(f"{seed}-nfcorpus"), sorted(corpus)
    examples = []
    for topic, scores in linked.items():
        known = rng.sample(sorted(scores), len(scores))
        best = sorted(known, key=lambda id: -scores[id])[:_PER_TOPIC]
        others = [id for id in rng.sample(ids, _PER_TOPIC + len(scores)) if id not in scores][:_PER_TOPIC]
        for id in (*best, *others):
            texts = tuple(element.text for element in corpus[id].elements)
            if texts:
                examples.append(
                    Example(topics[topic], corpus[id].title, texts, relevance=id in scores, source="nfcorpus")
                )
    return examples


def _questions(rows: Iterable[tuple[str, str, str]], source: str) -> list[Example]:
    """One example for each run of rows (question, sentence, 0 or 1) with the same question."""
    examples = []
    for question, group in groupby(rows, key=itemgetter(0)):
        answers = [(untokenised(text), label.strip() == "1") for _, text, label in group]
        targets = tuple(answer for _, answer in answers)
        examples.append(
            Example(
                untokenised(question),
                "",
                tuple(text for text, _ in answers),
                targets=targets,
                relevance=any(targets),
                evidence=tuple(frozenset({n}) for n, answer in enumerate(targets) if answer),
                source=source,
            )
        )
    return examples


def _answer(question: str, sentence: str, answers: bool) -> Example:
    return Example(question, "", (sentence,), targets=(answers,), relevance=answers, source="question_sentences")

"""Questions with answers in a passage: yes/no questions train the label, extracts train the spans."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from sciverify.records import Label
from sciverify.training.examples import Example, Span, label_of

__all__ = [
    "BIOASQ_HELD_OUT",
    "BIOASQ_TRAIN",
    "bioasq_spans",
    "bioasq_yesno",
    "boolq",
    "pubmedqa",
    "squad_shifts",
    "xquad",
]

BIOASQ_TRAIN = (7, 8, 9)
BIOASQ_HELD_OUT = (10, 11)


def boolq(data: Path) -> list[Example]:
    """BoolQ's dev questions with their passages: yes = SUPPORTS, no = REFUTES."""
    examples = []
    for line in (data / "qa/boolq/dev/datafile/dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answer = str(row["answer"]).lower() == "true"
        examples.append(
            Example(
                f"{row['question'].capitalize()}?",
                row["title"],
                (row["passage"],),
                Label.SUPPORTS if answer else Label.REFUTES,
                targets=(True,),
                source="boolq",
            )
        )
    return examples


def pubmedqa(data: Path) -> list[Example]:
    """PubMedQA-L (Jin et al. 2019): the question against its abstract without the conclusion; maybe = NEI.

    The question is nearly always the article's title, so the examples have none.
    """
    content = json.loads((data / "pubmedqa/ori_pqal_train_dev.json").read_text(encoding="utf-8"))
    examples = []
    for row in content.values():
        label = label_of(row["final_decision"])
        texts = tuple(text for text in row["CONTEXTS"] if text.strip())
        relevance = True if label is not Label.NEI else None
        examples.append(Example(row["QUESTION"].strip(), "", texts, label, relevance=relevance, source="pubmedqa"))
    return examples


def bioasq_yesno(data: Path, years: Collection[int]) -> list[Example]:
    """BioASQ's yes/no questions of some years, each against the snippets that experts chose for it (Tsatsaronis 2015).

    Questions that are trained on and share an article with one that is held out are left out.
    """
    return [
        Example(
            row["body"].strip(),
            "",
            texts,
            label_of(row["exact_answer"]),
            targets=(True,) * len(texts),
            relevance=True,
            source="bioasq_yesno",
        )
        for row in _bioasq(data, ("yesno",), years)
        if (texts := _snippets(row))
    ]


def bioasq_spans(data: Path, years: Collection[int]) -> list[Example]:
    """BioASQ's factoid and list questions: one example per snippet, with every answer or synonym found in it.

    Snippets that spell no answer out are left out: what they lack may be said in other words.
    """
    examples = []
    for row in _bioasq(data, ("factoid", "list"), years):
        answers = list(_flat(row["exact_answer"]))
        for text in _snippets(row):
            spans = tuple(Span(0, start, end) for start, end in _occurrences(answers, text))
            if spans:
                examples.append(Example(row["body"].strip(), "", (text,), spans=spans, source="bioasq_spans"))
    return examples


def squad_shifts(data: Path) -> list[Example]:
    """SQuAD-format questions on new Wikipedia articles (Miller et al. 2020); the passage is one element."""
    return _squad(data / "qa/squadshifts/new_wiki_v1.0.json", "squad_shifts")


def xquad(data: Path) -> list[Example]:
    """The English part of XQuAD (Artetxe et al. 2020), questions of SQuAD's dev set."""
    return _squad(data / "qa/xquad_en/xquad.en.json", "xquad")


def _squad(path: Path, source: str) -> list[Example]:
    content = json.loads(path.read_text(encoding="utf-8"))
    examples = []
    for article in content["data"]:
        title = article.get("title", "").replace("_", " ")
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                spans = tuple(
                    Span(0, answer["answer_start"], answer["answer_start"] + len(answer["text"]))
                    for answer in question["answers"]
                )
                text = question["question"].strip()
                examples.append(Example(text, title, (paragraph["context"],), spans=spans, source=source))
    return examples


def _bioasq(data: Path, types: Collection[str], years: Collection[int]) -> Iterator[dict[str, Any]]:
    questions = {
        year: [
            row
            for path in sorted((data / "bioasq").glob(f"{year}B*_golden.json"))
            for row in json.loads(path.read_text(encoding="utf-8"))["questions"]
        ]
        for year in (*BIOASQ_TRAIN, *BIOASQ_HELD_OUT)
    }
    if not all(questions.values()):
        raise FileNotFoundError(data / "bioasq")
    held_out = {
        article
        for year in BIOASQ_HELD_OUT
        for row in questions[year]
        if row["type"] == "yesno"
        for article in _articles(row)
    }
    for year in years:
        for row in questions[year]:
            if row["type"] in types and (year in BIOASQ_HELD_OUT or not held_out & _articles(row)):
                yield row


def _articles(row: dict[str, Any]) -> set[str]:
    return {snippet["document"].rsplit("/", 1)[-1] for snippet in row["snippets"]}


def _snippets(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for snippet in row["snippets"] if (text := snippet["text"].strip())))


def _flat(answers: object) -> Iterator[str]:
    """Factoids are lists of synonyms, lists are lists of such lists; some files write a string for either."""
    if isinstance(answers, str):
        yield answers.strip()
    elif isinstance(answers, Sequence):
        for answer in answers:
            yield from _flat(answer)


def _occurrences(answers: Sequence[str], text: str) -> list[tuple[int, int]]:
    """Where the answers stand in the text as whole words, in any case; the longest of those that begin together."""
    found: dict[int, int] = {}
    for answer in filter(None, answers):
        for match in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE):
            found[match.start()] = max(match.end(), found.get(match.start(), 0))
    return sorted(found.items())

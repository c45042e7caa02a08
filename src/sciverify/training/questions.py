"""Questions with answers in a passage: yes/no questions train the label, extracts train the spans."""

from __future__ import annotations

import json
from pathlib import Path

from sciverify.records import Label
from sciverify.training.examples import Example, Span

__all__ = ["boolq", "squad_shifts"]


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


def squad_shifts(data: Path) -> list[Example]:
    """SQuAD-format questions on new Wikipedia articles (Miller et al. 2020); the passage is one element."""
    content = json.loads((data / "qa/squadshifts/new_wiki_v1.0.json").read_text(encoding="utf-8"))
    examples = []
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                spans = tuple(
                    Span(0, answer["answer_start"], answer["answer_start"] + len(answer["text"]))
                    for answer in question["answers"]
                )
                title = article.get("title", "").replace("_", " ")
                examples.append(
                    Example(
                        question["question"].strip(), title, (paragraph["context"],), spans=spans, source="squad_shifts"
                    )
                )
    return examples

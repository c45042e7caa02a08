"""Directional claims ("X lowers Y compared with Z") made from Evidence Inference (DeYoung et al. 2020).

A prompt names an intervention X, a comparator Z and an outcome Y of a trial; annotators said which way Y went and
marked the extract that shows it. One true and one false statement come from each. Only the published training articles
are used, so that the validation and test articles stay unseen.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sciverify.corpora.fields import clean_sentences
from sciverify.records import Label
from sciverify.training.examples import Example

__all__ = ["direction_abstracts", "directions"]

_SHORTEST, _LONGEST = 40, 800  # characters of an extract: shorter ones are cells of tables, longer ones whole pages


def directions(data: Path, seed: int) -> list[Example]:
    """Each extract alone against two statements."""
    rng = random.Random(f"{seed}-directions")
    examples, seen = [], set()
    for found in _annotations(data):
        if (found.extract, found.direction) not in seen:
            seen.add((found.extract, found.direction))
            for statement, label in _statements(found, rng):
                examples.append(
                    Example(
                        statement,
                        "",
                        (found.extract,),
                        label,
                        (True,),
                        evidence=(frozenset({0}),),
                        source="directions",
                    )
                )
    return examples


def direction_abstracts(data: Path, seed: int) -> list[Example]:
    """The trial's abstract against two statements; the sentences that hold an extract are its rationales.

    Prompts without an extract in the abstract are left out, as are those on whose direction annotators differ.
    """
    abstracts = _abstracts(data)
    prompts: dict[str, list[_Annotation]] = {}
    for found in _annotations(data):
        if found.article in abstracts:
            prompts.setdefault(found.prompt, []).append(found)
    rng = random.Random(f"{seed}-direction-abstracts")
    examples = []
    for of_prompt in prompts.values():
        title, sentences = abstracts[of_prompt[0].article]
        placed = (_sentences_of(found.extract, sentences) for found in of_prompt)
        rationales = tuple(dict.fromkeys(filter(None, placed)))
        if not rationales or len({found.direction for found in of_prompt}) > 1:
            continue
        inside = frozenset().union(*rationales)
        targets = tuple(n in inside for n in range(len(sentences)))
        for statement, label in _statements(of_prompt[0], rng):
            examples.append(
                Example(statement, title, sentences, label, targets, True, None, rationales, 1.0, "direction_abstracts")
            )
    return examples


@dataclass(frozen=True, slots=True)
class _Annotation:
    """One extract that shows which way an outcome went; `asked` are intervention, outcome and comparator."""

    prompt: str
    article: str
    direction: str
    extract: str
    asked: tuple[str, str, str]


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


def _annotations(data: Path) -> Iterator[_Annotation]:
    folder = data / "evidence_inference"
    train = set((folder / "splits/train_article_ids.txt").read_text(encoding="utf-8").split())
    with (folder / "prompts_merged.csv").open(encoding="utf-8", newline="") as file:
        prompts = {row["PromptID"]: row for row in csv.DictReader(file)}
    with (folder / "v2_annotations.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            extract = " ".join(row["Annotations"].split())
            direction, prompt = _DIRECTION_OF.get(row["Label"]), prompts.get(row["PromptID"])
            if direction and prompt and row["PMCID"] in train and _SHORTEST < len(extract) < _LONGEST:
                asked = (_phrase(prompt["Intervention"]), _phrase(prompt["Outcome"]), _phrase(prompt["Comparator"]))
                yield _Annotation(row["PromptID"], row["PMCID"], direction, extract, asked)


def _abstracts(data: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Title and sentences of each abstract by its article's number."""
    abstracts = {}
    with gzip.open(data / "evidence_inference/rct_abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            sentences = (s for _, text in row["sections"] for s in clean_sentences(" ".join(text.split())))
            abstracts[row["pmcid"].removeprefix("PMC")] = (row["title"], tuple(sentences))
    return abstracts


def _sentences_of(extract: str, sentences: tuple[str, ...]) -> frozenset[int]:
    """The positions of the sentences that an extract covers a part of; empty when it isn't in the text."""
    start = " ".join(sentences).find(extract)
    if start < 0:
        return frozenset()
    covered, begin = set(), 0
    for number, sentence in enumerate(sentences):
        if begin < start + len(extract) and begin + len(sentence) > start:
            covered.add(number)
        begin += len(sentence) + 1
    return frozenset(covered)


def _statements(found: _Annotation, rng: random.Random) -> Iterator[tuple[str, Label]]:
    """One that says which way the outcome went, and one that says another of the three."""
    x, y, z = found.asked
    other = rng.choice([direction for direction in _STATEMENTS if direction != found.direction])
    for direction, label in ((found.direction, Label.SUPPORTS), (other, Label.REFUTES)):
        statement = rng.choice(_STATEMENTS[direction]).format(x=x, y=y, z=z).strip()
        yield statement[:1].upper() + statement[1:], label


def _phrase(text: str) -> str:
    return " ".join(text.split()).rstrip(".")

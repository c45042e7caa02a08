"""General entailment sets: sentence pairs with three labels, and claims with gold sentences from Wikipedia."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sciverify.records import Label
from sciverify.training.examples import Example, label_in, label_of

__all__ = [
    "anli",
    "counterfactual",
    "fever",
    "fever_symmetric",
    "feverous_sentences",
    "fool_me_twice",
    "mnli",
    "new_protocols",
    "sick",
    "snli",
    "sufficient_facts",
    "untokenised",
]

_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")  # [[Page_name|what is read]]
_ENTAILMENT = {"entailment", "neutral", "contradiction"}


def fever(data: Path) -> list[Example]:
    """FEVER claims with their gold sentences. NEI rows carry no sentences and are left out."""
    examples = []
    for name in ("eval", "test"):
        path = data / f"nli/fever_nli_vanilla/data/vanilla_wiki_data/{name}_data_vanilla.csv"
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                sentences = tuple(untokenised(text) for text in ast.literal_eval(row["evidence"]))
                if sentences:
                    examples.append(_pair(row["claim"], sentences, label_in("fever", row["label"]), "fever"))
    return examples


def new_protocols(data: Path) -> list[Example]:
    """Textual Entailment: New Protocols (Bowman et al. 2020): Wikipedia premises, four ways to write hypotheses."""
    folder = data / "nli/te_new_protocols/data"
    examples = []
    for protocol in ("base", "contrast", "edit_premise", "edit_other"):
        for row in _tsv(folder / protocol / "train.tsv"):
            examples.append(_entailment(row["sentence1"], row["sentence2"], row["gold_label"], "new_protocols"))
    return [example for example in examples if example]


def mnli(data: Path) -> list[Example]:
    """25,000 pairs of MultiNLI in five genres."""
    folder = data / "nli/mnli_snli_small/data"
    rows = [row for name in ("mnli_train.tsv", "mnli_val.tsv") for row in _tsv(folder / name)]
    return [e for row in rows if (e := _entailment(row["sentence1"], row["sentence2"], row["label"], "mnli"))]


def snli(data: Path) -> list[Example]:
    """SNLI's dev and test pairs (nothing is reported on SNLI)."""
    folder = next((data / "nli/esnli_dev_test").rglob("labels.dev")).parent
    examples = []
    for split in ("dev", "test"):
        premises, hypotheses, labels = (
            (folder / f"{stem}.{split}").read_text(encoding="utf-8").split("\n") for stem in ("s1", "s2", "labels")
        )
        examples += [_entailment(*row, "snli") for row in zip(premises, hypotheses, labels, strict=False)]
    return [example for example in examples if example]


def counterfactual(data: Path) -> list[Example]:
    """SNLI pairs revised by hand so that the label changes (Kaushik et al. 2020)."""
    rows = _tsv(data / "nli/cad_nli/NLI/all_combined/train.tsv")
    return [
        e for row in rows if (e := _entailment(row["sentence1"], row["sentence2"], row["gold_label"], "counterfactual"))
    ]


def sufficient_facts(data: Path) -> list[Example]:
    """Evidence with a constituent removed: NEI where the rest no longer suffices (Atanasova et al. 2022)."""
    examples = []
    folder = data / "nli/sufficient_facts"
    paths = sorted(folder.rglob("*_sufficient_facts.jsonl"))
    if not paths:
        raise FileNotFoundError(folder)
    for path in paths:
        for row in _json_lines(path):
            name = row["label_after"] if row["label_after"] == "NOT ENOUGH" else row["label_before"]
            label = label_in("sufficient_facts", name) if name in ("NOT ENOUGH", "SUPPORTED") else label_of(name)
            sentences = tuple(untokenised(sentence) for _, sentence in row["evidence"])
            if sentences:
                examples.append(_pair(untokenised(row["claim"]), sentences, label, "sufficient_facts"))
    return examples


def fever_symmetric(data: Path) -> list[Example]:
    """FEVER claims and sentences rewritten so that the claim alone tells nothing (Schuster et al. 2019); the dev part.

    The test part is left for measuring what a model reads from claims alone.
    """
    path = data / "nli/fever_symmetric/symmetric_v0.2/fever_symmetric_dev.jsonl"
    return [
        _pair(
            untokenised(row["claim"]), (untokenised(row["evidence"]),), label_of(row["gold_label"]), "fever_symmetric"
        )
        for row in _json_lines(path)
    ]


def sick(data: Path) -> list[Example]:
    """SICK (Marelli et al. 2014): pairs of short captions; sentence A is the premise."""
    examples = []
    for name in ("SICK_train", "SICK_trial", "SICK_test_annotated"):
        for row in _tsv(data / f"nli/sick/sick/{name}.txt"):
            label = row["entailment_judgment"].lower()
            examples.append(_entailment(row["sentence_A"], row["sentence_B"], label, "sick"))
    return [example for example in examples if example]


def fool_me_twice(data: Path) -> list[Example]:
    """Claims written to mislead (Eisenschlos et al. 2021), against the page's retrieved sentences.

    Together the gold sentences are one rationale.
    """
    examples = []
    for row in _json_lines(data / "nli/fool_me_twice/dataset/dev.jsonl"):
        gold = {evidence["text"] for evidence in row["gold_evidence"]}
        texts = tuple(
            dict.fromkeys(e["text"] for e in (*row["retrieved_evidence"], *row["gold_evidence"]) if e["text"])
        )
        inside = frozenset(n for n, text in enumerate(texts) if text in gold)
        if inside:
            examples.append(
                Example(
                    row["text"].strip(),
                    row["wikipedia_page"],
                    texts,
                    label_of(row["label"]),
                    targets=tuple(n in inside for n in range(len(texts))),
                    relevance=True,
                    evidence=(inside,),
                    source="fool_me_twice",
                )
            )
    return examples


def anli(data: Path) -> list[Example]:
    """The dev pairs of Adversarial NLI's three rounds (Nie et al. 2020)."""
    folder = data / "nli/anli_dev_analysis/anlizinganli/anli_annot_v0.2"
    examples = []
    for number in (1, 2, 3):
        with (folder / f"ANLI_analysis_r{number}_dev.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                examples.append(_pair(row["statement"], (row["context"],), label_of(row["gold_label"]), "anli"))
    return [example for example in examples if example.claim.strip() and example.elements[0].strip()]


def feverous_sentences(data: Path) -> list[Example]:
    """FEVEROUS dev claims whose evidence is sentences only, with that evidence (Pan et al. 2023).

    Sentences of several pages are preceded by their page's title, as only one title can stand before them all.
    """
    path = data / "feverous/feverous_programfc/teacherpeterpan/datasets/FEVEROUS/claims/dev.json"
    examples = []
    for row in json.loads(path.read_text(encoding="utf-8")):
        lines = [line.partition("\t") for line in row["evidence"].splitlines() if line.strip()]
        pages = list(dict.fromkeys(page for page, _, _ in lines))
        texts = [(page, _LINK.sub(r"\1", text).strip()) for page, _, text in lines]
        sentences = tuple(text if len(pages) == 1 else f"{page}: {text}" for page, text in texts if text)
        if sentences:
            example = _pair(row["claim"].strip(), sentences, label_of(row["label"]), "feverous_sentences")
            examples.append(replace(example, title=pages[0] if len(pages) == 1 else ""))
    return examples


def untokenised(text: str) -> str:
    """Undo the Penn Treebank spacing of these files, so that the model reads text as it is written elsewhere."""
    for old, new in (
        ("-LRB-", "("),
        ("-RRB-", ")"),
        ("-LSB-", "["),
        ("-RSB-", "]"),
        ("-lrb-", "("),
        ("-rrb-", ")"),
        ("``", '"'),
        ("''", '"'),
        (" ,", ","),
        (" .", "."),
        (" ;", ";"),
        (" 's", "'s"),
        (" n't", "n't"),
        ("( ", "("),
        (" )", ")"),
        ("--", "-"),
    ):
        text = text.replace(old, new)
    return text.strip()


def _entailment(premise: str, hypothesis: str, label: str, source: str) -> Example | None:
    if label not in _ENTAILMENT:
        return None  # "-": the annotators disagreed
    return _pair(untokenised(hypothesis), (untokenised(premise),), label_of(label), source)


def _pair(claim: str, sentences: tuple[str, ...], label: Label | None, source: str) -> Example:
    relevant = label is not Label.NEI
    return Example(
        claim,
        "",
        sentences,
        label,
        targets=(relevant,) * len(sentences) if len(sentences) == 1 or relevant else None,
        evidence=(frozenset(range(len(sentences))),) if relevant else (),
        source=source,
    )


def _tsv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)

"""General entailment sets: sentence pairs with three labels, and FEVER's claims with gold sentences."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterator
from pathlib import Path

from sciverify.records import Label
from sciverify.training.examples import Example, label_of

__all__ = ["counterfactual", "fever", "mnli", "new_protocols", "snli", "sufficient_facts"]

_FEVER_LABELS = {"0": Label.NEI, "1": Label.SUPPORTS, "2": Label.REFUTES}
_ENTAILMENT = {"entailment", "neutral", "contradiction"}


def fever(data: Path) -> list[Example]:
    """FEVER claims with their gold sentences. NEI rows carry no sentences and are left out."""
    examples = []
    for name in ("eval", "test"):
        path = data / f"nli/fever_nli_vanilla/data/vanilla_wiki_data/{name}_data_vanilla.csv"
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                sentences = tuple(_untokenised(text) for text in ast.literal_eval(row["evidence"]))
                if sentences:
                    examples.append(_pair(row["claim"], sentences, _FEVER_LABELS[row["label"]], "fever"))
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
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            before = "supports" if row["label_before"] == "SUPPORTED" else row["label_before"]
            label = Label.NEI if row["label_after"] == "NOT ENOUGH" else label_of(before)
            sentences = tuple(_untokenised(sentence) for _, sentence in row["evidence"])
            if sentences:
                examples.append(_pair(_untokenised(row["claim"]), sentences, label, "sufficient_facts"))
    return examples


def _entailment(premise: str, hypothesis: str, label: str, source: str) -> Example | None:
    if label not in _ENTAILMENT:
        return None  # "-": the annotators disagreed
    return _pair(_untokenised(hypothesis), (_untokenised(premise),), label_of(label), source)


def _pair(claim: str, sentences: tuple[str, ...], label: Label, source: str) -> Example:
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


def _untokenised(text: str) -> str:
    """Undo the Penn Treebank spacing of these files, so that the model reads text as it is written elsewhere."""
    for old, new in (
        ("-LRB-", "("),
        ("-RRB-", ")"),
        ("-LSB-", "["),
        ("-RSB-", "]"),
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


def _tsv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)

"""Claims about clinical trials: against abstracts (CliniFact), and against sections of trial reports (NLI4CT)."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from sciverify.corpora.fields import clean_sentences
from sciverify.records import Label
from sciverify.training.examples import Example, label_in, label_of

__all__ = ["clinifact", "nli4ct"]

_SIDES = ("Primary", "Secondary")


def clinifact(data: Path) -> list[Example]:
    """Claims made of a trial's registered outcome, against an abstract that the trial names; the training part."""
    examples = []
    with (data / "clinifact/train_set.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sentences = tuple(clean_sentences(" ".join(row["article_abstract"].split())))
            label = label_in("clinifact", row["label"])
            relevance = True if label is not Label.NEI else None  # the abstracts without a result are on the subject
            if sentences:
                claim = " ".join(row["claim"].split())
                examples.append(
                    Example(claim, row["article_title"], sentences, label, relevance=relevance, source="clinifact")
                )
    return examples


def nli4ct(data: Path, part: str) -> list[Example]:
    """Statements about one or two trials (Jullien et al. 2023), against one section of their reports.

    The lines of the section are the elements, each trial's after a line that says which trial it is; the marked lines
    of both are one rationale. Training statements on a section that the dev part asks about are left out.

    Args:
        data: the folder of the public data sets.
        part: ``train`` or ``dev``.
    """
    with ZipFile(data / "nli4ct/Complete_dataset.zip") as archive:
        parts = {name: json.loads(archive.read(f"Complete_dataset/{name}.json")) for name in ("train", "dev")}
        held_out = {section for row in parts["dev"].values() for section in _sections(row)}
        rows = [row for row in parts[part].values() if part == "dev" or not held_out & set(_sections(row))]
        trials = {
            trial: json.loads(archive.read(f"Complete_dataset/CT json/{trial}.json"))
            for trial in sorted({trial for row in rows for trial, _ in _sections(row)})
        }
    return [_statement(row, trials) for row in rows]


def _sections(row: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    return [(row[f"{side}_id"], row["Section_id"]) for side in _SIDES if row.get(f"{side}_id")]


def _statement(row: Mapping[str, Any], trials: Mapping[str, Mapping[str, Sequence[str]]]) -> Example:
    elements: list[str] = []
    marked: set[int] = set()
    for side, (trial, section) in zip(_SIDES, _sections(row), strict=False):
        elements.append(f"{side} trial")
        evidence = row.get(f"{side}_evidence_index", ())
        for number, line in enumerate(trials[trial][section]):
            if line.strip():
                marked |= {len(elements)} if number in evidence else set()
                elements.append(line.strip())
    return Example(
        row["Statement"].strip(),
        row["Section_id"],
        tuple(elements),
        label_of(row["Label"]),
        targets=tuple(n in marked for n in range(len(elements))),
        relevance=True,
        evidence=(frozenset(marked),) if marked else (),
        source="nli4ct",
    )

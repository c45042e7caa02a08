"""Examples to tensors: windows with their targets, batches of like length, padding."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import torch
from torch import Tensor

from sciverify.models.inputs import InputShape, Window, build_windows
from sciverify.models.tokens import Pieces, WordPieces
from sciverify.records import Label
from sciverify.training.examples import Example
from sciverify.training.network import LABEL_ORDER

__all__ = ["IGNORE", "Batch", "Row", "Soft", "batches", "collate", "make_rows"]

IGNORE = -100
"""A target that trains nothing (torch's convention)."""

_CHUNK = 4096  # examples that are tokenised together
_POOL = 64  # batches that are sorted by length together: like lengths, yet random order


class Soft(NamedTuple):
    """What a teacher says about a window, as logits: three of the label in the order of `LABEL_ORDER`, one of the
    relevance, and one per element in the window."""

    label: tuple[float, ...]
    relevance: float
    elements: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One window with its targets; `elements` has one target per element in the window, `soft` a teacher's."""

    window: Window
    label: int
    relevance: int
    elements: list[int]
    span: tuple[int, int]
    weight: float
    soft: Soft | None = None

    @property
    def trains(self) -> bool:
        """Whether there is any target."""
        known = (self.label, self.relevance, *self.elements, *self.span)
        return self.soft is not None or any(target != IGNORE for target in known)


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of shape (batch, tokens) or (batch,); targets hold `IGNORE` where nothing is trained.

    A teacher's logits are floats, of shape (batch, 3) for the label, and NaN where there are none.
    """

    inputs: dict[str, Tensor]
    label: Tensor
    relevance: Tensor
    elements: Tensor
    start: Tensor
    end: Tensor
    weight: Tensor
    soft_label: Tensor
    soft_relevance: Tensor
    soft_elements: Tensor

    def to(self, device: torch.device) -> Batch:
        """The same on another device."""
        inputs = {name: values.to(device) for name, values in self.inputs.items()}
        return Batch(inputs, *(getattr(self, field.name).to(device) for field in fields(self)[1:]))


def make_rows(examples: Sequence[Example], tokens: WordPieces, shape: InputShape) -> list[Row]:
    """The training rows of the examples: one per window.

    A window that holds none of the example's complete rationales is NEI and not relevant, whatever the document says.
    """
    rows = []
    shared: dict[int, int] = {}  # one object per id, or the rows of a large set would hold millions of equal ones
    for begin in range(0, len(examples), _CHUNK):
        chunk = examples[begin : begin + _CHUNK]
        texts = list(dict.fromkeys(text for e in chunk for text in (e.claim, e.title, *e.elements)))
        split = (Pieces([shared.setdefault(id, id) for id in p.ids], p.offsets) for p in tokens.split(texts))
        pieces = dict(zip(texts, split, strict=True))
        for example in chunk:
            elements = [pieces[text] for text in example.elements]
            for window in build_windows(tokens, pieces[example.claim], pieces[example.title], elements, shape):
                rows.append(_row(example, window, elements))
    return rows


def batches(rows: Sequence[Row], batch_tokens: int, max_batch: int, rng: random.Random) -> Iterator[list[Row]]:
    """Shuffled batches of like length, each of at most `max_batch` rows and about `batch_tokens` padded tokens."""
    order = list(rows)
    rng.shuffle(order)
    pool = _POOL * max_batch
    ready: list[list[Row]] = []
    for begin in range(0, len(order), pool):
        chunk = sorted(order[begin : begin + pool], key=lambda row: -len(row.window.input_ids))
        start = 0
        while start < len(chunk):
            size = max(1, min(max_batch, batch_tokens // len(chunk[start].window.input_ids)))
            ready.append(chunk[start : start + size])
            start += size
    rng.shuffle(ready)
    yield from ready


def collate(rows: Sequence[Row]) -> Batch:
    """Pad a batch to its longest row."""
    width = max(len(row.window.input_ids) for row in rows)
    shape = (len(rows), width)
    ids, mask, types = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
    elements = torch.full(shape, IGNORE, dtype=torch.long)
    soft_elements = torch.full(shape, torch.nan)
    for number, row in enumerate(rows):
        length = len(row.window.input_ids)
        ids[number, :length] = torch.tensor(row.window.input_ids)
        types[number, :length] = torch.tensor(row.window.token_type_ids)
        mask[number, :length] = 1
        if row.elements:
            elements[number, torch.tensor(row.window.separators)] = torch.tensor(row.elements)
        if row.soft is not None and row.soft.elements:
            soft_elements[number, torch.tensor(row.window.separators)] = torch.tensor(row.soft.elements)
    unknown = (torch.nan,) * len(LABEL_ORDER)
    return Batch(
        {"input_ids": ids, "attention_mask": mask, "token_type_ids": types},
        torch.tensor([row.label for row in rows]),
        torch.tensor([row.relevance for row in rows]),
        elements,
        torch.tensor([row.span[0] for row in rows]),
        torch.tensor([row.span[1] for row in rows]),
        torch.tensor([row.weight for row in rows], dtype=torch.float32),
        torch.tensor([row.soft.label if row.soft is not None else unknown for row in rows]),
        torch.tensor([row.soft.relevance if row.soft is not None else torch.nan for row in rows]),
        soft_elements,
    )


def _row(example: Example, window: Window, elements: Sequence[Pieces]) -> Row:
    label, relevance = example.label, example.relevance
    inside = set(window.positions)
    if example.evidence and not any(rationale <= inside for rationale in example.evidence):
        label = Label.NEI if label is not None else None
        relevance = False if relevance is not None else None
    targets = [int(example.targets[p]) for p in window.positions] if example.targets is not None else []
    return Row(
        window,
        LABEL_ORDER.index(label.value) if label is not None else IGNORE,
        int(relevance) if relevance is not None else IGNORE,
        targets,
        _span(example, window, elements),
        example.weight,
    )


def _span(example: Example, window: Window, elements: Sequence[Pieces]) -> tuple[int, int]:
    """Token positions of the first span that lies in the window; CLS (0, 0) stands for no span."""
    if example.spans is None:
        return (IGNORE, IGNORE)
    for span in example.spans:
        if span.element in window.positions:
            place = span.element - window.positions.start
            room = window.separators[place] - window.starts[place]
            inside = [
                number
                for number, (start, end) in enumerate(elements[span.element].offsets[:room])
                if start < span.end and end > span.start
            ]
            if inside:
                return (window.starts[place] + inside[0], window.starts[place] + inside[-1])
    return (0, 0)

"""What the benchmarks of speed share: how a rate is taken, and torch's bare forward pass that it is compared with."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sciverify.models.crossencoder import Passage
from sciverify.models.inputs import InputShape, build_windows
from sciverify.models.session import plan_batches
from sciverify.models.tokens import load_tokenizer

if TYPE_CHECKING:
    import torch

__all__ = ["forward", "passage_lengths", "rate"]


def rate(run: Callable[[], object], count: int, repeats: int) -> float:
    """How many of `count` a second, the best of some runs after one that warms up."""
    if repeats > 1:
        run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return count / min(times)


def passage_lengths(passages: Sequence[Passage], shape: InputShape) -> list[int]:
    """The tokens of every window of some passages."""
    tokens = load_tokenizer()
    lengths = []
    for passage in passages:
        claim, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements])
        lengths += [len(window.input_ids) for window in build_windows(tokens, claim, title, elements, shape)]
    return lengths


def forward(network: torch.nn.Module, lengths: Sequence[int]) -> Callable[[], object]:
    """Forward passes over random ids of these lengths, in batches of like length."""
    import torch

    batches = []
    for batch in plan_batches(lengths):
        width = max(lengths[row] for row in batch)
        ids = torch.randint(1000, 20000, (len(batch), width))
        mask = torch.zeros_like(ids)
        for number, row in enumerate(batch):
            mask[number, : lengths[row]] = 1
        batches.append((ids, mask))

    def run() -> None:
        with torch.inference_mode():
            for ids, mask in batches:
                network(input_ids=ids, attention_mask=mask)

    return run

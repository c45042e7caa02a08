"""Which examples of a stage's data sets an epoch holds: all of them, or a mixture by temperature.

With n examples in a set (at most `limit` of them counted) and the temperature T, the sets' shares of an epoch are
proportional to n ** (1 / T), so that small sets are seen more often and large ones less (Raffel et al. 2020, §3.5.2;
Devlin et al. 2018 for languages). An epoch has as many examples as the sets have together after the limit.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sciverify.training.examples import Example

__all__ = ["Mixing"]


@dataclass(frozen=True, slots=True)
class Mixing:
    """How the sets of a stage are mixed; by default they are not: an epoch holds every example once, in order.

    Attributes:
        temperature: 1 or more; 1 keeps the proportions of the sets, infinity makes them alike. 0 stands for 1.
        limit: how many examples of one set an epoch may hold; 0 is no limit.

    Raises:
        ValueError: one of them is out of range.
    """

    temperature: float = 0.0
    limit: int = 0

    def __post_init__(self) -> None:
        # Below 1 the largest set's share would grow beyond what it holds.
        if self.temperature != 0 and not self.temperature >= 1:
            raise ValueError(f"temperature is {self.temperature}, neither 0 nor at least 1")
        if self.limit < 0:
            raise ValueError(f"limit is {self.limit}, below 0")

    @property
    def mixes(self) -> bool:
        """Whether an epoch differs from the sets as they are."""
        return self.temperature != 0 or self.limit != 0

    def counts(self, sizes: Sequence[int]) -> list[int]:
        """How many examples of each set an epoch holds, by how many it has; at most `limit` of each."""
        if not self.mixes:
            return list(sizes)
        counted = [min(size, self.limit or size) for size in sizes]
        shares = [number ** (1 / (self.temperature or 1)) if number else 0.0 for number in counted]
        whole = sum(shares) or 1.0
        most = max(counted, default=0)
        return [min(most, round(sum(counted) * share / whole)) for share in shares]

    def epoch(self, sets: Mapping[str, Sequence[Example]], seed: int, epoch: int) -> list[Example]:
        """The examples of an epoch (0 is the first), set by set; a function of its arguments alone.

        The examples of a set are dealt out pass by pass, each pass in an order of its own, so that none is seen once
        more before all have been seen as often, however few of them an epoch holds.
        """
        if not self.mixes:
            return [example for examples in sets.values() for example in examples]
        counts = self.counts([len(examples) for examples in sets.values()])
        mixed: list[Example] = []
        for (name, examples), count in zip(sets.items(), counts, strict=True):
            mixed += _dealt(examples, epoch * count, count, f"{seed}-{name}") if count else []
        return mixed


def _dealt(examples: Sequence[Example], start: int, count: int, seed: str) -> list[Example]:
    """`count` examples from position `start` of the endless row of passes."""
    first, skipped = divmod(start, len(examples))
    passes = range(first, first + (skipped + count - 1) // len(examples) + 1)
    row = (example for number in passes for example in _shuffled(examples, f"{seed}-{number}"))
    return list(islice(row, skipped, skipped + count))


def _shuffled(examples: Sequence[Example], seed: str) -> list[Example]:
    order = list(examples)
    random.Random(seed).shuffle(order)
    return order

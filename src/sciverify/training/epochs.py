"""The training rows of a stage, epoch by epoch: sets mixed, examples augmented, parts of the input hidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sciverify.models.inputs import InputShape
from sciverify.models.tokens import WordPieces
from sciverify.training.augment import Rates, augment
from sciverify.training.examples import Example
from sciverify.training.features import Row, make_rows
from sciverify.training.hiding import hide
from sciverify.training.mixing import Mixing

__all__ = ["Epochs"]


class Epochs:
    """The rows of each epoch, a function of its number: the same again after a kill.

    Where nothing is mixed or augmented, all epochs have the same rows, which are made once.

    Args:
        sets: the examples by the name of their set.
        tokens: the tokenizer.
        shape: the sizes of the input.
        mixing: how many examples of each set an epoch holds.
        rates: how often they are changed.
        input: what of them the model may see, one of `sciverify.verification.INPUTS`.
        seed: of both.
        finish: called on each epoch's rows, such as to have a teacher read them.
    """

    def __init__(
        self,
        sets: Mapping[str, Sequence[Example]],
        tokens: WordPieces,
        shape: InputShape,
        *,
        mixing: Mixing,
        rates: Rates,
        input: str,
        seed: int,
        finish: Callable[[list[Row]], list[Row]] = list,
    ) -> None:
        self._sets = sets
        self._tokens = tokens
        self._shape = shape
        self._mixing = mixing
        self._rates = rates
        self._input = input
        self._seed = seed
        self._finish = finish
        self._first: list[Row] | None = None

    @property
    def size(self) -> int:
        """How many examples an epoch holds."""
        return sum(self._mixing.counts([len(examples) for examples in self._sets.values()]))

    def __call__(self, epoch: int) -> list[Row]:
        """The rows of an epoch; 0 is the first."""
        if epoch == 0 or not (self._mixing.mixes or self._rates.augments):
            if self._first is None:
                self._first = self._rows(0)
            return self._first
        return self._rows(epoch)

    def _rows(self, epoch: int) -> list[Row]:
        examples = self._mixing.epoch(self._sets, self._seed, epoch)
        examples = hide(augment(examples, self._rates, self._seed, epoch), self._input)
        return self._finish(make_rows(examples, self._tokens, self._shape))

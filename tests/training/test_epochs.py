from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from sciverify.models.inputs import InputShape
from sciverify.models.tokens import load_tokenizer
from sciverify.records import Label
from sciverify.training.augment import Rates
from sciverify.training.epochs import Epochs
from sciverify.training.examples import Example
from sciverify.training.features import Row, make_rows
from sciverify.training.mixing import Mixing

LABELS = (Label.SUPPORTS, Label.REFUTES)
SETS = {
    name: [
        Example(f"Zinc reduces {name} {n}.", "Title", ("One.", "Two."), LABELS[n % 2], evidence=(frozenset({0}),))
        for n in range(size)
    ]
    for name, size in (("growth", 8), ("sleep", 2))
}


def epochs(**changed: Any) -> Epochs:
    options: dict[str, Any] = {"mixing": Mixing(), "rates": Rates(), "input": "full", "seed": 3} | changed
    return Epochs(SETS, load_tokenizer(), InputShape(), **options)


def test_as_it_is_every_epoch_has_the_rows_of_the_examples_in_order() -> None:
    plain = epochs()
    assert plain(0) == make_rows([e for examples in SETS.values() for e in examples], load_tokenizer(), InputShape())
    assert plain(5) is plain(0)
    assert plain.size == 10


@pytest.mark.parametrize(
    "changed", [{"mixing": Mixing(2, 5)}, {"rates": Rates(negation=0.5)}, {"rates": Rates(sentences=0.5)}]
)
def test_what_is_drawn_differs_by_epoch_and_not_by_order(changed: dict[str, Any]) -> None:
    forwards, backwards = epochs(**changed), epochs(**changed)
    drawn = [forwards(number) for number in (0, 1, 2)]
    assert drawn == [backwards(number) for number in (2, 1, 0)][::-1]
    assert drawn[0] != drawn[1]
    assert all(len(rows) == forwards.size for rows in drawn)
    assert drawn[0] != epochs(**changed, seed=4)(0)


def test_the_input_is_hidden_after_augmenting() -> None:
    longest = max(len(row.window.input_ids) for row in epochs(input="claim-only")(0))
    assert longest < min(len(row.window.input_ids) for row in epochs()(0))
    hidden = epochs(rates=Rates(negation=0.5), input="abstract-only")(0)
    assert len({tuple(row.window.input_ids) for row in hidden}) == 1
    assert {row.label for row in hidden} == {0, 1}


def test_rows_are_finished_epoch_by_epoch() -> None:
    seen: list[int] = []

    def finish(rows: list[Row]) -> list[Row]:
        seen.append(len(rows))
        return rows[:3]

    given = epochs(mixing=Mixing(limit=4), finish=finish)
    assert [len(given(number)) for number in (0, 1, 0)] == [3, 3, 3]
    assert seen == [6, 6]

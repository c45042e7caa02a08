from __future__ import annotations

import pytest

from sciverify.errors import SettingError
from sciverify.models.crossencoder import Passage
from sciverify.records import Label
from sciverify.training.examples import Example, Span
from sciverify.training.hiding import hide
from sciverify.verification import INPUTS, PartialModel

EXAMPLE = Example(
    "Claim.", "Title", ("One.", "Two."), Label.SUPPORTS, (False, True), True, (Span(1, 0, 3),), (frozenset({1}),)
)


class Recorder:
    """A model that keeps what it is given to read."""

    name, decision = "recorder", None

    def __init__(self) -> None:
        self.read: list[Passage] = []

    def score(self, passages: list[Passage]) -> list[object]:
        self.read += passages
        return []


@pytest.mark.parametrize("input", INPUTS)
def test_training_and_run_time_hide_the_same(input: str) -> None:
    model = Recorder()
    PartialModel(model, input).score([Passage(EXAMPLE.claim, EXAMPLE.title, list(EXAMPLE.elements))])  # type: ignore[arg-type]
    [hidden] = hide([EXAMPLE], input)
    assert model.read == [Passage(hidden.claim, hidden.title, list(hidden.elements))]
    assert (hidden.label, hidden.targets, hidden.relevance, hidden.evidence) == (
        EXAMPLE.label, EXAMPLE.targets, EXAMPLE.relevance, EXAMPLE.evidence,
    )  # fmt: skip
    assert hidden.spans == (None if input == "claim-only" else EXAMPLE.spans)


def test_an_unknown_input() -> None:
    with pytest.raises(SettingError, match="titles-only"):
        hide([EXAMPLE], "titles-only")

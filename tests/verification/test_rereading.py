from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sciverify.models.crossencoder import Passage, Scores
from sciverify.verification.rereading import reread


class Model:
    """Answers every passage with one label, and remembers what it was given."""

    def __init__(self) -> None:
        self.read: list[Passage] = []

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        self.read += passages
        return [scores((0.0, 4.0, 0.0), [0.0] * len(passage.elements)) for passage in passages]


def scores(label: tuple[float, float, float], elements: Sequence[float]) -> Scores:
    return Scores(np.array(label, np.float32), 0.0, np.array(elements, np.float32))


PASSAGE = Passage("claim", "title", ("a", "b", "c", "d", "e"))
SUPPORTS = (2.0, 0.0, 0.0)


def test_the_labels_are_mixed_and_nothing_else_changes():
    [mixed] = reread(Model(), [PASSAGE], [scores(SUPPORTS, [1, 2, 3, 4, 5])], 0.25)
    np.testing.assert_allclose(mixed.label, [1.5, 1.0, 0.0])
    np.testing.assert_allclose(mixed.elements, [1, 2, 3, 4, 5])


def test_the_three_likeliest_elements_are_read_again_in_their_order():
    model = Model()
    reread(model, [PASSAGE], [scores(SUPPORTS, [3, -1, 4, 5, -9])], 0.5)
    assert model.read == [Passage("claim", "title", ["a", "c", "d"])]


@pytest.mark.parametrize(("elements", "again"), [([-9, -8, -7, -6, -5], ["e"]), ([-9, 0, -9, -9, -9], ["b"])])
def test_unlikely_elements_are_left_out_but_never_all(elements, again):
    model = Model()
    reread(model, [PASSAGE], [scores(SUPPORTS, elements)], 0.5)
    assert model.read[0].elements == again


def test_what_holds_no_evidence_or_no_elements_is_not_read_again():
    model = Model()
    first = [scores((0.0, 0.0, 9.0), [5] * 5), scores(SUPPORTS, [])]
    assert reread(model, [PASSAGE, Passage("claim", "title", ())], first, 0.5) == first
    assert model.read == []


def test_without_weight_there_is_one_reading_only():
    model = Model()
    first = [scores(SUPPORTS, [5] * 5)]
    assert reread(model, [PASSAGE], first, 0.0) == first
    assert model.read == []

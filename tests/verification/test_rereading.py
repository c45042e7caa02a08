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
        return [scores((0.0, 4.0, 0.0), [OWN.get(text, 0.0) for text in passage.elements]) for passage in passages]


def scores(label: tuple[float, float, float], elements: Sequence[float]) -> Scores:
    return Scores(np.array(label, np.float32), 0.0, np.array(elements, np.float32))


PASSAGE = Passage("claim", "title", ("a", "b", "c", "d", "e"))
SUPPORTS = (2.0, 0.0, 0.0)
OWN = {"b": 8.0, "e": -8.0}  # what an element gets from a reading; the others get 0


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


def test_each_element_is_read_alone_and_its_logit_mixed_in():
    model = Model()
    [mixed] = reread(model, [PASSAGE], [scores(SUPPORTS, [1, 2, 3, 4, 5])], 0.0, alone=0.75)
    np.testing.assert_allclose(mixed.elements, [0.25, 6.5, 0.75, 1.0, -4.75])
    np.testing.assert_allclose(mixed.label, SUPPORTS)
    assert model.read == [Passage("claim", "title", [text]) for text in "abcde"]


def test_the_rationale_is_what_is_likeliest_after_the_elements_own_readings():
    model = Model()
    reread(model, [PASSAGE], [scores(SUPPORTS, [-9, -9, -9, -9, 9])], 0.5, alone=1.0)
    assert model.read[5:] == [Passage("claim", "title", ["a", "b", "c"])]


def test_elements_of_several_passages_keep_to_their_own():
    first = [scores(SUPPORTS, [0, 0]), scores((0.0, 0.0, 9.0), [7]), scores(SUPPORTS, [0, 0, 0])]
    passages = [Passage("claim", "one", ("a", "b")), Passage("claim", "two", ("b",)), Passage("claim", "three", "bea")]
    mixed = reread(Model(), passages, first, 0.0, alone=1.0)
    assert [list(one.elements) for one in mixed] == [[0, 8], [7], [8, -8, 0]]

from __future__ import annotations

import pytest

from sciverify.errors import TrainingError
from sciverify.records import Label
from sciverify.training.examples import Example, label_in, label_of

NAMES = {
    Label.SUPPORTS: ("SUPPORT", "SUPPORTS", "entailment", "e", "yes", "True"),
    Label.REFUTES: ("CONTRADICT", "REFUTES", "contradiction", "c", "no", "False"),
    Label.NEI: ("NEI", "NOT_ENOUGH_INFO", "NOT ENOUGH INFO", "NOT ENOUGH", "neutral", "n", "maybe"),
}


@pytest.mark.parametrize(("label", "name"), [(label, name) for label, names in NAMES.items() for name in names])
def test_names_of_labels(label: Label, name: str) -> None:
    for written in (name, name.lower(), name.upper(), f" {name}\n"):
        assert label_of(written) is label


@pytest.mark.parametrize("value", [True, False])
def test_booleans_are_answers(value: bool) -> None:
    assert label_of(value) is (Label.SUPPORTS if value else Label.REFUTES)


@pytest.mark.parametrize("name", [0, 1, 2, "0", "1", "2", 1.0, "", "-", None, "supported", "DISPUTED", "yes no", []])
def test_other_names_and_numbers_are_refused(name: object) -> None:
    with pytest.raises(TrainingError, match="is not the name of a label") as caught:
        label_of(name)
    assert repr(name) in str(caught.value)
    assert "supports" in caught.value.remedy


@pytest.mark.parametrize(
    ("data_set", "name", "label"),
    [
        ("fever", "0", Label.NEI),
        ("fever", "1", Label.SUPPORTS),
        ("fever", "2", Label.REFUTES),
        ("clinifact", "0", Label.REFUTES),
        ("clinifact", "1", Label.SUPPORTS),
        ("clinifact", "2", Label.NEI),
        ("citint", "SUPPORT", Label.SUPPORTS),
        ("citint", "REFUTE", None),
        ("semtabfacts", "entailed", Label.SUPPORTS),
        ("semtabfacts", "refuted", Label.REFUTES),
        ("semtabfacts", "unknown", Label.NEI),
        ("sufficient_facts", "SUPPORTED", Label.SUPPORTS),
        ("sufficient_facts", "NOT ENOUGH", Label.NEI),
    ],
)
def test_names_of_one_set(data_set: str, name: str, label: Label | None) -> None:
    assert label_in(data_set, name) is label


@pytest.mark.parametrize("name", ["3", "supports", "", None, 0])
def test_no_name_of_that_set(name: object) -> None:
    with pytest.raises(TrainingError, match="is not a label of fever") as caught:
        label_in("fever", name)
    assert "0, 1, 2" in caught.value.remedy


def test_an_example_has_a_target_for_each_element_or_none() -> None:
    assert Example("c", "t", ("a", "b"), targets=(True, False)).targets == (True, False)
    assert Example("c", "t", ("a", "b")).targets is None
    assert Example("c", "t", (), targets=()).targets == ()


@pytest.mark.parametrize("targets", [(), (True,), (True, False, True)])
def test_any_other_number_of_targets_is_refused(targets: tuple[bool, ...]) -> None:
    with pytest.raises(TrainingError, match=f"{len(targets)} element targets for 2 elements") as caught:
        Example("c", "t", ("a", "b"), targets=targets, source="a set")
    assert caught.value.where == "a set"

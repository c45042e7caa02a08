from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.records import Label
from sciverify.training.augment import AUGMENTATIONS, Rates, augment, balanced_negation, refuted_share
from sciverify.training.examples import Example, Span
from sciverify.training.sets import Options, load_sets
from shared_data import shared_data

SUPPORTS, REFUTES, NEI = Label.SUPPORTS, Label.REFUTES, Label.NEI
CLAIMS = (
    "Zinc reduces growth.",
    "Zinc does not reduce growth.",
    "Zinc lowers the risk of stroke by 30%.",
    "Sleep is associated with higher mortality.",
    "Iron and zinc are metals and salts.",
    "Zinc may reduce growth.",
    "",
)
ALL = Rates(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """A claim with a document whose rationales are those of its label."""
    texts = draw(st.lists(st.sampled_from(["One.", "Two α.", "Three  three.", ""]), min_size=1, max_size=7))
    label = draw(st.sampled_from([*Label, None]))
    positions = st.frozensets(st.integers(0, len(texts) - 1), min_size=1)
    evidence = tuple(draw(st.lists(positions, max_size=2))) if label in (SUPPORTS, REFUTES) else ()
    inside = frozenset().union(*evidence)
    targets = tuple(n in inside for n in range(len(texts))) if draw(st.booleans()) else None
    spans = draw(st.one_of(st.none(), st.just((Span(draw(st.integers(0, len(texts) - 1)), 0, 1),))))
    claim, title = draw(st.sampled_from(CLAIMS)), draw(st.sampled_from(["", "Title"]))
    return Example(claim, title, tuple(texts), label, targets, draw(st.booleans()), spans, evidence, 2.0, "set")


LUCK = st.builds(random.Random, st.integers(0, 10_000))


def example(claim: str, label: Label | None = SUPPORTS) -> Example:
    evidence = (frozenset({0}),) if label in (SUPPORTS, REFUTES) else ()
    return Example(claim, "Title", ("One.", "Two.", "Three."), label, evidence=evidence)


@pytest.mark.parametrize(
    ("name", "claim", "labels"),
    [
        ("negation", "Zinc reduces growth.", {SUPPORTS: REFUTES, REFUTES: SUPPORTS, NEI: NEI, None: None}),
        ("negation", "Zinc does not reduce growth.", {SUPPORTS: REFUTES, REFUTES: SUPPORTS, NEI: NEI}),
        ("negation", "Zinc reduces growth and sleep.", {SUPPORTS: REFUTES, REFUTES: None, NEI: NEI}),
        ("direction", "Zinc reduces growth.", {SUPPORTS: REFUTES, REFUTES: None, NEI: NEI, None: None}),
        ("number", "Zinc lowers growth by 30%.", {SUPPORTS: REFUTES, REFUTES: None, NEI: NEI, None: None}),
        ("question", "Zinc reduces growth.", {SUPPORTS: SUPPORTS, REFUTES: REFUTES, NEI: NEI, None: None}),
    ],
)
def test_labels(name: str, claim: str, labels: dict[Label | None, Label | None]) -> None:
    """None as the new label: the augmentation doesn't apply."""
    for label, expected in labels.items():
        changed = AUGMENTATIONS[name](example(claim, label), random.Random(1))
        assert (changed.label if changed else None) == expected
        if changed:
            assert changed.claim != claim
            assert replace(changed, claim=claim, label=label) == example(claim, label)  # the rest is untouched


@given(examples(), st.sampled_from(sorted(AUGMENTATIONS)), st.integers(0, 10_000))
def test_each_is_a_function_that_leaves_its_argument_alone(given: Example, name: str, seed: int) -> None:
    before = replace(given)
    once = AUGMENTATIONS[name](given, random.Random(seed))
    assert once == AUGMENTATIONS[name](given, random.Random(seed))
    assert given == before
    assert once != given
    assert once is None or (once.source, once.weight, once.relevance) == (given.source, given.weight, given.relevance)


@given(examples())
def test_negation_twice_is_the_example_again(given: Example) -> None:
    once = AUGMENTATIONS["negation"](given, random.Random(1))
    twice = AUGMENTATIONS["negation"](once, random.Random(1)) if once else None
    assert twice is None or twice == given


@given(examples())
def test_a_title_is_dropped_once(given: Example) -> None:
    once = AUGMENTATIONS["title"](given, random.Random(1))
    assert (once is None) == (given.title == "")
    if once:
        assert once == replace(given, title="")
        assert AUGMENTATIONS["title"](once, random.Random(1)) is None


@given(examples(), LUCK)
def test_sentences_that_matter_stay(given: Example, rng: random.Random) -> None:
    changed = AUGMENTATIONS["sentences"](given, rng)
    if changed is None:
        return
    assert 0 < len(changed.elements) < len(given.elements)
    kept = iter(given.elements)
    assert all(text in kept for text in changed.elements)  # in order, verbatim
    assert changed.label == given.label
    assert [sorted(changed.elements[n] for n in rationale) for rationale in changed.evidence] == [
        sorted(given.elements[n] for n in rationale) for rationale in given.evidence
    ]
    if given.targets is not None and changed.targets is not None:
        assert sum(changed.targets) == sum(given.targets)
    for before, after in zip(given.spans or (), changed.spans or (), strict=True):
        assert changed.elements[after.element] == given.elements[before.element]


def test_a_label_without_its_evidence_keeps_all_sentences() -> None:
    assert AUGMENTATIONS["sentences"](replace(example("c"), evidence=()), random.Random(1)) is None
    assert AUGMENTATIONS["sentences"](example("c", NEI), random.Random(1)) is not None
    assert AUGMENTATIONS["sentences"](replace(example("c", NEI), elements=("One.",)), random.Random(1)) is None


@given(st.lists(examples(), max_size=8), st.integers(0, 3), st.integers(0, 3))
def test_an_epoch_is_a_function_of_seed_and_number(given: list[Example], seed: int, epoch: int) -> None:
    once = augment(given, ALL, seed, epoch)
    assert once == augment(given, ALL, seed, epoch)
    assert len(once) == len(given)
    assert augment(given, Rates(), seed, epoch) == given


@given(st.lists(examples(), max_size=8), st.integers(0, 3))
def test_labels_change_as_the_rules_say(given: list[Example], seed: int) -> None:
    for before, after in zip(given, augment(given, ALL, seed, 0), strict=True):
        assert (before.label is after.label) or {before.label, after.label} == {SUPPORTS, REFUTES}
        assert after.claim != before.claim or after.label is before.label


def test_epochs_and_seeds_and_places_differ() -> None:
    many = [example("Zinc reduces growth.") for _ in range(40)]
    drawn = [augment(many, ALL, seed, epoch) for seed, epoch in ((1, 0), (1, 1), (2, 0))]
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]
    assert len({one.claim for one in drawn[0]}) > 3


def test_one_rate_leaves_the_luck_of_the_others_alone() -> None:
    many = [example("Zinc reduces growth.") for _ in range(40)]
    titles = [one.title for one in augment(many, Rates(title=0.5), 1, 0)]
    assert titles == [one.title for one in augment(many, Rates(negation=1.0, direction=0.5, title=0.5), 1, 0)]


@pytest.mark.parametrize("name", [field.name for field in fields(Rates)])
def test_rates_are_shares_of_each_augmentation(name: str) -> None:
    assert name in AUGMENTATIONS
    assert Rates(**{name: 0.1}).augments
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=name):
            Rates(**{name: wrong})


class TestBalance:
    """A word like "not" must not say by itself what the label is."""

    def claims(self, supported: int, refuted: int, supported_not: int, refuted_not: int) -> list[Example]:
        plain, negated = "Zinc {} growth.", "Zinc does not {} growth."
        return (
            [example(plain.format("reduces"), SUPPORTS)] * supported
            + [example(plain.format("reduces"), REFUTES)] * refuted
            + [example(negated.format("reduce"), SUPPORTS)] * supported_not
            + [example(negated.format("reduce"), REFUTES)] * refuted_not
        )

    def gap(self, given: Sequence[Example]) -> float:
        return abs(refuted_share(given, negated=True) - refuted_share(given, negated=False))

    @pytest.mark.parametrize("counts", [(600, 300, 20, 60), (300, 600, 10, 90), (900, 100, 0, 0), (500, 500, 60, 0)])
    def test_a_negation_says_little_of_the_label(self, counts: tuple[int, int, int, int]) -> None:
        assert self.gap(augment(self.claims(*counts), Rates(negation=0.4), 1, 0)) < 0.1

    def test_one_of_the_two_keeps_the_whole_rate(self) -> None:
        for counts in ((600, 300, 20, 60), (900, 5, 0, 50), (5, 900, 50, 0), (0, 0, 0, 0)):
            rates = balanced_negation(self.claims(*counts), 0.4)
            assert rates[NEI] == max(rates[SUPPORTS], rates[REFUTES]) == 0.4
            assert min(rates.values()) >= 0
        assert balanced_negation(self.claims(600, 300, 20, 60), 0.0) == dict.fromkeys(Label, 0.0)

    def test_shares(self) -> None:
        given = [*self.claims(3, 1, 1, 3), example("Zinc does not help.", NEI), example("Zinc cannot help.", None)]
        assert refuted_share(given, negated=False) == 0.25
        assert refuted_share(given, negated=True) == 0.75
        assert refuted_share([], negated=True) == 0.0

    def test_on_real_claims(self) -> None:
        given = load_sets(["scifact_abstracts"], shared_data(), Options(seed=13))
        changed = augment(given, Rates(negation=0.3), 13, 0)
        assert self.gap(given) > 0.3
        assert self.gap(changed) < 0.22

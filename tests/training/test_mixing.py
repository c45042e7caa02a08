from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.training.examples import Example
from sciverify.training.mixing import Mixing

SIZES = st.lists(st.integers(0, 60), min_size=1, max_size=5)
MIXINGS = st.builds(Mixing, st.sampled_from([0, 1, 1.5, 4, float("inf")]), st.integers(0, 70))


def sets_of(sizes: list[int]) -> dict[str, list[Example]]:
    return {f"s{n}": [Example(f"{n} {i}", "", ()) for i in range(size)] for n, size in enumerate(sizes)}


def counted(examples: list[Example]) -> Counter[str]:
    return Counter(example.claim for example in examples)


@given(SIZES)
def test_by_default_an_epoch_is_the_sets_one_after_the_other(sizes: list[int]) -> None:
    sets = sets_of(sizes)
    assert Mixing().epoch(sets, 3, 2) == [example for examples in sets.values() for example in examples]


@given(SIZES, MIXINGS)
def test_no_set_exceeds_the_limit_and_the_epoch_keeps_its_size(sizes: list[int], mixing: Mixing) -> None:
    counts = mixing.counts(sizes)
    within = [min(size, mixing.limit or size) for size in sizes]
    assert max(counts) <= max(within)
    assert abs(sum(counts) - sum(within)) <= len(sizes)  # each count is rounded
    assert all(count == 0 for count, size in zip(counts, sizes, strict=True) if size == 0)
    assert [counts[n] for n in sorted(range(len(sizes)), key=within.__getitem__)] == sorted(counts)


def test_the_temperature_evens_the_sets_out() -> None:
    assert Mixing(1).counts([900, 100]) == [900, 100]
    assert Mixing(2).counts([900, 100]) == [750, 250]  # square roots are as 3 to 1
    assert Mixing(float("inf")).counts([900, 100]) == [500, 500]
    assert Mixing(limit=300).counts([900, 100]) == [300, 100]
    assert Mixing(2, 400).counts([900, 100]) == [333, 167]


@given(SIZES, MIXINGS, st.integers(0, 5))
def test_an_epoch_is_a_function_of_seed_and_number(sizes: list[int], mixing: Mixing, epoch: int) -> None:
    sets = sets_of(sizes)
    once = mixing.epoch(sets, 1, epoch)
    assert once == mixing.epoch(sets, 1, epoch)
    if mixing.mixes:
        of_set = Counter(example.claim.split()[0] for example in once)
        assert [of_set[str(n)] for n in range(len(sizes))] == mixing.counts(sizes)


@given(SIZES, MIXINGS, st.integers(1, 6))
def test_no_example_is_seen_again_before_all_others(sizes: list[int], mixing: Mixing, epochs: int) -> None:
    sets = sets_of(sizes)
    seen = sum((counted(mixing.epoch(sets, 7, epoch)) for epoch in range(epochs)), Counter[str]())
    for examples in sets.values():
        times = [seen[example.claim] for example in examples]
        assert max(times, default=0) - min(times, default=0) <= 1


def test_epochs_and_seeds_differ() -> None:
    sets, mixing = sets_of([50, 20]), Mixing(2, 30)
    assert mixing.epoch(sets, 1, 0) != mixing.epoch(sets, 1, 1)
    assert mixing.epoch(sets, 1, 0) != mixing.epoch(sets, 2, 0)


@pytest.mark.parametrize(("temperature", "limit"), [(0.5, 0), (-1, 0), (float("nan"), 0), (0, -1)])
def test_what_is_out_of_range(temperature: float, limit: int) -> None:
    with pytest.raises(ValueError, match=r"^(temperature|limit) is"):
        Mixing(temperature, limit)

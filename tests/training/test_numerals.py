from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.training.numerals import change_number

SEEDS = st.integers(0, 10_000)


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


@given(st.one_of(st.integers(0, 100), st.floats(0, 100).map(lambda x: round(x, 1))), SEEDS)
def test_a_percentage_moves_far_and_stays_one(value: float, seed: int) -> None:
    claim = f"Zinc lowers the risk by {value}%."
    changed = change_number(claim, random.Random(seed))
    assert changed is not None
    [other] = numbers(changed)
    assert 0 <= other <= 100
    assert abs(other - value) > 14
    assert changed.replace(changed.split()[-1], claim.split()[-1]) == claim  # nothing else changes
    assert len(str(value).partition(".")[2]) == len(changed.rstrip(".%").partition(".")[2])


@given(st.integers(2, 60), SEEDS)
def test_a_factor_at_least_doubles_or_halves(value: int, seed: int) -> None:
    changed = change_number(f"Zinc raises the risk {value}-fold.", random.Random(seed))
    assert changed is not None
    [other] = numbers(changed)
    assert other >= 2
    assert other >= 2 * value or other <= round(value / 2)


@given(st.integers(1500, 2029), SEEDS)
def test_a_year_stays_plausible(year: int, seed: int) -> None:
    changed = change_number(f"The virus was discovered in {year}.", random.Random(seed))
    assert changed is not None
    [other] = numbers(changed)
    assert 3 <= abs(other - year) <= 15
    assert other <= max(2020, year)


@pytest.mark.parametrize(
    "claim",
    [
        "53% of deaths are due to smoking.",
        "Approximately 53 percent of deaths are due to smoking.",
        "Smoking causes 8 million deaths.",
        "Patients are 20 times more likely to die.",
        "Zinc leads to a 30% reduction in growth.",
    ],
)
def test_numbers_that_are_the_statement(claim: str) -> None:
    changed = change_number(claim, random.Random(1))
    assert changed not in (None, claim)
    assert change_number(claim, random.Random(1)) == changed
    assert re.sub(r"\d+", "N", str(changed)) == re.sub(r"\d+", "N", claim)


@pytest.mark.parametrize(
    "claim",
    [
        "At least 53% of deaths are due to smoking.",
        "Zinc lowers the risk by up to 30%.",
        "Zinc lowers the risk by more than 30%.",
        "Zinc lowers the risk by 20-40%.",
        "Zinc lowers the risk by 20% to 40%.",
        "Zinc does not lower the risk by 30%.",
        "A 5% solution of zinc is harmful.",
        "Zinc is dissolved at 5% glucose.",
        "Zinc is harmful at 5 mg.",
        "People over 60 are at risk.",
        "Zinc lowers IL-6 in type 2 diabetes.",
        "Zinc is harmful if 30% of patients take it.",
        "In 2003, 4% of patients died.",
        "Cases have risen since 2004.",
        "Is 53% of mortality due to smoking?",
        "Zinc lowers the risk by 20% in men and 40% in women.",
    ],
)
def test_numbers_that_must_stay(claim: str) -> None:
    assert change_number(claim, random.Random(1)) is None

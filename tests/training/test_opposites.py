from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.training.opposites import turn_round


@pytest.mark.parametrize(
    ("claim", "turned"),
    [
        ("Zinc increases growth.", "Zinc decreases growth."),
        ("Statins lower cholesterol.", "Statins raise cholesterol."),
        ("Zinc lowered the risk of stroke.", "Zinc raised the risk of stroke."),
        ("Zinc significantly improves sleep", "Zinc significantly worsens sleep"),
        ("Fibre protects against cancer.", "Fibre raises the risk of cancer."),
        ("Masks protect against flu.", "Masks raise the risk of flu."),
        ("IL-6 upregulates TNF.", "IL-6 downregulates TNF."),
        ("Zinc leads to an increase in growth.", "Zinc leads to a decrease in growth."),
        ("Zinc results in a significantly reduced risk.", "Zinc results in a significantly increased risk."),
        ("Sleep is associated with an elevated risk of stroke.", "Sleep is associated with a reduced risk of stroke."),
        ("Sleep is positively correlated with mood.", "Sleep is negatively correlated with mood."),
        ("Mortality is higher in men than in women.", "Mortality is lower in men than in women."),
        ("Zinc is more effective than iron.", "Zinc is less effective than iron."),
        ("Runners have fewer strokes.", "Runners have more strokes."),
        ("Runners have more symptoms.", "Runners have fewer symptoms."),
        ("Sleep has been linked to better mood.", "Sleep has been linked to worse mood."),
        ("TNF is activated by zinc.", "TNF is inhibited by zinc."),
        ("Zinc causes anaemia.", "Zinc prevents anaemia."),
        ("Zinc causes an increase in anaemia.", "Zinc causes a decrease in anaemia."),
        ("Higher zinc levels reduce growth.", "Higher zinc levels increase growth."),
    ],
)
def test_the_main_direction_is_turned_round(claim: str, turned: str) -> None:
    assert turn_round(claim) == turned


@pytest.mark.parametrize(
    "claim",
    [
        "Zinc does not increase growth.",  # and it need not decrease it
        "Zinc may increase growth.",
        "Zinc can increase growth.",  # and now and then decrease it
        "Some patients have increased growth.",  # and others decreased growth
        "40% of patients have increased growth.",
        "Increased growth is a sign of health.",  # the subject is another one then
        "Zinc is required for increased growth.",
        "Zinc binds to sites of increased growth.",
        "Zinc is a risk factor for higher mortality.",
        "Zinc causes mice to sleep.",
        "Zinc prevents mice from growing.",
        "TNF is upregulated or absent in mice.",
        "Zinc is a metal.",
        "Does zinc increase growth?",
        "",
    ],
)
def test_where_no_direction_can_be_turned(claim: str) -> None:
    assert turn_round(claim) is None


@given(st.text(max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    assert turn_round(text) != text


@given(
    st.sampled_from(["increases", "raises", "improves", "upregulates", "enhances", "strengthens", "shortens"]),
    st.sampled_from(["growth", "the α-helix content of X", "survival in 20 mice"]),
)
def test_twice_is_the_claim_where_both_directions_have_one_word(verb: str, object: str) -> None:
    claim = f"Zinc {verb} {object}."
    turned = turn_round(claim)
    assert turned is not None
    assert turned.endswith(f" {object}.")
    assert turn_round(turned) == claim

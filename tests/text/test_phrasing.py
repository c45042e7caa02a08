from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.text.clauses import negations, read_clause
from sciverify.text.phrasing import interrogative, is_separable, negate
from sciverify.text.verbs import FORMS, gerund, past, third

BOTH_WAYS = [
    ("Coffee reduces headaches.", "Coffee does not reduce headaches."),
    ("Statins lower cholesterol.", "Statins do not lower cholesterol."),
    ("The drug led to weight gain.", "The drug did not lead to weight gain."),
    ("Sleep is linked to memory", "Sleep is not linked to memory"),
    ("These cells were found in the liver.", "These cells were not found in the liver."),
    ("Zinc can shorten a cold.", "Zinc cannot shorten a cold."),
    ("The vaccine will prevent measles.", "The vaccine will not prevent measles."),
    ("Garlic has been tested in mice.", "Garlic has not been tested in mice."),
    ("Obesity has a genetic cause.", "Obesity does not have a genetic cause."),
    ("Runners have lower rates of stroke.", "Runners do not have lower rates of stroke."),
    ("Zinc strongly binds to albumin.", "Zinc does not strongly bind to albumin."),
    ("In mice, exercise improves sleep.", "In mice, exercise does not improve sleep."),
    ("Iron and zinc regulate growth.", "Iron and zinc do not regulate growth."),
]
ONE_WAY = [
    ("There is a link between sleep and mood.", "There is no link between sleep and mood."),
    ("In rats, there are receptors for zinc.", "In rats, there are no receptors for zinc."),
    ("Zinc has no effect on growth.", "Zinc has an effect on growth."),
    ("Zinc has no role in growth.", "Zinc has a role in growth."),
]
NO_RULE = [
    "",
    "Coffee",
    "Is coffee harmful?",
    "Coffee may reduce headaches.",  # "may not" is no opposite
    "Most patients are treated at home.",  # and others are not
    "40% of patients are treated at home.",
    "Coffee sometimes reduces headaches in some people.",
    "Coffee is only harmful to mice.",
    "Coffee does not only reduce headaches.",
    "No patient is treated at home and none is not.",
    "Zinc is not a drug but a metal.",
    "Zinc does not reduce growth or improve sleep.",  # "or improves"
    "Mice that were fed zinc grew.",  # a relative clause comes first
    "When mice sleep, they are quiet.",
    "Mice treated with zinc showed improved growth and were heavier.",  # which verb?
    "Coffee is harmful. Tea is not.",
    "The study found that zinc is harmful.",
    "The truth is that zinc is harmful.",
    "Experts say zinc is harmful.",
    "The patient hasn't been treated.",
    "Reduces headaches.",
    "ZINC IS HARMFUL",
]
SUBJECTS = st.sampled_from(["Coffee", "The drug", "In rats, IL-6", "Loss of p53", "Vitamin D intake"])
OBJECTS = st.sampled_from(
    ["growth", "the risk of stroke in old mice", "TNF-α (tumour necrosis factor)", "sleep quality"]
)
VERBS = st.sampled_from(sorted({third(form.base) for form in FORMS.values()}))


@pytest.mark.parametrize(("plain", "negated"), BOTH_WAYS)
def test_negation_both_ways(plain: str, negated: str) -> None:
    assert negate(plain) == negated
    assert negate(negated) == plain


@pytest.mark.parametrize(("claim", "negated"), ONE_WAY)
def test_negation_one_way(claim: str, negated: str) -> None:
    assert negate(claim) == negated


@pytest.mark.parametrize("claim", NO_RULE)
def test_claims_without_a_simple_opposite(claim: str) -> None:
    assert negate(claim) is None


@given(SUBJECTS, VERBS, OBJECTS, st.sampled_from(["", "."]))
def test_negating_twice_gives_the_claim_and_never_two_negations(subject: str, verb: str, object: str, end: str) -> None:
    claim = f"{subject} {verb} {object}{end}"
    negated = negate(claim)
    if negations(claim) or negated is None:  # "lacks" is a negation itself
        return
    assert negations(negated) == 1
    assert negate(negated) == claim
    assert negated.startswith(subject)
    assert negated.endswith(f"{object}{end}")


@given(st.text(max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    for changed in (negate(text), interrogative(text)):
        assert changed is None or changed != text
    assert isinstance(is_separable(text), bool)


@pytest.mark.parametrize(
    ("claim", "separable"),
    [
        ("Zinc reduces growth.", False),
        ("Iron and zinc reduce growth.", False),  # the subject is no part of what is denied
        ("Zinc reduces growth and sleep.", True),
        ("Zinc reduces growth by blocking iron.", True),
        ("Zinc.", True),
    ],
)
def test_parts_that_may_be_false_alone(claim: str, separable: bool) -> None:
    assert is_separable(claim) is separable


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Coffee reduces headaches.", "Does Coffee reduce headaches?"),
        ("The drug reduces headaches.", "Does the drug reduce headaches?"),
        ("Inhibition of p53 reduces growth", "Does inhibition of p53 reduce growth?"),
        ("IL-6 significantly promotes growth.", "Does IL-6 significantly promote growth?"),
        ("Statins lower cholesterol.", "Do Statins lower cholesterol?"),
        ("The drug led to weight gain.", "Did the drug lead to weight gain?"),
        ("Sleep is strongly linked to memory.", "Is Sleep strongly linked to memory?"),
        ("Zinc can shorten a cold.", "Can Zinc shorten a cold?"),
        ("Garlic has been tested in mice.", "Has Garlic been tested in mice?"),
        ("Obesity has a genetic cause.", "Does obesity have a genetic cause?"),
        ("There is a link between sleep and mood.", "Is there a link between sleep and mood?"),
        ("In mice, exercise improves sleep.", "In mice, does exercise improve sleep?"),
        ("The Chelsea Hotel is in New York.", "Is the Chelsea Hotel in New York?"),
    ],
)
def test_questions(claim: str, question: str) -> None:
    assert interrogative(claim) == question
    assert interrogative(question) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Coffee does not reduce headaches.",
        "Coffee may reduce headaches.",
        "Zinc, a metal, is harmful.",
        "Zinc reduces growth and improves sleep.",
        "Zinc is a metal and improves sleep.",
        "Zinc is a metal and iron is another.",
        "Mice have grown in number.",
        "Mice have to sleep.",
    ],
)
def test_claims_without_a_simple_question(claim: str) -> None:
    assert interrogative(claim) is None


def test_forms_of_verbs() -> None:
    assert [third(base) for base in ("vary", "reach", "suppress", "undergo", "play", "have", "bind")] == [
        "varies", "reaches", "suppresses", "undergoes", "plays", "has", "binds",
    ]  # fmt: skip
    assert [past(base) for base in ("vary", "reduce", "stop", "lead", "play", "act")] == [
        "varied", "reduced", "stopped", "led", "played", "acted",
    ]  # fmt: skip
    assert [gerund(base) for base in ("reduce", "stop", "vary")] == ["reducing", "stopping", "varying"]


def test_the_words_of_a_clause_lie_in_its_text() -> None:
    claim = 'In rats, "IL-6" (a cytokine) strongly promotes growth.'
    clause = read_clause(claim)
    assert clause is not None
    assert claim[clause.words[clause.verb].start : clause.words[clause.verb].end] == "promotes"
    assert (clause.base, clause.form, clause.kind) == ("promote", "third", "verb")
    assert claim[clause.start :] == "strongly promotes growth."
    assert all(claim[word.start : word.end].lower() == word.text for word in clause.words)

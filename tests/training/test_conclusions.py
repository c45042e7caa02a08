from __future__ import annotations

from itertools import islice

from sciverify.records import Document, Label
from sciverify.training.conclusions import conclusions
from sciverify.training.unlabelled import Abstracts, load_abstracts
from shared_data import shared_data

TEA = Document.from_sentences(
    "tea",
    "Tea lowers blood pressure in rats",
    ["Rats were kept in cages.", "Blood pressure was measured daily.", "Tea lowered it in all rats.", "They were fed."],
)
COFFEE = Document.from_sentences(
    "coffee", "Rats and coffee", ["Coffee was given to rats.", "Their pulse was measured.", "It rose by a third."]
)
VAGUE = Document.from_sentences(
    "vague",
    "A study",
    ["We studied mice.", "In conclusion, zinc protects the kidney from ischaemia.", "We are grateful."],
)


def made(*documents: Document, seed: int = 1, neutral: float = 1.0):
    return list(conclusions(Abstracts({document.id: document for document in documents}), seed, neutral))


def test_a_claim_is_supported_by_the_sentences_of_its_abstract_that_cover_it():
    [example] = made(TEA)
    assert example.claim == "Tea lowers blood pressure in rats."
    assert example.label is Label.SUPPORTS
    assert example.elements == (
        "Rats were kept in cages.",
        "Blood pressure was measured daily.",
        "Tea lowered it in all rats.",
    )
    assert example.evidence == (frozenset({0, 1, 2}),)


def test_a_claim_that_its_abstract_does_not_cover_is_left_out():
    assert made(VAGUE) == []


def test_an_abstract_on_the_same_subject_is_neutral_and_shows_no_title_that_the_other_lacks():
    supported, neutral = made(TEA, COFFEE)
    assert (supported.label, neutral.label) == (Label.SUPPORTS, Label.NEI)
    assert set(neutral.elements) <= {element.text for element in COFFEE.elements}
    assert neutral.title == supported.title == ""
    assert neutral.evidence == ()


def test_an_abstract_that_covers_the_claim_as_well_is_not_taken_for_neutral():
    twin = Document.from_sentences("twin", "Rats", [element.text for element in TEA.elements])
    assert [example.label for example in made(TEA, twin)] == [Label.SUPPORTS]


def test_none_need_be_neutral_and_the_seed_decides():
    assert [example.label for example in made(TEA, COFFEE, neutral=0.0)] == [Label.SUPPORTS]
    assert made(TEA, COFFEE, seed=4) == made(TEA, COFFEE, seed=4)


def test_on_the_collected_abstracts():
    abstracts = load_abstracts(shared_data("abstracts").parent)
    some = {document.id: document for document in islice(abstracts.documents(), 3000)}
    examples = list(conclusions(Abstracts(some), 13))
    labels = [example.label for example in examples]
    assert labels.count(Label.SUPPORTS) > 500
    assert 0.2 < labels.count(Label.NEI) / labels.count(Label.SUPPORTS) < 0.45
    assert all(1 <= len(example.elements) <= 3 and example.claim not in example.elements for example in examples)

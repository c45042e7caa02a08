from __future__ import annotations

import pytest

from sciverify.errors import TrainingError
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.records import Claim, Document, Label
from sciverify.training.examples import Example
from sciverify.training.gold_pairs import as_cited, gold_rationales
from sciverify.training.science import Cited

FIRST = ("Mice were fed zinc.", "Wounds closed faster.", "Weight stayed the same.")
SECOND = ("Terns fly south.",)


def test_examples_become_claims_that_cite_documents() -> None:
    examples = [
        Example("Zinc heals.", "Zinc", FIRST, Label.SUPPORTS, evidence=(frozenset({1}), frozenset({0, 2}))),
        Example("Zinc heals.", "Terns", SECOND, Label.NEI),
        Example("Terns walk.", "Terns", SECOND, Label.REFUTES, evidence=(frozenset({0}),)),
    ]
    data = as_cited("toy", examples)
    assert (data.name, len(data)) == ("toy", 2)
    heals, walk = data.claims
    [zinc, terns] = data.documents()
    assert (zinc.title, [element.text for element in zinc.elements]) == ("Zinc", list(FIRST))
    assert (heals.claim.text, heals.cited) == ("Zinc heals.", (zinc.id, terns.id))
    assert heals.evidence == {zinc.id: GoldEvidence(Label.SUPPORTS, (frozenset({1}), frozenset({0, 2})))}
    assert walk.evidence == {terns.id: GoldEvidence(Label.REFUTES, (frozenset({0}),))}
    assert heals.claim.id != walk.claim.id


@pytest.mark.parametrize("example", [Example("A.", "T", SECOND), Example("A.", "T", SECOND, Label.REFUTES)])
def test_an_example_that_says_too_little_is_refused(example: Example) -> None:
    with pytest.raises(TrainingError) as caught:
        as_cited("toy", [example])
    assert "A." in caught.value.where


def test_rationales_are_read_together_and_in_order() -> None:
    evidence = GoldEvidence(Label.REFUTES, (frozenset({2}), frozenset({0})))
    data = cited(GoldClaim(Claim("1", "Zinc slows healing."), {"a": evidence}, ("a",)))
    [example] = gold_rationales(data)
    assert (example.claim, example.title, example.label) == ("Zinc slows healing.", "Zinc", Label.REFUTES)
    assert example.elements == (FIRST[0], FIRST[2])


def test_without_evidence_the_two_sentences_most_like_the_claim_are_read() -> None:
    data = cited(
        GoldClaim(Claim("1", "The weight of wounds."), {}, ("a",)),
        GoldClaim(Claim("2", "Weight gain follows zinc."), {}, ("a", "b")),
        GoldClaim(Claim("3", "Nothing alike here."), {}, ("a",)),
    )
    read = {(example.claim, example.title): example for example in gold_rationales(data)}
    assert {example.label for example in read.values()} == {Label.NEI}
    assert read["The weight of wounds.", "Zinc"].elements == FIRST[1:]
    assert read["Weight gain follows zinc.", "Zinc"].elements == (FIRST[0], FIRST[2])
    assert read["Weight gain follows zinc.", "Terns"].elements == SECOND  # it has no second one
    assert read["Nothing alike here.", "Zinc"].elements == FIRST[:2]  # as they stand


def cited(*claims: GoldClaim) -> Cited:
    corpus = {
        "a": Document.from_sentences("a", "Zinc", FIRST),
        "b": Document.from_sentences("b", "Terns", SECOND),
    }
    return Cited("toy", claims, corpus)

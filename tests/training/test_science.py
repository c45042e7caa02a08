from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import TrainingError
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.records import Claim, Document, Label
from sciverify.training.examples import Example
from sciverify.training.science import (
    Cited,
    abstracts,
    citint,
    climate_fever,
    hard_negatives,
    load_cited,
    sentences,
)

DOCUMENTS = {
    1: ["Forty adults took part.", "Aspirin lowered the risk of stroke.", "Bleeding was more common.", "We thank all."],
    2: ["Zinc was given to mice.", "Wounds healed as fast as without it."],
    3: ["Aspirin and stroke: a protocol.", "Risk will be recorded."],
    4: ["Terns fly south."],
}
CLAIMS = [
    {
        "id": 7,
        "claim": " Aspirin lowers the risk of stroke. ",
        "evidence": {"1": [{"sentences": [2, 1], "label": "SUPPORT"}, {"sentences": [3], "label": "SUPPORT"}]},
        "cited_doc_ids": [1, 3],
    },
    {"id": 8, "claim": "Zinc speeds up healing.", "evidence": {"2": [{"sentences": [1], "label": "CONTRADICT"}]}},
    {"id": 9, "claim": "Terns eat zinc.", "evidence": {}, "doc_ids": [4]},
]


@pytest.fixture
def data(write_cited: Callable[..., None], tmp_path: Path) -> Cited:
    write_cited("trials", DOCUMENTS, CLAIMS)
    return load_cited(tmp_path / "trials")


class TestLoadCited:
    def test_claims_and_corpus(self, data: Cited) -> None:
        assert data.name == "trials"
        assert [gold.claim.id for gold in data.claims] == ["7", "8", "9"]
        assert len(data) == 4
        assert [document.id for document in data.documents()] == ["1", "2", "3", "4"]
        assert [document.title for document in data.documents(["3", "1"])] == ["Title 3", "Title 1"]

    def test_without_some_claims(self, data: Cited, tmp_path: Path) -> None:
        left = load_cited(tmp_path / "trials", without=frozenset({"8", "99"}))
        assert [gold.claim.id for gold in left.claims] == ["7", "9"]
        assert len(left) == 4  # the corpus stays whole


def test_abstracts(data: Cited) -> None:
    cited, protocol, refuted, unrelated = abstracts(data)
    assert cited.claim == "Aspirin lowers the risk of stroke."
    assert (cited.title, cited.elements) == ("Title 1", tuple(DOCUMENTS[1]))
    assert cited.label is Label.SUPPORTS
    assert cited.targets == (False, True, True, True)
    assert cited.evidence == (frozenset({1, 2}), frozenset({3}))
    assert cited.relevance is True
    assert (protocol.title, protocol.label, protocol.targets) == ("Title 3", Label.NEI, (False, False))
    assert protocol.relevance is None  # on the subject, yet no evidence
    assert (refuted.label, refuted.targets, refuted.relevance) == (Label.REFUTES, (False, True), True)
    assert (unrelated.label, unrelated.evidence) == (Label.NEI, ())
    assert {example.source for example in abstracts(data)} == {"trials"}


class TestSentences:
    def test_rationales_train_their_label(self, data: Cited) -> None:
        found = [e for e in sentences(data, 1) if e.label is not Label.NEI]
        texts = DOCUMENTS[1]
        assert [e.elements for e in found] == [(texts[1], texts[2]), (texts[3],), (DOCUMENTS[2][1],)]
        assert [e.label for e in found] == [Label.SUPPORTS, Label.SUPPORTS, Label.REFUTES]
        assert all(e.targets == (True,) * len(e.elements) for e in found)
        assert all(e.evidence == (frozenset(range(len(e.elements))),) for e in found)

    def test_others_are_single_sentences_outside_every_rationale(self, data: Cited) -> None:
        others = [e for e in sentences(data, 1) if e.label is Label.NEI]
        by_title = {title: {e.elements for e in others if e.title == title} for title in ("Title 1", "Title 2")}
        assert by_title == {"Title 1": {(DOCUMENTS[1][0],)}, "Title 2": {(DOCUMENTS[2][0],)}}
        assert {e.title for e in others} == {"Title 1", "Title 2", "Title 3", "Title 4"}
        assert all(e.targets == (False,) and e.evidence == () for e in others)

    def test_a_seed_gives_one_choice(self, data: Cited) -> None:
        long = Cited("long", (gold({}, ("1",)),), {"1": Document.from_sentences("1", "", map(str, range(50)))})
        assert sentences(long, 3) == sentences(long, 3)
        assert len({str(sentences(long, seed)) for seed in range(20)}) > 1


class TestHardNegatives:
    def test_the_most_alike_uncited_documents_come_first(self) -> None:
        texts = (
            "Aspirin.",
            "Aspirin and the risk of stroke.",
            "Aspirin and stroke.",
            "Terns.",
            "Stroke risk, aspirin.",
        )
        corpus = {str(n): Document.from_sentences(str(n), "", [text, "End."]) for n, text in enumerate(texts)}
        data = Cited("trials", (gold({"1": "SUPPORTS"}, ("1",), "Aspirin lowers the risk of stroke "),), corpus)
        [first, second] = hard_negatives(data, 2)
        assert (first.elements, second.elements) == ((texts[4], "End."), (texts[2], "End."))
        assert first.claim == "Aspirin lowers the risk of stroke"
        assert first.label is Label.NEI
        assert first.relevance is False
        assert first.targets == (False, False)
        assert (first.evidence, first.source) == ((), "trials")

    def test_none_wanted(self, data: Cited) -> None:
        assert hard_negatives(data, 0) == []

    def test_a_document_with_evidence_that_is_not_listed_as_cited(self, data: Cited) -> None:
        assert data.claims[1].cited == ()
        titles = {e.title for e in hard_negatives(data, 4) if e.claim == "Zinc speeds up healing."}
        assert "Title 2" not in titles

    @settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), st.integers(1, 4))
    def test_no_cited_document_ever(self, draw: st.DataObject, count: int) -> None:
        words = st.lists(st.sampled_from(["aspirin", "stroke", "zinc", "mice", "terns"]), min_size=1, max_size=4)
        texts = draw.draw(st.lists(words.map(" ".join), min_size=1, max_size=6))
        corpus = {str(n): Document.from_sentences(str(n), f"Title {n}", [text]) for n, text in enumerate(texts)}
        ids = st.sampled_from(sorted(corpus))
        claims = []
        for number in range(draw.draw(st.integers(1, 3))):
            supporting = dict.fromkeys(draw.draw(st.sets(ids, max_size=2)), "SUPPORTS")
            cited = tuple(draw.draw(st.sets(ids, max_size=3)))
            claims.append(gold(supporting, cited, draw.draw(words.map(" ".join)), str(number)))
        examples = hard_negatives(Cited("any", tuple(claims), corpus), count)
        for claim in claims:
            drawn = [e.title.removeprefix("Title ") for e in examples if e.claim == claim.claim.text]
            same = [c for c in claims if c.claim.text == claim.claim.text]
            if len(same) == 1:
                assert not set(drawn) & {*claim.evidence, *claim.cited}
                assert len(set(drawn)) == len(drawn) <= count


class TestClimateFever:
    def test_each_sentence_is_an_example(self, write: Callable[..., Path], tmp_path: Path) -> None:
        labels = {"SUPPORTS": Label.SUPPORTS, "REFUTES": Label.REFUTES, "NOT_ENOUGH_INFO": Label.NEI}
        evidences = [
            {"evidence_id": f"A:{n}", "evidence_label": name, "article": "Ice" if n else "", "evidence": f'"Text {n}."'}
            for n, name in enumerate(labels)
        ]
        row = {"claim_id": "0", "claim": "Ice melts.", "claim_label": "DISPUTED", "evidences": evidences}
        write("climate_fever/climate-fever.jsonl", [row])
        examples = climate_fever(tmp_path)
        assert [e.label for e in examples] == list(labels.values())
        assert [e.elements for e in examples] == [("Text 0.",), ("Text 1.",), ("Text 2.",)]
        assert [e.title for e in examples] == ["", "Ice", "Ice"]
        assert [e.targets for e in examples] == [(True,), (True,), (False,)]

    def test_an_unknown_label(self, write: Callable[..., Path], tmp_path: Path) -> None:
        evidence = {"evidence_label": "DISPUTED", "article": "Ice", "evidence": "Text."}
        write("climate_fever/climate-fever.jsonl", [{"claim": "c", "evidences": [evidence]}])
        with pytest.raises(TrainingError, match="DISPUTED"):
            climate_fever(tmp_path)


class TestCitInt:
    CLAIM = "Terns fly far<|cit|>, and [<|multi_cit|>] not by night (<|other_cit|>)."

    def read(self, write: Callable[..., Path], folder: Path, evidence: object) -> Example:
        write("citint/corpus.jsonl", [{"doc_id": 1, "title": "", "abstract": ["Terns fly south.", "They rest."]}])
        write("citint/claims_train.jsonl", [{"id": 0, "claim": self.CLAIM, "evidence": evidence, "cited_doc_ids": [1]}])
        [example] = citint(folder)
        return example

    def test_an_accurate_citation(self, write: Callable[..., Path], tmp_path: Path) -> None:
        example = self.read(write, tmp_path, {"1": [{"sentences": [1], "label": "SUPPORT"}]})
        assert example.claim == "Terns fly far, and not by night."
        assert (example.label, example.targets, example.relevance) == (Label.SUPPORTS, (False, True), True)
        assert (example.evidence, example.weight) == ((frozenset({1}),), 0.5)

    def test_an_inaccurate_one_trains_no_label(self, write: Callable[..., Path], tmp_path: Path) -> None:
        example = self.read(write, tmp_path, {"1": [{"sentences": [0], "label": "REFUTE"}]})
        assert (example.label, example.targets, example.relevance) == (None, (True, False), True)

    def test_an_irrelevant_one(self, write: Callable[..., Path], tmp_path: Path) -> None:
        example = self.read(write, tmp_path, {})
        assert (example.label, example.targets, example.relevance) == (Label.NEI, (False, False), None)


def gold(evidence: dict[str, str], cited: tuple[str, ...], text: str = "claim", id: str = "1") -> GoldClaim:
    whole = {document: GoldEvidence(Label(label), (frozenset({0}),)) for document, label in evidence.items()}
    return GoldClaim(Claim(id, text), whole, cited)

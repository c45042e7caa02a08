from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.records import Document
from sciverify.training.unlabelled import load_abstracts, stated, unlabelled
from shared_data import shared_data

METHODS = "We gave 120 adults either drug or a placebo."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Six abstracts on one of three drugs each, and one that SciFact's corpus holds."""
    rows = [
        {
            "title": f"The drug {drug}in lowers the blood pressure of adults: trial {n}",
            "abstract": f"Trial {n} of {drug}in. {METHODS} In conclusion, {drug}in is a good choice for most adults.",
            "in_scifact_corpus": False,
        }
        for n, drug in enumerate(("alpha", "beta", "gamma", "alpha", "beta", "gamma"))
    ]
    rows.insert(2, {**rows[0], "title": "The forbidden one is here for nothing at all", "in_scifact_corpus": True})
    rows.append({"title": "Nothing", "abstract": " ", "in_scifact_corpus": False})
    (tmp_path / "abstracts").mkdir()
    with gzip.open(tmp_path / "abstracts/medical_abstracts.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def claims(title: str = "", *sentences: str) -> list[str]:
    document = Document.from_sentences("1", title, [*(sentences or (METHODS,)), "Thanks to all."])
    return [statement.claim for statement in stated(document)]


class TestAbstracts:
    def test_what_lies_in_scifacts_corpus_or_is_empty_is_left_out(self, data: Path) -> None:
        abstracts = load_abstracts(data)
        assert len(abstracts) == 6
        assert not [d for d in abstracts.documents() if "forbidden" in d.title]
        assert [d.id for d in abstracts.documents(["3", "0"])] == ["3", "0"]
        assert [e.text for e in next(abstracts.documents(["1"])).elements][1] == METHODS

    def test_without_the_file(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            load_abstracts(tmp_path)


class TestClaims:
    @pytest.mark.parametrize(
        ("title", "claim"),
        [
            ("Aspirin lowers the risk of colorectal cancer.", "Aspirin lowers the risk of colorectal cancer."),
            ("[Statins reduce mortality in old age]. [German]", "Statins reduce mortality in old age."),
            ("Vitamin D does not prevent the flu: a trial", "Vitamin D does not prevent the flu."),
            ("Does vitamin D prevent respiratory infections?", "Does vitamin D prevent respiratory infections?"),
        ],
    )  # fmt: skip
    def test_titles_that_state_something(self, title: str, claim: str) -> None:
        assert claims(title) == [claim]

    @pytest.mark.parametrize(
        "title",
        [
            "",
            "Aspirin helps.",
            "Effects of aspirin on the incidence of colorectal cancer",
            "Interventions to improve the management of depression in primary care",
            "Is " + "very " * 80 + "long?",
        ],
    )
    def test_titles_that_do_not(self, title: str) -> None:
        assert claims(title) == []

    @pytest.mark.parametrize(
        "lead_in",
        [
            "Conclusion: ",
            "CONCLUSIONS ",
            "AUTHORS' CONCLUSIONS: ",
            "In conclusion, ",
            "We conclude that ",
            "It is concluded that ",
            "These results strongly suggest that ",
            "Our preliminary clinical data imply that ",
            "CONCLUSION: Taken together, our findings therefore indicate that ",
        ],
    )
    def test_conclusions_lose_what_announces_them(self, lead_in: str) -> None:
        text = "aspirin is a good choice for most adults with pain."
        assert claims("", METHODS, lead_in + (text.capitalize() if lead_in.isupper() else text)) == [text.capitalize()]

    def test_other_sentences_are_no_claims(self) -> None:
        assert (
            claims("", METHODS, "Thus far aspirin.", "The conclusions of others are not what we looked for here.") == []
        )

    def test_the_claim_is_taken_out_of_its_own_abstract(self) -> None:
        first = "We conclude that aspirin is a good choice for adults."
        last = "In conclusion, aspirin is a bad choice for children."
        document = Document.from_sentences(
            "7", "Aspirin is given to children and adults", [METHODS, first, last, "Thanks."]
        )
        title, conclusion = stated(document)
        assert (title.title, title.elements) == ("", (METHODS, first, last, "Thanks."))
        assert conclusion.claim == "Aspirin is a bad choice for children."
        assert (conclusion.title, conclusion.elements) == (document.title, (METHODS, first, "Thanks."))
        assert title.document == conclusion.document == "7"

    def test_an_abstract_of_nothing_else_makes_no_claim(self) -> None:
        document = Document.from_sentences("7", "Aspirin is given to children and adults.", [METHODS])
        assert stated(document) == []

    @given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=80), max_size=4))
    def test_any_text_is_read(self, title: str, sentences: list[str]) -> None:
        document = Document.from_sentences("1", title, sentences)
        for statement in stated(document):
            assert set(statement.elements) <= set(sentences)
            assert len(statement.elements) in (len(sentences), len(sentences) - 1)


class TestPairs:
    def test_each_claim_meets_its_own_abstract_and_one_like_it(self, data: Path) -> None:
        examples = list(unlabelled(load_abstracts(data), seed=1))
        assert len(examples) == 2 * 2 * 6
        for own, other in zip(examples[::2], examples[1::2], strict=True):
            assert own.claim == other.claim
            assert own.claim.rstrip(".") not in (own.title.split(":")[0], *own.elements)
            assert own.elements != other.elements
            assert len(other.elements) == 3
            assert other.title
        assert all(e.label is e.targets is e.relevance is e.spans is None for e in examples)
        assert {e.source for e in examples} == {"unlabelled"}

    def test_a_seed_gives_one_list(self, data: Path) -> None:
        abstracts = load_abstracts(data)
        assert list(unlabelled(abstracts, 1)) == list(unlabelled(abstracts, 1))
        assert list(unlabelled(abstracts, 1)) != list(unlabelled(abstracts, 2))

    def test_more_others_and_none(self, data: Path) -> None:
        abstracts = load_abstracts(data)
        assert len(list(unlabelled(abstracts, 1, others=0))) == 12
        many = list(unlabelled(abstracts, 1, others=99))
        assert len(many) == 12 * (1 + 5)  # the others are never the claim's own


def test_the_published_abstracts_make_claims() -> None:
    path = shared_data("abstracts", "medical_abstracts.jsonl.gz")
    abstracts = load_abstracts(path.parents[1])
    assert len(abstracts) == 50_127
    statements = [statement for document in abstracts.documents() for statement in stated(document)]
    assert len(statements) == 22_612
    assert sum(not statement.title for statement in statements) > 5_000

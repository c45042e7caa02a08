from __future__ import annotations

from collections.abc import Sequence

import pytest

from retrieval_fakes import ListSource
from sciverify.errors import SettingError
from sciverify.records import Claim, Document, Filters, Ranking
from sciverify.retrieval import TfidfRetriever
from sciverify.retrieval.questions import QuestionRetriever
from sciverify.testing.retrievers import DOCUMENTS, RetrieverSuite

TRIAL = Document.from_sentences(
    "trial", "A trial", ["Hydroxychloroquine (HCQ) was given to patients with COVID-19.", "Deaths were as frequent."]
)
SHORT = Document.from_sentences("short", "HCQ", ["HCQ had no effect on deaths."])
OTHER = Document.from_sentences("other", "Tea", ["Tea was drunk."])


class Spy:
    """Remembers what it is asked, and searches."""

    name = "spy"

    def __init__(self, documents: Sequence[Document]) -> None:
        self._inner = TfidfRetriever(ListSource(documents))
        self.asked: list[str] = []

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        self.asked += [claim.text for claim in claims]
        return self._inner.retrieve(claims, k, filters)


def ask(text: str, *documents: Document, k: int = 10, spelling: int = 20) -> tuple[Spy, Ranking]:
    spy = Spy(documents)
    [ranking] = QuestionRetriever(spy, spelling=spelling).retrieve([Claim("q", text)], k)
    return spy, ranking


class TestAsRetriever(RetrieverSuite):
    @pytest.fixture
    def retriever(self):
        return QuestionRetriever(TfidfRetriever(ListSource(DOCUMENTS)))

    @pytest.fixture
    def empty_retriever(self):
        return QuestionRetriever(TfidfRetriever(ListSource([])))


def test_agent_and_target_are_searched_for_without_the_words_of_the_question():
    spy, ranking = ask("Is COVID-19 cured by tea?", OTHER)
    assert spy.asked == ["tea COVID-19"]
    assert [c.document.id for c in ranking.candidates] == ["other"]


def test_a_name_that_a_document_spells_out_widens_the_search():
    spy, ranking = ask("Does hydroxychloroquine cure COVID-19?", TRIAL, SHORT, OTHER)
    assert spy.asked == ["hydroxychloroquine COVID-19", "hydroxychloroquine COVID-19 HCQ"]
    assert {c.document.id for c in ranking.candidates} == {"trial", "short"}


def test_the_search_is_not_widened_where_none_may_spell_out():
    spy, ranking = ask("Does hydroxychloroquine cure COVID-19?", TRIAL, SHORT, spelling=0)
    assert len(spy.asked) == 1
    assert [c.document.id for c in ranking.candidates] == ["trial"]


def test_at_most_k_come_back_even_if_more_were_asked_for_names():
    _, ranking = ask("Does hydroxychloroquine cure COVID-19?", TRIAL, SHORT, k=1)
    assert len(ranking.candidates) == 1


def test_free_text_is_searched_for_as_it_is():
    spy, ranking = ask("why is tea drunk", OTHER)
    assert spy.asked == ["why is tea drunk"]
    assert ranking.candidates


def test_each_question_keeps_its_own_names():
    spy = Spy([TRIAL, SHORT, OTHER])
    questions = [Claim("a", "Does tea cure colds?"), Claim("b", "Does hydroxychloroquine cure COVID-19?")]
    first, second = QuestionRetriever(spy).retrieve(questions, 5)
    assert [c.document.id for c in first.candidates] == ["other"]
    assert {c.document.id for c in second.candidates} == {"trial", "short"}


def test_a_negative_number_of_spelling_documents_is_refused():
    with pytest.raises(SettingError, match="spelling"):
        QuestionRetriever(Spy([OTHER]), spelling=-1)

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_fakes import ListSource
from sciverify.records import Claim, Document, Filters, Metadata
from sciverify.retrieval import TfidfRetriever
from sciverify.retrieval.common import EMPTY_CORPUS, NO_MATCH, NO_WORD
from sciverify.testing.retrievers import DOCUMENTS, RetrieverSuite


class TestTfidfKeepsThePromises(RetrieverSuite):
    @pytest.fixture
    def retriever(self):
        return TfidfRetriever(ListSource(DOCUMENTS))

    @pytest.fixture
    def empty_retriever(self):
        return TfidfRetriever(ListSource([]))


def ids(ranking):
    return [candidate.document.id for candidate in ranking.candidates]


def test_scores_are_cosines():
    documents = [Document.from_sentences(id, title, []) for id, title in [("1", "gene therapy"), ("2", "gene")]]
    [ranking] = TfidfRetriever(ListSource(documents)).retrieve([Claim("1", "Gene therapy!")], 5)
    assert ids(ranking) == ["1", "2"]
    assert ranking.candidates[0].score == pytest.approx(1.0)
    assert 0 < ranking.candidates[1].score < 1
    assert {candidate.found_by for candidate in ranking.candidates} == {("tfidf",)}


def test_notices_tell_the_reasons_apart():
    retriever = TfidfRetriever(ListSource(DOCUMENTS))
    stop_words, unknown, filtered = retriever.retrieve(
        [Claim("1", "of the"), Claim("2", "quasar spectra"), Claim("3", "measles")], 3, Filters(last_year=2000)
    )
    assert (stop_words.notice, unknown.notice, filtered.notice) == (NO_WORD, NO_MATCH, NO_MATCH)
    assert TfidfRetriever(ListSource([])).retrieve([Claim("1", "measles")], 3)[0].notice == EMPTY_CORPUS


def test_documents_gone_since_are_left_out():
    source = ListSource(DOCUMENTS)
    retriever = TfidfRetriever(source)
    del source._documents["d10"]
    measles, glaciers, both = retriever.retrieve(
        [Claim("1", "measles"), Claim("2", "glaciers"), Claim("3", "measles glaciers")], 9
    )
    assert ids(measles) == []
    assert "removed" in measles.notice
    assert ids(both) == ids(glaciers) == ["twin-a", "twin-b", "twin-c", "twin-d"]
    assert not both.notice


METADATA = st.builds(
    Metadata,
    year=st.none() | st.integers(2000, 2003),
    journal=st.sampled_from(["", "A", "B"]),
    publication_types=st.lists(st.sampled_from(["Review", "Trial"]), unique=True).map(tuple),
    retracted=st.booleans(),
)
FILTERS = st.builds(
    Filters,
    first_year=st.none() | st.integers(2000, 2001),
    last_year=st.none() | st.integers(2001, 2003),
    journals=st.lists(st.sampled_from(["A", "B", "C"]), max_size=2).map(tuple),
    publication_types=st.lists(st.sampled_from(["Review", "Trial"]), max_size=2).map(tuple),
    retracted=st.none() | st.booleans(),
)


@settings(deadline=None)
@given(kinds=st.lists(METADATA, max_size=10), filters=FILTERS)
def test_filters_are_those_of_the_record(kinds, filters):
    documents = [Document.from_sentences(str(number), "gene", [], metadata) for number, metadata in enumerate(kinds)]
    [ranking] = TfidfRetriever(ListSource(documents)).retrieve([Claim("1", "gene")], 10, filters)
    assert ids(ranking) == [document.id for document in documents if filters.accept(document.metadata)]

"""The retrievers that search an index: bm25, dense and hybrid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval_fakes import WordEncoder
from sciverify.errors import SettingError
from sciverify.index import Index
from sciverify.records import Claim, Filters
from sciverify.retrieval import RETRIEVERS, Bm25Retriever, DenseRetriever, HybridRetriever, load_retriever
from sciverify.retrieval.common import EMPTY_CORPUS, NO_LETTER, NO_MATCH, NO_WORD
from sciverify.testing.retrievers import DOCUMENTS, RetrieverSuite

ENCODER = WordEncoder()


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with Index.build(tmp_path_factory.mktemp("full") / "index", DOCUMENTS, encoder=ENCODER) as made:
        yield made


@pytest.fixture(scope="module")
def empty_index(tmp_path_factory):
    with Index.build(tmp_path_factory.mktemp("empty") / "index", [], encoder=ENCODER) as made:
        yield made


class TestBm25KeepsThePromises(RetrieverSuite):
    @pytest.fixture
    def retriever(self, index):
        return Bm25Retriever(index)

    @pytest.fixture
    def empty_retriever(self, empty_index):
        return Bm25Retriever(empty_index)


class TestDenseKeepsThePromises(RetrieverSuite):
    searches_words = False

    @pytest.fixture
    def retriever(self, index):
        return DenseRetriever(index, ENCODER)

    @pytest.fixture
    def empty_retriever(self, empty_index):
        return DenseRetriever(empty_index, ENCODER)


@pytest.mark.parametrize("fusion", ["rrf", "sum"])
class TestHybridKeepsThePromises(RetrieverSuite):
    @pytest.fixture
    def retriever(self, index, fusion):
        return HybridRetriever(index, ENCODER, fusion=fusion)

    @pytest.fixture
    def empty_retriever(self, empty_index, fusion):
        return HybridRetriever(empty_index, ENCODER, fusion=fusion)


def retrieve(retriever, text, k=20, filters=None):
    return retriever.retrieve([Claim("1", text)], k, filters)[0]


def scores(ranking):
    return {candidate.document.id: candidate.score for candidate in ranking.candidates}


def finders(ranking):
    return {candidate.document.id: candidate.found_by for candidate in ranking.candidates}


class TestBm25:
    def test_notices_tell_the_reasons_apart(self, index, empty_index):
        retriever = Bm25Retriever(index)
        assert retrieve(retriever, "of the").notice == NO_WORD
        assert retrieve(retriever, "quasar spectra").notice == NO_MATCH
        assert retrieve(retriever, "measles", filters=Filters(last_year=1950)).notice == NO_MATCH
        assert retrieve(Bm25Retriever(empty_index), "measles").notice == EMPTY_CORPUS

    def test_scores_are_those_of_the_index(self, index):
        [hits] = index.search_words(["measles vaccine"], 5)
        assert scores(retrieve(Bm25Retriever(index), "measles vaccine")) == dict(hits)
        assert set(finders(retrieve(Bm25Retriever(index), "measles vaccine")).values()) == {("bm25",)}

    def test_words_meet_by_their_stems(self, index):
        assert list(scores(retrieve(Bm25Retriever(index), "a glacier retreating", 1))) == ["twin-a"]


class TestDense:
    def test_notices_tell_the_reasons_apart(self, index, empty_index):
        retriever = DenseRetriever(index, ENCODER)
        assert retrieve(retriever, "").notice == NO_LETTER
        assert retrieve(retriever, "measles", filters=Filters(last_year=1950)).notice == NO_MATCH
        assert retrieve(DenseRetriever(empty_index, ENCODER), "measles").notice == EMPTY_CORPUS

    def test_fills_its_places_whatever_the_words(self, index):
        ranking = retrieve(DenseRetriever(index, ENCODER), "of the", 5)
        assert len(ranking.candidates) == 5
        assert set(finders(ranking).values()) == {("dense",)}

    def test_scores_are_cosines(self, index):
        text = next(d for d in DOCUMENTS if d.id == "d10").text
        ranking = retrieve(DenseRetriever(index, ENCODER), text)
        assert ranking.candidates[0].document.id == "d10"
        assert ranking.candidates[0].score == pytest.approx(1.0, abs=1e-5)
        assert all(-1 <= score <= 1.00001 for score in scores(ranking).values())

    def test_a_claim_without_letters_is_not_encoded(self, index):
        class Picky(WordEncoder):
            def encode(self, texts):
                assert list(texts) == ["measles"]
                return super().encode(texts)

        rankings = DenseRetriever(index, Picky()).retrieve([Claim("1", "…"), Claim("2", "measles"), Claim("3", "")], 2)
        assert [len(ranking.candidates) for ranking in rankings] == [0, 2, 0]

    def test_refuses_an_index_without_vectors(self, tmp_path):
        with Index.build(tmp_path / "index", DOCUMENTS) as plain:
            for kind in (DenseRetriever, HybridRetriever):
                with pytest.raises(SettingError, match="no vectors"):
                    kind(plain, ENCODER)
            assert retrieve(Bm25Retriever(plain), "measles").candidates

    def test_refuses_another_encoder(self, index):
        class Other(WordEncoder):
            name = "other"

        with pytest.raises(SettingError, match="made by words, not by other"):
            DenseRetriever(index, Other())


class TestHybrid:
    def test_says_which_search_found_a_document(self, index):
        ranking = retrieve(HybridRetriever(index, ENCODER, depth=1), "coffee sleep", 1)
        assert finders(ranking) == {"d05": ("bm25", "dense")}
        assert finders(retrieve(HybridRetriever(index, ENCODER), "coffee sleep"))["d06"] == ("dense",)

    def test_weight_moves_between_the_two_searches(self, index):
        text = "measles in neurons of infants"
        [by_words] = scores(retrieve(Bm25Retriever(index), text, 1))
        by_meaning = list(scores(retrieve(DenseRetriever(index, ENCODER), text, 3)))
        for fusion in ("rrf", "sum"):
            words_only = HybridRetriever(index, ENCODER, fusion=fusion, weight=0)
            meaning_only = HybridRetriever(index, ENCODER, fusion=fusion, weight=1)
            assert list(scores(retrieve(words_only, text, 1))) == [by_words]
            assert list(scores(retrieve(meaning_only, text, 3))) == by_meaning

    def test_depth_bounds_what_each_search_gives(self, index):
        seen = []

        class Spy:
            encoder_name = index.encoder_name

            def __len__(self):
                return len(index)

            def documents(self, ids=None):
                return index.documents(ids)

            def search_words(self, queries, k, filters=None):
                seen.append(k)
                return index.search_words(queries, k, filters)

            def search_vectors(self, vectors, k, filters=None):
                seen.append(k)
                return index.search_vectors(vectors, k, filters)

        retriever = HybridRetriever(Spy(), ENCODER, depth=4)
        retrieve(retriever, "measles", 2)
        retrieve(retriever, "measles", 7)
        assert seen == [4, 4, 7, 7]

    def test_stop_words_alone_find_nothing_although_they_have_a_vector(self, index):
        assert retrieve(HybridRetriever(index, ENCODER), "of the") == replace(
            retrieve(Bm25Retriever(index), "of the"), notice=NO_WORD
        )

    def test_meaning_alone_can_find(self, index):
        ranking = retrieve(HybridRetriever(index, ENCODER), "quasar spectra", 3)
        assert set(finders(ranking).values()) == {("dense",)}

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"fusion": "borda"}, "no fusion 'borda'.*rrf, sum"),
            ({"depth": 0}, "depth must be"),
            ({"depth": 2.5}, "depth must be"),
            ({"weight": -0.1}, "weight"),
            ({"weight": 1.1}, "weight"),
            ({"weight": float("nan")}, "weight"),
            ({"weight": "0.5"}, "weight"),
        ],
    )
    def test_refuses_bad_options(self, index, options, message):
        with pytest.raises(SettingError, match=message):
            HybridRetriever(index, ENCODER, **options)


class TestRegistry:
    @pytest.mark.parametrize("name", RETRIEVERS)
    def test_every_retriever_loads_and_its_name_makes_it_again(self, index, name):
        retriever = load_retriever(name, index, ENCODER)
        assert retriever.name.startswith(f"{name}(")
        again = eval(retriever.name, {name: lambda **options: load_retriever(name, index, ENCODER, **options)})
        assert again.name == retriever.name
        assert retrieve(again, "measles vaccine") == retrieve(retriever, "measles vaccine")

    def test_passes_options_on(self, index):
        retriever = load_retriever("hybrid", index, ENCODER, fusion="rrf", depth=7, weight=0.25)
        assert retriever.name == "hybrid(fusion='rrf', depth=7, weight=0.25)"

    def test_refuses_what_it_does_not_know(self, index):
        with pytest.raises(SettingError, match=r"no retriever 'splade'.*tfidf, bm25, dense, hybrid"):
            load_retriever("splade", index)
        with pytest.raises(SettingError, match=r"no option 'dept'.*fusion, depth, weight"):
            load_retriever("hybrid", index, ENCODER, dept=7)
        with pytest.raises(SettingError, match="bm25 has no option 'k1'"):
            load_retriever("bm25", index, k1=1.2)
        with pytest.raises(SettingError, match="dense needs an encoder"):
            load_retriever("dense", index)

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import R, nDCG

from index_parts import VOCABULARY, HashEncoder, documents, filters, make_document, make_documents
from sciverify.errors import (
    CorpusError,
    DuplicateDocumentError,
    IndexDamagedError,
    IndexingError,
    IndexMissingError,
    InputError,
    SciverifyError,
    SettingError,
)
from sciverify.index import Hit, Index, building, engine
from sciverify.records import Document, Filters
from sciverify.stages import DocumentSource
from shared_data import shared_data

HOSTILE = ['"', "(", "AND", "IL-6:", "α-synuclein*", "\x00", "\ud800\udfff", "😀", "x" * 100_000, "dose " * 20_000, ""]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(scope="module", params=["small", "large"])
def shared(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Index]:
    """120 documents with vectors, for tests that only read; once as an index counts as small, once as large."""
    path = tmp_path_factory.mktemp("shared") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_WORTH_FIELD_INDEXES", 0 if request.param == "large" else 10**9)
        with Index.build(path, make_documents(120), encoder=HashEncoder()) as index:
            assert bool(index._core.engine._shard.info().payload_schema) == (request.param == "large")
            yield index


def contents(index: Index) -> list[Document]:
    assert index.check() == []
    return list(index.documents())


class TestBuild:
    def test_holds_the_documents_in_order(self, path: Path) -> None:
        progress: list[int] = []
        corpus = make_documents(30)
        with Index.build(path, iter(corpus), progress=progress.append) as index:
            assert contents(index) == corpus
            assert len(index) == sum(progress) == 30
            assert index.encoder_name is None
            assert isinstance(index, DocumentSource)
        with Index.open(path) as index:
            assert contents(index) == corpus

    def test_an_empty_corpus_and_documents_without_text(self, path: Path) -> None:
        with Index.build(path, []) as index:
            assert len(index) == 0
            assert index.search_words(["dose"], 5) == [[]]
            assert index.info().average_length == 0
            index.add([Document.from_sentences("empty", "", []), Document.from_sentences("full", "dose", [])])
            assert index.search_words(["dose", ""], 5)[0][0].id == "full"
            assert len(contents(index)) == 2

    def test_two_documents_with_one_id(self, path: Path) -> None:
        corpus = [make_document("same", 1), make_document("other", 1), make_document("same", 2)]
        with pytest.raises(DuplicateDocumentError, match="'same'"):
            Index.build(path, corpus)
        with Index.build(path, corpus, replace=True) as index:
            assert {d.id: d for d in contents(index)} == {"same": corpus[2], "other": corpus[1]}

    def test_duplicates_across_chunks(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building, "_WORDS_CHUNK", 4)
        for distance in (1, 5, 20):
            corpus = make_documents(25)
            corpus[distance] = make_document("d0", 9)
            with pytest.raises(DuplicateDocumentError, match="'d0'"):
                Index.build(path, corpus)
        with Index.build(path, corpus, replace=True) as index:
            assert {d.id: d for d in contents(index)} == {d.id: d for d in corpus}

    def test_goes_on_after_an_interruption(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building, "_VECTORS_CHUNK", 8)
        corpus = make_documents(50)

        def broken() -> Iterator[Document]:
            yield from corpus[:35]
            raise CorpusError("bad line", where="corpus:36")

        with pytest.raises(CorpusError, match="bad line"):
            Index.build(path, broken(), encoder=HashEncoder())
        with pytest.raises(IndexingError, match="interrupted"):
            Index.open(path)
        with pytest.raises(IndexingError, match="no vectors"):
            Index.build(path, corpus)
        encoder = HashEncoder()
        # Meanwhile the corpus lost a document and another one changed.
        now = [make_document("d3", 7) if d.id == "d3" else d for d in corpus if d.id != "d5"]
        with Index.build(path, now, encoder=encoder) as index:
            assert contents(index) == now
        assert encoder.encoded == len(now) - 32 + 2

    def test_never_writes_over_something_else(self, path: Path) -> None:
        Index.build(path, make_documents(2)).close()
        with pytest.raises(IndexingError, match="2 documents here already"):
            Index.build(path, [])
        other = path.parent / "other"
        other.mkdir()
        (other / "thesis.tex").write_text("x")
        with pytest.raises(IndexingError, match=r"thesis\.tex"):
            Index.build(other, [])
        assert [file.name for file in other.iterdir()] == ["thesis.tex"]
        with pytest.raises(IndexingError, match="needs a folder"):
            Index.build(other / "thesis.tex", [])

    def test_takes_vectors_that_were_made_before(self, path: Path) -> None:
        encoder, corpus = HashEncoder(), make_documents(10)
        vectors = encoder.encode([document.text for document in corpus])
        encoder.encoded = 0
        with Index.build(path, corpus, encoder=encoder, vectors=vectors) as index:
            assert encoder.encoded == 0
            assert index.search_vectors(vectors[3:4], 1)[0][0].id == "d3"

    @pytest.mark.parametrize(
        ("shape", "scale"), [((10, 8), 1), ((9, 16), 1), ((11, 16), 1), ((10, 16), 2), ((10, 16), np.nan), ((16,), 1)]
    )
    def test_refuses_vectors_that_do_not_fit(self, path: Path, shape: tuple[int, ...], scale: float) -> None:
        vectors = np.full(shape, scale * shape[-1] ** -0.5, dtype=np.float32)
        with pytest.raises(SettingError, match="vectors"):
            Index.build(path, make_documents(10), encoder=HashEncoder(), vectors=vectors)

    def test_vectors_need_their_encoder(self, path: Path) -> None:
        with pytest.raises(SettingError, match="encoder"):
            Index.build(path, [], vectors=np.zeros((0, 4), dtype=np.float32))

    @settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(documents(), max_size=4, unique_by=lambda d: d.id))
    def test_every_record_comes_back_exactly(self, path: Path, corpus: list[Document]) -> None:
        shutil.rmtree(path, ignore_errors=True)
        Index.build(path, corpus, encoder=HashEncoder()).close()
        with Index.open(path) as index:
            assert contents(index) == corpus
            ids = [document.id for document in reversed(corpus)]
            assert list(index.documents(ids)) == corpus[::-1]


class TestChange:
    def test_add_and_replace(self, path: Path) -> None:
        with Index.build(path, make_documents(5)) as index:
            assert index.add([make_document("new", 0)]) == 1
            assert index.add([make_document("d1", 8), make_document("d9", 0)], replace=True) == 2
            assert [d.id for d in contents(index)] == ["d0", "d1", "d2", "d3", "d4", "new", "d9"]
            assert next(index.documents(["d1"])) == make_document("d1", 8)

    @pytest.mark.parametrize("bad", ["d1", "x"])
    def test_a_duplicate_leaves_nothing_behind(self, path: Path, bad: str) -> None:
        with Index.build(path, make_documents(5)) as index:
            revision = index.info().revision
            with pytest.raises(DuplicateDocumentError, match=repr(bad)):
                index.add([make_document("x", 0), make_document("y", 0), make_document(bad, 3)])
            assert contents(index) == make_documents(5)
            assert index.info().revision == revision

    def test_a_failing_corpus_leaves_nothing_behind(self, path: Path) -> None:
        def broken() -> Iterator[Document]:
            yield make_document("x", 0)
            raise CorpusError("bad line")

        with Index.build(path, make_documents(5)) as index:
            with pytest.raises(CorpusError):
                index.add(broken())
            assert contents(index) == make_documents(5)

    def test_the_encoder_must_be_the_index_s(self, path: Path) -> None:
        with Index.build(path, make_documents(5), encoder=HashEncoder()) as index:
            for encoder in (None, HashEncoder("hashes-2")):
                with pytest.raises(SettingError, match="hashes-1"):
                    index.add([make_document("x", 0)], encoder=encoder)
            assert index.add([make_document("x", 0)], encoder=HashEncoder()) == 1
            assert len(contents(index)) == 6

    def test_remove(self, path: Path) -> None:
        with Index.build(path, make_documents(5)) as index:
            assert index.remove(["d1", "d3", "d1"]) == 2
            assert [d.id for d in contents(index)] == ["d0", "d2", "d4"]
            assert index.remove([]) == 0
            found = {hit.id for hit in index.search_words([" ".join(VOCABULARY)], 10)[0]}
            assert found == {"d0", "d2", "d4"}

    def test_unknown_ids_are_named_and_nothing_is_removed(self, path: Path) -> None:
        with Index.build(path, make_documents(5)) as index:
            with pytest.raises(InputError, match="'ghost', 'wraith'"):
                index.remove(["d1", "ghost", "wraith"])
            assert contents(index) == make_documents(5)

    def test_random_changes_agree_with_a_dictionary(self, path: Path) -> None:
        rng = np.random.default_rng(4)
        model = {document.id: document for document in make_documents(20)}
        index = Index.build(path, model.values(), encoder=HashEncoder())
        for step in range(12):
            chosen = [f"d{number}" for number in rng.choice(40, size=8, replace=False)]
            if step % 3 == 2:
                gone = [id for id in chosen if id in model]
                assert index.remove(gone) == len(gone)
                model = {id: document for id, document in model.items() if id not in gone}
            else:
                fresh = [make_document(id, step) for id in chosen]
                index.add(fresh, encoder=HashEncoder(), replace=True)
                model |= {document.id: document for document in fresh}
            if step % 5 == 4:
                index.close()
                index = Index.open(path)
            assert {document.id: document for document in contents(index)} == model
        index.close()


class TestDocuments:
    def test_by_id_in_the_order_asked_for(self, shared: Index) -> None:
        assert [d.id for d in shared.documents(["d7", "d2", "d7"])] == ["d7", "d2", "d7"]
        assert list(shared.documents([])) == []

    def test_unknown_ids(self, shared: Index) -> None:
        with pytest.raises(InputError, match="'nobody'"):
            shared.documents(["d1", "nobody"])


class TestSearch:
    def test_words_are_ranked_by_bm25(self, shared: Index) -> None:
        query = "aspirin kinase"
        hits = shared.search_words([query], 120)[0]
        assert [h.id for h in hits] == [h.id for h in sorted(hits, key=lambda h: (-h.score, h.id))]
        texts = {d.id: d.text.replace(".", " ").lower().split() for d in shared.documents()}
        assert {h.id for h in hits} == {id for id, words in texts.items() if {"aspirin", "kinase"} & set(words)}

    def test_vectors_are_searched_exactly(self, shared: Index) -> None:
        encoder = HashEncoder()
        corpus = list(shared.documents())
        rows = encoder.encode([d.text for d in corpus])
        queries = encoder.encode(["aspirin trial", "mouse liver"])
        for query, hits in zip(queries, shared.search_vectors(queries, 15), strict=True):
            scores = dict(zip((d.id for d in corpus), rows @ query, strict=True))
            assert [h.score for h in hits] == pytest.approx(sorted(scores.values(), reverse=True)[:15], abs=1e-6)
            assert all(h.score == pytest.approx(scores[h.id], abs=1e-6) for h in hits)

    def test_ties_go_by_id_wherever_the_list_ends(self, path: Path) -> None:
        corpus = [Document.from_sentences(f"t{n:03}", "dose risk", []) for n in range(150)][::-1]
        best = Document.from_sentences("best", "dose dose dose", [])
        with Index.build(path, [*corpus, best], encoder=HashEncoder()) as index:
            for k in (1, 2, 17, 40, 151, 10_000):
                words = index.search_words(["dose"], k)[0]
                assert [h.id for h in words] == ["best", *(f"t{n:03}" for n in range(150))][:k]
            vector = HashEncoder().encode(["dose risk"])
            assert [h.id for h in index.search_vectors(vector, 30)[0]] == [f"t{n:03}" for n in range(30)]

    @settings(deadline=None, max_examples=60)
    @given(only=filters())
    def test_filters_mean_what_accept_means(self, shared: Index, only: Filters) -> None:
        accepted = {d.id for d in shared.documents() if only.accept(d.metadata)}
        everything = " ".join(VOCABULARY)
        assert {h.id for h in shared.search_words([everything], 200, only)[0]} == accepted
        vector = HashEncoder().encode([everything])
        assert {h.id for h in shared.search_vectors(vector, 200, only)[0]} == accepted

    @settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        corpus=st.lists(documents(), min_size=1, max_size=5, unique_by=lambda d: d.id),
        wanted=st.lists(filters(), max_size=5),
    )
    @pytest.mark.parametrize("least", [0, 10**9])
    def test_filters_on_any_metadata(
        self,
        path: Path,
        least: int,
        corpus: list[Document],
        wanted: list[Filters],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(engine, "_WORTH_FIELD_INDEXES", least)
        shutil.rmtree(path, ignore_errors=True)
        own = [Filters(None, None, (d.metadata.journal,), d.metadata.publication_types) for d in corpus]
        with Index.build(path, corpus, encoder=HashEncoder()) as index:
            for only in [*own, *wanted]:
                found = index.search_vectors(HashEncoder().encode([""]), 10, only)[0]
                assert {h.id for h in found} == {d.id for d in corpus if only.accept(d.metadata)}

    def test_a_filter_does_not_change_scores(self, shared: Index) -> None:
        every = dict(shared.search_words(["aspirin kinase"], 200)[0])
        some = shared.search_words(["aspirin kinase"], 200, Filters(first_year=2005))[0]
        assert some
        assert all(every[hit.id] == pytest.approx(hit.score) for hit in some)

    def test_hostile_texts(self, shared: Index) -> None:
        answers = shared.search_words(HOSTILE, 3)
        assert len(answers) == len(HOSTILE)
        assert answers[HOSTILE.index("dose " * 20_000)] == shared.search_words(["dose"], 3)[0]

    def test_batches_answer_like_single_queries(self, shared: Index) -> None:
        queries = [f"{one} {other}" for one in VOCABULARY[:9] for other in VOCABULARY[9:14]]
        assert shared.search_words(queries, 7) == [shared.search_words([query], 7)[0] for query in queries]
        assert shared.search_words([], 7) == []
        assert shared.search_words(["dose"], 0) == [[]]

    def test_unusable_requests(self, shared: Index, path: Path) -> None:
        with pytest.raises(SettingError, match="k is -1"):
            shared.search_words(["dose"], -1)
        for vectors in (np.zeros(16), np.zeros((1, 5)), np.full((1, 16), np.nan)):
            with pytest.raises(SettingError, match="16 dimensions"):
                shared.search_vectors(vectors.astype(np.float32), 5)
        with Index.build(path, make_documents(2)) as index, pytest.raises(SettingError, match="no vectors"):
            index.search_vectors(np.zeros((1, 16), dtype=np.float32), 5)


class TestDamage:
    def damaged(self, path: Path) -> str:
        """What the check finds; rebuilding must mend it."""
        with Index.open(path) as index:
            problems = index.check()
            with_engine = [hit.id for hit in _or_damage(index)]
            index.rebuild()
            assert index.check() == []
            assert index.search_words(["dose"], 5)[0]
        with Index.open(path) as index:
            assert index.check() == []
        assert problems or with_engine
        return " ".join(problem.message for problem in problems)

    def test_a_lost_engine(self, path: Path) -> None:
        Index.build(path, make_documents(30), encoder=HashEncoder()).close()
        shutil.rmtree(path / "engine-1")
        with Index.open(path) as index:
            with pytest.raises(IndexDamagedError, match="index rebuild"):
                index.search_words(["dose"], 5)
            with pytest.raises(IndexDamagedError):
                index.add([make_document("x", 0)], encoder=HashEncoder())
            with pytest.raises(IndexDamagedError):
                index.remove(["d1"])
            assert list(index.documents()) == make_documents(30)
        assert "search engine" in self.damaged(path)

    def test_an_engine_that_lost_and_gained_documents(self, path: Path) -> None:
        index = Index.build(path, make_documents(30), encoder=HashEncoder())
        core = index._core
        core.engine.remove([4])
        core.engine.flush()
        assert [p.message for p in index.check()] == ["1 document(s) missing from the search engine: 'd3'"]
        core.engine.put([next(iter(core.engine.points([5]).values()))._replace(number=99)])
        assert any("number 99" in problem.message for problem in index.check())
        index.close()
        self.damaged(path)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"terms": [1, 2], "weights": [1.0, 1.0]}, "words differ"),
            ({"meaning": [1.0] + [0.0] * 15}, "vector differs"),
            ({"payload": {"year": 1}}, "metadata differ"),
        ],
    )
    def test_points_that_disagree(self, path: Path, change: dict[str, object], message: str) -> None:
        index = Index.build(path, make_documents(30), encoder=HashEncoder())
        shard = index._core.engine
        shard.put([shard.points([8])[8]._replace(**change)])
        shard.flush()
        index.close()
        assert f"{message} in the search engine: 'd7'" in self.damaged(path)

    def test_records_that_were_altered(self, path: Path) -> None:
        index = Index.build(path, make_documents(30))
        with index._core.store._guarded():
            index._core.store._db.execute("UPDATE documents SET record = X'7B7D' WHERE number = 3")
        assert "altered" in index.check()[0].message
        with pytest.raises(IndexDamagedError, match="'d2'"):
            list(index.documents())
        index.close()

    def test_records_that_are_no_database(self, path: Path) -> None:
        Index.build(path, make_documents(30)).close()
        file = path / "records.sqlite"
        file.write_bytes(b"\x00garbage" * 2000)
        with pytest.raises(IndexDamagedError, match="records cannot be read"):
            Index.open(path)

    def test_words_of_another_analyser(self, path: Path) -> None:
        index = Index.build(path, make_documents(30))
        index._core.store.set(analyser="english-0")
        index.close()
        assert "english-0" in self.damaged(path)

    def test_another_format(self, path: Path) -> None:
        index = Index.build(path, make_documents(3))
        index._core.store.set(format=99)
        index.close()
        with pytest.raises(IndexingError, match="format 99"):
            Index.open(path)

    def test_what_an_interrupted_rebuild_left_is_swept(self, path: Path) -> None:
        Index.build(path, make_documents(3)).close()
        shutil.copytree(path / "engine-1", path / "engine-2")
        with Index.open(path) as index:
            assert not (path / "engine-2").exists()
            progress: list[int] = []
            index.rebuild(progress.append)
            assert sum(progress) == 3
        assert sorted(p.name for p in path.iterdir() if p.is_dir()) == ["engine-2"]


class TestOpenAndClose:
    def test_there_is_none(self, path: Path) -> None:
        for place in (path, path.parent):
            with pytest.raises(IndexMissingError, match=re.escape(str(place))):
                Index.open(place)

    def test_a_closed_index_says_so(self, path: Path) -> None:
        index = Index.build(path, make_documents(3))
        index.close()
        index.close()
        for use in (lambda: index.search_words(["dose"], 1), lambda: index.remove(["d1"]), index.check, index.rebuild):
            with pytest.raises(SciverifyError, match="closed"):
                use()

    def test_info(self, shared: Index) -> None:
        info = shared.info()
        assert (info.documents, info.encoder, info.dimensions) == (120, "hashes-1", 16)
        assert (info.analyser, info.k1, info.b, info.format) == ("english-1", 1.2, 0.75, 1)
        assert 30 < info.average_length < 40
        assert info.size > 10_000


def test_bm25_on_scifact(tmp_path: Path) -> None:
    """As good as Lucene on BEIR's 300 test queries (nDCG@10 0.679, R@100 0.925)."""
    claims = {}
    with shared_data("scifact", "claims_dev.jsonl").open(encoding="utf-8") as lines:
        claims = {str(claim["id"]): claim["claim"] for claim in map(json.loads, lines)}
    with shared_data("scifact", "beir", "qrels_test.tsv").open(encoding="utf-8") as lines:
        rows = [line.split() for line in lines][1:]
    qrels = [ir_measures.Qrel(query, document, int(grade)) for query, document, grade in rows]
    with shared_data("scifact", "corpus.jsonl").open(encoding="utf-8") as lines:
        corpus = [json.loads(line) for line in lines]
    abstracts = (Document.from_sentences(str(d["doc_id"]), d["title"], d["abstract"]) for d in corpus)
    queries = sorted({qrel.query_id for qrel in qrels})
    with Index.build(tmp_path / "index", abstracts) as index:
        found: list[list[Hit]] = index.search_words([claims[query] for query in queries], 100)
    run = [ir_measures.ScoredDoc(q, hit.id, hit.score) for q, hits in zip(queries, found, strict=True) for hit in hits]
    scores = ir_measures.calc_aggregate([nDCG @ 10, R @ 100], qrels, run)
    assert scores[nDCG @ 10] >= 0.685
    assert scores[R @ 100] >= 0.92


def _or_damage(index: Index) -> list[Hit]:
    try:
        return index.search_words(["dose"], 5)[0]
    except IndexDamagedError as error:
        return [Hit(error.problem, 0.0)]

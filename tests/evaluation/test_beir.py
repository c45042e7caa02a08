import json
from collections.abc import Iterator

import pytest

from sciverify.corpora import open_corpus, read_claims
from sciverify.errors import DuplicateDocumentError, RunFileError, SettingError
from sciverify.evaluation.beir import BEIR_HEADER, read_beir_qrels, write_beir, write_beir_qrels
from sciverify.records import Claim, Document, Metadata
from shared_data import shared_data

METADATA = Metadata(
    year=2011,
    journal="J. Tea",
    authors=("A. Leaf", "B. Pot"),
    doi="10.1000/182",
    pmid="123",
    publication_types=("Review",),
    retracted=True,
)
DOCUMENTS = [
    Document.from_sentences("11", "On tea", ["Tea is a drink.", "It is hot."], METADATA),
    Document.from_sentences("a b", "", ["Coffee is another drink."]),
]
QUERIES = [Claim("1", "Tea is hot."), Claim("q 2", "Coffee isn't.")]
QRELS = {"1": {"11": 1, "a b": 0}, "q 2": {"a b": 2}}


class TestFolder:
    def test_what_is_written_is_read_back(self, tmp_path):
        folder = tmp_path / "made" / "set"
        write_beir(folder, iter(DOCUMENTS), iter(QUERIES), QRELS, split="dev")
        assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()) == [
            "corpus.jsonl",
            "qrels/dev.tsv",
            "queries.jsonl",
        ]
        assert list(open_corpus(folder / "corpus.jsonl", format="beir")) == DOCUMENTS
        assert read_claims(folder / "queries.jsonl") == QUERIES
        assert read_beir_qrels(folder / "qrels" / "dev.tsv") == QRELS

    def test_documents_are_taken_one_at_a_time(self, tmp_path):
        alive = 0

        class Counted(Document):
            def __del__(self) -> None:
                nonlocal alive
                alive -= 1

        def documents() -> Iterator[Document]:
            nonlocal alive
            for number in range(50):
                assert alive <= 2
                alive += 1
                yield Counted(str(number), "t", ())

        write_beir(tmp_path, documents(), QUERIES, {})
        assert len((tmp_path / "corpus.jsonl").read_text().splitlines()) == 50

    def test_nothing_is_replaced_unasked(self, tmp_path):
        write_beir(tmp_path, DOCUMENTS, QUERIES, QRELS)
        with pytest.raises(RunFileError, match="there already"):
            write_beir(tmp_path, DOCUMENTS, QUERIES, QRELS, split="dev")
        assert not (tmp_path / "qrels" / "dev.tsv").exists()
        write_beir(tmp_path, DOCUMENTS[:1], QUERIES, {"1": {"11": 1}}, split="dev", replace=True)
        assert len(list(open_corpus(tmp_path / "corpus.jsonl"))) == 1
        assert read_beir_qrels(tmp_path / "qrels" / "test.tsv") == QRELS

    @pytest.mark.parametrize("split", ["", "../x", "a/b", "a.b", "-x", "a" * 65])
    def test_names_of_splits(self, tmp_path, split):
        with pytest.raises(SettingError, match="no name for a split"):
            write_beir(tmp_path / "set", DOCUMENTS, QUERIES, QRELS, split=split)
        assert not (tmp_path / "set").exists()

    def test_what_does_not_fit_together(self, tmp_path):
        with pytest.raises(DuplicateDocumentError):
            write_beir(tmp_path, [*DOCUMENTS, DOCUMENTS[0]], QUERIES, QRELS)
        with pytest.raises(RunFileError, match="two queries have the id '1'"):
            write_beir(tmp_path, DOCUMENTS, [*QUERIES, Claim("1", "x")], QRELS)
        with pytest.raises(RunFileError, match="query '3' is judged"):
            write_beir(tmp_path, DOCUMENTS, QUERIES, {"3": {"11": 1}})
        assert not list(tmp_path.rglob("*.jsonl"))

    def test_a_folder_that_cannot_be_made(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(RunFileError, match="cannot be made"):
            write_beir(tmp_path / "file", DOCUMENTS, QUERIES, QRELS)


class TestQrels:
    @pytest.mark.parametrize("id", ["", " a", "a\tb", "a\nb", "a\u2028b"])
    def test_ids_that_a_table_has_no_place_for(self, tmp_path, id):
        for table in ({id: {"a": 1}}, {"q": {id: 1}}):
            with pytest.raises(RunFileError, match="the id") as caught:
                write_beir_qrels(tmp_path / "test.tsv", table)
            assert caught.value.remedy
        assert not (tmp_path / "test.tsv").exists()

    @pytest.mark.parametrize(
        ("lines", "line", "problem"),
        [
            (["1\t11\t1"], 1, "header is missing"),
            ([BEIR_HEADER, "1\t11"], 2, "not three fields"),
            ([BEIR_HEADER, "1 11 1"], 2, "not three fields"),
            ([BEIR_HEADER, "1\t\t1"], 2, "not three fields"),
            ([BEIR_HEADER, "1\t11\tyes"], 2, "not a whole number"),
            ([BEIR_HEADER, "1\t11\t1", "1\t11\t0"], 3, "stands twice"),
        ],
    )
    def test_malformed(self, write_lines, lines, line, problem):
        path = write_lines("test.tsv", *lines)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_beir_qrels(path)
        assert caught.value.where == f"{path}:{line}"

    def test_not_utf_8(self, tmp_path):
        (tmp_path / "test.tsv").write_bytes(BEIR_HEADER.encode() + b"\n\xff\t1\t1\n")
        with pytest.raises(RunFileError, match="not UTF-8"):
            read_beir_qrels(tmp_path / "test.tsv")


def test_published_sets_go_through_unchanged(tmp_path):
    source = shared_data("nfcorpus")
    corpus = open_corpus(source / "corpus.jsonl", format="beir")
    queries = read_claims(source / "queries.jsonl")
    qrels = read_beir_qrels(source / "qrels" / "test.tsv")
    assert (len(qrels), sum(map(len, qrels.values()))) == (323, 12334)
    write_beir(tmp_path, corpus, queries, qrels)
    assert (tmp_path / "qrels" / "test.tsv").read_text() == (source / "qrels" / "test.tsv").read_text()
    lines = [(folder / "queries.jsonl").read_text(encoding="utf-8").split("\n") for folder in (tmp_path, source)]
    texts = [{record["_id"]: record["text"] for record in map(json.loads, filter(None, part))} for part in lines]
    assert texts[0] == texts[1]
    assert sum(1 for _ in open_corpus(tmp_path / "corpus.jsonl", format="beir")) == 3633

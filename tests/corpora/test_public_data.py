"""The public data sets load whole, with the counts that their owners state."""

from __future__ import annotations

import json

import pytest

from sciverify.corpora import detect_format, open_corpus, read_claims, unique
from shared_data import shared_data


@pytest.mark.parametrize(
    ("folder", "format", "documents", "elements"),
    [
        ("scifact", "scifact", 5183, 45_952),
        ("healthver", "scifact", 322, 2913),
        ("covidfact", "scifact", 409, 3655),
        ("citint", "scifact", 3063, 15_280),
        ("nfcorpus", "beir", 3633, None),
    ],
)
def test_corpora(folder: str, format: str, documents: int, elements: int | None) -> None:
    path = shared_data(folder, "corpus.jsonl")
    assert detect_format(path) == format
    counts = [len(document.elements) for document in unique(open_corpus(path))]
    assert len(counts) == documents
    assert all(counts) or folder in ("nfcorpus", "citint")
    assert elements is None or sum(counts) == elements


def test_given_sentences_are_kept_exactly() -> None:
    path = shared_data("scifact", "corpus.jsonl")
    with path.open(encoding="utf-8") as lines:
        for line, document in zip(lines, open_corpus(path), strict=True):
            assert [element.text for element in document.elements] == json.loads(line)["abstract"]


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        (("scifact", "claims_train.jsonl"), 809),
        (("scifact", "claims_dev.jsonl"), 300),
        (("scifact", "claims_test.jsonl"), 300),
        (("scifact", "covid_claims.txt"), 36),
        (("healthver", "claims_dev.jsonl"), 230),
        (("nfcorpus", "queries.jsonl"), 3237),
    ],
)
def test_claims(parts: tuple[str, ...], count: int) -> None:
    assert len(read_claims(shared_data(*parts))) == count


def test_no_claim_refers_to_a_document_that_is_not_there() -> None:
    known = {document.id: len(document.elements) for document in open_corpus(shared_data("scifact", "corpus.jsonl"))}
    for name in ("claims_train.jsonl", "claims_dev.jsonl"):
        for line in shared_data("scifact", name).read_text(encoding="utf-8").splitlines():
            claim = json.loads(line)
            assert {str(id) for id in claim["cited_doc_ids"]} <= set(known)
            for id, rationales in claim["evidence"].items():
                assert all(number < known[id] for rationale in rationales for number in rationale["sentences"])


def test_a_table_with_named_columns() -> None:
    path = shared_data("clinifact", "validation_set.csv")
    columns = {"id": "index", "title": "article_title", "text": "article_abstract", "pmid": "PMID"}
    documents = list(unique(open_corpus(path, columns=columns)))
    assert len(documents) == 316
    assert all(document.elements and document.metadata.pmid for document in documents)

import json

import pytest

from sciverify.corpora.claims import read_claims
from sciverify.errors import RunFileError
from sciverify.evaluation import GoldEvidence, load_gold, sentence_counts
from sciverify.records import Claim, Document, Element, ElementKind, Label
from shared_data import shared_data

LINE = {
    "id": 3,
    "claim": "Tea cures hiccups.",
    "cited_doc_ids": [11, "12", 11],
    "evidence": {"11": [{"sentences": [2, 5], "label": "SUPPORT"}, {"sentences": [7], "label": "SUPPORT"}]},
}


def test_claims_and_evidence(write_lines):
    path = write_lines("gold.jsonl", LINE, {"id": "x", "claim": "", "evidence": {}})
    first, second = load_gold(path)
    assert first.claim == Claim("3", "Tea cures hiccups.")
    assert first.evidence == {"11": GoldEvidence(Label.SUPPORTS, (frozenset({2, 5}), frozenset({7})))}
    assert first.cited == ("11", "12")
    assert (second.claim, dict(second.evidence), second.cited) == (Claim("x", ""), {}, ())


def test_healthver_calls_cited_documents_otherwise(write_lines):
    line = {key: value for key, value in LINE.items() if key != "cited_doc_ids"} | {"doc_ids": [11]}
    assert load_gold(write_lines("gold.jsonl", line))[0].cited == ("11",)


def test_claims_without_evidence_are_no_gold(write_lines):
    path = write_lines("test.jsonl", {"id": 7, "claim": "Tea cures hiccups."})
    with pytest.raises(RunFileError, match="no 'evidence'"):
        load_gold(path)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"claim": None}, "claim 3 has no text"),
        ({"id": None}, "claim's id"),
        ({"doc_ids": []}, "both cited_doc_ids and doc_ids"),
        ({"cited_doc_ids": 3}, "'cited_doc_ids' is not a list"),
        ({"cited_doc_ids": [True]}, "'cited_doc_ids' is not a list"),
        ({"evidence": []}, "'evidence' is a list"),
        ({"evidence": {"11": []}}, "not a list of rationales"),
        ({"evidence": {"11": {"sentences": [1], "label": "SUPPORT"}}}, "not a list of rationales"),
        ({"evidence": {"11": [[1]]}}, "not a list of rationales"),
        ({"evidence": {"11": [{"sentences": [], "label": "SUPPORT"}]}}, "rationale without sentences"),
        ({"evidence": {"11": [{"sentences": [1], "label": "NEI"}]}}, "listed as evidence"),
        ({"evidence": {"11": [{"sentences": [1, 1], "label": "SUPPORT"}]}}, "stands twice"),
        (
            {"evidence": {"11": [{"sentences": [1], "label": "SUPPORT"}, {"sentences": [1, 2], "label": "SUPPORT"}]}},
            "rationales that share a sentence",
        ),
        (
            {"evidence": {"11": [{"sentences": [1], "label": "SUPPORT"}, {"sentences": [2], "label": "CONTRADICT"}]}},
            "both supports and contradicts",
        ),
    ],
)
def test_malformed_gold_names_its_line(write_lines, change, problem):
    path = write_lines("gold.jsonl", {"id": 1, "claim": "", "evidence": {}}, LINE | change)
    with pytest.raises(RunFileError, match=problem) as caught:
        load_gold(path)
    assert caught.value.where == f"{path}:2"


def test_a_claim_stands_once(write_lines):
    path = write_lines("gold.jsonl", LINE, LINE | {"id": "3"})
    with pytest.raises(RunFileError, match=f"claim 3 was already at {path}:1"):
        load_gold(path)


def test_an_empty_file_is_no_gold(write_lines):
    path = write_lines("gold.jsonl")
    with pytest.raises(RunFileError, match="no claims in this file"):
        load_gold(path)


def test_no_id_dangles(write_lines):
    path = write_lines("gold.jsonl", LINE)
    assert load_gold(path, {"11": 8, "12": 1}) == load_gold(path)
    for corpus, problem in (
        ({"11": 7, "12": 1}, "no sentence 7"),
        ({"12": 1}, "the corpus has no document '11'"),
        ({"11": 8}, "the corpus has no document '12'"),
    ):
        with pytest.raises(RunFileError, match=problem) as caught:
            load_gold(path, corpus)
        assert caught.value.where == f"{path}:1"


def test_sentence_counts_count_sentences_only():
    page = Document(
        "p", "", (Element("sentence_0", ElementKind.SENTENCE, "A."), Element("item_0_0", ElementKind.ITEM, "B"))
    )
    assert sentence_counts([page, Document.from_sentences("a", "", ["1", "2"])]) == {"p": 1, "a": 2}


@pytest.mark.parametrize(
    ("folder", "documents", "sentences", "claims"),
    [
        ("scifact", 5183, 45952, {"claims_train": 809, "claims_dev": 300}),
        ("healthver", 322, 2913, {"claims_train": 1393, "claims_dev": 230}),
        ("covidfact", 409, 3655, {"claims_train": 903}),
    ],
)
def test_the_public_sets_load_without_a_dangling_id(folder, documents, sentences, claims):
    with shared_data(folder, "corpus.jsonl").open(encoding="utf-8") as file:
        corpus = {str(line["doc_id"]): len(line["abstract"]) for line in map(json.loads, file)}
    assert (len(corpus), sum(corpus.values())) == (documents, sentences)
    for name, number in claims.items():
        assert len(load_gold(shared_data(folder, f"{name}.jsonl"), corpus)) == number


def test_scifacts_splits():
    dev = load_gold(shared_data("scifact", "claims_dev.jsonl"))
    assert sum(bool(entry.evidence) for entry in dev) == 188
    assert sum(len(entry.cited) for entry in dev) == 339
    assert len(read_claims(shared_data("scifact", "claims_test.jsonl"))) == 300

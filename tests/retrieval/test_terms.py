from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS as REFERENCE_STOP_WORDS
from sklearn.feature_extraction.text import TfidfVectorizer

from sciverify.retrieval import terms
from sciverify.retrieval.stopwords import ENGLISH_STOP_WORDS
from sciverify.retrieval.terms import TermSpace, words_of
from shared_data import shared_data

WORDS = ["gene", "Gene", "the", "of", "IL-6", "α-synuclein", "mg/kg", "x", "p53", "über", "İstanbul", "naïve", "beta_2"]
TEXT = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=12).map(" ".join)


def reference_scores(texts: list[str], queries: list[str]) -> np.ndarray:
    """Cosines by scikit-learn, shape ``(queries, texts)``."""
    vectorizer = TfidfVectorizer(stop_words="english", ngram_range=(1, 2))
    if not any(map(vectorizer.build_analyzer(), texts)):  # it refuses to learn from nothing
        return np.zeros((len(queries), len(texts)))
    documents = vectorizer.fit_transform(texts)
    return (vectorizer.transform(queries) @ documents.T).toarray()


def our_scores(texts: list[str], queries: list[str]) -> np.ndarray:
    space = TermSpace(texts)
    return np.array([space.scores(words_of(query)) for query in queries])


def test_stop_words_are_the_reference_list():
    assert ENGLISH_STOP_WORDS == REFERENCE_STOP_WORDS


@settings(deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=8), queries=st.lists(TEXT, min_size=1, max_size=3))
def test_scores_equal_the_reference(texts, queries):
    np.testing.assert_allclose(our_scores(texts, queries), reference_scores(texts, queries), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=12), query=TEXT, size=st.integers(1, 5))
def test_counting_in_blocks_changes_nothing(texts, query, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "_BLOCK", size)
        in_blocks = our_scores(texts, [query])
    np.testing.assert_allclose(in_blocks, our_scores(texts, [query]), atol=1e-12)


@pytest.mark.parametrize("repeats", [255, 256, 300, 70_000])
def test_counts_beyond_a_byte(repeats):
    texts = ["gene therapy " * repeats, "gene", "therapy gene"]
    np.testing.assert_allclose(
        our_scores(texts, ["gene therapy"]), reference_scores(texts, ["gene therapy"]), atol=1e-12
    )


def test_no_texts_at_all():
    assert TermSpace([]).scores(["gene"]).shape == (0,)


def test_pairs_do_not_cross_texts():
    space = TermSpace(["gene", "therapy"])
    np.testing.assert_allclose(space.scores(["gene", "therapy"]), [0.5**0.5] * 2)


def test_equals_the_reference_on_every_scifact_dev_claim():
    corpus = shared_data("scifact", "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in corpus]
    texts = [" ".join([document["title"], *document["abstract"]]) for document in documents]
    claims = shared_data("scifact", "claims_dev.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line)["claim"] for line in claims]
    ours, reference = our_scores(texts, queries), reference_scores(texts, queries)
    np.testing.assert_allclose(ours, reference, atol=1e-6)
    for mine, theirs in zip(ours, reference, strict=True):
        ranked = np.argsort(-mine, kind="stable")[:20]
        expected = -np.sort(-theirs)[:20]
        np.testing.assert_allclose(theirs[ranked], expected, atol=1e-12)  # the same order, but for exact ties

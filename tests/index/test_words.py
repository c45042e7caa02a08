from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.index.words import (
    MOST_QUERY_TERMS,
    WordSettings,
    average_length,
    document_weights,
    query_terms,
    term_id,
)


def test_term_ids_never_change() -> None:
    assert term_id("statin") == 1822845296  # stored in every index


def test_weights_are_bm25() -> None:
    terms, weights = document_weights("dose dose risk", WordSettings(average_length=2.0, k1=1.2, b=0.75))
    floor = 1.2 * (1 - 0.75 + 0.75 * 3 / 2.0)
    assert dict(zip(terms, weights, strict=True)) == pytest.approx(
        {term_id("dose"): 2 * 2.2 / (2 + floor), term_id("risk"): 2.2 / (1 + floor)}
    )


def test_stop_words_do_not_count() -> None:
    bm25 = WordSettings(average_length=2.0)
    assert document_weights("the dose of the risk", bm25) == document_weights("dose risk", bm25)


@pytest.mark.parametrize("text", ["", "the of", "\x00\ud800 😀"])
def test_a_text_without_words_has_no_weights(text: str) -> None:
    assert document_weights(text, WordSettings(average_length=1.0)) == ([], [])
    assert query_terms(text) == []


@settings(deadline=None)
@given(st.text(st.characters(), max_size=100))
def test_terms_are_distinct_32_bit_numbers(text: str) -> None:
    terms, weights = document_weights(text, WordSettings(average_length=10.0))
    assert len(set(terms)) == len(terms) == len(weights)
    assert all(0 <= term < 2**32 for term in terms)
    assert set(query_terms(text)) == set(terms)


def test_queries_are_capped() -> None:
    assert query_terms("dose risk dose") == [term_id("dose"), term_id("risk")]
    assert len(query_terms(" ".join(f"word{number}" for number in range(20_000)))) == MOST_QUERY_TERMS


def test_average_length_can_always_divide() -> None:
    assert average_length(["dose risk", "dose"]) == 1.5
    assert average_length([""]) == average_length([]) == 1.0

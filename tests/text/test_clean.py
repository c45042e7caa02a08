from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.text.clean import searchable

ANY_TEXT = st.text(st.characters())  # lone surrogates included


@settings(deadline=None)
@given(ANY_TEXT)
def test_result_always_has_a_utf8_form(text):
    searchable(text).encode("utf-8")


@settings(deadline=None)
@given(st.text())
def test_well_formed_text_is_untouched(text):
    assert searchable(text) == text


@settings(deadline=None)
@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing(text):
    assert searchable(searchable(text)) == searchable(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\ud800", "\ufffd"),
        ("vitamin \udfff D", "vitamin \ufffd D"),
        ("\udc00\ud800", "\ufffd\ufffd"),  # a pair the wrong way round is no pair
        ("\ud83e\uddea", "🧪"),
        ("\ud83e\uddea\ud83e", "🧪\ufffd"),
        ("a\x00b", "a\x00b"),
    ],
)
def test_surrogates(text, expected):
    assert searchable(text) == expected

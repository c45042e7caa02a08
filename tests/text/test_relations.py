from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.text.relations import is_adverbial, read_complement, read_verb


@pytest.mark.parametrize(
    ("text", "form", "relation", "object", "inverse"),
    [
        ("prevent colds", "base", "prevent", "colds", False),
        ("prevents colds", "third", "prevent", "colds", False),
        ("prevented colds", "past", "prevent", "colds", False),
        ("cuts risk", "third", "decrease", "risk", False),
        ("cut risk", "past", "decrease", "risk", False),
        ("strongly also impacts growth", "third", "affect", "growth", False),
        ("impacts on growth", "third", "affect", "growth", False),
        ("led to growth", "past", "cause", "growth", False),
        ("results from growth", "third", "cause", "growth", True),
        ("helps to prevent colds", "third", "prevent", "colds", False),
        ("help prevent colds", "base", "prevent", "colds", False),
        ("seems to be caused by colds", "third", "cause", "colds", True),
        ("has a very strong effect on growth", "third", "affect", "growth", False),
        ("had no link to growth", "past", "associated with", "growth", False),
        ("been known to cause growth", "past", "cause", "growth", False),
        ("offers protection against colds", "third", "prevent", "colds", False),
    ],
)  # fmt: skip
def test_verbs(text: str, form: str, relation: str, object: str, inverse: bool) -> None:
    words = text.split()
    found = read_verb(words, 0, form)  # type: ignore[arg-type]
    assert found is not None
    assert (found.relation, found.inverse) == (relation, inverse)
    assert words[found.end :] == [object]
    for other in {"base", "third", "past"} - {form}:
        again = read_verb(words, 0, other)  # type: ignore[arg-type]
        assert again is None or words[0] == "cut"


@pytest.mark.parametrize(
    ("text", "relation", "object", "inverse"),
    [
        ("caused by beer", "cause", "beer", True),
        ("treated with beer", "treat", "beer", True),
        ("preventing colds", "prevent", "colds", False),
        ("strongly linked to colds", "associated with", "colds", False),
        ("safe and effective for colds", "treat", "colds", False),
        ("effective for treating colds", "treat", "colds", False),
        ("used as a treatment for colds", "treat", "colds", False),
        ("effective in the prevention of colds", "prevent", "colds", False),
        ("able to prevent colds", "prevent", "colds", False),
        ("a common cause of colds", "cause", "colds", False),
        ("the result of colds", "cause", "colds", True),
        ("due to colds", "cause", "colds", True),
    ],
)  # fmt: skip
def test_complements(text: str, relation: str, object: str, inverse: bool) -> None:
    words = text.split()
    found = read_complement(words, 0)
    assert found is not None
    assert (found.relation, found.inverse) == (relation, inverse)
    assert words[found.end :] == [object]


@pytest.mark.parametrize("text", ["a link between a and b", "the combined effect of a on b"])
def test_two_in_one_object(text: str) -> None:
    found = read_complement(text.split(), 0)
    assert found is not None
    assert f" {found.parted_by} b" in text


@pytest.mark.parametrize(
    "text", ["", "an ineffective treatment for flu", "treatment for colds", "no", "effective in children", "used to it"]
)
def test_no_complement(text: str) -> None:
    assert read_complement(text.split(), 0) is None


@pytest.mark.parametrize(
    ("word", "expected"), [("strongly", True), ("often", True), ("rarely", False), ("not", False), ("", False)]
)
def test_adverbs_that_leave_a_relation_as_it_is(word: str, expected: bool) -> None:
    assert is_adverbial(word) is expected


WORDS = st.sampled_from(
    [
        *["help", "to", "be", "known", "prevent", "a", "no", "strong", "effect", "on", "used", "for", "the"],
        *["treatment", "of", "safe", "and", "very", "linked", "caused", "by", "have"],
    ]
)


@given(st.lists(WORDS, max_size=12), st.integers(0, 12), st.sampled_from(["base", "third", "past"]))
def test_a_predicate_lies_behind_where_it_was_looked_for(words: list[str], start: int, form: str) -> None:
    for found in (read_verb(words, start, form), read_complement(words, start)):  # type: ignore[arg-type]
        if found is not None:
            assert start <= found.verb < found.end <= len(words)
            assert found.article is None or words[found.article] in {"any", "no"}

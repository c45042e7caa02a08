from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_parts import documents, make_document
from sciverify.errors import RecordError
from sciverify.index.codec import LATEST_YEAR, decode, decode_id, encode, encode_id
from sciverify.records import Document, Metadata


@settings(deadline=None)
@given(documents())
def test_every_document_comes_back_exactly(document: Document) -> None:
    assert decode(encode(document)) == document


def test_surrogate_pairs_are_not_joined() -> None:
    document = Document.from_sentences("\ud83d\ude00", "\ud83d\ude00 😀", ["\x00"])
    assert decode(encode(document)) == document


@settings(deadline=None)
@given(st.text(st.characters()), st.text(st.characters()))
def test_ids_come_back_and_stay_distinct(one: str, other: str) -> None:
    assert decode_id(encode_id(one)) == one
    assert (encode_id(one) == encode_id(other)) == (one == other)


@pytest.mark.parametrize("year", [LATEST_YEAR + 1, -LATEST_YEAR - 1])
def test_absurd_years_are_refused(year: int) -> None:
    document = dataclasses.replace(make_document("d", 0), metadata=Metadata(year=year))
    with pytest.raises(RecordError, match="out of range"):
        encode(document)


def test_unwritable_fields_are_refused() -> None:
    document = dataclasses.replace(make_document("d", 0), metadata=Metadata(journal=b"x"))  # type: ignore[arg-type]
    with pytest.raises(RecordError, match="document 'd'"):
        encode(document)


@pytest.mark.parametrize("record", [b"", b"\xff", b"[]", b"{}", b'{"id":"d"}', b"null"])
def test_other_bytes_are_not_records(record: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode(record)

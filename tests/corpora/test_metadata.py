from __future__ import annotations

import pytest

from sciverify.corpora.metadata import metadata_from
from sciverify.errors import CorpusError
from sciverify.records import Metadata


def read(field: str, value: object) -> object:
    return getattr(metadata_from({"column": value}, {field: "column"}), field)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        *[("year", value, 2011) for value in (2011, "2011", 2011.0, "2011.0", "2011-05-03", "2011 May 3", " 2011/05 ")],
        *[("pmid", value, "12345") for value in (12345, "12345", "12345.0", "PMID: 12345", 12345.0)],
        *[
            ("doi", value, "10.1000/a(b)<c>")
            for value in ("10.1000/a(b)<c>", "https://doi.org/10.1000/a(b)<c>", "doi: 10.1000/a(b)<c>")
        ],
        ("journal", " The Lancet ", "The Lancet"),
        ("authors", "Smith, J; Jones, K", ("Smith, J", "Jones, K")),
        ("authors", "Smith J|Jones K|", ("Smith J", "Jones K")),
        ("authors", ["Smith J", " ", "Jones K "], ("Smith J", "Jones K")),
        ("publication_types", "Review", ("Review",)),
        *[("retracted", value, True) for value in (True, 1, "1", "yes", "TRUE", 1.0)],
        *[("retracted", value, False) for value in (False, 0, "0", "No", "false")],
    ],
)
def test_values_that_are_read(field: str, value: object, expected: object) -> None:
    assert read(field, value) == expected


@pytest.mark.parametrize("value", [None, "", "  ", "NA", "n/a", "null", "None", "-", float("nan")])
@pytest.mark.parametrize("field", ["year", "journal", "authors", "doi", "pmid", "publication_types", "retracted"])
def test_values_that_stand_for_nothing(field: str, value: object) -> None:
    assert metadata_from({"column": value}, {field: "column"}) == Metadata()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("year", value) for value in ("last year", 11, "20111", True, [2011], 2011.5, -2011)],
        *[("pmid", value) for value in ("PMC12", 0, "12345678901", True)],
        *[("doi", value) for value in ("11.1000/x", "10.1000/a b", 10.1, "https://example.org/10.1000/x")],
        *[("authors", value) for value in (3, [1], {"name": "x"})],
        *[("journal", value) for value in (3, ["x"])],
        *[("retracted", value) for value in ("perhaps", 2, [True])],
    ],
)
def test_values_that_cannot_be_read(field: str, value: object) -> None:
    with pytest.raises(CorpusError, match=field) as raised:
        read(field, value)
    assert not raised.value.where, "the reader that knows the line names the place"


def test_a_column_that_a_record_lacks_is_unknown() -> None:
    assert metadata_from({}, {"year": "Year"}) == Metadata()


def test_a_message_cuts_long_values_short() -> None:
    with pytest.raises(CorpusError) as raised:
        read("year", "x" * 100_000)
    assert len(str(raised.value)) < 300

from __future__ import annotations

import pytest

from retrieval_fakes import ListSource
from sciverify.errors import InputError, SettingError
from sciverify.records import Claim, Filters
from sciverify.retrieval import OracleRetriever
from sciverify.stages import Retriever
from sciverify.testing.retrievers import DOCUMENTS

GIVEN = {"7": ["d09", "d01", "d09"], "8": [], "9": ["d06", "d02"]}


@pytest.fixture
def retriever():
    return OracleRetriever(ListSource(DOCUMENTS), GIVEN)


def found(ranking):
    return [(c.document.id, c.score, c.found_by) for c in ranking.candidates]


def test_gives_what_the_mapping_gives(retriever):
    assert isinstance(retriever, Retriever)
    seventh, eighth, unknown = retriever.retrieve([Claim("7", "any"), Claim("8", ""), Claim("x", "\ud800")], 5)
    assert found(seventh) == [("d01", 1.0, ("oracle",)), ("d09", 1.0, ("oracle",))]
    assert not seventh.notice
    assert found(eighth) == found(unknown) == []
    assert eighth.notice == unknown.notice == "No documents are given for this claim."


def test_cuts_at_k_after_filtering(retriever):
    [ranking] = retriever.retrieve([Claim("9", "any")], 1, Filters(retracted=True))
    assert [id for id, _, _ in found(ranking)] == ["d06"]
    [ranking] = retriever.retrieve([Claim("9", "any")], 1)
    assert [id for id, _, _ in found(ranking)] == ["d02"]
    [ranking] = retriever.retrieve([Claim("9", "any")], 1, Filters(first_year=2999))
    assert found(ranking) == []
    assert ranking.notice


def test_refuses_ids_that_the_source_lacks():
    with pytest.raises(InputError, match="d77"):
        OracleRetriever(ListSource(DOCUMENTS), {"1": ["d01", "d77"]})


def test_refuses_k_below_one(retriever):
    with pytest.raises(SettingError, match="k must be"):
        retriever.retrieve([Claim("7", "any")], 0)

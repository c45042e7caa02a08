from __future__ import annotations

from pathlib import Path

import pytest

from sciverify.corpora import open_corpus, unique
from sciverify.errors import DuplicateDocumentError
from sciverify.records import Document

TWICE = b"""{"id": "a", "text": "1"}

{"id": "b", "text": "2"}
oops
{"id": "a", "text": "3"}
"""


class TestUnique:
    def test_an_id_that_comes_again_names_both_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.jsonl"
        path.write_bytes(TWICE)
        documents = unique(open_corpus(path, skip_bad=True))
        assert [next(documents).id, next(documents).id] == ["a", "b"]
        with pytest.raises(DuplicateDocumentError, match="used before, at line 1") as raised:
            next(documents)
        assert raised.value.where == f"{path}:5"

    def test_documents_from_elsewhere_are_named_by_position(self) -> None:
        documents = [Document(id, "", ()) for id in ("a", "b", "a")]
        with pytest.raises(DuplicateDocumentError, match="used before, at document 1") as raised:
            list(unique(documents))
        assert raised.value.where == "document 3"

    def test_with_replacement_all_pass(self) -> None:
        documents = [Document("a", "first", ()), Document("a", "second", ())]
        assert list(unique(documents, replace=True)) == documents
        assert list(unique(iter(documents[:1]))) == documents[:1]

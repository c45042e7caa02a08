"""A small corpus to try the system on: about a hundred landmark studies, summarised in our own words.

Some upheld a common belief, some overturned one, and many disagree with another study beside them, so that a check
shows both sides. `docs/demo-corpus.md` tells how the summaries were made and checked.
"""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable

from sciverify.records import Document, Metadata

__all__ = ["demo_documents", "demo_notice"]


def demo_documents() -> list[Document]:
    """All studies, file by file in order of name, each file in its own order. Every call reads them anew.

    Ids look like ``demo-select-2009``.
    """
    return [_document(line) for source in _sources() for line in source.read_text(encoding="utf-8").splitlines()]


def demo_notice() -> str:
    """What a reader must know before relying on the corpus: one paragraph, to be shown beside it."""
    _heading, paragraph, *_rest = (files("sciverify.demo") / "NOTICE.md").read_text(encoding="utf-8").split("\n\n")
    return " ".join(paragraph.split())


def _sources() -> list[Traversable]:
    found = (entry for entry in files("sciverify.demo").iterdir() if entry.name.startswith("studies-"))
    return sorted((entry for entry in found if entry.name.endswith(".jsonl")), key=lambda entry: entry.name)


def _document(line: str) -> Document:
    study = json.loads(line)
    metadata = Metadata(
        year=study["year"],
        journal=study["journal"],
        authors=tuple(study["authors"]),
        doi=study["doi"],
        pmid=study["pmid"],
        publication_types=tuple(study["publication_types"]),
        retracted=study["retracted"],
    )
    return Document.from_sentences(study["id"], study["title"], study["sentences"], metadata)

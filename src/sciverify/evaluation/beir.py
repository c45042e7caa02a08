"""BEIR's folders: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/SPLIT.tsv``.

The judgements are a table between tabs with the header ``query-id corpus-id score``. Corpora are read by
`sciverify.corpora`, which knows the form by the name ``beir``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from sciverify.corpora import unique
from sciverify.corpora.lines import numbered_lines
from sciverify.errors import RunFileError, SettingError, place
from sciverify.evaluation.exports import refuse_existing, write_lines
from sciverify.evaluation.trec import Qrels, add_once, relevance
from sciverify.records import Claim, Document, Metadata

__all__ = ["BEIR_HEADER", "read_beir_qrels", "write_beir", "write_beir_qrels"]

BEIR_HEADER = "query-id\tcorpus-id\tscore"
"""The first line of BEIR's judgements."""

_SPLIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def read_beir_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """The judgements of a file, queries and documents in file order.

    Raises:
        RunFileError: the file can't be read, it lacks the header, a line hasn't three fields or its score is no whole
            number, or a document stands twice for a query.
    """
    qrels: dict[str, dict[str, int]] = {}
    header = True
    for number, line in numbered_lines(path, error=RunFileError):
        where = place(path, number)
        try:
            fields = line.decode("utf-8").split("\t")
        except UnicodeDecodeError as error:
            raise RunFileError("this line is not UTF-8", where=where, remedy="Convert the file to UTF-8") from error
        if header:
            if "\t".join(fields) != BEIR_HEADER:
                raise RunFileError("the header is missing", where=where, remedy=f"The first line is: {BEIR_HEADER}")
            header = False
            continue
        if len(fields) != 3 or not all(fields):
            raise RunFileError("this line is not three fields between tabs", where=where, remedy="See the first line")
        query, document, score = fields
        add_once(qrels, query, document, relevance(score, where), where)
    return qrels


def write_beir(
    folder: str | Path,
    documents: Iterable[Document],
    queries: Iterable[Claim],
    qrels: Qrels,
    *,
    split: str = "test",
    replace: bool = False,
) -> None:
    """Write a whole folder, made if need be; the documents are taken one at a time, and one is held at once.

    A document's sentences are joined by single spaces, and its metadata keep their names. The folder may hold other
    splits of the same corpus: with `replace` its corpus and queries are written anew, those splits stay.

    Raises:
        SettingError: the split's name is not made of letters, digits, ``-`` and ``_``.
        DuplicateDocumentError: two documents share an id.
        RunFileError: two queries share an id, a judged query is not among them, an id holds a tab or line break, or a
            file is there already or can't be written.
    """
    if not _SPLIT_NAME.fullmatch(split):
        remedy = "Use letters, digits, - and _ only"
        raise SettingError(f"{split!r} is no name for a split", remedy=remedy)
    folder, asked = Path(folder), _distinct(queries)
    unknown = next((id for id in qrels if id not in asked), None)
    if unknown is not None:
        raise RunFileError(f"query {unknown!r} is judged, but not among the queries", where=place(folder))
    try:
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made ({error.strerror or error})"
        raise RunFileError(problem, where=place(folder), remedy="Check the path and its permissions") from error
    files = (folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / f"{split}.tsv")
    judgements = list(_qrels_lines(qrels, files[2]))  # what is wrong with them is found before the long file is begun
    for path in files:
        refuse_existing(path, replace=replace)
    write_lines(files[0], map(_document_line, unique(documents)), replace=replace)
    write_lines(files[1], map(_query_line, asked.values()), replace=replace)
    write_lines(files[2], judgements, replace=replace)


def write_beir_qrels(path: str | Path, qrels: Qrels, *, replace: bool = False) -> None:
    """Write judgements.

    Raises:
        RunFileError: an id is empty or holds a tab or line break, or the file can't be written.
    """
    write_lines(path, _qrels_lines(qrels, path), replace=replace)


def _distinct(queries: Iterable[Claim]) -> dict[str, Claim]:
    asked: dict[str, Claim] = {}
    for query in queries:
        if asked.setdefault(query.id, query) is not query:
            raise RunFileError(f"two queries have the id {query.id!r}", remedy="Give every query its own id")
    return asked


def _qrels_lines(qrels: Qrels, path: str | Path) -> Iterator[str]:
    yield BEIR_HEADER
    for query, judged in qrels.items():
        for document, value in judged.items():
            yield "\t".join((_checked(query, path), _checked(document, path), str(value)))


def _checked(id: str, path: str | Path) -> str:
    # Readers of lines and tables take more characters than these for an end of line, hence Python's widest notion.
    if not id or id != id.strip() or "\t" in id or len(id.splitlines()) > 1:
        problem = f"the id {id!r} is empty, begins or ends with a blank, or holds a tab or line break"
        raise RunFileError(problem, where=place(path), remedy="Give the documents and queries other ids")
    return id


def _query_line(query: Claim) -> str:
    return json.dumps({"_id": query.id, "text": query.text, "metadata": {}})


def _document_line(document: Document) -> str:
    text = " ".join(element.text for element in document.elements if element.text)
    return json.dumps(
        {"_id": document.id, "title": document.title, "text": text, "metadata": _metadata(document.metadata)}
    )


def _metadata(metadata: Metadata) -> dict[str, object]:
    """What is known of a document, by the names that `sciverify.corpora` recognises."""
    return {name: value for name, value in asdict(metadata).items() if value}

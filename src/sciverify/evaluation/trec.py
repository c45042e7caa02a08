"""TREC's runs and relevance judgements (qrels), read and written, and the order in which TREC reads a ranking.

A run has six fields a line, ``query Q0 document rank score tag``, qrels have four, ``query 0 document relevance``; any
ASCII white space stands between them. The rank is not read: the scores alone give the order (`trec_order`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TypeVar

import numpy as np

from sciverify.corpora.lines import numbered_lines
from sciverify.errors import RunFileError, place
from sciverify.evaluation.exports import write_lines

__all__ = [
    "Qrels",
    "Rankings",
    "add_once",
    "read_trec_qrels",
    "read_trec_run",
    "relevance",
    "trec_order",
    "write_trec_qrels",
    "write_trec_run",
]

V = TypeVar("V")

Qrels = Mapping[str, Mapping[str, int]]
"""Query id to document id to relevance; 0 and less is not relevant."""

Rankings = Mapping[str, Mapping[str, float]]
"""Query id to document id to score; the higher, the better."""


def trec_order(scores: Mapping[str, float]) -> list[str]:
    """Document ids, best first, as trec_eval has them.

    Scores are compared as 32-bit numbers, and of two equal ones the document with the later id, byte by byte, comes
    first.
    """
    ids = sorted(scores, reverse=True)
    with np.errstate(over="ignore"):
        values = np.array([scores[id] for id in ids], dtype=np.float64).astype(np.float32)
    return [ids[place] for place in np.argsort(-values, kind="stable")]


def read_trec_run(path: str | Path) -> dict[str, dict[str, float]]:
    """The scores of a run, queries and documents in file order.

    Raises:
        RunFileError: the file can't be read, a line hasn't six fields or its score is no finite number, or a document
            stands twice for a query.
    """
    run: dict[str, dict[str, float]] = {}
    for where, (query, _, document, _, score, _) in _rows(path, "query Q0 document rank score tag"):
        add_once(run, query, document, _score(score, where), where)
    return run


def read_trec_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """The judgements of a file, queries and documents in file order.

    Raises:
        RunFileError: the file can't be read, a line hasn't four fields or its relevance is no whole number, or a
            document stands twice for a query.
    """
    qrels: dict[str, dict[str, int]] = {}
    for where, (query, _, document, judged) in _rows(path, "query 0 document relevance"):
        add_once(qrels, query, document, relevance(judged, where), where)
    return qrels


def write_trec_run(path: str | Path, run: Rankings, *, tag: str = "sciverify", replace: bool = False) -> None:
    """Write a run in the order in which it will be read.

    Raises:
        RunFileError: an id or the tag is empty or holds white space, which the form has no place for; a score is not
            finite; or the file can't be written.
    """
    _check_id(tag, "tag", path)
    write_lines(path, _run_lines(run, tag, path), replace=replace)


def write_trec_qrels(path: str | Path, qrels: Qrels, *, replace: bool = False) -> None:
    """Write judgements.

    Raises:
        RunFileError: an id is empty or holds white space, which the form has no place for; or the file can't be
            written.
    """
    write_lines(path, _qrels_lines(qrels, path), replace=replace)


def add_once(table: dict[str, dict[str, V]], query: str, document: str, value: V, where: str) -> None:
    """Enter a document for a query.

    Raises:
        RunFileError: it is there already.
    """
    row = table.setdefault(query, {})
    if document in row:
        problem = f"document {document!r} stands twice for query {query!r}"
        raise RunFileError(problem, where=where, remedy="Keep one of them")
    row[document] = value


def relevance(text: str, where: str) -> int:
    """A judgement as a whole number.

    Raises:
        RunFileError: it is none.
    """
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        problem = f"the relevance {text!r} is not a whole number"
        raise RunFileError(problem, where=where, remedy="Write 1 for relevant and 0 for not relevant")
    return int(text)


def _rows(path: str | Path, form: str) -> Iterator[tuple[str, Sequence[str]]]:
    width = len(form.split())
    for number, line in numbered_lines(path, error=RunFileError):
        where = place(path, number)
        fields = line.split()
        if len(fields) != width:
            problem = f"this line has {len(fields)} fields, not {width}"
            raise RunFileError(problem, where=where, remedy=f"Write: {form}")
        try:
            yield where, [field.decode("utf-8") for field in fields]
        except UnicodeDecodeError as error:
            raise RunFileError("this line is not UTF-8", where=where, remedy="Convert the file to UTF-8") from error


def _score(text: str, where: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not isfinite(score):
        raise RunFileError(f"the score {text!r} is not a finite number", where=where)
    return score


def _run_lines(run: Rankings, tag: str, path: str | Path) -> Iterator[str]:
    for query, scores in run.items():
        _check_id(query, "query id", path)
        for rank, document in enumerate(trec_order(scores), start=1):
            _check_id(document, "document id", path)
            score = float(scores[document])
            if not isfinite(score):
                problem = f"the score {score} of document {document!r} for query {query!r} is not finite"
                raise RunFileError(problem, where=place(path))
            yield f"{query} Q0 {document} {rank} {score!r} {tag}"


def _qrels_lines(qrels: Qrels, path: str | Path) -> Iterator[str]:
    for query, judged in qrels.items():
        _check_id(query, "query id", path)
        for document, value in judged.items():
            _check_id(document, "document id", path)
            yield f"{query} 0 {document} {value}"


def _check_id(id: str, what: str, path: str | Path) -> None:
    if not id or any(character.isspace() for character in id):
        raise RunFileError(
            f"the {what} {id!r} is empty or holds white space, which parts the fields of TREC's files",
            where=place(path),
            remedy="Export to BEIR's form, or give the documents and queries other ids",
        )

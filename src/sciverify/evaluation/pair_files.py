"""Prediction tables on disk: SciFact-Open's published form as JSON lines or Parquet, and our own run files.

One JSON object a line, or a Parquet file with these columns::

    {"claim_id": 3, "doc_id": 11, "model": "multivers", "p_contradict": 0.1, "p_nei": 0.2, "p_support": 0.7,
     "predicted_label": "SUPPORT", "predicted_rationale": [0, 4], "rank": 12, "is_scifact_orig": true}

Which form a file has is seen from its content. `claim_id`, `doc_id` and `predicted_label` are required; the three
probabilities come together or, for a model that has none, not at all; further columns are ignored.
"""

from __future__ import annotations

import gzip
import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from sciverify.corpora.lines import numbered_lines
from sciverify.errors import RunFileError, SettingError, place
from sciverify.evaluation.form import parse_line
from sciverify.evaluation.pair_parquet import is_parquet, read_parquet, write_parquet
from sciverify.evaluation.pairs import PAIR_LABELS, PAIR_NAMES, UNKNOWN, PairTable, confidence_ranks
from sciverify.evaluation.runs import Prediction, json_id, read_run
from sciverify.records import Probabilities

__all__ = ["pairs_of_predictions", "read_pairs", "write_pairs"]

_LARGEST = 1 << 31  # ranks and sentence numbers stay below
_NONE = (nan, nan, nan)


def read_pairs(path: str | Path) -> PairTable:
    """The pairs of a published table (JSON lines, plain or gzip, or Parquet) or of a run file of ours.

    Of a run file the model is the file's name without its ending.

    Raises:
        RunFileError: the file cannot be read, a row is malformed, or a rule of `PairTable` is broken.
        MissingExtraError: it is Parquet, and the extra `evaluation` is not installed.
    """
    if is_parquet(path):
        return read_parquet(path)
    first = next(numbered_lines(path, error=RunFileError), None)
    if first is not None and "evidence" in parse_line(first[1], place(path, first[0])):
        return pairs_of_predictions(read_run(path), model=Path(path).stem, source=str(path))
    return _read_lines(path)


def write_pairs(path: str | Path, table: PairTable) -> None:
    """Write a table in the published form, as the name's ending says: .jsonl, .jsonl.gz or .parquet.

    Probabilities are written in full, so that reading gives the same table again. Our own column `retrieval_rank` is
    written where it is known; claims without a pair have no row and are lost.

    Raises:
        SettingError: another ending.
        RunFileError: the file cannot be written.
        MissingExtraError: it is to be Parquet, and the extra `evaluation` is not installed.
    """
    name = Path(path).name
    if name.endswith(".parquet"):
        write_parquet(path, table)
    elif name.endswith((".jsonl", ".jsonl.gz")):
        _write_lines(path, table)
    else:
        raise SettingError(f"{name} has no known ending", remedy="Name the table .jsonl, .jsonl.gz or .parquet")


def pairs_of_predictions(predictions: Sequence[Prediction], *, model: str = "", source: str = "") -> PairTable:
    """The candidates of a run as pairs, in the run's order; `rank` is by confidence over all claims.

    A run without candidates gives the pairs that it predicts as evidence, without probabilities.

    Args:
        predictions: one per claim.
        model: what to call the model.
        source: the file that they were read from, for messages.

    Raises:
        RunFileError: some claims list their candidates and others don't.
    """
    bare = [prediction for prediction in predictions if prediction.candidates is None]
    if bare and len(bare) < len(predictions):
        problem = f"claim {bare[0].claim_id} lists no 'candidates', others do"
        raise RunFileError(problem, where=bare[0].where, remedy="Write the run anew, all claims with one version")
    columns = _Columns(source, [prediction.claim_id for prediction in predictions])
    for prediction in predictions:
        number = prediction.where.rpartition(":")[2]
        line = int(number) if number.isdigit() else 0
        if prediction.candidates is None:
            read = [(id, UNKNOWN, document.label, _NONE) for id, document in prediction.evidence.items()]
        else:
            read = [
                (candidate.doc_id, rank, candidate.label, _shares(candidate.probabilities))
                for rank, candidate in enumerate(prediction.candidates, start=1)
            ]
        for doc_id, rank, label, probabilities in read:
            quoted = prediction.evidence.get(doc_id)
            columns.add(
                line,
                prediction.claim_id,
                doc_id,
                model,
                PAIR_LABELS.index(label),
                probabilities,
                quoted.sentences if quoted else (),
                retrieval_rank=rank,
            )
    table = columns.table(complete=True)
    return table if bare else replace(table, rank=confidence_ranks(table.confidence))


class _Columns:
    """Gathers rows one by one, compactly, for a table."""

    def __init__(self, source: str, claim_ids: Iterable[str] = ()) -> None:
        self._source = source
        self._claims, self._docs, self._models = (dict[str, int]() for _ in range(3))
        for id in claim_ids:
            self._claims[id] = len(self._claims)
        self._numbers, self._ranks, self._retrieval_ranks, self._starts = (array("q") for _ in range(4))
        self._claim, self._doc, self._model, self._sentences = (array("i") for _ in range(4))
        self._labels, self._originals, self._probabilities = array("b"), array("b"), array("d")
        self._starts.append(0)

    def add(
        self,
        line: int,
        claim_id: str,
        doc_id: str,
        model: str,
        label: int,
        probabilities: tuple[float, float, float],
        sentences: Sequence[int],
        *,
        rank: int = UNKNOWN,
        retrieval_rank: int = UNKNOWN,
        is_scifact_orig: int = UNKNOWN,
    ) -> None:
        """Append a row; the values are those of `PairTable`'s columns."""
        self._numbers.append(line)
        self._claim.append(self._claims.setdefault(claim_id, len(self._claims)))
        self._doc.append(self._docs.setdefault(doc_id, len(self._docs)))
        self._model.append(self._models.setdefault(model, len(self._models)))
        self._labels.append(label)
        self._probabilities.extend(probabilities)
        self._sentences.extend(sentences)
        self._starts.append(len(self._sentences))
        self._ranks.append(rank)
        self._retrieval_ranks.append(retrieval_rank)
        self._originals.append(is_scifact_orig)

    def table(self, *, complete: bool) -> PairTable:
        """The rows so far.

        Raises:
            RunFileError: as from `PairTable`.
        """
        return PairTable(
            tuple(self._claims),
            tuple(self._docs),
            tuple(self._models),
            np.array(self._claim, dtype=np.int32),
            np.array(self._doc, dtype=np.int32),
            np.array(self._model, dtype=np.int32),
            np.array(self._labels, dtype=np.int8),
            np.array(self._probabilities, dtype=np.float64).reshape(-1, 3),
            np.array(self._ranks, dtype=np.int64),
            np.array(self._retrieval_ranks, dtype=np.int64),
            np.array(self._originals, dtype=np.int8),
            np.array(self._starts, dtype=np.int64),
            np.array(self._sentences, dtype=np.int32),
            self._source,
            np.array(self._numbers, dtype=np.int64),
            by_line=bool(self._source),
            complete=complete,
        )


def _read_lines(path: str | Path) -> PairTable:
    columns = _Columns(str(path))
    for number, raw in numbered_lines(path, error=RunFileError):
        where = place(path, number)
        fields = parse_line(raw, where)
        label = fields.get("predicted_label")
        if not isinstance(label, str) or label not in PAIR_NAMES:
            problem = f"has the unknown predicted_label {label!r}" if label is not None else "has no predicted_label"
            raise _fault(problem, where, f"Write one of {', '.join(PAIR_NAMES)}")
        columns.add(
            number,
            _id(fields, "claim_id", where),
            _id(fields, "doc_id", where),
            _model(fields, where),
            PAIR_NAMES.index(label),
            _probabilities(fields, where),
            _sentences(fields, where),
            rank=_rank(fields, "rank", where),
            retrieval_rank=_rank(fields, "retrieval_rank", where),
            is_scifact_orig=_original(fields, where),
        )
    return columns.table(complete=False)


def _write_lines(path: str | Path, table: PairTable) -> None:
    try:
        with ExitStack() as stack:
            file = cast(BinaryIO, stack.enter_context(Path(path).open("wb")))
            if Path(path).suffix == ".gz":
                # Neither name nor time goes into the file: the same table gives the same bytes.
                file = cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0)))
            for record in table.records():
                for key in ("claim_id", "doc_id"):
                    record[key] = json_id(str(record[key]))
                if record["retrieval_rank"] is None:
                    del record["retrieval_rank"]
                file.write(json.dumps(record).encode("ascii") + b"\n")
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the folder and its permissions") from error


def _shares(probabilities: Probabilities) -> tuple[float, float, float]:
    supports, refutes, nei = (probabilities.of(label) for label in PAIR_LABELS)
    return supports, refutes, nei


def _id(fields: Mapping[str, object], key: str, where: str) -> str:
    value = fields.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise _fault(f"has no {key} that is a number or a string", where, "Give every row its claim_id and doc_id")


def _model(fields: Mapping[str, object], where: str) -> str:
    value = fields.get("model")
    if value is None:
        return ""
    if isinstance(value, str) and value:
        return value
    raise _fault("has a model that is not a name", where, "Write a string, or leave it out")


def _probabilities(fields: Mapping[str, object], where: str) -> tuple[float, float, float]:
    values = [fields.get(key) for key in ("p_support", "p_contradict", "p_nei")]
    if any(isinstance(value, bool) or not isinstance(value, int | float | None) for value in values):
        raise _fault("has probabilities that are not numbers", where, "Write p_contradict, p_nei, p_support as numbers")
    try:
        support, contradict, nei = (nan if value is None else float(value) for value in values)  # type: ignore[arg-type]
    except OverflowError:
        raise _fault("has a probability that is far too large", where, "Probabilities are in 0 to 1") from None
    return support, contradict, nei


def _sentences(fields: Mapping[str, object], where: str) -> list[int]:
    value = fields.get("predicted_rationale")
    numbers = [] if value is None else value
    if not isinstance(numbers, list) or not all(type(number) is int and 0 <= number < _LARGEST for number in numbers):
        raise _fault("has a predicted_rationale that is not a list of sentence numbers", where, "Count them from 0")
    return numbers


def _rank(fields: Mapping[str, object], key: str, where: str) -> int:
    value = fields.get(key)
    if value is None:
        return UNKNOWN
    # A column with gaps becomes one of decimal numbers in some exports.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LARGEST or value % 1:
        raise _fault(f"has a {key} that is not a whole number", where, "Ranks count from the most confident pair")
    return int(value)


def _original(fields: Mapping[str, object], where: str) -> int:
    value = fields.get("is_scifact_orig")
    if value is None:
        return UNKNOWN
    if not isinstance(value, bool):
        raise _fault("has an is_scifact_orig that is neither true nor false", where, "Write true or false")
    return int(value)


def _fault(problem: str, where: str, remedy: str) -> RunFileError:
    return RunFileError(f"this row {problem}", where=where, remedy=remedy)

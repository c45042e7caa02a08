"""SciFact-Open's prediction table as Parquet: the columns that `sciverify.evaluation.pair_files` describes.

Ids may be integers or strings, probabilities any kind of number, strings plain or categorical, as data-frame libraries
write them; a missing value is null or NaN.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import RunFileError, place
from sciverify.evaluation.extras import needs_extra
from sciverify.evaluation.pairs import PAIR_NAMES, UNKNOWN, PairTable
from sciverify.evaluation.runs import json_id

__all__ = ["is_parquet", "read_parquet", "write_parquet"]

_MAGIC = b"PAR1"
_REQUIRED = ("claim_id", "doc_id", "predicted_label")
_PROBABILITIES = ("p_support", "p_contradict", "p_nei")  # in the order of PAIR_NAMES
_OPTIONAL = ("model", *_PROBABILITIES, "predicted_rationale", "rank", "retrieval_rank", "is_scifact_orig")
_LARGEST = 1 << 31  # ranks and sentence numbers stay below


def is_parquet(path: str | Path) -> bool:
    """Whether a file's content is Parquet, whatever its name; False where there is no such file."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def read_parquet(path: str | Path) -> PairTable:
    """The pairs of a Parquet file.

    Raises:
        RunFileError: the file is damaged, a column is missing or of another kind, or a row is malformed.
        MissingExtraError: the extra `evaluation` is not installed.
    """
    with needs_extra("Reading Parquet"):
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            _check_names(names, path)
            table = file.read(columns=[name for name in (*_REQUIRED, *_OPTIONAL) if name in names])
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        problem = f"this Parquet file cannot be read ({str(error).splitlines()[0] if str(error) else error!r})"
        raise RunFileError(problem, where=place(path), remedy="Fetch or write the file again") from error
    rows = _Rows(path, table)
    claim_ids, claim = rows.strings("claim_id")
    doc_ids, doc = rows.strings("doc_id")
    models, model = rows.strings("model", missing="")
    starts, sentences = rows.rationales()
    return PairTable(
        claim_ids,
        doc_ids,
        models,
        claim,
        doc,
        model,
        rows.labels(),
        np.column_stack([rows.numbers(name) for name in _PROBABILITIES]),
        rows.ranks("rank"),
        rows.ranks("retrieval_rank"),
        rows.originals(),
        starts,
        sentences,
        str(path),
    )


def write_parquet(path: str | Path, table: PairTable) -> None:
    """Write the pairs to a Parquet file.

    Raises:
        RunFileError: the file cannot be written.
        MissingExtraError: the extra `evaluation` is not installed.
    """
    with needs_extra("Writing Parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    unnamed = np.isin(table.model, [number for number, name in enumerate(table.models) if not name])
    models = pa.array(table.model, mask=unnamed)
    columns = {
        "claim_id": pa.array(_ids(table.claim_ids)).take(pa.array(table.claim)),
        "doc_id": pa.array(_ids(table.doc_ids)).take(pa.array(table.doc)),
        "model": pa.DictionaryArray.from_arrays(models, pa.array(table.models, pa.string())),
        **{
            name: pa.array(table.probabilities[:, PAIR_NAMES.index(label)], from_pandas=True)
            for name, label in (("p_contradict", "CONTRADICT"), ("p_nei", "NEI"), ("p_support", "SUPPORT"))
        },
        "predicted_label": pa.DictionaryArray.from_arrays(pa.array(table.label), pa.array(PAIR_NAMES)),
        "predicted_rationale": pa.LargeListArray.from_arrays(
            pa.array(table.rationale_starts), pa.array(table.rationale_sentences)
        ),
        "rank": pa.array(table.rank, mask=table.rank == UNKNOWN),
        "is_scifact_orig": pa.array(table.is_scifact_orig == 1, mask=table.is_scifact_orig == UNKNOWN),
    }
    if (table.retrieval_rank != UNKNOWN).any():
        columns["retrieval_rank"] = pa.array(table.retrieval_rank, mask=table.retrieval_rank == UNKNOWN)
    try:
        pq.write_table(pa.table(columns), path, compression="zstd")
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the folder and its permissions") from error


class _Rows:
    """The columns of an Arrow table, each checked and as numpy has it."""

    def __init__(self, path: str | Path, table: Any) -> None:
        self._path = path
        self._table = table

    def strings(self, name: str, missing: str | None = None) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        """The distinct values of a column of strings or integers, and each row's position among them."""
        import pyarrow as pa

        column = self._column(name)
        if column is None:
            return (missing or "",), np.zeros(len(self._table), dtype=np.int32)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not any(
            is_kind(kind)
            for is_kind in (
                pa.types.is_integer,
                pa.types.is_string,
                pa.types.is_large_string,
                pa.types.is_string_view,
                pa.types.is_null,
            )
        ):
            raise self._wrong_kind(name, kind, "strings or integers")
        texts = column.cast(kind).cast(pa.string())
        gap = _first(texts.is_null().to_numpy(zero_copy_only=False))
        if missing is not None:
            texts = texts.fill_null(missing)
        elif gap is not None:
            raise self._fault(gap, f"this row has no {name}", "Give every row its claim, document and label")
        coded = texts.dictionary_encode()
        values = tuple(coded.dictionary.to_pylist())
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
        if missing is None and "" in values:
            row = int(np.argmax(codes == values.index("")))
            raise self._fault(row, f"the {name} of this row is empty", "Give every row its claim, document and label")
        return values, codes

    def labels(self) -> NDArray[np.int8]:
        """The predicted labels as positions in `PAIR_NAMES`."""
        values, codes = self.strings("predicted_label")
        known = np.array([PAIR_NAMES.index(value) if value in PAIR_NAMES else -1 for value in values], dtype=np.int8)
        labels = known[codes]
        row = _first(labels < 0)
        if row is not None:
            problem = f"this row has the unknown predicted_label {values[codes[row]]!r}"
            raise self._fault(row, problem, f"Write one of {', '.join(PAIR_NAMES)}")
        return labels

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of numbers, NaN where there is none."""
        import pyarrow as pa

        column = self._column(name)
        if column is None:
            return np.full(len(self._table), np.nan)
        if not any(check(column.type) for check in (pa.types.is_floating, pa.types.is_integer, pa.types.is_null)):
            raise self._wrong_kind(name, column.type, "numbers")
        values: NDArray[np.float64] = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return values

    def ranks(self, name: str) -> NDArray[np.int64]:
        """A column of whole numbers, `UNKNOWN` where there is none."""
        values = self.numbers(name)
        known = ~np.isnan(values)
        row = _first(known & ~((values >= 0) & (values < _LARGEST) & (values == np.floor(values))))
        if row is not None:
            problem = f"the {name} of this row is {values[row]:g}, not a whole number from 0 up"
            raise self._fault(row, problem, "Ranks count from the most confident pair")
        return np.where(known, values, UNKNOWN).astype(np.int64)

    def originals(self) -> NDArray[np.int8]:
        """Whether the documents are of the first corpus, `UNKNOWN` where the file doesn't say."""
        import pyarrow as pa

        column = self._column("is_scifact_orig")
        if column is None:
            return np.full(len(self._table), UNKNOWN, dtype=np.int8)
        if not pa.types.is_boolean(column.type) and not pa.types.is_null(column.type):
            raise self._wrong_kind("is_scifact_orig", column.type, "true and false")
        known: NDArray[np.int8] = column.cast(pa.int8()).fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
        return known

    def rationales(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where each row's sentences start, and the sentences of all rows."""
        import pyarrow as pa
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        name = "predicted_rationale"
        column = self._column(name)
        if column is None or pa.types.is_null(column.type):
            return np.zeros(len(self._table) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
        if not is_list or not (pa.types.is_integer(column.type.value_type) or pa.types.is_null(column.type.value_type)):
            raise self._wrong_kind(name, column.type, "lists of integers")
        lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        sentences = column.flatten().cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        bad = _first((sentences < 0) | (sentences >= _LARGEST))
        if bad is not None:
            row = int(np.searchsorted(starts, bad, side="right")) - 1
            raise self._fault(row, f"the {name} of this row holds no sentence number at one place", "Count from 0")
        return starts, sentences.astype(np.int32)

    def _column(self, name: str) -> Any:
        """A column as one Arrow array, None where the file lacks it."""
        return self._table.column(name).combine_chunks() if name in self._table.column_names else None

    def _fault(self, row: int, problem: str, remedy: str) -> RunFileError:
        return RunFileError(problem, where=f"{self._path}, row {row + 1}", remedy=remedy)

    def _wrong_kind(self, name: str, kind: object, wanted: str) -> RunFileError:
        return RunFileError(f"the column {name} holds {kind}", where=place(self._path), remedy=f"It must hold {wanted}")


def _check_names(names: list[str], path: str | Path) -> None:
    for name in (*_REQUIRED, *_OPTIONAL):
        if names.count(name) > 1:
            raise RunFileError(f"there are two columns {name}", where=place(path), remedy="Keep one of them")
    lacking = [name for name in _REQUIRED if name not in names]
    if lacking:
        problem = f"there is no column {', '.join(lacking)}"
        raise RunFileError(problem, where=place(path), remedy=f"A prediction table has {', '.join(_REQUIRED)}")


def _first(bad: NDArray[np.bool_]) -> int | None:
    """The first row that is bad, if any."""
    return int(np.argmax(bad)) if bad.any() else None


def _ids(ids: tuple[str, ...]) -> list[int] | list[str]:
    """Integers as published where all ids are such, else strings."""
    numbers = [json_id(id) for id in ids]
    whole = [number for number in numbers if isinstance(number, int)]
    return whole if len(whole) == len(ids) else list(ids)

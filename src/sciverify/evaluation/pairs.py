"""Predictions as a table of claim-document pairs, SciFact-Open's published form, in columns.

A table holds one row per (claim, document, model): the predicted label, the three probabilities where the model gives
any, and what else is known. Ids stand once in a list and rows hold their numbers in it, so that hundreds of thousands
of pairs take some tens of bytes each. A table that exists is valid: what breaks a rule is refused with its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.candidates import CANDIDATE_LABELS
from sciverify.records import Label

__all__ = ["PAIR_LABELS", "PAIR_NAMES", "UNKNOWN", "PairTable", "confidence_ranks", "numbered"]

PAIR_NAMES = ("SUPPORT", "CONTRADICT", "NEI")
"""The names of the labels in files; `PairTable.label` holds positions in this list."""

PAIR_LABELS: tuple[Label, ...] = tuple(CANDIDATE_LABELS[name] for name in PAIR_NAMES)
"""The same labels as `records.Label`."""

UNKNOWN = -1
"""Stands for a rank, or for a document's being of the first corpus, that a file doesn't give."""

_SUPPORT, _CONTRADICT, _NEI = range(3)
_SUM_TOLERANCE = 1.5e-3  # three probabilities rounded to three decimals, or computed in 32 or 16 bits
_RANGE_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class PairTable:
    """Claim-document pairs and what one or more models predict for them. All arrays have one row per pair.

    Args:
        claim_ids: the ids that `claim` numbers; claims without a pair may be among them.
        doc_ids: the ids that `doc` numbers.
        models: the names that `model` numbers; one empty name where a file doesn't say.
        claim, doc, model: positions in these lists, int32.
        label: the predicted label as a position in `PAIR_NAMES`, int8.
        probabilities: shape ``(pairs, 3)``, float64, columns as in `PAIR_NAMES`; a row of NaN where there are none.
        rank: by confidence over all claims of a model, as published; `UNKNOWN` where not given.
        retrieval_rank: within the claim, 1 first; `UNKNOWN` where not given.
        is_scifact_orig: 1 for a document of the first corpus, 0 for a new one, `UNKNOWN` where not given.
        rationale_starts: shape ``(pairs + 1,)``: where each row's sentences begin in `rationale_sentences`.
        rationale_sentences: the predicted sentence numbers of all rows, one after another.
        source: the file, for messages.
        numbers: the line (or row, from 1) of each pair in `source`.
        by_line: whether `numbers` are lines of a text file.
        complete: whether `claim_ids` are known to be all claims that were asked, as in a run file of ours.

    Raises:
        RunFileError: a probability is not in 0 to 1 (to within 1e-6), the three don't sum to 1 (to within 1e-3) or
            only some are given; a (claim, document, model) stands twice; a rank is negative; a rationale repeats a
            sentence; some rows name a model and others don't.
    """

    claim_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    models: tuple[str, ...]
    claim: NDArray[np.int32] = field(repr=False)
    doc: NDArray[np.int32] = field(repr=False)
    model: NDArray[np.int32] = field(repr=False)
    label: NDArray[np.int8] = field(repr=False)
    probabilities: NDArray[np.float64] = field(repr=False)
    rank: NDArray[np.int64] = field(repr=False)
    retrieval_rank: NDArray[np.int64] = field(repr=False)
    is_scifact_orig: NDArray[np.int8] = field(repr=False)
    rationale_starts: NDArray[np.int64] = field(repr=False)
    rationale_sentences: NDArray[np.int32] = field(repr=False)
    source: str = ""
    numbers: NDArray[np.int64] | None = field(default=None, repr=False)
    by_line: bool = False
    complete: bool = False

    def __post_init__(self) -> None:
        self._check_probabilities()
        self._check_ranks()
        self._check_models()
        self._check_duplicates()
        self._check_rationales()

    def __len__(self) -> int:
        return len(self.claim)

    def where(self, row: int) -> str:
        """The spot in the file that a row came from."""
        number = row + 1 if self.numbers is None else int(self.numbers[row])
        if self.by_line:
            return f"{self.source}:{number}"
        return f"{self.source}, row {number}" if self.source else f"row {number}"

    @property
    def has_probabilities(self) -> bool:
        """Whether every pair has its probabilities, so that pairs can be ranked by confidence."""
        return not np.isnan(self.probabilities).any()

    @cached_property
    def confidence(self) -> NDArray[np.float64]:
        """The larger of p_support and p_contradict of each pair: what pairs are ranked by, NEI ones included."""
        return np.maximum(self.probabilities[:, _SUPPORT], self.probabilities[:, _CONTRADICT])

    @cached_property
    def evidence_label(self) -> NDArray[np.int8]:
        """The label that `confidence` speaks for, whatever was predicted; SUPPORT where the two are equal."""
        contradict = self.probabilities[:, _CONTRADICT] > self.probabilities[:, _SUPPORT]
        return np.where(contradict, _CONTRADICT, _SUPPORT).astype(np.int8)

    @property
    def is_evidence(self) -> NDArray[np.bool_]:
        """Which pairs have a predicted label other than NEI."""
        return np.not_equal(self.label, _NEI)

    def rationale(self, row: int) -> tuple[int, ...]:
        """The predicted sentences of a row."""
        start, end = self.rationale_starts[row : row + 2]
        return tuple(self.rationale_sentences[start:end].tolist())

    def of_model(self, name: str | None = None) -> PairTable:
        """The pairs of one model; without a name, of the only one.

        Raises:
            SettingError: there is no such model, or there are several and none is named; the message lists them.
        """
        names = ", ".join(self.models)
        if name is None and len(self.models) > 1:
            raise SettingError(f"{self.source or 'the table'} holds several models", remedy=f"Name one of: {names}")
        if name is None or (name,) == self.models:
            return self
        if name not in self.models:
            problem = f"{self.source or 'the table'} has no model {name!r}"
            raise SettingError(problem, remedy=f"It holds: {names}" if names.strip() else "Its rows name no model")
        return self.take(np.flatnonzero(self.model == self.models.index(name)))

    def take(self, rows: ArrayLike) -> PairTable:
        """These rows (positions) as a table of their own, in this order; models without a row are dropped.

        Claims and documents keep their numbers, so that tables taken from one can be compared by them.
        """
        rows = np.asarray(rows, dtype=np.int64)
        lengths = np.diff(self.rationale_starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        kept, model = np.unique(self.model[rows], return_inverse=True)
        numbers = np.arange(1, len(self) + 1) if self.numbers is None else self.numbers
        return PairTable(
            self.claim_ids,
            self.doc_ids,
            tuple(self.models[number] for number in kept),
            self.claim[rows],
            self.doc[rows],
            model.astype(np.int32),
            self.label[rows],
            self.probabilities[rows],
            self.rank[rows],
            self.retrieval_rank[rows],
            self.is_scifact_orig[rows],
            starts,
            self.rationale_sentences[np.repeat(self.rationale_starts[rows], lengths) + within],
            self.source,
            numbers[rows],
            self.by_line,
            self.complete,
        )

    def records(self) -> Iterator[dict[str, object]]:
        """The rows in file order by the published column names; unknown values are None, `retrieval_rank` is ours."""
        for row in range(len(self)):
            support, contradict, nei = self.probabilities[row].tolist()
            known = support == support  # NaN is not
            orig = int(self.is_scifact_orig[row])
            yield {
                "claim_id": self.claim_ids[self.claim[row]],
                "doc_id": self.doc_ids[self.doc[row]],
                "model": self.models[self.model[row]] or None,
                "p_contradict": contradict if known else None,
                "p_nei": nei if known else None,
                "p_support": support if known else None,
                "predicted_label": PAIR_NAMES[self.label[row]],
                "predicted_rationale": list(self.rationale(row)),
                "rank": _known(self.rank[row]),
                "is_scifact_orig": None if orig == UNKNOWN else bool(orig),
                "retrieval_rank": _known(self.retrieval_rank[row]),
            }

    def _check_probabilities(self) -> None:
        missing: NDArray[np.bool_] = np.isnan(self.probabilities)
        self._refuse(
            missing.any(axis=1) & ~missing.all(axis=1),
            lambda row: f"only some of p_contradict, p_nei, p_support are given for {self._pair(row)}",
            "Give all three, or none for a model without probabilities",
        )
        low, high = -_RANGE_TOLERANCE, 1 + _RANGE_TOLERANCE
        self._refuse(
            ((self.probabilities < low) | (self.probabilities > high)).any(axis=1),
            lambda row: f"{self._shares(row)} of {self._pair(row)} are not all in 0 to 1",
            "Give probabilities, not scores or percentages",
        )
        self._refuse(
            np.abs(self.probabilities.sum(axis=1) - 1) > _SUM_TOLERANCE,
            lambda row: f"{self._shares(row)} of {self._pair(row)} don't sum to 1",
            "The probabilities of the three labels must sum to 1, to within 0.001",
        )

    def _check_ranks(self) -> None:
        for name, ranks in (("rank", self.rank), ("retrieval_rank", self.retrieval_rank)):
            self._refuse(ranks < UNKNOWN, partial(self._negative, name), "Ranks count from the most confident pair")

    def _check_models(self) -> None:
        if "" in self.models and len(self.models) > 1:
            unnamed = self.model == self.models.index("")
            self._refuse(unnamed, lambda _: "this row names no model, others do", "Name the model in every row")

    def _check_duplicates(self) -> None:
        keys = (self.model.astype(np.int64) * len(self.claim_ids) + self.claim) * len(self.doc_ids) + self.doc
        order = np.argsort(keys, kind="stable")
        again = np.zeros(len(self), dtype=np.bool_)
        again[order[1:]] = keys[order[1:]] == keys[order[:-1]]
        self._refuse(
            again,
            lambda row: f"{self._pair(row)} was already at {self.where(int(np.argmax(keys == keys[row])))}",
            "Keep one row per claim, document and model",
        )

    def _check_rationales(self) -> None:
        row_of = np.repeat(np.arange(len(self)), np.diff(self.rationale_starts))
        bad = np.zeros(len(self), dtype=np.bool_)
        bad[row_of[self.rationale_sentences < 0]] = True
        order = np.lexsort((self.rationale_sentences, row_of))
        rows, sentences = row_of[order], self.rationale_sentences[order]
        bad[rows[1:][(rows[1:] == rows[:-1]) & (sentences[1:] == sentences[:-1])]] = True
        self._refuse(
            bad,
            lambda row: f"the rationale of {self._pair(row)} is {list(self.rationale(row))}",
            "List distinct sentence numbers, counted from 0",
        )

    def _refuse(self, bad: NDArray[np.bool_] | np.bool_, problem: Callable[[int], str], remedy: str) -> None:
        if np.any(bad):
            row = int(np.argmax(bad))
            raise RunFileError(problem(row), where=self.where(row), remedy=remedy)

    def _negative(self, name: str, row: int) -> str:
        return f"the {name} of {self._pair(row)} is negative"

    def _pair(self, row: int) -> str:
        return f"claim {self.claim_ids[self.claim[row]]}, document {self.doc_ids[self.doc[row]]!r}"

    def _shares(self, row: int) -> str:
        support, contradict, nei = (f"{share:.6g}" for share in self.probabilities[row])
        return f"p_contradict {contradict}, p_nei {nei}, p_support {support}"


def numbered(values: Iterable[str]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The distinct values in order of first appearance, and the position of each value among them."""
    positions: dict[str, int] = {}
    codes = [positions.setdefault(value, len(positions)) for value in values]
    return tuple(positions), np.array(codes, dtype=np.int32)


def confidence_ranks(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rank pairs over all claims, 1 for the most confident; equal ones in the order given."""
    ranks = np.empty(len(confidence), dtype=np.int64)
    ranks[np.argsort(-confidence, kind="stable")] = np.arange(1, len(confidence) + 1)
    return ranks


def _known(rank: np.int64) -> int | None:
    return None if rank == UNKNOWN else int(rank)

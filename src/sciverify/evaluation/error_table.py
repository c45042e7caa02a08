"""Errors as a table that a person goes through, and what that person found the errors to be.

`write_errors` writes one row per wrong outcome with two empty columns, ``kind`` and ``note``. `read_kinds` reads the
table back and counts the kinds, those of SciFact's own error analysis (§6.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciverify.errors import RecordError, RunFileError, SettingError, place
from sciverify.evaluation.csv_files import Row, read_csv, write_csv
from sciverify.evaluation.outcomes import ErrorType, Outcome, Outcomes
from sciverify.records import Document, Label

__all__ = ["KINDS", "KindCounts", "QuotedSentence", "quoted", "read_kinds", "worst_first", "write_errors"]

KINDS: Mapping[str, str] = {
    "science background": "Deciding takes knowledge that the text doesn't state.",
    "directionality": "Increase and decrease, or better and worse, were confused.",
    "numerical": "Numbers, units, or how likely a result is had to be weighed.",
    "cause and effect": "Cause and effect, or which of two things acts on the other, were confused.",
    "coreference": "What a word stands for is said in another sentence.",
}
"""The kinds of error that a person may enter, each with its meaning."""

_COLUMNS = (
    "claim_id",
    "claim",
    "document_id",
    "title",
    "error",
    "gold",
    "predicted",
    "p_supports",
    "p_refutes",
    "p_nei",
    "gold_sentences",
    "predicted_sentences",
    "kind",
    "note",
)


@dataclass(frozen=True, slots=True)
class QuotedSentence:
    """A sentence by its number, with its text where the corpus is at hand."""

    number: int
    text: str | None

    def __str__(self) -> str:
        return f"[{self.number}]" if self.text is None else f"[{self.number}] {self.text}"


@dataclass(frozen=True)
class KindCounts:
    """How many errors a person sorted into each kind.

    Attributes:
        counts: by kind, all of `KINDS`, in its order.
        errors: how many errors the run has.
    """

    counts: Mapping[str, int]
    errors: int

    @property
    def sorted(self) -> int:
        """How many have a kind."""
        return sum(self.counts.values())


def worst_first(outcomes: Outcomes) -> list[Outcome]:
    """The errors, those first in which the run was surest of what is wrong.

    How wrong an outcome is, is what its probability for the predicted label exceeds that of the gold label by. Without
    probabilities opposite labels come first, then evidence that is none, then what was missed, then wrong rationales.
    """
    gravity = (
        ErrorType.WRONG_LABEL,
        ErrorType.NO_EVIDENCE,
        ErrorType.READ_AS_NEI,
        ErrorType.NOT_RETRIEVED,
        ErrorType.MISSED,
        ErrorType.RATIONALE,
    )

    def excess(pair: Outcome) -> float:
        if pair.probabilities is None or pair.predicted is None:
            return 0.0
        return pair.probabilities.of(pair.predicted) - pair.probabilities.of(pair.gold)

    errors = [(pair, error) for pair in outcomes.pairs if (error := pair.error) is not None]
    return [pair for pair, error in sorted(errors, key=lambda e: (-excess(e[0]), gravity.index(e[1])))]


def quoted(numbers: Iterable[int], document: Document | None) -> tuple[QuotedSentence, ...]:
    """Sentences of a document by their numbers, verbatim.

    Raises:
        RunFileError: the document lacks one of them.
    """
    try:
        return tuple(
            QuotedSentence(number, None if document is None else document.element(f"sentence_{number}").text)
            for number in numbers
        )
    except RecordError as error:
        raise RunFileError(error.problem, where=error.where, remedy="Check which corpus it is") from error


def write_errors(path: str | Path, outcomes: Outcomes, documents: Mapping[str, Document] | None = None) -> int:
    """Write the errors of a run, worst first, and return how many there are.

    Args:
        path: the CSV file.
        outcomes: from `outcomes_of`.
        documents: by id, for titles and the sentences' text; None gives the numbers alone.

    Raises:
        RunFileError: the file cannot be written.
        SettingError: it is an error table in which a person has entered something.
    """
    _refuse_filled(Path(path))
    rows = [_row(pair, documents) for pair in worst_first(outcomes)]
    write_csv(path, _COLUMNS, rows)
    return len(rows)


def read_kinds(path: str | Path, outcomes: Outcomes) -> KindCounts:
    """Count the kinds that a person entered in the error table of a run; rows without one are not counted.

    Raises:
        RunFileError: the table is malformed, a kind is unknown, or a row is no error of this run or stands twice.
    """
    errors = {(pair.claim.id, pair.document) for pair in outcomes.errors()}
    counts = dict.fromkeys(KINDS, 0)
    seen: dict[tuple[str, str], str] = {}
    for row in read_csv(path, ("claim_id", "document_id", "kind")):
        pair = (row.cells["claim_id"], row.cells["document_id"])
        named = f"claim {pair[0]} with document {pair[1]!r}"
        if pair not in errors:
            raise RunFileError(
                f"{named} is no error of this run", where=row.where, remedy="Write the table anew from this run"
            )
        if pair in seen:
            raise RunFileError(f"{named} was already at {seen[pair]}", where=row.where, remedy="Keep one of them")
        seen[pair] = row.where
        if kind := _kind(row):
            counts[kind] += 1
    return KindCounts(counts, len(errors))


def _kind(row: Row) -> str:
    kind = " ".join(row.cells["kind"].split()).lower()
    if kind and kind not in KINDS:
        raise RunFileError(
            f"there is no kind of error {row.cells['kind']!r}",
            where=row.where,
            remedy=f"Enter one of {', '.join(KINDS)}, or nothing; other remarks go under 'note'",
        )
    return kind


def _row(pair: Outcome, documents: Mapping[str, Document] | None) -> Sequence[object]:
    document = documents.get(pair.document) if documents is not None else None
    probabilities = ["" if pair.probabilities is None else f"{pair.probabilities.of(label):.4f}" for label in Label]
    gold = sorted(frozenset().union(*pair.rationales))
    return [
        pair.claim.id,
        pair.claim.text,
        pair.document,
        document.title if document else "",
        pair.error,
        pair.gold,
        pair.predicted or "",
        *probabilities,
        "\n".join(map(str, quoted(gold, document))),
        "\n".join(map(str, quoted(pair.sentences, document))),
        "",
        "",
    ]


def _refuse_filled(path: Path) -> None:
    """Writing a table anew must not cost the hours that went into sorting the errors."""
    if not path.exists():
        return
    try:
        filled = any(row.cells["kind"].strip() or row.cells["note"].strip() for row in read_csv(path, ("kind", "note")))
    except RunFileError as error:
        raise SettingError(
            f"what this file holds is no error table, so it is not replaced ({error.problem})",
            where=place(path),
            remedy="Name another file, or delete this one yourself",
        ) from error
    if filled:
        raise SettingError(
            "somebody has entered kinds or notes in this table, so it is not replaced",
            where=place(path),
            remedy="Name another file; --kinds reads this one",
        )

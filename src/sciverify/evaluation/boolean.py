"""Answers to closed questions: accuracy and macro-F1 over yes, no and neutral (PubMedQA's published evaluation).

A ``yes`` is held as `Label.SUPPORTS`, a ``no`` as `Label.REFUTES`, and ``maybe`` or ``neutral`` as `Label.NEI`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciverify.corpora.metadata import shown
from sciverify.errors import RecordError, RunFileError, SettingError
from sciverify.evaluation.answers import AnswerFile, Entry, check_same_questions, read_answers
from sciverify.evaluation.measures import CountedScores, Measure, prf_measures
from sciverify.evaluation.tally import precision_recall_f1
from sciverify.records import Label, Probabilities

__all__ = ["BooleanAnswer", "BooleanScores", "read_boolean", "score_boolean", "score_boolean_answers"]

_NAMES: Mapping[Label, str] = {Label.SUPPORTS: "yes", Label.REFUTES: "no", Label.NEI: "neutral"}
_LABELS = tuple(_NAMES)
_SPELLINGS: Mapping[str, Label] = {
    "yes": Label.SUPPORTS,
    "true": Label.SUPPORTS,
    "no": Label.REFUTES,
    "false": Label.REFUTES,
    "neutral": Label.NEI,
    "maybe": Label.NEI,
    "nei": Label.NEI,
}
_COLUMNS = tuple(f"{_NAMES[gold]}_said_{_NAMES[said]}" for gold in _LABELS for said in _LABELS)
_PROBABILITIES = ("p_yes", "p_no", "p_neutral")


class BooleanAnswer(NamedTuple):
    """An answer, and the probabilities of yes, no and neutral where a file gives them."""

    label: Label
    probabilities: Probabilities | None = None


@dataclass(frozen=True)
class BooleanScores(CountedScores):
    """Accuracy, macro-F1, and precision, recall and F1 of each label; `gold` and `answers` in the order of `ids`."""

    gold: tuple[Label, ...] = field(default=(), repr=False)
    answers: tuple[BooleanAnswer, ...] = field(default=(), repr=False)

    @property
    def confusion(self) -> NDArray[np.float64]:
        """How often each label (yes, no, neutral; rows) was answered with each (columns): shape ``(3, 3)``."""
        return np.reshape(self.counts.sum(axis=0), (3, 3))


def score_boolean(
    gold_path: str | Path, run_path: str | Path, *, classes: Sequence[str | Label] | None = None
) -> BooleanScores:
    """Score a file of answers against a gold file; the forms of both are those of `read_boolean`.

    Args:
        gold_path: the right answers.
        run_path: answers to the same questions, in any order.
        classes: the labels whose F1 is averaged, such as ``("yes", "no")`` for BioASQ. None takes the labels that
            occur in gold or among the answers, as PubMedQA's evaluation does.

    Raises:
        RunFileError: one of the files is malformed, or they are not of the same questions.
        SettingError: `classes` is empty or names something else than a label.
    """
    gold, answers = read_boolean(gold_path), read_boolean(run_path)
    check_same_questions(gold, answers, run_path)
    return score_boolean_answers({id: answer.label for id, answer in gold.items()}, answers, classes=classes)


def score_boolean_answers(
    gold: Mapping[str, Label],
    answers: Mapping[str, BooleanAnswer],
    *,
    classes: Sequence[str | Label] | None = None,
) -> BooleanScores:
    """Score answers that are in memory, by question id.

    Raises:
        RunFileError: they are not of the same questions.
        SettingError: see `score_boolean`; or there are no questions.
    """
    averaged = _classes(classes)
    check_same_questions(gold, answers)
    counts = np.zeros((len(gold), len(_COLUMNS)))
    for row, (id, label) in enumerate(gold.items()):
        counts[row, 3 * _LABELS.index(label) + _LABELS.index(answers[id].label)] = 1
    measures = (
        Measure("accuracy", "Accuracy"),
        Measure("macro_f1", "Macro-F1"),
        *(measure for name in _NAMES.values() for measure in prf_measures(name, name)),
    )
    formula = partial(_measures, averaged=averaged)
    ordered = tuple(answers[id] for id in gold)
    return BooleanScores("boolean", tuple(gold), measures, _COLUMNS, counts, formula, tuple(gold.values()), ordered)


def read_boolean(path: str | Path) -> dict[str, BooleanAnswer]:
    """The answers of a file by question id, gold or predicted, in file order.

    Read are JSON lines ``{"id": "1", "answer": "yes"}`` (with ``p_yes``, ``p_no`` and ``p_neutral`` if you like), a
    mapping ``{"1": "yes"}``, PubMedQA's records ``{"1": {"final_decision": "yes", ...}}``, and BioASQ's questions,
    of which those that are not yes/no questions are passed over.

    Raises:
        RunFileError: the file is malformed, or an answer is none of yes, no, neutral and their other names.
    """
    file = read_answers(path)
    answers = {id: _answer(entry, file.form) for id, entry in _yes_no(file).items()}
    if not answers:
        raise RunFileError("there are no yes/no questions in this file", where=str(path))
    return answers


def _classes(names: Sequence[str | Label] | None) -> tuple[int, ...] | None:
    """Where the labels that `names` gives stand among the three."""
    if names is None:
        return None
    try:
        chosen = {name if isinstance(name, Label) else _SPELLINGS[name.casefold()] for name in names}
    except KeyError as error:
        raise SettingError(f"there is no label {error}", remedy="Choose among yes, no and neutral") from None
    if not chosen:
        raise SettingError("macro-F1 needs at least one label", remedy="Choose among yes, no and neutral")
    return tuple(sorted(_LABELS.index(label) for label in chosen))


def _measures(totals: NDArray[np.float64], averaged: tuple[int, ...] | None) -> NDArray[np.float64]:
    """Totals of `_COLUMNS`, shape ``(n, 9)``, to the measures, shape ``(n, 11)``."""
    confusion = totals.reshape(-1, 3, 3)
    right, answered, relevant = np.einsum("nii->ni", confusion), confusion.sum(axis=1), confusion.sum(axis=2)
    scores = precision_recall_f1(right, answered, relevant)  # shape (n, 3 labels, 3 scores)
    if averaged is None:
        counted = (answered + relevant) > 0
    else:
        counted = np.broadcast_to(np.isin(np.arange(3), averaged), right.shape)
    macro = (scores[:, :, 2] * counted).sum(axis=1) / counted.sum(axis=1)
    accuracy = right.sum(axis=1) / totals.sum(axis=1)
    return np.concatenate([np.stack([accuracy, macro], axis=1), scores.reshape(len(totals), 9)], axis=1)


def _yes_no(file: AnswerFile) -> dict[str, Entry]:
    if file.form != "bioasq":
        return dict(file.entries)
    # Answers that systems hand in may leave out the type.
    return {id: entry for id, entry in file.entries.items() if entry.fields.get("type", "yesno") == "yesno"}


def _answer(entry: Entry, form: str) -> BooleanAnswer:
    if form == "squad":
        raise RunFileError("this is SQuAD's form, which has no yes/no answers", where=entry.where)
    if form == "mapping" and not isinstance(entry.value, dict):
        return BooleanAnswer(_label(entry.value, entry.where))
    key = {"bioasq": "exact_answer", "mapping": "final_decision"}.get(form, "answer")
    if key not in entry.fields:
        raise RunFileError(f"there is no {key!r}", where=entry.where, remedy="Say yes, no or neutral there")
    return BooleanAnswer(_label(entry.get(key), entry.where), _probabilities(entry))


def _label(value: object, where: str) -> Label:
    name = str(value).strip().casefold() if isinstance(value, str | bool) else ""
    if name not in _SPELLINGS:
        known = ", ".join(_SPELLINGS)
        raise RunFileError(f"the answer {shown(value)} is unknown", where=where, remedy=f"Write one of {known}")
    return _SPELLINGS[name]


def _probabilities(entry: Entry) -> Probabilities | None:
    values = [entry.get(key) for key in _PROBABILITIES]
    if values == [None, None, None]:
        return None
    remedy = f"Give {', '.join(_PROBABILITIES)}, which sum to 1, or none of them"
    if not all(isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) for value in values):
        raise RunFileError("the probabilities are not three numbers", where=entry.where, remedy=remedy)
    try:
        return Probabilities(*(float(value) for value in values))  # type: ignore[arg-type]
    except RecordError as error:
        raise RunFileError(error.problem, where=entry.where, remedy=remedy) from error

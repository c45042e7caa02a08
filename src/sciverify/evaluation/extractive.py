"""Extractive answers: exact match, token F1 and token recall by the rules of SQuAD 2.0's published scorer.

The best value over the gold answers counts, for each measure by itself, and the mean over the questions is reported.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from sciverify.corpora.metadata import shown
from sciverify.errors import RunFileError
from sciverify.evaluation.answers import AnswerFile, Entry, check_same_questions, read_answers, strings
from sciverify.evaluation.means import mean_scores
from sciverify.evaluation.measures import CountedScores, Measure

__all__ = [
    "normalise_answer",
    "read_extractive_answers",
    "read_extractive_gold",
    "score_extractive",
    "score_extractive_answers",
]

_MEASURES = (
    Measure("exact_match", "Exact match"),
    Measure("token_f1", "Token F1"),
    Measure("token_recall", "Token recall"),
)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


def score_extractive(gold_path: str | Path, run_path: str | Path) -> CountedScores:
    """Score a file of answers against a gold file (`read_extractive_gold`, `read_extractive_answers`).

    Raises:
        RunFileError: one of the files is malformed, or they are not of the same questions.
    """
    gold, answers = read_extractive_gold(gold_path), read_extractive_answers(run_path)
    check_same_questions(gold, answers, run_path)
    return score_extractive_answers(gold, answers)


def score_extractive_answers(gold: Mapping[str, Sequence[str]], answers: Mapping[str, str]) -> CountedScores:
    """Score answers that are in memory, by question id; an unanswerable question has no gold answers.

    Raises:
        RunFileError: they are not of the same questions.
        SettingError: there are no questions.
    """
    check_same_questions(gold, answers)
    values = [_values(right, answers[id]) for id, right in gold.items()]
    return mean_scores("extractive", tuple(gold), _MEASURES, values)


def normalise_answer(text: str) -> str:
    """Lower case, ASCII punctuation taken out, the articles a, an and the taken out, single spaces.

    Other punctuation, such as a long dash, stays: the published scorer knows ASCII's alone.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def read_extractive_gold(path: str | Path) -> dict[str, tuple[str, ...]]:
    """The gold answers of a file by question id, in file order; an unanswerable question has none.

    Read are SQuAD's files, 1.1 and 2.0, JSON lines ``{"id": "1", "answers": ["...", "..."]}``, and BioASQ's factoid
    questions, of which every synonym is a gold answer; its other questions are passed over.

    Raises:
        RunFileError: the file is malformed.
    """
    file = read_answers(path)
    read = {"squad": _squad_answers, "lines": _line_answers, "bioasq": _synonyms}.get(file.form)
    if read is None:
        raise RunFileError(
            "this is a mapping of ids, which is a form of predictions",
            where=str(path),
            remedy="Give gold answers in SQuAD's form, BioASQ's form or as JSON lines",
        )
    return {id: read(entry) for id, entry in _factoids(file, path).items()}


def read_extractive_answers(path: str | Path) -> dict[str, str]:
    """The predicted answers of a file by question id, in file order; "" says that there is no answer.

    Read are mappings ``{"1": "..."}`` (SQuAD), JSON lines ``{"id": "1", "answer": "..."}``, and BioASQ's factoid
    questions, of whose answers the first counts.

    Raises:
        RunFileError: the file is malformed.
    """
    file = read_answers(path)
    return {id: _predicted(entry, file.form) for id, entry in _factoids(file, path).items()}


def _values(gold: Sequence[str], answer: str) -> tuple[float, float, float]:
    """Exact match, F1 and recall of an answer, each the best over the gold answers."""
    # The published scorer drops gold answers of which nothing is left, and asks for "" where none is left.
    wanted = [tokens for text in gold if (tokens := normalise_answer(text).split())] or [[]]
    given = normalise_answer(answer).split()
    scores = [(float(tokens == given), *_overlap(tokens, given)) for tokens in wanted]
    exact, f1, recall = (max(column) for column in zip(*scores, strict=True))
    return exact, f1, recall


def _overlap(gold: Sequence[str], given: Sequence[str]) -> tuple[float, float]:
    """F1 and recall of the tokens, each token counted as often as it stands in both."""
    if not gold or not given:
        both_empty = float(not gold and not given)
        return both_empty, both_empty
    shared = (Counter(gold) & Counter(given)).total()
    return 2 * shared / (len(gold) + len(given)), shared / len(gold)


def _factoids(file: AnswerFile, path: str | Path) -> dict[str, Entry]:
    if file.form != "bioasq":
        return dict(file.entries)
    # Answers that systems hand in may leave out the type.
    found = {id: entry for id, entry in file.entries.items() if entry.fields.get("type", "factoid") == "factoid"}
    if not found:
        raise RunFileError("there are no factoid questions in this file", where=str(path))
    return found


def _squad_answers(entry: Entry) -> tuple[str, ...]:
    listed = entry.get("answers")
    if not isinstance(listed, list) or not all(isinstance(a, dict) and isinstance(a.get("text"), str) for a in listed):
        raise RunFileError(
            "the answers are not a list of objects with a 'text'",
            where=entry.where,
            remedy='Write "answers": [{"text": "...", "answer_start": 0}], and [] where there is none',
        )
    impossible = entry.get("is_impossible")
    if impossible is not None and impossible is not (not listed):
        raise RunFileError(
            f"'is_impossible' is {impossible!r}, but there are {len(listed)} answers",
            where=entry.where,
            remedy="A question is impossible where its answers are []",
        )
    return tuple(answer["text"] for answer in listed)


def _line_answers(entry: Entry) -> tuple[str, ...]:
    return strings(entry, "answers")


def _synonyms(entry: Entry) -> tuple[str, ...]:
    answers = _exact_answers(entry)
    if not answers:
        raise RunFileError("this factoid question has no answer", where=entry.where)
    return answers


def _predicted(entry: Entry, form: str) -> str:
    if form == "squad":
        raise RunFileError(
            "this is SQuAD's gold file, not predictions", where=entry.where, remedy='Give an object {"id": "answer"}'
        )
    if form == "bioasq":
        return next(iter(_exact_answers(entry)), "")
    answer = entry.value if form == "mapping" else entry.get("answer")
    if not isinstance(answer, str):
        problem = f"the answer {shown(answer)} is not a string"
        raise RunFileError(problem, where=entry.where, remedy='Give one string, "" where there is no answer')
    return answer


def _exact_answers(entry: Entry) -> tuple[str, ...]:
    """BioASQ's ``exact_answer``: a string, a list of strings, or a list with a list of synonyms for each answer."""
    value = entry.get("exact_answer")
    answers = [value] if isinstance(value, str) else value
    flat: list[object] = []
    for answer in answers if isinstance(answers, list) else [None]:
        flat.extend(answer if isinstance(answer, list) else [answer])
    texts = tuple(text for text in flat if isinstance(text, str))
    if len(texts) < len(flat):
        raise RunFileError(
            f"the 'exact_answer' {shown(value)} is not a list of answers",
            where=entry.where,
            remedy='Write "exact_answer": [["...", "a synonym"]]',
        )
    return texts

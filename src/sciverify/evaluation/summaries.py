"""Summaries: ROUGE-1, ROUGE-2 and ROUGE-L F-measure with Porter's stemmer, by the library rouge-score.

With several references the best F-measure counts, for each measure by itself, and the mean over the questions is
reported. ROUGE-L is the sentence-level one, which reads a text as one sequence; ROUGE-Lsum, the summary-level one, is
an option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sciverify.corpora.metadata import shown
from sciverify.errors import RunFileError
from sciverify.evaluation.answers import AnswerFile, Entry, check_same_questions, read_answers, strings
from sciverify.evaluation.extras import needs_extra
from sciverify.evaluation.means import mean_scores
from sciverify.evaluation.measures import CountedScores, Measure

__all__ = ["read_references", "read_summaries", "score_summaries", "score_summary_texts"]

_ROUGE_1, _ROUGE_2 = Measure("rouge1", "ROUGE-1"), Measure("rouge2", "ROUGE-2")
_ROUGE_L, _ROUGE_LSUM = Measure("rougeL", "ROUGE-L"), Measure("rougeLsum", "ROUGE-Lsum")


def score_summaries(gold_path: str | Path, run_path: str | Path, *, summary_level: bool = False) -> CountedScores:
    """Score a file of summaries against a gold file (`read_references`, `read_summaries`).

    Args:
        gold_path: one or more references a question.
        run_path: one summary of each, in any order.
        summary_level: ROUGE-Lsum in place of ROUGE-L; it takes line feeds as the ends of sentences.

    Raises:
        RunFileError: one of the files is malformed, or they are not of the same questions.
        MissingExtraError: rouge-score is not installed.
    """
    references, summaries = read_references(gold_path), read_summaries(run_path)
    check_same_questions(references, summaries, run_path)
    return score_summary_texts(references, summaries, summary_level=summary_level)


def score_summary_texts(
    references: Mapping[str, Sequence[str]], summaries: Mapping[str, str], *, summary_level: bool = False
) -> CountedScores:
    """Score summaries that are in memory, by question id.

    Raises:
        RunFileError: they are not of the same questions, or a question has no reference.
        SettingError: there are no questions.
        MissingExtraError: rouge-score is not installed.
    """
    check_same_questions(references, summaries)
    if (bare := next((id for id, texts in references.items() if not texts), None)) is not None:
        raise RunFileError(f"question {bare!r} has no reference")
    measures = (_ROUGE_1, _ROUGE_2, _ROUGE_LSUM if summary_level else _ROUGE_L)
    scorer = _scorer([measure.name for measure in measures])
    values = []
    for id, texts in references.items():
        best = scorer.score_multi(texts, summaries[id])
        values.append([float(best[measure.name].fmeasure) for measure in measures])
    return mean_scores("summaries", tuple(references), measures, values)


def read_references(path: str | Path) -> dict[str, tuple[str, ...]]:
    """The reference summaries of a file by question id, in file order.

    Read are JSON lines ``{"id": "1", "references": ["...", "..."]}`` and BioASQ's questions of all types, whose
    ``ideal_answer`` lists the references.

    Raises:
        RunFileError: the file is malformed, or a question has no reference or an empty one.
    """
    file = read_answers(path)
    return {id: _references(entry, _key(file, path, "references")) for id, entry in file.entries.items()}


def read_summaries(path: str | Path) -> dict[str, str]:
    """The summaries of a file by question id, in file order; they may be empty.

    Read are JSON lines ``{"id": "1", "summary": "..."}``, mappings ``{"1": "..."}``, and BioASQ's questions, whose
    ``ideal_answer`` is a string or a list of one.

    Raises:
        RunFileError: the file is malformed.
    """
    file = read_answers(path)
    if file.form == "mapping":
        return {id: _text(entry.value, entry.where) for id, entry in file.entries.items()}
    key = _key(file, path, "summary")
    return {id: _text(entry.get(key), entry.where) for id, entry in file.entries.items()}


def _key(file: AnswerFile, path: str | Path, in_lines: str) -> str:
    keys = {"lines": in_lines, "bioasq": "ideal_answer"}
    if file.form not in keys:
        raise RunFileError(
            f"there is no {in_lines!r} in this form of file",
            where=str(path),
            remedy="Give JSON lines or BioASQ's questions",
        )
    return keys[file.form]


def _references(entry: Entry, key: str) -> tuple[str, ...]:
    value = entry.get(key)
    references = (value,) if isinstance(value, str) else strings(entry, key)
    if not references or not all(map(str.strip, references)):
        raise RunFileError(
            f"{key!r} is empty or holds an empty text", where=entry.where, remedy="Leave the question out"
        )
    return references


def _text(value: object, where: str) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise RunFileError(f"the summary {shown(value)} is not one string", where=where)
    return value


def _scorer(names: list[str]) -> Any:
    with needs_extra("ROUGE"):
        from rouge_score import rouge_scorer  # type: ignore[import-untyped]
    return rouge_scorer.RougeScorer(names, use_stemmer=True)

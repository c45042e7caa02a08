"""What a report holds; the terminal, JSON and HTML show the same object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sciverify.errors import RunFileError, SettingError, place
from sciverify.evaluation.bootstrap import Difference, Interval, bootstrap, compare
from sciverify.evaluation.diagnostics import Diagnostics, diagnose
from sciverify.evaluation.error_table import KindCounts, QuotedSentence, quoted, read_kinds, worst_first
from sciverify.evaluation.gold import sentence_counts
from sciverify.evaluation.measures import Scores
from sciverify.evaluation.outcomes import Outcome, Outcomes, Setting, check_setting
from sciverify.evaluation.provenance import Provenance, provenance_path, read_provenance
from sciverify.evaluation.report.origin import Origin, origin_of
from sciverify.evaluation.tasks import TaskInfo
from sciverify.records import Document

__all__ = ["Comparison", "Report", "WorstError", "make_report"]

_WORST = 12  # errors that a report quotes


@dataclass(frozen=True)
class Comparison:
    """Another run on the same claims: its path, its scores, and how much better the report's run is."""

    run: str
    scores: Scores
    differences: Mapping[str, Difference]


@dataclass(frozen=True)
class WorstError:
    """An error with what a reader needs to judge it; the texts are verbatim, None without a corpus."""

    pair: Outcome
    title: str
    gold: tuple[QuotedSentence, ...]
    predicted: tuple[QuotedSentence, ...]


@dataclass(frozen=True)
class Report:
    """The scores of a run, how sure they are, and what lies behind them.

    Attributes:
        task: what was scored.
        origin: where the figures come from.
        scores: of the run.
        intervals: by measure, over the resamples.
        resamples: how many.
        seed: of the resamples.
        comparison: None without another run.
        outcomes: None for tasks without pairs of claims and documents.
        diagnostics: None where there are no outcomes.
        worst: the errors in which the run was surest, worst first.
        kinds: what a person found the errors to be; None without an error table.
        documents: of the errors, by id; None without a corpus.
        notes: what is not in the report, and why.
    """

    task: TaskInfo
    origin: Origin
    scores: Scores
    intervals: Mapping[str, Interval]
    resamples: int
    seed: int
    comparison: Comparison | None
    outcomes: Outcomes | None
    diagnostics: Diagnostics | None
    worst: tuple[WorstError, ...]
    kinds: KindCounts | None
    documents: Mapping[str, Document] | None
    notes: tuple[str, ...]


def make_report(
    task: TaskInfo,
    gold: Path,
    run: Path,
    *,
    other: Path | None = None,
    corpus: Iterable[Document] | None = None,
    setting: Setting | None = None,
    kinds: Path | None = None,
    resamples: int | None = None,
    seed: int = 0,
    options: Mapping[str, object] | None = None,
) -> Report:
    """Score a run and gather all that a report shows.

    Args:
        task: one of `sciverify.evaluation.tasks.TASKS`.
        gold: the gold file.
        run: the run file; its side file ``RUN.meta.json``, if there is one, says where it comes from.
        other: a run to compare it with.
        corpus: the documents; read twice, so that only those of the errors are held.
        setting: how much of the gold file the system was given; None takes it from the run's side file.
        kinds: an error table that a person has filled.
        resamples: None draws as many as the task's paper.
        seed: of the resamples.
        options: of the scorer (`TaskInfo.parse_options`).

    Raises:
        InputError: a file is malformed.
        SettingError: an option is out of range, or the task has no place for one of the files given.
    """
    _refuse_misplaced(task, corpus, setting, kinds)
    counts = sentence_counts(corpus) if corpus is not None else None
    given = dict(options or {}) | ({"corpus": counts} if task.takes_corpus else {})
    resamples = task.resamples if resamples is None else resamples
    provenance = read_provenance(run)
    setting = _setting(setting, provenance, run)
    outcomes = task.outcomes(gold, run, given) if task.outcomes else None
    if outcomes and setting is not None:
        check_setting(outcomes, setting)
    scores = task.scorer(gold, run, **given)
    comparison = None
    if other is not None:
        theirs = task.scorer(gold, other, **given)
        differences = compare(scores, theirs, resamples=resamples, seed=seed)
        comparison = Comparison(str(other), theirs, differences)
    diagnostics = diagnose(outcomes, counts) if outcomes else None
    documents = _documents(corpus, outcomes) if corpus is not None and outcomes else None
    return Report(
        task,
        origin_of(gold, run, setting, provenance, seed),
        scores,
        bootstrap(scores, resamples=resamples, seed=seed),
        resamples,
        seed,
        comparison,
        outcomes,
        diagnostics,
        _worst(outcomes, documents) if outcomes else (),
        read_kinds(kinds, outcomes) if kinds is not None and outcomes else None,
        documents,
        _notes(diagnostics, documents),
    )


def _refuse_misplaced(task: TaskInfo, corpus: object | None, setting: Setting | None, kinds: Path | None) -> None:
    if corpus is not None and not (task.takes_corpus or task.outcomes):
        raise SettingError(f"the task {task.name} has no use for a corpus", remedy="Leave it out")
    if task.outcomes is None and (kinds is not None or setting is not None):
        what = "settings" if kinds is None else "error table"
        raise SettingError(f"the task {task.name} has no {what}", remedy="Leave it out")


def _setting(told: Setting | None, provenance: Provenance | None, run: Path) -> Setting | None:
    if provenance is None:
        return told
    try:
        made = Setting.of(provenance.oracle)
    except SettingError as error:
        raise RunFileError(error.problem, where=place(provenance_path(run))) from error
    if told not in (None, made):
        raise SettingError(
            f"the run was made in the setting {made}, not {told}",
            where=place(provenance_path(run)),
            remedy="Leave out the setting",
        )
    return made


def _documents(corpus: Iterable[Document], outcomes: Outcomes) -> dict[str, Document]:
    wanted = {pair.document for pair in outcomes.errors()}
    return {document.id: document for document in corpus if document.id in wanted}


def _worst(outcomes: Outcomes, documents: Mapping[str, Document] | None) -> tuple[WorstError, ...]:
    worst = []
    for pair in worst_first(outcomes)[:_WORST]:
        document = documents.get(pair.document) if documents is not None else None
        gold = sorted(frozenset().union(*pair.rationales))
        title = document.title if document else ""
        worst.append(WorstError(pair, title, quoted(gold, document), quoted(pair.sentences, document)))
    return tuple(worst)


def _notes(diagnostics: Diagnostics | None, documents: Mapping[str, Document] | None) -> tuple[str, ...]:
    if diagnostics is None:
        return ("Diagnostics and errors: this task has no pairs of claims and documents.",)
    without_text = ("The sentences' text: no corpus was given.",) if documents is None else ()
    return (*diagnostics.left_out, *without_text)

"""The tasks that `sciverify evaluate` scores. To add one, write its scorer and one line in `TASKS`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sciverify.errors import SettingError
from sciverify.evaluation.boolean import score_boolean
from sciverify.evaluation.extractive import score_extractive
from sciverify.evaluation.fever import score_fever
from sciverify.evaluation.feverous import score_feverous
from sciverify.evaluation.gold import load_gold
from sciverify.evaluation.measures import Scores
from sciverify.evaluation.open_gold import load_open_gold
from sciverify.evaluation.outcomes import Outcomes, outcomes_of
from sciverify.evaluation.pair_files import read_pairs
from sciverify.evaluation.pair_outcomes import outcomes_of_pairs
from sciverify.evaluation.retrieval import score_retrieval
from sciverify.evaluation.runs import read_run
from sciverify.evaluation.scifact import score_scifact
from sciverify.evaluation.scifact_open import score_scifact_open
from sciverify.evaluation.summaries import score_summaries

__all__ = ["TASKS", "TaskInfo", "find_task"]

_SEVERAL = ("Iterable[", "Sequence[", "Collection[")
_Outcomes = Callable[[Path, Path, Mapping[str, Any]], Outcomes]


class TaskInfo(NamedTuple):
    """A task by name.

    Attributes:
        name: what `sciverify evaluate` takes.
        title: as a heading.
        summary: what is scored, and by whose rules.
        gold: what the gold file is.
        run: what the run file is.
        scorer: ``score(gold_path, run_path, **options)``.
        outcomes: ``outcomes(gold_path, run_path, options)`` gives the pairs of claims and documents behind the scores,
            for diagnostics; None where a task has none.
        resamples: how many its paper draws.
        units: what is drawn: claims, questions or queries.
        extra: the optional part of the package that it needs.
    """

    name: str
    title: str
    summary: str
    gold: str
    run: str
    scorer: Callable[..., Scores]
    outcomes: _Outcomes | None = None
    resamples: int = 10_000
    units: str = "claims"
    extra: str = ""

    @property
    def takes_corpus(self) -> bool:
        """Whether the scorer checks documents and sentence numbers against a corpus."""
        return "corpus" in self._parameters

    @property
    def options(self) -> dict[str, object]:
        """The scorer's own options and their defaults."""
        return {name: p.default for name, p in self._parameters.items() if name != "corpus"}

    def parse_options(self, texts: Mapping[str, str]) -> dict[str, object]:
        """Options from texts: ``yes`` or ``no``, a number, a word, or several parted by commas, as the scorer takes.

        Raises:
            SettingError: the scorer has no such option, or the text is not of its form.
        """
        if unknown := sorted(set(texts) - set(self.options)):
            known = ", ".join(self.options) or "none"
            raise SettingError(f"the task {self.name} has no option {unknown[0]!r}", remedy=f"It has: {known}")
        return {name: _parsed(name, text, str(self._parameters[name].annotation)) for name, text in texts.items()}

    @property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        return dict(list(inspect.signature(self.scorer).parameters.items())[2:])


def _parsed(name: str, text: str, annotation: str) -> object:
    """The value that a text stands for, by the annotation of the parameter (scorers write them as strings)."""
    kind = annotation.removesuffix(" | None")
    if kind.startswith(_SEVERAL):
        return tuple(_parsed(name, part.strip(), kind.partition("[")[2].rstrip("]")) for part in text.split(","))
    try:
        if kind == "bool":
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        return {"int": int, "float": float}.get(kind, str)(text)
    except (KeyError, ValueError):
        forms = {"bool": "yes or no", "int": "a whole number", "float": "a number"}
        raise SettingError(f"{text!r} is no value for the option {name}", remedy=f"Give {forms[kind]}") from None


def _scifact_outcomes(gold_path: Path, run_path: Path, options: Mapping[str, Any]) -> Outcomes:
    gold = load_gold(gold_path, **options)
    return outcomes_of(gold, read_run(run_path, [entry.claim.id for entry in gold], **options))


def _open_outcomes(gold_path: Path, run_path: Path, options: Mapping[str, Any]) -> Outcomes:
    table = read_pairs(run_path).of_model(options.get("model"))
    return outcomes_of_pairs(load_open_gold(gold_path), table, documents=options.get("documents"))


TASKS = {
    info.name: info
    for info in (
        TaskInfo(
            "scifact",
            "SciFact",
            "abstracts and rationale sentences, micro-averaged (SciFact §5)",
            "claims with evidence, JSON lines (also HealthVer, COVID-Fact)",
            "one JSON line per claim, as `sciverify predict` writes it",
            score_scifact,
            _scifact_outcomes,
        ),
        TaskInfo(
            "scifact-open",
            "SciFact-Open",
            "claim-document pairs and their average precision, no rationales (SciFact-Open §4)",
            "claims with evidence, JSON lines, SciFact-Open's or SciFact's",
            "a prediction table, JSON lines or Parquet, or a run with candidates",
            score_scifact_open,
            _open_outcomes,
            resamples=1_000,
        ),
        TaskInfo(
            "fever",
            "FEVER",
            "FEVER score, label accuracy, evidence, and coverage at k (FEVER §4)",
            "claims with evidence, JSON lines",
            "one JSON line per claim with predicted_label and predicted_evidence",
            score_fever,
        ),
        TaskInfo(
            "feverous",
            "FEVEROUS",
            "FEVEROUS score, label accuracy, evidence, and coverage at k (FEVEROUS §4)",
            "claims with evidence, JSON lines",
            "one JSON line per claim with predicted_label and predicted_evidence",
            score_feverous,
        ),
        TaskInfo(
            "boolean",
            "Boolean answers",
            "accuracy and macro-averaged F1 over yes, no and maybe",
            "questions with answers: PubMedQA, BioASQ or JSON lines",
            "answers to the same questions",
            score_boolean,
            units="questions",
        ),
        TaskInfo(
            "extractive",
            "Extractive answers",
            "exact match, token F1 and token recall after SQuAD's normalisation",
            "questions with answers: SQuAD, BioASQ or JSON lines",
            "answers to the same questions",
            score_extractive,
            units="questions",
        ),
        TaskInfo(
            "summaries",
            "Summaries",
            "ROUGE-1, ROUGE-2 and ROUGE-L",
            "questions with reference summaries: BioASQ or JSON lines",
            "one summary of each",
            score_summaries,
            units="questions",
            extra="evaluation",
        ),
        TaskInfo(
            "retrieval",
            "Retrieval",
            "nDCG, recall and MRR at k, and evidence coverage",
            "TREC or BEIR judgements, or claims with evidence",
            "a TREC run, or a run of ours with candidates",
            score_retrieval,
            units="queries",
            extra="evaluation",
        ),
    )
}


def find_task(name: str) -> TaskInfo:
    """A task of `TASKS` by its name.

    Raises:
        SettingError: there is none of this name.
    """
    if name not in TASKS:
        raise SettingError(f"there is no task {name!r}", remedy=f"Choose one of {', '.join(TASKS)}")
    return TASKS[name]

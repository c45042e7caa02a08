"""Every data set by name, and loading several at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciverify.errors import TrainingError
from sciverify.training import (
    conclusions,
    directions,
    entailment,
    questions,
    ranking,
    science,
    splits,
    tables,
    trials,
    unlabelled,
)
from sciverify.training.examples import Example
from sciverify.training.guards import drop_leaks, load_dev_pairs
from sciverify.training.questions import BIOASQ_TRAIN
from sciverify.training.sem_tab_facts import semtabfacts

__all__ = ["FOLDS", "SETS", "Options", "fold_claims", "load_sets"]

FOLDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Options:
    """What a set may depend on: the SciFact fold left out, hard negatives per SciFact claim, the seed.

    `pubmedqa_fold` is the fold of PubMedQA left out (`sciverify.training.splits`).
    """

    fold: int | None = None
    negatives: int = 0
    seed: int = 0
    pubmedqa_fold: int = 1


def fold_claims(data: Path, fold: int) -> frozenset[str]:
    """The ids of the SciFact training claims held out in a fold.

    The published folds divide training and dev claims together; the dev claims are left out here, so that nothing
    that is tuned on folds has seen dev.
    """
    folder = data / "scifact"
    held_out = _claim_ids(folder / f"cross_validation/fold_{fold}/claims_dev_{fold}.jsonl")
    return held_out & _claim_ids(folder / "claims_train.jsonl")


def _claim_ids(path: Path) -> frozenset[str]:
    return frozenset(str(json.loads(line)["id"]) for line in path.read_text(encoding="utf-8").splitlines())


def _scifact(data: Path, options: Options) -> science.Cited:
    held_out = fold_claims(data, options.fold) if options.fold is not None else frozenset[str]()
    return science.load_cited(data / "scifact", without=held_out)


SETS: Mapping[str, Callable[[Path, Options], list[Example]]] = {
    "fever": lambda data, _: entailment.fever(data),
    "new_protocols": lambda data, _: entailment.new_protocols(data),
    "mnli": lambda data, _: entailment.mnli(data),
    "snli": lambda data, _: entailment.snli(data),
    "counterfactual": lambda data, _: entailment.counterfactual(data),
    "sufficient_facts": lambda data, _: entailment.sufficient_facts(data),
    "boolq": lambda data, _: questions.boolq(data),
    "squad_shifts": lambda data, _: questions.squad_shifts(data),
    "climate_fever": lambda data, _: splits.climate_fever(data, held=False),
    "directions": lambda data, options: directions.directions(data, options.seed),
    "healthver_sentences": lambda data, options: science.sentences(splits.healthver(data), options.seed),
    "healthver_abstracts": lambda data, _: science.abstracts(splits.healthver(data)),
    "healthver_negatives": lambda data, _: science.hard_negatives(splits.healthver(data), 1),
    "covidfact_sentences": lambda data, options: science.sentences(splits.covidfact(data, held=False), options.seed),
    "covidfact_abstracts": lambda data, _: science.abstracts(splits.covidfact(data, held=False)),
    "covidfact_negatives": lambda data, _: science.hard_negatives(splits.covidfact(data, held=False), 1),
    "scifact_sentences": lambda data, options: science.sentences(_scifact(data, options), options.seed),
    "scifact_abstracts": lambda data, options: science.abstracts(_scifact(data, options)),
    "scifact_negatives": lambda data, options: science.hard_negatives(_scifact(data, options), options.negatives),
    "fever_symmetric": lambda data, _: entailment.fever_symmetric(data),
    "sick": lambda data, _: entailment.sick(data),
    "fool_me_twice": lambda data, _: entailment.fool_me_twice(data),
    "anli": lambda data, _: entailment.anli(data),
    "feverous_sentences": lambda data, _: entailment.feverous_sentences(data),
    "direction_abstracts": lambda data, options: directions.direction_abstracts(data, options.seed),
    "clinifact": lambda data, _: trials.clinifact(data),
    "nli4ct": lambda data, _: trials.nli4ct(data, "train"),
    "citint": lambda data, _: science.citint(data),
    "pubmedqa": lambda data, options: splits.pubmedqa(data, options.pubmedqa_fold, held=False),
    "bioasq_yesno": lambda data, _: questions.bioasq_yesno(data, BIOASQ_TRAIN),
    "bioasq_spans": lambda data, _: questions.bioasq_spans(data, BIOASQ_TRAIN),
    "xquad": lambda data, _: questions.xquad(data),
    "infotabs": lambda data, _: tables.infotabs(data),
    "tabfact": lambda data, _: tables.tabfact(data),
    "semtabfacts": lambda data, _: semtabfacts(data),
    "scitab": lambda data, _: tables.scitab(data),
    "wikiqa": lambda data, _: ranking.wikiqa(data),
    "trecqa": lambda data, _: ranking.trecqa(data),
    "question_sentences": lambda data, options: ranking.question_sentences(data, options.seed),
    "nfcorpus": lambda data, options: ranking.nfcorpus(data, options.seed),
    "conclusions": lambda data, options: list(conclusions.conclusions(unlabelled.load_abstracts(data), options.seed)),
    "unlabelled": lambda data, options: list(unlabelled.unlabelled(unlabelled.load_abstracts(data), options.seed)),
}


def load_sets(
    names: Sequence[str], data: Path, options: Options, notify: Callable[[str], None] = lambda _: None
) -> list[Example]:
    """The examples of several sets, in order, without those that repeat a pair of SciFact's dev claims.

    Args:
        names: of `SETS`.
        data: the folder of the public data sets.
        options: what the sets depend on.
        notify: told how many examples of a set were dropped.

    Raises:
        TrainingError: a name isn't known, or its files are not in the data folder.
    """
    pairs = load_dev_pairs(data)
    examples: list[Example] = []
    for name in names:
        if name not in SETS:
            raise TrainingError(f"there is no data set {name!r}", remedy=f"Known: {', '.join(SETS)}")
        try:
            kept, dropped = drop_leaks(SETS[name](data, options), pairs)
        except (FileNotFoundError, StopIteration) as error:
            raise TrainingError(
                f"the data set {name} is not there ({error})", where=str(data), remedy="Give its folder with --data"
            ) from error
        if count := sum(dropped.values()):
            notify(f"{name}: {count:,} examples dropped, which repeat pairs of SciFact's dev claims")
        examples += kept
    return examples

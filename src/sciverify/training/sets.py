"""Every data set by name, and loading several at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciverify.errors import TrainingError
from sciverify.training import entailment, questions, science
from sciverify.training.examples import Example

__all__ = ["FOLDS", "SETS", "Options", "fold_claims", "load_sets"]

FOLDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Options:
    """What a set may depend on: the SciFact fold left out, hard negatives per SciFact claim, and the seed."""

    fold: int | None = None
    negatives: int = 0
    seed: int = 0


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
    "climate_fever": lambda data, _: science.climate_fever(data),
    "directions": lambda data, options: science.directions(data, options.seed),
    "healthver_sentences": lambda data, options: science.sentences(
        science.load_cited(data / "healthver"), options.seed
    ),
    "healthver_abstracts": lambda data, _: science.abstracts(science.load_cited(data / "healthver")),
    "healthver_negatives": lambda data, _: science.hard_negatives(science.load_cited(data / "healthver"), 1),
    "covidfact_sentences": lambda data, options: science.sentences(
        science.load_cited(data / "covidfact"), options.seed
    ),
    "covidfact_abstracts": lambda data, _: science.abstracts(science.load_cited(data / "covidfact")),
    "covidfact_negatives": lambda data, _: science.hard_negatives(science.load_cited(data / "covidfact"), 1),
    "scifact_sentences": lambda data, options: science.sentences(_scifact(data, options), options.seed),
    "scifact_abstracts": lambda data, options: science.abstracts(_scifact(data, options)),
    "scifact_negatives": lambda data, options: science.hard_negatives(_scifact(data, options), options.negatives),
}


def load_sets(names: Sequence[str], data: Path, options: Options) -> list[Example]:
    """The examples of several sets, in order.

    Raises:
        TrainingError: a name isn't known, or its files are not in the data folder.
    """
    examples: list[Example] = []
    for name in names:
        if name not in SETS:
            raise TrainingError(f"there is no data set {name!r}", remedy=f"Known: {', '.join(SETS)}")
        try:
            examples += SETS[name](data, options)
        except (FileNotFoundError, StopIteration) as error:
            raise TrainingError(
                f"the data set {name} is not there ({error})", where=str(data), remedy="Give its folder with --data"
            ) from error
    return examples

"""The sets that a verifier is measured on: which ones, with what the model is given in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sciverify.corpora import open_corpus
from sciverify.errors import TrainingError
from sciverify.evaluation.gold import load_gold
from sciverify.evaluation.oracle import with_oracle
from sciverify.evaluation.outcomes import Setting
from sciverify.index import Index
from sciverify.models import load_encoder
from sciverify.retrieval import HybridRetriever
from sciverify.systems.experiment import with_documents
from sciverify.systems.pipeline import Pipeline
from sciverify.training.examples import Example
from sciverify.training.gold_pairs import as_cited, gold_rationales
from sciverify.training.measuring import SIDES, Measurement, measure_documents, measure_labels
from sciverify.training.science import Cited
from sciverify.training.sets import fold_claims
from sciverify.training.splits import held_out
from sciverify.verification import JointVerifier

__all__ = ["MEASURED", "measure", "scifact_index"]

_K = 20
_ALL = None

Notify = Callable[[str], None]


def measure(
    verifier: JointVerifier,
    data: Path,
    sets: Sequence[str],
    *,
    fold: int = 1,
    release_candidate: bool = False,
    index: Path | None = None,
    notify: Notify = lambda _: None,
) -> list[Measurement]:
    """Measure a verifier on sets by name, of `MEASURED`.

    Args:
        verifier: the model with its decision.
        data: the folder of the public data sets.
        sets: which.
        fold: what the model was trained without: the fold of SciFact's training claims, and of PubMedQA.
        release_candidate: ask SciFact's dev claims instead. They are for reporting: nothing may be chosen by them.
        index: of SciFact's abstracts; made there if missing. None makes one that is thrown away.
        notify: told what happens, one line at a time.

    Raises:
        TrainingError: there is no such set, its files are missing, or a document could not be read.
    """
    if unknown := [name for name in sets if name not in MEASURED]:
        raise TrainingError(f"there is no held-out set {unknown[0]!r}", remedy=f"Known: {', '.join(MEASURED)}")
    measured = []
    for name in sets:
        notify(f"measuring {name}")
        if name == "scifact":
            measured += _scifact(verifier, data, None if release_candidate else fold, index, notify)
        else:
            measured += _WAYS[name](name, verifier, held_out(name, data, fold))
    return measured


@contextmanager
def scifact_index(data: Path, path: Path | None, notify: Notify = lambda _: None) -> Iterator[Index]:
    """An index of SciFact's abstracts: opened, or built at `path` if there is none; without a path it is temporary."""
    with TemporaryDirectory() as temporary:
        place = path or Path(temporary) / "scifact.index"
        if not place.exists():
            notify("indexing SciFact's abstracts")
            Index.build(place, open_corpus(data / "scifact" / "corpus.jsonl"), encoder=load_encoder()).close()
        with Index.open(place) as index:
            yield index


def _scifact(
    verifier: JointVerifier, data: Path, fold: int | None, path: Path | None, notify: Notify
) -> list[Measurement]:
    """Three settings of a fold's held-out claims, or of dev where `fold` is None; then gold rationales alone."""
    folder = data / "scifact"
    name = "scifact dev" if fold is None else f"scifact fold {fold}"
    claims = load_gold(folder / ("claims_dev.jsonl" if fold is None else "claims_train.jsonl"))
    if fold is not None:
        ids = fold_claims(data, fold)
        claims = [gold for gold in claims if gold.claim.id in ids]
    corpus = {document.id: document for document in open_corpus(folder / "corpus.jsonl")}
    measured = []
    with scifact_index(data, path, notify) as index:
        system = Pipeline(name, verifier, HybridRetriever(index, load_encoder()), _K)
        for setting, oracles in _SETTINGS.items():
            notify(f"measuring {name}, {setting}")
            told = with_oracle(system, claims, index, oracles)
            read = _ALL if "abstract" in oracles else 1
            measured.append(measure_documents(name, str(setting), told, claims, read))
    rationales = gold_rationales(Cited("scifact", tuple(claims), corpus))
    return [*measured, measure_labels(name, "gold rationales", verifier, rationales)]


def _documents(name: str, verifier: JointVerifier, examples: Sequence[Example]) -> list[Measurement]:
    data = as_cited(name, examples)
    given = {gold.claim.id: gold.cited for gold in data.claims}
    return [
        measure_documents(
            name, "given documents", with_documents(Pipeline(name, verifier), data, given), data.claims, _ALL
        ),
        measure_labels(name, "gold rationales", verifier, gold_rationales(data)),
    ]


def _texts(name: str, verifier: JointVerifier, examples: Sequence[Example]) -> list[Measurement]:
    return [measure_labels(name, "given texts", verifier, examples)]


def _yes_no(name: str, verifier: JointVerifier, examples: Sequence[Example]) -> list[Measurement]:
    return [measure_labels(name, "given texts", verifier, examples, SIDES)]


_SETTINGS: Mapping[Setting, tuple[str, ...]] = {
    Setting.OPEN: (),
    Setting.ORACLE_ABSTRACT: ("abstract",),
    Setting.ORACLE_RATIONALE: ("rationale",),
}

_WAYS: Mapping[str, Callable[[str, JointVerifier, Sequence[Example]], list[Measurement]]] = {
    "healthver": _documents,
    "covidfact": _documents,
    "climate_fever": _texts,
    "pubmedqa": _texts,
    "bioasq": _yes_no,
    "nli4ct": _yes_no,
}

MEASURED = ("scifact", *_WAYS)
"""The sets that can be measured, by name."""

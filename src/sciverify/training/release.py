"""From a recipe to the model that ships: train, train folds, calibrate on what each held out, export, gate, ship."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from sciverify.corpora import open_corpus
from sciverify.errors import SettingError, TrainingError
from sciverify.evaluation.gold import GoldClaim, load_gold
from sciverify.evaluation.scifact import SciFactScores
from sciverify.models.crossencoder import Decision, Passage
from sciverify.training.calibration import calibration_error, score_decision
from sciverify.training.measured_sets import scifact_index
from sciverify.training.readings import Reading, TwoSteps, WholeDocuments
from sciverify.training.recipe import Recipe, exported_weights, run_stages
from sciverify.training.sets import fold_claims
from sciverify.training.verifier import copy_model, export_verifier, set_decision
from sciverify.verification import PartialModel
from sciverify.verification.reading import PassageModel, visible

__all__ = ["GATE", "release"]

GATE = 0.01
"""How much F1 (0 to 1) the int8 model may lose against fp32 on a held-out fold."""

_CALIBRATION_PASSAGES = 128

Notify = Callable[[str], None]
HeldOut = dict[int, tuple[list[GoldClaim], list[Any]]]  # by fold: its claims, and their candidates as they were read


def release(
    recipe: Recipe,
    data: Path,
    folder: Path,
    target: Path,
    *,
    folds: Sequence[int] = (1, 2, 3, 4, 5),
    refit: bool = True,
    notify: Notify = lambda _: None,
) -> dict[str, object]:
    """Do all that is not yet done in the run folder, and write the model into `target`.

    Args:
        recipe: what to train.
        data: the folder of the public data sets.
        folder: the run folder; called again after a kill, the work goes on where it stood.
        target: where the model's files go; of several models, in a folder for the role of each.
        folds: which SciFact folds calibrate the model (each costs one more training of the last stages).
        refit: train the model that ships on all claims; False ships that of the only fold, in half the time.
        notify: told what happens, one line at a time.

    Returns:
        The report that is also written to ``folder/release.json``: per-fold metrics (each fold scored with the
        decision that the other folds chose; a single fold N as two halves, N0 and N1), the gate, the decision.

    Raises:
        TrainingError: int8 loses more than `GATE` against fp32, or the model fails a known pair.
        SettingError: without `refit` there must be exactly one fold.
    """
    if not folds or (not refit and len(folds) != 1):
        raise SettingError("a release needs folds to calibrate on, and without refitting exactly one")
    corpus = folder / "scifact.index"
    claims = {g.claim.id: g for g in load_gold(data / "scifact" / "claims_train.jsonl")}
    reading: Reading[Any] = TwoSteps() if recipe.export else WholeDocuments(recipe.reread)
    passages = reading.passages([visible(passage, recipe.input) for passage in _passages(data)])
    held_out: HeldOut = {}
    gate: dict[str, float] = {}
    with scifact_index(data, corpus, notify) as index:
        retriever = reading.retriever(index)
        for fold in folds:
            own = run_stages(recipe, data, folder, fold=fold, notify=notify).parent
            ids = fold_claims(data, fold)
            gold = [g for id, g in claims.items() if id in ids]
            weights = exported_weights(recipe, folder, fold)
            read = reading.read(_export(recipe, weights, own / "int8", passages), gold, retriever)
            held_out[fold] = (gold, read)
            notify(f"fold {fold}: {len(gold)} held-out claims, {len(read):,} candidates scored")
            if not gate:
                full = _export(recipe, weights, own / "fp32", passages, quantise=False)
                gate = _gate(reading, gold, read, reading.read(full, gold, retriever))
                notify(f"gate: {json.dumps(gate)}")
    decision = reading.fit(*_pooled(held_out, list(held_out)))
    report = _report(reading, held_out, gate, decision)
    (folder / "release.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if min(gate.values(), default=0.0) < -GATE:
        raise TrainingError(
            f"int8 loses more than {GATE:.0%} against fp32: {json.dumps(gate)}",
            where=str(folder),
            remedy="Calibrate the quantisation on more passages, or keep more layers in fp32",
        )
    last = None if refit else folds[0]
    run_stages(recipe, data, folder, fold=last, notify=notify)
    weights = exported_weights(recipe, folder, last)
    _export(recipe, weights, folder / "int8", passages, folds=list(folds), refit=refit)
    for role in weights:
        set_decision(folder / "int8" / role, decision, known=_knows_pairs(recipe, role))
        copy_model(folder / "int8" / role, target / role)
    return report


def _export(
    recipe: Recipe,
    weights: Mapping[str, Path],
    folder: Path,
    passages: Sequence[Passage],
    *,
    quantise: bool = True,
    **more: object,
) -> dict[str, PassageModel]:
    """Export each model, by role, and open it as it will be opened; `more` goes into the cards."""
    models: dict[str, PassageModel] = {}
    for role, path in weights.items():
        card = {
            "name": "-".join(["sciverify", recipe.name, *([role] if role else [])]),
            "recipe": recipe.name,
            "seed": recipe.seed,
            "licence": "Apache-2.0",
            "input": recipe.input,
            **more,
        }
        known = _knows_pairs(recipe, role)
        model = export_verifier(path, folder / role, passages, recipe.shape, card, quantise=quantise, known=known)
        models[role] = model if recipe.input == "full" else PartialModel(model, recipe.input)
    return models


def _knows_pairs(recipe: Recipe, role: str) -> bool:
    """Whether a model must label the known pairs right: not if it sees a part of them, or was not trained to label."""
    stage = next(stage for stage in recipe.stages if stage.name == recipe.exported[role])
    return recipe.input == "full" and stage.schedule.label_weight > 0


def _passages(data: Path) -> list[Passage]:
    """Claims with their cited abstracts: what the quantisation is calibrated on."""
    documents = {document.id: document for document in open_corpus(data / "scifact" / "corpus.jsonl")}
    passages = []
    for gold in load_gold(data / "scifact" / "claims_train.jsonl")[:_CALIBRATION_PASSAGES]:
        passages.append(Passage.of(gold.claim, documents[gold.cited[0]]))
    return passages


def _gate(reading: Reading[Any], gold: list[GoldClaim], int8: list[Any], fp32: list[Any]) -> dict[str, float]:
    """F1 of int8 less F1 of fp32, by metric, both with the decision that suits fp32."""
    decision = reading.fit(fp32, gold)
    quick, full = (_f1(score_decision(reading.scored(read, decision), gold, decision)) for read in (int8, fp32))
    return {name: round(quick[name] - full[name], 4) for name in full}


def _report(reading: Reading[Any], held_out: HeldOut, gate: dict[str, float], final: Decision) -> dict[str, object]:
    """Metrics of each fold with the decision that the others choose, and those of `final` with fewer candidates."""
    parts = held_out if len(held_out) > 1 else _halves(held_out)
    rows = []
    for part, (gold, read) in parts.items():
        chosen = reading.fit(*_pooled(parts, [other for other in parts if other != part]))
        scored = reading.scored(read, chosen)
        row: dict[str, float] = _f1(score_decision(scored, gold, chosen))
        row["calibration_error"] = round(calibration_error(scored, chosen), 4)
        rows.append((part, row))
    names = list(rows[0][1])
    read, gold = _pooled(held_out, list(held_out))
    scored = reading.scored(read, final)
    return {
        "folds": [{"fold": part, **row} for part, row in rows],
        "mean": {name: round(fmean(row[name] for _, row in rows), 4) for name in names},
        "deviation": {name: round(pstdev(row[name] for _, row in rows), 4) for name in names},
        "gate": gate,
        "decision": asdict(final),
        "by_k": {k: _f1(score_decision(scored, gold, final, k)) for k in reading.by_k},
    }


def _halves(held_out: HeldOut) -> HeldOut:
    """A single fold as two halves, every second claim, so that no claim is scored with a decision that it chose."""
    [(fold, (gold, read))] = held_out.items()
    halves: HeldOut = {}
    for half in (0, 1):
        ids = {g.claim.id for g in gold[half::2]}
        halves[10 * fold + half] = (
            [g for g in gold if g.claim.id in ids],
            [r for r in read if r.gold.claim.id in ids],
        )
    return halves


def _pooled(held_out: HeldOut, folds: Sequence[int]) -> tuple[list[Any], list[GoldClaim]]:
    return (
        [read for fold in folds for read in held_out[fold][1]],
        [gold for fold in folds for gold in held_out[fold][0]],
    )


def _f1(scores: SciFactScores) -> dict[str, float]:
    return {name: round(tally.f1, 4) for name, tally in scores.metrics().items()}

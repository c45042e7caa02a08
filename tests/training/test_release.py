"""What a release decides from scores; training, export and retrieval have stand-ins here and tests of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

from sciverify.errors import SettingError, TrainingError
from sciverify.evaluation.gold import GoldClaim
from sciverify.models.crossencoder import Decision, Scores
from sciverify.models.inputs import InputShape
from sciverify.records import Candidate, Document
from sciverify.training import readings
from sciverify.training import release as module
from sciverify.training.calibration import Scored, fit_decision
from sciverify.training.recipe import Recipe, Stage
from sciverify.training.release import release
from sciverify.training.trainer import Schedule
from sciverify.verification import PartialModel

LAST = Stage("last", ("x",), Schedule())
RECIPE = Recipe("small", 3, (LAST,), 0, "last", InputShape(), False, 0.0)
DOCUMENTS = [Document.from_sentences(str(n), "", ["One.", "Two."]) for n in range(2)]


class Stand:
    """Stands in for the slow parts and remembers what it was asked for."""

    def __init__(self) -> None:
        self.trained: list[int | None] = []
        self.exported: list[tuple[str, bool]] = []
        self.cards: list[dict[str, Any]] = []
        self.known: list[bool] = []
        self.decided: list[Decision] = []
        self.shipped: list[tuple[Path, Path]] = []
        self.quantised_evidence = 2.0  # logit of the right document's label after quantisation

    def run_stages(self, recipe: Recipe, data: Path, folder: Path, *, fold: int | None = None, notify: Any) -> Path:
        self.trained.append(fold)
        weights = folder / (f"fold_{fold}" if fold else "") / "last.pt"
        weights.parent.mkdir(parents=True, exist_ok=True)
        return weights

    def export_verifier(
        self,
        weights: Path,
        folder: Path,
        passages: Any,
        shape: Any,
        card: dict[str, Any],
        *,
        quantise: bool = True,
        known: bool = True,
    ) -> SimpleNamespace:
        self.exported.append((str(folder.relative_to(folder.parents[1])), quantise))
        self.cards.append(card)
        self.known.append(known)
        return SimpleNamespace(quantised=quantise, name=card["name"], decision=Decision())

    def score_candidates(self, model: SimpleNamespace, gold: Sequence[GoldClaim], *_: Any) -> list[Scored]:
        """The document with the claim's own parity is found to support it; the other one isn't."""
        right = self.quantised_evidence if model.quantised else 2.0
        scored = []
        for claim in gold:
            for rank, document in enumerate(DOCUMENTS):
                yes = document.id in claim.evidence
                label = np.array([right if yes else -2.0, -3.0, 0.0], dtype=np.float32)
                elements = np.array([2.0, -2.0], dtype=np.float32)
                scored.append(Scored(claim, Candidate(document, 1.0), rank, Scores(label, 0.0, elements)))
        return scored


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch) -> Stand:
    stand = Stand()
    for name in ("run_stages", "export_verifier"):
        monkeypatch.setattr(module, name, getattr(stand, name))
    monkeypatch.setattr(readings, "score_candidates", stand.score_candidates)
    monkeypatch.setattr(module, "set_decision", lambda folder, decision, known: stand.decided.append(decision))
    monkeypatch.setattr(module, "copy_model", lambda source, target: stand.shipped.append((source, target)))
    monkeypatch.setattr(module, "scifact_index", lambda *_: nullcontext())
    monkeypatch.setattr(readings, "load_encoder", lambda: None)
    monkeypatch.setattr(readings, "HybridRetriever", lambda *_: None)
    return stand


@pytest.fixture
def data(write: Callable[..., Path], write_cited: Callable[..., None], tmp_path: Path) -> Path:
    claims = [
        {
            "id": n,
            "claim": f"Claim {n}.",
            "evidence": {str(n % 2): [{"sentences": [0], "label": "SUPPORT"}]},
            "cited_doc_ids": [n % 2],
        }
        for n in range(8)
    ]
    write_cited("data/scifact", {0: ["One.", "Two."], 1: ["One.", "Two."]}, claims)
    for fold in (1, 2):
        held_out = [claim for claim in claims if claim["id"] // 4 == fold - 1]  # type: ignore[operator]
        write(f"data/scifact/cross_validation/fold_{fold}/claims_dev_{fold}.jsonl", held_out)
    return tmp_path / "data"


def test_folds_calibrate_what_all_claims_have_trained(stand: Stand, data: Path, tmp_path: Path) -> None:
    said: list[str] = []
    run, target = tmp_path / "run", tmp_path / "target"
    report = release(RECIPE, data, run, target, folds=(1, 2), notify=said.append)
    assert stand.trained == [1, 2, None]
    assert stand.exported == [("fold_1/int8", True), ("fold_1/fp32", False), ("fold_2/int8", True), ("run/int8", True)]
    assert stand.shipped == [(run / "int8", target)]
    assert json.loads((run / "release.json").read_text(encoding="utf-8")) == json.loads(json.dumps(report))
    assert [row["fold"] for row in report["folds"]] == [1, 2]  # type: ignore[attr-defined]
    assert report["gate"] == dict.fromkeys(report["gate"], 0)  # type: ignore[call-overload]
    assert report["mean"]["abstract_label_rationale"] == 1  # type: ignore[index]
    assert report["deviation"]["abstract_label_rationale"] == 0  # type: ignore[index]
    assert set(report["by_k"]) == {3, 5, 10, 20}  # type: ignore[call-overload]
    [decision] = stand.decided
    assert report["decision"] == asdict(decision)
    assert "fold 2: 4 held-out claims, 8 candidates scored" in said


def test_a_fold_is_scored_with_the_decision_of_the_others(
    stand: Stand, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def remember(scored: Sequence[Scored], claims: Sequence[GoldClaim]) -> Decision:
        seen.append({s.gold.claim.id for s in scored})
        assert {c.claim.id for c in claims} == seen[-1]
        return fit_decision(scored, claims)

    monkeypatch.setattr(readings, "fit_decision", remember)
    release(RECIPE, data, tmp_path / "run", tmp_path / "target", folds=(1, 2))
    first, second = {"0", "1", "2", "3"}, {"4", "5", "6", "7"}
    assert seen == [first, first | second, second, first]  # gate, model, fold 1, fold 2


def test_a_loss_by_quantisation_stops_the_release(stand: Stand, data: Path, tmp_path: Path) -> None:
    stand.quantised_evidence = -2.0
    with pytest.raises(TrainingError, match="int8 loses more than 1%") as caught:
        release(RECIPE, data, tmp_path / "run", tmp_path / "target", folds=(1, 2))
    assert caught.value.where == str(tmp_path / "run")
    report = json.loads((tmp_path / "run/release.json").read_text(encoding="utf-8"))
    assert min(report["gate"].values()) < -0.01  # the report tells how much
    assert stand.decided == stand.shipped == []


def test_a_recipe_may_export_two_models(
    stand: Stand, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Steps(readings.WholeDocuments):
        def read(self, models: Any, *rest: Any) -> list[Scored]:
            assert list(models) == ["selector", "labeller"]
            return super().read({"": models["labeller"]}, *rest)

    monkeypatch.setattr(module, "TwoSteps", Steps)
    chooses, labels = (Stage(name, ("x",), Schedule(label_weight=weight)) for name, weight in (("a", 0), ("last", 1)))
    recipe = replace(RECIPE, stages=(chooses, labels), export={"selector": "a", "labeller": "last"})
    run, target = tmp_path / "run", tmp_path / "target"
    release(recipe, data, run, target, folds=(1, 2))
    assert stand.exported[:2] == [("int8/selector", True), ("int8/labeller", True)]
    assert [card["name"] for card in stand.cards[:2]] == ["sciverify-small-selector", "sciverify-small-labeller"]
    assert stand.known[:2] == [False, True]  # what isn't trained to label need not label
    assert stand.shipped == [(run / "int8" / role, target / role) for role in ("selector", "labeller")]
    assert stand.decided[0] == stand.decided[1]


@pytest.mark.parametrize(("input", "knows"), [("full", True), ("claim-only", False)])
def test_a_model_is_calibrated_on_what_it_may_see(
    stand: Stand, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, input: str, knows: bool
) -> None:
    def score(model: Any, *rest: Any) -> list[Scored]:
        assert isinstance(model, PartialModel) is (input != "full")
        assert getattr(model, "input", "full") == input
        return stand.score_candidates(getattr(model, "_model", model), *rest)

    monkeypatch.setattr(readings, "score_candidates", score)
    release(replace(RECIPE, input=input), data, tmp_path / "run", tmp_path / "target", folds=(1, 2))
    assert {card["input"] for card in stand.cards} == {input}
    assert set(stand.known) == {knows}


def test_without_refitting_the_model_of_the_fold_ships(stand: Stand, data: Path, tmp_path: Path) -> None:
    report = release(RECIPE, data, tmp_path / "run", tmp_path / "target", folds=(2,), refit=False)
    assert stand.trained == [2, 2]
    assert stand.exported[-1] == ("run/int8", True)
    assert [row["fold"] for row in report["folds"]] == [20, 21]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("folds", "refit"), [((), True), ((), False), ((1, 2), False)])
def test_folds_that_cannot_calibrate_are_refused(
    stand: Stand, data: Path, tmp_path: Path, folds: tuple[int, ...], refit: bool
) -> None:
    with pytest.raises(SettingError):
        release(RECIPE, data, tmp_path / "run", tmp_path / "target", folds=folds, refit=refit)
    assert stand.trained == []

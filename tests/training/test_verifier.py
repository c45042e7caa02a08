from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch

from sciverify.errors import ModelError, TrainingError
from sciverify.models.crossencoder import LABELS, CrossEncoderModel, Decision
from sciverify.models.inputs import InputShape
from sciverify.models.tokens import load_tokenizer
from sciverify.records import Label
from sciverify.training.examples import Example
from sciverify.training.features import make_rows
from sciverify.training.network import CrossEncoder
from sciverify.training.trainer import Schedule, train_stage
from sciverify.training.verifier import KNOWN_PAIRS, copy_model, export_verifier, set_decision

SHAPE = InputShape(max_tokens=128, max_claim=64, max_title=32)
FILES = ("model.bin", "model.json", "model.xml")
PASSAGES = [passage for _, passage in KNOWN_PAIRS]


@pytest.fixture(scope="module")
def weights(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state that knows the known pairs by heart."""
    folder = tmp_path_factory.mktemp("run")
    torch.manual_seed(4)
    model = CrossEncoder(tiny_bert)
    examples = [
        Example(p.claim, p.title, tuple(p.elements), label, (False, label is not Label.NEI)) for label, p in KNOWN_PAIRS
    ]
    rows = make_rows(examples, load_tokenizer(), SHAPE)
    train_stage(model, rows, Schedule(epochs=80, learning_rate=3e-3), seed=1, folder=folder, name="toy")
    torch.save(model.state_dict(), folder / "toy.pt")
    return folder / "toy.pt"


@pytest.fixture(scope="module")
def exported_once(weights: Path, tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sciverify.training.encoder.pretrained_folder", lambda: tiny_bert)
        export_verifier(weights, folder, PASSAGES, SHAPE, {"name": "toy", "seed": 1}, quantise=False)
    return folder


@pytest.fixture
def exported(exported_once: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    copy_model(exported_once, tmp_path / "model")
    return tmp_path / "model"


def test_the_known_pairs_differ_in_label_only_where_they_should() -> None:
    assert [label for label, _ in KNOWN_PAIRS] == list(LABELS)
    supported, refuted = PASSAGES[:2]
    assert (supported.title, supported.elements) == (refuted.title, refuted.elements)
    assert supported.claim != refuted.claim


def test_an_exported_model_opens_and_is_checked(exported: Path) -> None:
    model = CrossEncoderModel(exported)
    assert (model.card["name"], model.card["seed"], model.shape) == ("toy", 1, SHAPE)
    assert model.decision == Decision()
    checks = model.card["self_check"]
    assert [max(check["probabilities"], key=check["probabilities"].get) for check in checks] == list(LABELS)
    for (label, _), scores in zip(KNOWN_PAIRS, model.score(PASSAGES), strict=True):
        assert LABELS[int(np.argmax(model.probabilities(scores)))] is label


def test_a_decision_is_written_and_the_pairs_are_answered_anew(exported: Path) -> None:
    before = CrossEncoderModel(exported)
    decision = Decision(temperature=3.0, evidence=0.35, element=0.6, quotes=4)
    model = set_decision(exported, decision, metrics={"f1": 0.5})
    assert model.decision == CrossEncoderModel(exported).decision == decision
    assert model.card["metrics"] == {"f1": 0.5}
    assert {key: model.card[key] for key in ("name", "seed", "labels", "sha256")} == {
        key: before.card[key] for key in ("name", "seed", "labels", "sha256")
    }
    for cold, hot in zip(before.card["self_check"], model.card["self_check"], strict=True):
        assert max(hot["probabilities"].values()) < max(cold["probabilities"].values())
        assert {**cold, "probabilities": 0} == {**hot, "probabilities": 0}


def test_a_model_that_knows_nothing_is_not_exported(pretrained: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = CrossEncoder(pretrained)
    model.encoder.get_input_embeddings().weight.data += 0.01  # its own words, not those that ship
    torch.save(model.state_dict(), tmp_path / "random.pt")
    with pytest.raises(TrainingError, match="takes a known pair") as caught:
        export_verifier(tmp_path / "random.pt", tmp_path / "model", PASSAGES, SHAPE, {"name": "x"}, quantise=False)
    assert caught.value.where in {passage.claim for passage in PASSAGES}
    assert caught.value.remedy


def test_what_need_not_know_the_pairs_must_still_answer_as_it_did(pretrained: Path, tmp_path: Path) -> None:
    torch.manual_seed(0)
    torch.save(CrossEncoder(pretrained).state_dict(), tmp_path / "random.pt")
    folder = tmp_path / "model"
    export_verifier(tmp_path / "random.pt", folder, PASSAGES, SHAPE, {"name": "x"}, quantise=False, known=False)
    model = set_decision(folder, Decision(temperature=0.2), known=False)
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    for label, check in zip(LABELS, card["self_check"], strict=True):
        check["probabilities"] = {**dict.fromkeys(check["probabilities"], 0.0), label.value: 1.0}
    (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")
    assert len(model.card["self_check"]) == len(KNOWN_PAIRS)
    with pytest.raises(ModelError, match="answers a known pair"):
        CrossEncoderModel(folder)


def test_copying_replaces_what_is_there(exported: Path, tmp_path: Path) -> None:
    target = tmp_path / "package" / "verifier"
    copy_model(exported, target)
    (target / "model.bin").write_bytes(b"older")
    copy_model(exported, target)
    assert asdict(CrossEncoderModel(target).shape) == asdict(SHAPE)
    assert sorted(path.name for path in target.iterdir()) == [*FILES, "words.npz"]


def test_words_that_a_neighbour_shares_are_not_copied(exported: Path, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    shared = package / "words.npz"
    shared.write_bytes((exported / "words.npz").read_bytes())
    copy_model(exported, package / "verifier")
    assert sorted(path.name for path in (package / "verifier").iterdir()) == list(FILES)
    assert len(CrossEncoderModel(package / "verifier").score(PASSAGES)) == len(PASSAGES)
    shared.write_bytes(b"other words")
    copy_model(exported, package / "other")
    assert sorted(path.name for path in (package / "other").iterdir()) == [*FILES, "words.npz"]

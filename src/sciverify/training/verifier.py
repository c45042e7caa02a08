"""Exports a trained cross-encoder as the folder that `sciverify.models.CrossEncoderModel` opens."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import TrainingError
from sciverify.models.card import file_hash
from sciverify.models.crossencoder import LABELS, CrossEncoderModel, Decision, Passage
from sciverify.models.inputs import InputShape, build_windows
from sciverify.models.tokens import WEIGHTS, load_tokenizer
from sciverify.models.words import WordTable, load_words, quantise_words
from sciverify.records import Label
from sciverify.training.export import save_int8, save_model_card

__all__ = ["KNOWN_PAIRS", "copy_model", "export_verifier", "set_decision"]

KNOWN_PAIRS: Sequence[tuple[Label, Passage]] = (
    (
        Label.SUPPORTS,
        Passage(
            "Regular exercise lowers blood pressure.",
            "Exercise and blood pressure in adults with hypertension",
            (
                "We randomly assigned 240 adults with hypertension to supervised exercise or usual care.",
                "Regular exercise significantly lowered blood pressure compared with usual care.",
            ),
        ),
    ),
    (
        Label.REFUTES,
        Passage(
            "Regular exercise increases blood pressure.",
            "Exercise and blood pressure in adults with hypertension",
            (
                "We randomly assigned 240 adults with hypertension to supervised exercise or usual care.",
                "Regular exercise significantly lowered blood pressure compared with usual care.",
            ),
        ),
    ),
    (
        Label.NEI,
        Passage(
            "Zinc deficiency impairs wound healing in mice.",
            "Migration routes of Arctic terns",
            (
                "Geolocators were fitted to eleven terns breeding in Greenland.",
                "The birds followed the coast of Africa or of South America on their way south.",
            ),
        ),
    ),
)
"""Our own sentences: a model that gets one of them wrong is damaged, permuted or not worth shipping."""


def export_verifier(
    weights: Path,
    folder: Path,
    passages: Sequence[Passage],
    shape: InputShape,
    card: Mapping[str, Any],
    *,
    quantise: bool = True,
    known: bool = True,
) -> CrossEncoderModel:
    """Write ``model.xml``, ``model.bin`` and ``model.json`` and open the result.

    Args:
        weights: a state that `train_stage` saved.
        folder: where to write.
        passages: representative inputs that calibrate the quantisation.
        shape: the input sizes that the model was trained with.
        card: ``name`` and whatever else the card should say.
        quantise: False keeps fp32, for the gate's comparison.
        known: False takes down what the model answers to `KNOWN_PAIRS`, right or wrong: for one that sees a part of
            them only, or that is not there to label.

    Raises:
        TrainingError: the model gets one of `KNOWN_PAIRS` wrong.
    """
    import torch

    from sciverify.training.network import LABEL_ORDER, OUTPUTS, open_network

    class Reader(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(
            self, word_embeddings: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
        ) -> tuple[torch.Tensor, ...]:
            return network.read(word_embeddings, attention_mask, token_type_ids)

    network = open_network(weights)
    network.use_fused_attention()
    folder.mkdir(parents=True, exist_ok=True)
    words = _save_words(network.encoder.get_input_embeddings().weight.detach().numpy(), folder)
    save_int8(Reader().eval(), _inputs(passages, shape, words), OUTPUTS, folder, quantise=quantise)
    content = {
        **card,
        "labels": list(LABEL_ORDER),
        "shape": asdict(shape),
        "decision": asdict(Decision()),
        "self_check": [],
    }
    save_model_card(folder, content)
    return _with_known_pairs(folder, content, known=known)


def set_decision(folder: Path, decision: Decision, *, known: bool = True, **more: Any) -> CrossEncoderModel:
    """Write a fitted decision, and anything else for the card, and open the result; `known` as for the export."""
    content = {**CrossEncoderModel(folder).card, "decision": asdict(decision), "self_check": [], **more}
    save_model_card(folder, content)
    return _with_known_pairs(folder, content, known=known)


def copy_model(source: Path, target: Path) -> None:
    """Copy a model folder's files, replacing what is there; word embeddings that all models share stay one copy."""
    target.mkdir(parents=True, exist_ok=True)
    shared = target.with_name("words.npz")
    for name in ("model.xml", "model.bin", "model.json", "words.npz"):
        if name == "words.npz" and shared.exists() and file_hash(shared) == file_hash(source / name):
            continue
        shutil.copyfile(source / name, target / name)


def _with_known_pairs(folder: Path, content: dict[str, Any], *, known: bool) -> CrossEncoderModel:
    """Record what the model answers to the known pairs; temperature changes it, so this follows every change."""
    model = CrossEncoderModel(folder, self_check=False)
    checks = []
    for (label, passage), scores in zip(KNOWN_PAIRS, model.score([p for _, p in KNOWN_PAIRS]), strict=True):
        probabilities = model.probabilities(scores)
        if known and LABELS[int(np.argmax(probabilities))] is not label:
            raise TrainingError(
                f"the model takes a known pair ({label}) for {LABELS[int(np.argmax(probabilities))]}",
                where=passage.claim,
                remedy="Train longer, or look for a mistake in the labels",
            )
        named = {name.value: round(float(p), 4) for name, p in zip(LABELS, probabilities, strict=True)}
        checks.append({**passage._asdict(), "elements": list(passage.elements), "probabilities": named})
    save_model_card(folder, {**content, "self_check": checks})
    return CrossEncoderModel(folder)


def _save_words(embeddings: NDArray[np.float32], folder: Path) -> WordTable:
    """Write the word embeddings into a model's folder: the very file that ships, where they are the same."""
    words, shipped = quantise_words(embeddings, folder / "words.npz"), load_words(WEIGHTS / "words.npz")
    ids = np.arange(words.shape[0])
    if words.shape != shipped.shape or not np.array_equal(words.embed(ids), shipped.embed(ids)):
        return words
    if folder.parent == WEIGHTS:
        (folder / "words.npz").unlink()  # it finds those one folder up
    else:
        shutil.copyfile(WEIGHTS / "words.npz", folder / "words.npz")
    return shipped


def _inputs(passages: Sequence[Passage], shape: InputShape, words: WordTable) -> list[dict[str, Any]]:
    tokens = load_tokenizer()
    inputs = []
    for passage in passages:
        claim, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements])
        window = build_windows(tokens, claim, title, elements, shape)[0]
        ids = np.array([window.input_ids], dtype=np.int64)
        types = np.array([window.token_type_ids], dtype=np.int64)
        embedded = words.embed(ids)
        inputs.append({"word_embeddings": embedded, "attention_mask": np.ones_like(ids), "token_type_ids": types})
    return inputs

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")
pytest.importorskip("nncf", reason="needs the extra train")

import torch

from sciverify.models.card import file_hash
from sciverify.models.inputs import InputShape, Window, build_windows
from sciverify.models.session import Session
from sciverify.models.tokens import load_tokenizer
from sciverify.models.words import WordTable, quantise_words
from sciverify.training.export import save_int8, save_model_card
from sciverify.training.network import OUTPUTS, CrossEncoder
from sciverify.training.verifier import KNOWN_PAIRS


class Reader(torch.nn.Module):
    """The network behind its word embeddings, as it is exported."""

    def __init__(self, network: CrossEncoder) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, word_embeddings: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        return self.network.read(word_embeddings, attention_mask, token_type_ids)


@pytest.fixture(scope="module")
def network(tiny_bert: Path) -> CrossEncoder:
    torch.manual_seed(2)
    model = CrossEncoder(tiny_bert)
    model.use_fused_attention()
    return model.eval()


@pytest.fixture(scope="module")
def windows() -> list[Window]:
    tokens = load_tokenizer()
    found = []
    for _, passage in KNOWN_PAIRS:
        for count in range(3):
            claim, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements[:count]])
            found += build_windows(tokens, claim, title, elements, InputShape())
    return found


def calibration(windows: list[Window], words: WordTable | None) -> list[dict[str, Any]]:
    inputs = []
    for window in windows:
        ids, types = (np.array([row], dtype=np.int64) for row in (window.input_ids, window.token_type_ids))
        read = {"input_ids": ids} if words is None else {"word_embeddings": words.embed(ids)}
        inputs.append({**read, "attention_mask": np.ones_like(ids), "token_type_ids": types})
    return inputs


@pytest.mark.parametrize(
    ("embedded", "quantise", "tolerance"), [(False, False, 0.05), (True, False, 0.1), (True, True, 0.3)]
)
def test_the_exported_model_answers_like_torch(
    network: CrossEncoder, windows: list[Window], tmp_path: Path, embedded: bool, quantise: bool, tolerance: float
) -> None:
    folder = tmp_path / "not" / "yet"
    folder.parent.mkdir()
    words = None
    if embedded:
        table = network.encoder.get_input_embeddings().weight.detach().numpy()
        words = quantise_words(table, folder.parent / "words.npz")  # one folder up, as the shipped models share it
    module = Reader(network).eval() if embedded else network
    inputs = calibration(windows, words)
    assert save_int8(module, inputs, OUTPUTS, folder, quantise=quantise) == folder / "model.xml"
    session = Session(folder / "model.xml", threads=1)
    assert set(session.inputs) == set(inputs[0])
    assert session.outputs == OUTPUTS
    # In batches, and padded: the shapes that were traced are not the only ones.
    results = session.run(
        {
            "input_ids": [window.input_ids for window in windows],
            "token_type_ids": [window.token_type_ids for window in windows],
        }
    )
    for row, result in zip(calibration(windows, None), results, strict=True):
        with torch.inference_mode():
            label, relevance, tokens = network(**{name: torch.from_numpy(values) for name, values in row.items()})
        length = row["input_ids"].shape[1]
        spread = float(tokens.std())  # processors with bfloat16 differ even without int8
        for found, expected in (
            (result["label"], label[0]),
            (result["relevance"], relevance[0]),
            (result["tokens"][:length], tokens[0]),
        ):
            np.testing.assert_allclose(found, expected.numpy(), atol=tolerance * spread, rtol=0)
    assert (b'type="i8"' in (folder / "model.xml").read_bytes()) is quantise


def test_a_card_carries_the_hash_of_the_weights(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"weights")
    save_model_card(tmp_path, {"name": "x", "sha256": "stale", "labels": ["ä"]})
    card = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert card == {"name": "x", "sha256": sha256(b"weights").hexdigest(), "labels": ["ä"]}
    assert file_hash(tmp_path / "model.bin") == card["sha256"]

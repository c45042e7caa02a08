from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")
pytest.importorskip("nncf", reason="needs the extra train")

import torch

from sciverify.models.inputs import InputShape
from sciverify.models.session import Session
from sciverify.training.export import file_hash, save_int8, save_model_card
from sciverify.training.network import OUTPUTS, CrossEncoder
from sciverify.training.verifier import KNOWN_PAIRS, _inputs

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@pytest.fixture(scope="module")
def module(tiny_bert: Path) -> CrossEncoder:
    torch.manual_seed(2)
    model = CrossEncoder(tiny_bert)
    model.use_fused_attention()
    return model.eval()


@pytest.fixture(scope="module")
def inputs() -> list[dict[str, np.ndarray]]:
    passages = [passage for _, passage in KNOWN_PAIRS]
    shorter = [passage._replace(elements=passage.elements[:1]) for passage in passages]
    return _inputs([*passages, *shorter, passages[0]._replace(elements=())], InputShape())


@pytest.mark.parametrize(("quantise", "tolerance"), [(False, 0.05), (True, 0.25)])
def test_the_exported_model_answers_like_torch(
    module: CrossEncoder, inputs: list[dict[str, np.ndarray]], tmp_path: Path, quantise: bool, tolerance: float
) -> None:
    folder = tmp_path / "not" / "yet"
    assert save_int8(module, inputs, OUTPUTS, folder, quantise=quantise) == folder / "model.xml"
    session = Session(folder / "model.xml", threads=1)
    assert set(session.inputs) == set(INPUTS)
    assert session.outputs == OUTPUTS
    rows = {name: [row[name][0].tolist() for row in inputs] for name in INPUTS if name != "attention_mask"}
    results = session.run(rows)  # in batches, and padded: the shapes that were traced are not the only ones
    for row, result in zip(inputs, results, strict=True):
        with torch.inference_mode():
            label, relevance, tokens = module(**{name: torch.from_numpy(row[name]) for name in INPUTS})
        length = row["input_ids"].shape[1]
        for found, expected in (
            (result["label"], label[0]),
            (result["relevance"], relevance[0]),
            (result["tokens"][:length], tokens[0]),
        ):
            spread = float(tokens.std())  # processors with bfloat16 differ even without int8
            np.testing.assert_allclose(found, expected.numpy(), atol=tolerance * spread, rtol=0)
    assert (b'type="i8"' in (folder / "model.xml").read_bytes()) is quantise


def test_a_card_carries_the_hash_of_the_weights(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"weights")
    save_model_card(tmp_path, {"name": "x", "sha256": "stale", "labels": ["ä"]})
    card = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert card == {"name": "x", "sha256": sha256(b"weights").hexdigest(), "labels": ["ä"]}
    assert file_hash(tmp_path / "model.bin") == card["sha256"]

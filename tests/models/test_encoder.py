from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from sciverify.errors import ModelError
from sciverify.models import load_encoder
from sciverify.models.encoder import MiniLmEncoder
from sciverify.models.tokens import WEIGHTS
from sciverify.stages import TextEncoder

TEXTS = (
    "Regular exercise lowers blood pressure.",
    "Physical activity reduces hypertension in adults.",
    "Arctic terns migrate from Greenland to the Antarctic.",
    "",
    "p",
    "\x00 \ud800",
    "IL-6: α-synuclein* (AND) \U0001f9ea",
    "Vitamin D supplements had no effect on respiratory infections. " * 200,
)


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return load_encoder().encode(TEXTS)


def test_rows_are_unit_vectors(vectors: np.ndarray) -> None:
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_a_vector_hardly_depends_on_its_batch(vectors: np.ndarray) -> None:
    encoder = load_encoder()
    for text, together in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(encoder.encode([text])[0], together, atol=1e-2)
    backwards = encoder.encode(TEXTS[::-1])[::-1]
    np.testing.assert_allclose(backwards, vectors, atol=1e-2)


def test_what_means_the_same_is_nearer(vectors: np.ndarray) -> None:
    exercise, activity, terns = vectors[:3]
    assert exercise @ activity > 0.5 > 0.2 > exercise @ terns


def test_a_long_text_counts_as_far_as_it_is_read() -> None:
    first = "blood " * 254
    one, other = load_encoder().encode([first + "pressure", first + "tern"])
    np.testing.assert_allclose(one, other, atol=1e-2)


def test_no_texts() -> None:
    assert load_encoder().encode([]).shape == (0, 384)


def test_the_name_carries_the_hash_of_the_weights() -> None:
    network = sha256((WEIGHTS / "encoder/model.bin").read_bytes()).hexdigest()
    words = sha256((WEIGHTS / "words.npz").read_bytes()).hexdigest()
    assert load_encoder().name == f"all-MiniLM-L6-v2-int8@{network[:8]}{words[-4:]}"


def test_it_is_compiled_once_and_is_a_text_encoder() -> None:
    assert load_encoder() is load_encoder()
    assert isinstance(load_encoder(), TextEncoder)


@pytest.mark.parametrize("content", [None, "", "{", '{"name": "x"}', "\xff"])
def test_a_card_that_is_missing_or_damaged(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "model.json").write_text(content, encoding="latin-1")
    with pytest.raises(ModelError) as caught:
        MiniLmEncoder(tmp_path)
    assert caught.value.where == str(tmp_path / "model.json")


def test_missing_words(copied: Callable[[Path], Path]) -> None:
    folder = copied(WEIGHTS / "encoder")
    assert MiniLmEncoder(folder, threads=1).name == load_encoder().name
    (folder / "words.npz").unlink()
    with pytest.raises(ModelError, match=r"words\.npz"):
        MiniLmEncoder(folder, threads=1)


def test_missing_weights(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps({"name": "x", "sha256": "0" * 64}), encoding="utf-8")
    with pytest.raises(ModelError, match=r"model\.bin"):
        MiniLmEncoder(tmp_path)

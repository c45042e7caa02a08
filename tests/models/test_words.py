from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sciverify.errors import ModelError
from sciverify.models.tokens import WEIGHTS, load_tokenizer
from sciverify.models.words import WordTable, load_words, quantise_words


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("words") / "words.npz"


@settings(deadline=None)
@given(values=arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(-9, 9, width=32)))
def test_a_table_is_true_to_half_a_step(path: Path, values: np.ndarray) -> None:
    table = quantise_words(values, path)
    assert table.shape == values.shape
    found = table.embed(np.arange(len(values)))
    assert found.dtype == np.float32
    steps = np.abs(values).max(axis=1, keepdims=True) / 127  # a row of zeros stays zero
    assert (np.abs(found - values) <= 0.51 * steps + 1e-8).all()


def test_embeddings_follow_the_shape_of_the_ids(path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(10, 4))
    table = quantise_words(values, path)
    ids = np.array([[3, 0, 9], [0, 0, 3]])
    found = table.embed(ids)
    assert found.shape == (2, 3, 4)
    np.testing.assert_array_equal(found[0, 0], found[1, 2])
    np.testing.assert_allclose(found, values[ids], atol=0.05)
    assert table.embed(np.empty((0, 3), dtype=np.int64)).shape == (0, 3, 4)


def test_a_written_table_can_be_read_again(path: Path) -> None:
    written = quantise_words(np.eye(3), path)
    np.testing.assert_array_equal(WordTable(path).embed(np.arange(3)), written.embed(np.arange(3)))


def test_the_shipped_table_has_a_row_for_every_word() -> None:
    table = load_words(WEIGHTS / "words.npz")
    assert table is load_words(WEIGHTS / "words.npz")
    assert table.shape == (30_522, 384)
    tokens = load_tokenizer()
    rows = table.embed(np.array([tokens.cls, tokens.sep]))
    assert np.isfinite(rows).all()
    assert (rows[0] != rows[1]).any()


class TestFiles:
    def write(self, path: Path, **parts: np.ndarray) -> Path:
        with path.open("wb") as file:
            np.savez(file, **parts)  # type: ignore[arg-type]
        return path

    def refused(self, path: Path) -> None:
        with pytest.raises(ModelError, match="word embeddings") as caught:
            WordTable(path)
        assert caught.value.where == str(path)
        assert caught.value.remedy
        del caught
        gc.collect()

    @pytest.mark.parametrize("content", [b"", b"PK", b"<html>not found</html>", b"\x80\x04."])
    def test_something_else_in_its_place(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "words.npz"
        path.write_bytes(content)
        self.refused(path)

    @pytest.mark.parametrize("keep", [0.1, 0.5, 0.99])
    def test_a_file_that_was_cut_off(self, tmp_path: Path, keep: float) -> None:
        path = tmp_path / "words.npz"
        quantise_words(np.random.default_rng(0).normal(size=(50, 8)), path)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * keep)])
        self.refused(path)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        self.refused(tmp_path / "words.npz")

    def test_parts_that_are_missing_or_do_not_fit(self, tmp_path: Path) -> None:
        rows, scales = np.zeros((4, 2), np.int8), np.ones(4, np.float32)
        path = tmp_path / "words.npz"
        self.refused(self.write(path, rows=rows))
        self.refused(self.write(path, scales=scales))
        self.refused(self.write(path, rows=rows, scales=scales[:3]))
        self.refused(self.write(path, rows=rows.astype(np.float32), scales=scales))
        self.refused(self.write(path, rows=rows[0], scales=scales))
        self.refused(self.write(path, rows=np.array([{}], dtype=object), scales=scales))

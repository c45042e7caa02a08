"""Small OpenVINO models whose outputs can be worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sciverify.models.crossencoder import CrossEncoderModel, Decision, Passage
from sciverify.models.inputs import InputShape, Window
from sciverify.models.telemetry import without_telemetry

VOCABULARY = 30_522  # of the tokenizer that ships
COLUMNS = ("NEI", "SUPPORTS", "REFUTES")  # not the order of the code, on purpose
CHECKED = (
    Passage(
        "Aspirin prevents strokes.", "A trial of aspirin", ("Strokes were rarer with aspirin.", "We are grateful.")
    ),
    Passage("Zinc causes anaemia.", "", ("Zinc had no effect.",)),
    Passage("Terns fly south.", "Migration", ()),
)


@dataclass(frozen=True)
class TableModel:
    """A verifier whose logits are sums of table entries: one row of 7 numbers per token id."""

    folder: Path
    table: NDArray[np.float32]

    def label(self, window: Window) -> NDArray[np.float32]:
        """In the order of the code: SUPPORTS, REFUTES, NEI."""
        return np.asarray(self.table[window.input_ids, :3].mean(axis=0)[[1, 2, 0]])

    def relevance(self, window: Window) -> float:
        """The mean of column 3 over the tokens of type 1."""
        return float((self.table[window.input_ids, 3] * np.array(window.token_type_ids)).mean())

    def elements(self, window: Window) -> NDArray[np.float32]:
        """What stands before each closing separator: column 4 of the token there and of the one before it."""
        ids = np.array(window.input_ids)
        ends = np.array(window.separators, dtype=np.int64)
        return np.asarray(self.table[ids[ends], 4] + self.table[ids[ends - 1], 4])

    def write_card(self, **changes: Any) -> None:
        """Write ``model.json`` anew with these keys changed; a key with the value None is left out."""
        path = self.folder / "model.json"
        card = {**json.loads(path.read_text(encoding="utf-8")), **changes}
        path.write_text(json.dumps({k: v for k, v in card.items() if v is not None}), encoding="utf-8")


@pytest.fixture
def counting_model(tmp_path: Path) -> Path:
    """Outputs ``total`` (the sum of a row's ids) and ``squares`` (id * id, with the token axis)."""
    with without_telemetry():
        import openvino as ov
    from openvino import opset13 as ops

    ids, mask = (ops.parameter([-1, -1], np.int64) for _ in range(2))
    squared_by = ops.constant(np.arange(100, dtype=np.float32))  # a weight, so that the .bin isn't empty
    seen = ops.convert(ops.multiply(ids, mask), "f32")
    squares = ops.multiply(seen, ops.gather(squared_by, ids, ops.constant(0)))
    total = ops.reduce_sum(seen, ops.constant(np.array([1])), keep_dims=False)
    return save(
        ov.Model([total, squares], [ids, mask]), ["input_ids", "attention_mask"], ["total", "squares"], tmp_path
    )


@pytest.fixture(scope="session")
def table_folder(tmp_path_factory: pytest.TempPathFactory) -> TableModel:
    """The one copy of the table model; tests that change it take `table_model`."""
    with without_telemetry():
        import openvino as ov
    from openvino import opset13 as ops

    folder = tmp_path_factory.mktemp("verifier")
    table = np.random.default_rng(0).normal(size=(VOCABULARY, 5)).astype(np.float32)
    table[:, :3] *= 4
    ids, mask, types = (ops.parameter([-1, -1], np.int64) for _ in range(3))
    weight = ops.unsqueeze(ops.convert(mask, "f32"), ops.constant(2))
    rows = ops.multiply(ops.gather(ops.constant(table), ids, ops.constant(0)), weight)
    rows_of_type_1 = ops.multiply(rows, ops.unsqueeze(ops.convert(types, "f32"), ops.constant(2)))
    length = ops.reduce_sum(weight, ops.constant(np.array([1])), keep_dims=False)

    def mean(values: Any, first: int, last: int) -> Any:
        total = ops.reduce_sum(columns(values, first, last), ops.constant(np.array([1])), keep_dims=False)
        return ops.divide(total, length)

    def columns(values: Any, first: int, last: int) -> Any:
        bounds = [ops.constant(np.array([n])) for n in (first, last, 1, 2)]
        return ops.slice(values, *bounds)

    scores = columns(rows, 4, 5)
    no_token = ops.multiply(
        ops.slice(scores, *(ops.constant(np.array([n])) for n in (0, 1, 1, 1))), ops.constant(np.float32(0))
    )
    before = ops.concat([no_token, ops.slice(scores, *(ops.constant(np.array([n])) for n in (0, -1, 1, 1)))], 1)
    tokens = ops.concat([ops.add(scores, before), columns(rows, 0, 2)], 2)  # column 0 is the one that counts
    relevance = ops.squeeze(mean(rows_of_type_1, 3, 4), ops.constant(np.array([1])))
    model = ov.Model([mean(rows, 0, 3), relevance, tokens], [ids, mask, types])
    path = save(model, ["input_ids", "attention_mask", "token_type_ids"], ["label", "relevance", "tokens"], folder)
    card = {
        "name": "table",
        "labels": COLUMNS,
        "shape": asdict(InputShape(max_tokens=64, max_claim=16, max_title=8, overlap=1)),
        "decision": asdict(Decision()),
        "self_check": [],
        "sha256": sha256(path.with_suffix(".bin").read_bytes()).hexdigest(),
    }
    made = TableModel(folder, table)
    (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")
    made.write_card(self_check=checks(CrossEncoderModel(folder, threads=1, self_check=False), CHECKED))
    return made


@pytest.fixture
def table_model(table_folder: TableModel, copied: Callable[[Path], Path]) -> TableModel:
    """A copy of the table model that a test may damage."""
    return TableModel(copied(table_folder.folder), table_folder.table)


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    """Copies a model folder; the weights and the words are links, to be replaced by a test that changes them."""

    def copy(source: Path) -> Path:
        folder = tmp_path / "copy"
        folder.mkdir()
        for name in ("model.xml", "model.json"):
            (folder / name).write_bytes((source / name).read_bytes())
        (folder / "model.bin").symlink_to(source / "model.bin")
        for words in (source / "words.npz", source.parent / "words.npz"):
            if words.exists() and not (folder / "words.npz").exists():
                (folder / "words.npz").symlink_to(words)
        return folder

    return copy


def checks(model: CrossEncoderModel, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """What the model answers, in the form of a card."""
    answers = []
    for passage, scores in zip(passages, model.score(passages), strict=True):
        supports, refutes, nei = (float(p) for p in model.probabilities(scores))
        named = {"SUPPORTS": supports, "REFUTES": refutes, "NEI": nei}
        answers.append({**passage._asdict(), "elements": list(passage.elements), "probabilities": named})
    return answers


def save(model: Any, inputs: Sequence[str], outputs: Sequence[str], folder: Path) -> Path:
    """Name the ports and write ``model.xml`` and ``model.bin``."""
    with without_telemetry():
        import openvino as ov

    for ports, names in ((model.inputs, inputs), (model.outputs, outputs)):
        for port, name in zip(ports, names, strict=True):
            port.get_tensor().set_names({name})
    path = folder / "model.xml"
    ov.save_model(model, path, compress_to_fp16=False)
    return path

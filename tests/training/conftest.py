"""Small data sets of our own words in each published format, and a small untrained encoder."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """``write(path, records, columns)`` puts records below `tmp_path` in the format that the file's name says."""

    def write_file(name: str, records: Sequence[Any], columns: Sequence[str] | None = None) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        elif name.endswith(".csv"):
            _table(path, records, columns or list(records[0]), delimiter=",")
        elif name.endswith(".tsv"):
            _table(path, records, columns or list(records[0]), delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None)
        else:
            path.write_text("".join(f"{line}\n" for line in records), encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def write_cited(write: Write) -> Callable[..., None]:
    """Writes a data set in SciFact's form: documents as ``{id: sentences}``, claims as dictionaries."""

    def write_set(folder: str, documents: Mapping[int, Sequence[str]], claims: Iterable[Mapping[str, Any]]) -> None:
        write(
            f"{folder}/corpus.jsonl",
            [{"doc_id": id, "title": f"Title {id}", "abstract": list(texts)} for id, texts in documents.items()],
        )
        write(f"{folder}/claims_train.jsonl", list(claims))

    return write_set


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a random BERT of 2 layers and width 32, with the vocabulary of the tokenizer that ships."""
    torch = pytest.importorskip("torch", reason="needs the extra train")
    transformers = pytest.importorskip("transformers", reason="needs the extra train")
    torch.set_num_threads(1)  # what these sizes need
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=30_522,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
    )
    folder = tmp_path_factory.mktemp("bert")
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture
def pretrained(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the small encoder in the place of the published weights."""
    monkeypatch.setattr("sciverify.training.encoder.pretrained_folder", lambda: tiny_bert)
    return tiny_bert


def _table(path: Path, records: Sequence[Mapping[str, Any]], columns: Sequence[str], **form: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", **form)
        writer.writeheader()
        writer.writerows(records)

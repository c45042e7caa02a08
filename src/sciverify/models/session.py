"""Running an OpenVINO model on many short token sequences of unlike length.

Sequences are sorted by length, cut into batches of about the same number of tokens, and put through an
asynchronous queue; results come back in the caller's order. Padding is to a multiple of 16 tokens, so that the
engine sees few distinct shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import ModelError
from sciverify.models.card import REINSTALL, words_beside
from sciverify.models.cpu import available_cpus
from sciverify.models.telemetry import without_telemetry
from sciverify.models.words import load_words

__all__ = ["BatchPlan", "Session", "plan_batches"]

BATCH_TOKENS = 4096
MAX_BATCH = 64
_PAD_TO = 16
_EMBEDDED = "word_embeddings"

BatchPlan = list[NDArray[np.int64]]


def plan_batches(lengths: Sequence[int], batch_tokens: int = BATCH_TOKENS, max_batch: int = MAX_BATCH) -> BatchPlan:
    """Cut positions ``0 .. len(lengths)-1`` into batches of like length.

    Each batch has at most `max_batch` rows and, padded, at most `batch_tokens` tokens (a single longer row gets a
    batch of its own). Longest first, so that the memory peak comes at once and the queue drains evenly.
    """
    order = np.argsort(np.asarray(lengths, dtype=np.int64), kind="stable")[::-1]
    batches: BatchPlan = []
    start = 0
    while start < len(order):
        width = _padded(int(lengths[order[start]]))
        size = max(1, min(max_batch, batch_tokens // width))
        batches.append(order[start : start + size])
        start += size
    return batches


class Session:
    """A compiled model with named inputs of shape (batch, tokens) and named outputs, batch first.

    Instead of ``input_ids`` a model may take ``word_embeddings``, shape (batch, tokens, dimensions): its ids are then
    looked up in ``words.npz``, beside the model or one folder up, where the shipped models share it.

    Args:
        path: the model's ``.xml``; its ``.bin`` lies beside it.
        threads: inference threads; None takes the processors that this process may use.

    Raises:
        ModelError: the files are missing or OpenVINO cannot read them.
    """

    def __init__(self, path: Path, threads: int | None = None) -> None:
        with without_telemetry():
            import openvino as ov  # here, so that importing the package stays quick

        for part in (path, path.with_suffix(".bin")):
            if not part.is_file():
                raise ModelError("a model file is missing", where=str(part), remedy=REINSTALL)
        self.path = path
        self.threads = threads or available_cpus()
        options: dict[str, Any] = {
            "INFERENCE_NUM_THREADS": self.threads,
            "NUM_STREAMS": self.threads,
            "ENABLE_CPU_PINNING": False,  # several processes on one machine would pin to the same cores
        }
        try:
            model = ov.Core().read_model(path)
            self.inputs = tuple(port.get_any_name() for port in model.inputs)
            self.outputs = tuple(port.get_any_name() for port in model.outputs)
            self._compiled = ov.compile_model(model, "CPU", options)
        except RuntimeError as error:
            raise ModelError(
                f"OpenVINO cannot load it ({str(error).splitlines()[0]})",
                where=str(path),
                remedy=REINSTALL,
            ) from error
        self._words = load_words(words_beside(path.parent)) if _EMBEDDED in self.inputs else None
        self._queue = ov.AsyncInferQueue(self._compiled, self.threads)
        self._running = Lock()  # the queue and its callback serve one caller at a time

    def run(self, rows: Mapping[str, Sequence[Sequence[int]]]) -> list[dict[str, NDArray[np.float32]]]:
        """Infer every row and give its outputs, in order.

        Args:
            rows: for each input, one sequence of ids per row; all inputs of one row have the same length. The
                input ``attention_mask`` is made here.

        Returns:
            Per row, the output arrays without the batch axis. An output with a token axis keeps the padding.
        """
        lengths = [len(row) for row in rows["input_ids"]]
        results: list[dict[str, NDArray[np.float32]]] = [{} for _ in lengths]

        def collect(request: Any, batch: NDArray[np.int64]) -> None:
            for name in self.outputs:
                values = request.get_tensor(name).data.copy()
                for row, position in enumerate(batch):
                    results[position][name] = values[row]

        with self._running:
            self._queue.set_callback(collect)
            for batch in plan_batches(lengths):
                self._queue.start_async(self._pad(rows, batch, lengths), userdata=batch)
            self._queue.wait_all()
        return results

    def _pad(
        self, rows: Mapping[str, Sequence[Sequence[int]]], batch: NDArray[np.int64], lengths: Sequence[int]
    ) -> dict[str, NDArray[Any]]:
        width = _padded(max(lengths[position] for position in batch))
        padded: dict[str, NDArray[Any]] = {}
        for name in ("attention_mask", *rows):
            values = padded[name] = np.zeros((len(batch), width), dtype=np.int64)
            for row, position in enumerate(batch):
                values[row, : lengths[position]] = 1 if name == "attention_mask" else rows[name][position]
        if self._words is not None:
            padded[_EMBEDDED] = self._words.embed(padded.pop("input_ids"))
        return padded


def _padded(length: int) -> int:
    return max(_PAD_TO, -(-length // _PAD_TO) * _PAD_TO)

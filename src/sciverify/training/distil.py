"""Distillation: what teachers say about the windows that train a student (Hinton et al. 2015).

A teacher is a network that the same recipes trained, mostly from a bigger encoder; several make an ensemble, whose
logits are averaged (the geometric mean of their probabilities). What it says is kept in ``soft/TEACHER``: parts of some
thousand windows, written whole or not at all, so that scoring goes on after a kill, and windows that another stage or
fold needs again aren't read twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch

from sciverify.errors import TrainingError
from sciverify.models.card import file_hash
from sciverify.training.features import Row, Soft, collate
from sciverify.training.network import CrossEncoder, open_network

__all__ = ["Teacher", "soft_rows", "teacher_weights"]

_PART = 1024  # windows per file
_BATCH_TOKENS = 8192
_FILE = "{:05}.npz"


def teacher_weights(teachers: Sequence[str], fold: int | None) -> list[Path]:
    """The weights files that a recipe's `teacher` names.

    Args:
        teachers: run folders, which stand for the last stage that they finished, or ``.pt`` files.
        fold: the fold whose claims the student must not learn of, not even from a teacher. Then the teacher's weights
            of the same fold are taken: those of a folder's ``fold_N``, or the file of the same name in it.

    Raises:
        TrainingError: there are no such weights, or the run hasn't finished.
    """
    return [_weights(Path(teacher), fold) for teacher in teachers]


class Teacher:
    """Networks that are asked together.

    Args:
        weights: a file of weights per network (`sciverify.training.network.save_state`).

    Raises:
        TrainingError: a file cannot be read, or there is none.
    """

    def __init__(self, weights: Sequence[Path]) -> None:
        if not weights:
            raise TrainingError("a teacher needs weights", remedy="Name a run folder or a .pt file")
        self.networks = [open_network(path).to_best_device().eval() for path in weights]
        self.name = hashlib.sha256("".join(map(file_hash, weights)).encode()).hexdigest()[:16]
        """Sixteen digits that change with any of the weights."""

    @property
    def max_tokens(self) -> int:
        """The longest window that all of them can read."""
        return min(network.max_tokens for network in self.networks)

    def score(self, rows: Sequence[Row]) -> list[Soft]:
        """The mean logits of each window, in order."""
        order = sorted(range(len(rows)), key=lambda number: -len(rows[number].window.input_ids))
        scores: dict[int, Soft] = {}
        for numbers in _batches(order, rows):
            batch = [rows[number] for number in numbers]
            scores.update(zip(numbers, self._score(batch), strict=True))
        return [scores[number] for number in range(len(rows))]

    def _score(self, rows: Sequence[Row]) -> list[Soft]:
        outputs = [_outputs(network, rows) for network in self.networks]
        label, relevance, elements = (sum(parts) / len(outputs) for parts in zip(*outputs, strict=True))
        return [
            Soft(tuple(label[n].tolist()), float(relevance[n]), tuple(elements[n][row.window.separators].tolist()))
            for n, row in enumerate(rows)
        ]


def soft_rows(
    rows: Sequence[Row],
    weights: Sequence[Path],
    store: Path,
    *,
    notify: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """The rows with what the teacher says about each.

    Args:
        rows: the student's windows; a teacher reads the same tokens.
        weights: the teacher's files.
        store: where answers are kept, in a folder per teacher; those that are there are not asked for again.
        notify: told what happens, one line at a time.

    Raises:
        TrainingError: the windows are longer than a teacher can read, or a stored part is damaged.
    """
    teacher = Teacher(weights)
    longest = max((len(row.window.input_ids) for row in rows), default=0)
    if longest > teacher.max_tokens:
        raise TrainingError(
            f"a window has {longest} tokens, but the teacher reads {teacher.max_tokens}",
            where=str(weights[0]),
            remedy=f"Set max_tokens to {teacher.max_tokens} or less",
        )
    folder = store / teacher.name
    folder.mkdir(parents=True, exist_ok=True)
    parts = sorted(folder.glob("*.npz"))
    known = {key: soft for part in parts for key, soft in _read(part)}
    keys = [_key(row) for row in rows]
    missing = {key: row for key, row in zip(keys, rows, strict=True) if key not in known}
    notify(f"teacher {teacher.name}: {len(missing):,} of {len(rows):,} windows to read")
    todo = list(missing.items())
    for begin in range(0, len(todo), _PART):
        part = todo[begin : begin + _PART]
        path = folder / _FILE.format(len(parts) + begin // _PART)
        _write(path, [key for key, _ in part], teacher.score([row for _, row in part]))
        known.update(_read(path))  # as stored, so that a resumed run learns from the same numbers
        notify(f"teacher {teacher.name}: {begin + len(part):,} of {len(todo):,} read")
    return [replace(row, soft=known[key]) for key, row in zip(keys, rows, strict=True)]


def _weights(teacher: Path, fold: int | None) -> Path:
    if teacher.suffix == ".pt":
        path = teacher if fold is None else teacher.parent / f"fold_{fold}" / teacher.name
    else:
        folder = teacher if fold is None else teacher / f"fold_{fold}"
        path = folder / f"{_last_stage(folder)}.pt"
    if not path.is_file():
        raise TrainingError(
            "the teacher's weights are not there" + (f", trained without fold {fold}" if fold is not None else ""),
            where=str(path),
            remedy="Train the teacher first" + (f", with --fold {fold}" if fold is not None else ""),
        )
    return path


def _last_stage(folder: Path) -> str:
    try:
        lines = (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
        last = json.loads(lines[-1])
        if last.get("done"):
            return str(last["stage"])
    except (OSError, ValueError, LookupError, AttributeError) as error:
        raise TrainingError(
            f"the teacher's log cannot be read ({error})", where=str(folder), remedy="Train the teacher first"
        ) from error
    raise TrainingError(
        "the teacher's training has not finished",
        where=str(folder),
        remedy="Let it end, or name the .pt file of one of its stages",
    )


def _outputs(network: CrossEncoder, rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Logits of the label, of the relevance and of each token as the end of an element."""
    inputs = collate(rows).to(network.device).inputs
    with torch.inference_mode(), torch.autocast(network.device.type, torch.bfloat16):
        label, relevance, tokens = (output.float().cpu() for output in network(**inputs))
    return label, relevance, tokens[..., 0]


def _batches(order: Sequence[int], rows: Sequence[Row]) -> Iterator[Sequence[int]]:
    start = 0
    while start < len(order):
        size = max(1, _BATCH_TOKENS // len(rows[order[start]].window.input_ids))
        yield order[start : start + size]
        start += size


def _key(row: Row) -> bytes:
    """Of all that a network reads: the separators among the tokens say where the elements end."""
    return hashlib.blake2b(np.array(row.window.input_ids, dtype=np.int32).tobytes(), digest_size=16).digest()


def _write(path: Path, keys: Sequence[bytes], soft: Sequence[Soft]) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        np.savez(
            file,
            keys=np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1),
            label=np.array([s.label for s in soft], dtype=np.float16),
            relevance=np.array([s.relevance for s in soft], dtype=np.float16),
            elements=np.array([logit for s in soft for logit in s.elements], dtype=np.float16),
            counts=np.array([len(s.elements) for s in soft], dtype=np.int32),
        )
    partial.replace(path)


def _read(path: Path) -> Iterator[tuple[bytes, Soft]]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            keys, label, relevance = (content[name] for name in ("keys", "label", "relevance"))
            elements = np.split(content["elements"], np.cumsum(content["counts"])[:-1])
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        raise TrainingError(
            f"what the teacher said cannot be read ({error})", where=str(path), remedy="Delete the file to ask again"
        ) from error
    for number, key in enumerate(keys):
        yield (
            key.tobytes(),
            Soft(tuple(label[number].tolist()), float(relevance[number]), tuple(elements[number].tolist())),
        )

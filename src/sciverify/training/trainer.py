"""The training loop of one stage: seeded, logged as JSON lines, resumable after a kill."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TextIO

import torch
from torch import Tensor
from torch.nn import functional

from sciverify.errors import TrainingError
from sciverify.training.allocator import give_back_memory
from sciverify.training.features import IGNORE, Batch, Row, batches, collate
from sciverify.training.network import CrossEncoder

__all__ = ["Schedule", "train_stage"]

_CHECKPOINT_SECONDS = 180
_LOG_STEPS = 50
_TRIM_STEPS = 10


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast a stage trains; the learning rate warms up over 6 % of the steps, then falls linearly.

    `stop_after` ends the stage after so many steps, whatever the plan says; 0 is no limit. The weights are factors of
    the four losses. `soft_weight` is the share of a teacher's word, and `soft_temperature` divides its logits and the
    student's before they are compared (Hinton et al. 2015).

    Raises:
        ValueError: the share is no share, or the temperature not above 0.
    """

    epochs: int = 1
    stop_after: int = 0
    learning_rate: float = 1e-4
    batch_tokens: int = 4096
    max_batch: int = 64
    weight_decay: float = 0.01
    label_weight: float = 1.0
    element_weight: float = 1.0
    relevance_weight: float = 0.5
    span_weight: float = 0.5
    soft_weight: float = 0.5
    soft_temperature: float = 2.0

    def __post_init__(self) -> None:
        if not 0 <= self.soft_weight <= 1:
            raise ValueError(f"soft_weight is {self.soft_weight}, not a share from 0 to 1")
        if not self.soft_temperature > 0:
            raise ValueError(f"soft_temperature is {self.soft_temperature}, not above 0")


def train_stage(
    model: CrossEncoder,
    rows: Sequence[Row] | Callable[[int], Sequence[Row]],
    schedule: Schedule,
    *,
    seed: int,
    folder: Path,
    name: str,
) -> None:
    """Train `model` in place; `folder` gets ``NAME.ckpt`` while it runs, and its lines in ``log.jsonl``.

    `rows` are those of every epoch, or a function from the epoch's number, which must always give the same.

    Called again after a kill with the same arguments, it goes on from the last checkpoint with the same batches in
    the same order. It trains where the model is: on the CPU or a GPU.
    """
    of_epoch = rows if callable(rows) else lambda _: rows
    first = of_epoch(0)
    plan = [b for e in range(schedule.epochs) for b in _epoch(of_epoch(e) if e else first, schedule, seed, e)]
    stop = min(schedule.stop_after or len(plan), len(plan))
    optimizer = _optimizer(model, schedule)
    checkpoint = folder / f"{name}.ckpt"
    step = _resume(checkpoint, model, optimizer)
    model.train()
    sums = dict.fromkeys(("loss", "label", "relevance", "elements", "spans", "soft"), 0.0)
    summed = 0
    last_save = start = time.monotonic()
    trained = 0
    with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
        _write(log, stage=name, rows=len(first), steps=len(plan), resumed_at=step, seed=seed, **asdict(schedule))
        for step in range(step, stop):  # noqa: B020 - goes on where the checkpoint stands
            torch.manual_seed(seed * 1_000_003 + step)  # of the step, so that dropout is the same after a resumption
            for group in optimizer.param_groups:
                group["lr"] = schedule.learning_rate * _ramp(step, len(plan))
            losses = _step(model, optimizer, collate(plan[step]).to(model.device), schedule)
            trained += len(plan[step])
            if step % _TRIM_STEPS == 0:
                give_back_memory()
            for key, value in losses.items():
                sums[key] += value
            summed += 1
            if (step + 1) % _LOG_STEPS == 0:
                rate = trained / (time.monotonic() - start)
                means = {key: value / summed for key, value in sums.items()}
                _write(log, stage=name, step=step + 1, rows_per_s=round(rate, 1), **means)
                sums, summed = dict.fromkeys(sums, 0.0), 0
            if time.monotonic() - last_save > _CHECKPOINT_SECONDS:
                _save(checkpoint, model, optimizer, step + 1)
                last_save = time.monotonic()
        _write(log, stage=name, done=True, seconds=round(time.monotonic() - start, 1))
    checkpoint.unlink(missing_ok=True)


def _epoch(rows: Sequence[Row], schedule: Schedule, seed: int, epoch: int) -> list[list[Row]]:
    rng = random.Random(f"{seed}-{epoch}")
    return list(batches(rows, schedule.batch_tokens, schedule.max_batch, rng))


def _step(model: CrossEncoder, optimizer: torch.optim.Optimizer, batch: Batch, schedule: Schedule) -> dict[str, float]:
    with torch.autocast(model.device.type, torch.bfloat16):
        label, relevance, tokens = (output.float() for output in model(**batch.inputs))
    taught = (~batch.soft_relevance.isnan()).float()
    hard = 1 - schedule.soft_weight * taught  # each row's share of what the data set says
    cross_entropy = functional.cross_entropy(label, batch.label, reduction="none")
    losses = {
        "label": _per_row(cross_entropy, batch.label, batch.weight, hard),
        "relevance": _binary(relevance, batch.relevance, batch.weight, hard),
        "elements": _binary(tokens[..., 0], batch.elements, batch.weight.unsqueeze(1), hard.unsqueeze(1)),
        "spans": _spans(tokens, batch),
        "soft": _soft(label, relevance, tokens[..., 0], batch, schedule),
    }
    loss = (
        schedule.label_weight * losses["label"]
        + schedule.relevance_weight * losses["relevance"]
        + schedule.element_weight * losses["elements"]
        + schedule.span_weight * losses["spans"]
        + schedule.soft_weight * losses["soft"]
    )
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return {"loss": float(loss.detach())} | {key: float(value.detach()) for key, value in losses.items()}


def _per_row(loss: Tensor, target: Tensor, weight: Tensor, share: Tensor | float = 1.0) -> Tensor:
    known = (target != IGNORE).float() * weight
    return (loss * known * share).sum() / known.sum().clamp(min=1.0)


def _binary(logits: Tensor, target: Tensor, weight: Tensor, share: Tensor | float = 1.0) -> Tensor:
    loss = functional.binary_cross_entropy_with_logits(logits, target.clamp(min=0).float(), reduction="none")
    return _per_row(loss, target, weight, share)


def _soft(label: Tensor, relevance: Tensor, elements: Tensor, batch: Batch, schedule: Schedule) -> Tensor:
    """Divergence from the teacher at the temperature T, times T squared, so that T leaves the gradients' size alone."""
    heat = schedule.soft_temperature
    target = functional.log_softmax(batch.soft_label.nan_to_num() / heat, dim=-1)
    divergence = functional.kl_div(
        functional.log_softmax(label / heat, dim=-1), target, reduction="none", log_target=True
    ).sum(-1)
    known = ~batch.soft_relevance.isnan()
    loss = schedule.label_weight * _mean(divergence, known, batch.weight)
    loss = loss + schedule.relevance_weight * _binary_divergence(relevance, batch.soft_relevance, batch.weight, heat)
    weight = batch.weight.unsqueeze(1)
    loss = loss + schedule.element_weight * _binary_divergence(elements, batch.soft_elements, weight, heat)
    return loss * heat**2


def _binary_divergence(logits: Tensor, teacher: Tensor, weight: Tensor, heat: float) -> Tensor:
    known = ~teacher.isnan()
    theirs = teacher.nan_to_num() / heat
    target = theirs.sigmoid()
    cross = functional.binary_cross_entropy_with_logits(logits / heat, target, reduction="none")
    entropy = functional.binary_cross_entropy_with_logits(theirs, target, reduction="none")
    return _mean(cross - entropy, known, weight)


def _mean(loss: Tensor, known: Tensor, weight: Tensor) -> Tensor:
    weights = known.float() * weight
    return (loss * weights).sum() / weights.sum().clamp(min=1.0)


def _spans(tokens: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy of start and end over the tokens of the row."""
    padding = (batch.inputs["attention_mask"] == 0).float() * -1e4
    total = torch.zeros((), device=tokens.device)
    for column, target in ((1, batch.start), (2, batch.end)):
        scores = tokens[..., column] + padding
        total = total + _per_row(functional.cross_entropy(scores, target, reduction="none"), target, batch.weight)
    return total / 2


def _optimizer(model: CrossEncoder, schedule: Schedule) -> torch.optim.Optimizer:
    decayed = [p for p in model.parameters() if p.ndim > 1 and p.requires_grad]
    plain = [p for p in model.parameters() if p.ndim <= 1 and p.requires_grad]
    groups = [{"params": decayed, "weight_decay": schedule.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=schedule.learning_rate, fused=True)


def _ramp(step: int, steps: int) -> float:
    warm = max(1, int(0.06 * steps))
    return (step + 1) / warm if step < warm else max(0.02, (steps - step) / max(1, steps - warm))


def _resume(checkpoint: Path, model: CrossEncoder, optimizer: torch.optim.Optimizer) -> int:
    if not checkpoint.exists():
        return 0
    try:
        state = torch.load(checkpoint, weights_only=True, map_location=model.device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return int(state["step"])
    except (RuntimeError, ValueError, KeyError, EOFError, UnpicklingError) as error:
        raise TrainingError(
            f"the checkpoint cannot be used ({str(error).splitlines()[0]})",
            where=str(checkpoint),
            remedy="Delete it to start the stage anew",
        ) from error


def _save(checkpoint: Path, model: CrossEncoder, optimizer: torch.optim.Optimizer, step: int) -> None:
    partial = checkpoint.with_suffix(".partial")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, partial)
    partial.replace(checkpoint)  # whole or not at all


def _write(log: TextIO, **values: Any) -> None:
    line = {k: round(v, 4) if isinstance(v, float) and k != "learning_rate" else v for k, v in values.items()}
    log.write(json.dumps(line) + "\n")
    log.flush()

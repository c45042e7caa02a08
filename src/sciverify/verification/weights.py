"""Models from folders that a release wrote: one model, or a selector and a labeller for the two steps of a pipeline."""

from __future__ import annotations

from pathlib import Path

from sciverify.errors import ModelError
from sciverify.models.card import REINSTALL
from sciverify.models.crossencoder import CrossEncoderModel
from sciverify.verification.reading import INPUTS, PartialModel, PassageModel

__all__ = ["STEPS", "open_model", "open_steps"]

STEPS = ("selector", "labeller")
"""What two models do, one after the other; each lies in a folder of this name."""

_CARD = "model.json"


def open_model(folder: str | Path) -> PassageModel:
    """The model in a folder; it sees what it was trained to see, which ``input`` in its card says.

    Raises:
        ModelError: there is none, it is damaged, or there are the models of two steps.
    """
    folder = Path(folder)
    if _holds_steps(folder):
        problem = f"here are two models, {' and '.join(STEPS)}, not one that does both"
        raise ModelError(problem, where=str(folder), remedy="Use the system verisci, or name the folder of one of them")
    if not _holds_model(folder):
        raise ModelError(
            f"this folder holds no model ({_CARD} is missing)",
            where=str(folder),
            remedy="Give a folder that `sciverify train --release` wrote",
        )
    model = CrossEncoderModel(folder)
    input = model.card.get("input", "full")
    if input not in INPUTS:
        raise ModelError(f"the card names the input {input!r}", where=str(folder), remedy=REINSTALL)
    return model if input == "full" else PartialModel(model, input)


def open_steps(folder: str | Path) -> tuple[PassageModel, PassageModel]:
    """The selector and the labeller in a folder; where it holds one model, that stands for both.

    Raises:
        ModelError: see `open_model`.
    """
    folder = Path(folder)
    if _holds_steps(folder):
        selector, labeller = (open_model(folder / step) for step in STEPS)
        return selector, labeller
    model = open_model(folder)
    return model, model


def _holds_steps(folder: Path) -> bool:
    return not _holds_model(folder) and all(_holds_model(folder / step) for step in STEPS)


def _holds_model(folder: Path) -> bool:
    return (folder / _CARD).is_file()

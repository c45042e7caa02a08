"""Models that learn from the claim alone or the abstract alone (SciFact §6.1): what the other part gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciverify.errors import SettingError
from sciverify.training.examples import Example
from sciverify.verification import INPUTS

__all__ = ["hide"]


def hide(examples: Sequence[Example], input: str) -> list[Example]:
    """The examples with every text empty that the model must not see, as `sciverify.verification.PartialModel` reads.

    The targets stay, less the spans of elements that are empty now.

    Raises:
        SettingError: `input` is none of `sciverify.verification.INPUTS`.
    """
    if input not in INPUTS:
        raise SettingError(f"there is no input {input!r}", remedy=f"Choose among {', '.join(INPUTS)}")
    if input == "claim-only":
        return [replace(e, title="", elements=("",) * len(e.elements), spans=None) for e in examples]
    if input == "abstract-only":
        return [replace(example, claim="") for example in examples]
    return list(examples)

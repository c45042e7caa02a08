"""The named systems. To add one, write one module and one line in `SYSTEMS`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NamedTuple

from sciverify.errors import SettingError
from sciverify.index import Index
from sciverify.stages import System
from sciverify.systems.default import default
from sciverify.systems.joint import joint
from sciverify.systems.pipeline import Pipeline
from sciverify.systems.science_checker import science_checker
from sciverify.systems.verisci import verisci

__all__ = ["SYSTEMS", "Pipeline", "SystemInfo", "load_system"]


class SystemInfo(NamedTuple):
    """A system by name: what it adds, where it comes from, and `factory(index, **options)`."""

    name: str
    summary: str
    paper: str
    factory: Callable[..., System]

    @property
    def options(self) -> dict[str, object]:
        """The options of `load_system` and their defaults."""
        parameters = inspect.signature(self.factory).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


SYSTEMS = {
    info.name: info
    for info in (
        SystemInfo(
            "default", "words and meaning fused, joint verifier, rationale read again alone, calibrated", "", default
        ),
        SystemInfo(
            "joint",
            "BM25, then label and rationale in one pass (ParagraphJoint, MultiVerS)",
            "Wadden et al. 2022, SciFact-Open",
            joint,
        ),
        SystemInfo(
            "science-checker",
            "closed questions, sliding windows, extracts, yes or no of each article",
            "Rakotoson et al. 2022, Science Checker",
            science_checker,
        ),
        SystemInfo(
            "verisci",
            "TF-IDF (k=3), rationale sentence by sentence, label from the rationale",
            "Wadden et al. 2020, Fact or Fiction: Verifying Scientific Claims",
            verisci,
        ),
    )
}


def load_system(name: str = "default", *, index: Index | None = None, **options: object) -> System:
    """Make a system by its name in `SYSTEMS`.

    Args:
        name: a key of `SYSTEMS`.
        index: what it searches; without one only `check_documents` works.
        options: see `SystemInfo.options`; for every system `k`, the number of candidates per claim.

    Raises:
        SettingError: an unknown name or option, or a value out of range.
    """
    if name not in SYSTEMS:
        raise SettingError(f"there is no system {name!r}", remedy=f"Choose one of {', '.join(SYSTEMS)}")
    known = SYSTEMS[name].options
    if unknown := sorted(set(options) - set(known)):
        raise SettingError(f"the system {name} has no option {unknown[0]!r}", remedy=f"It has {', '.join(known)}")
    return SYSTEMS[name].factory(index, **options)

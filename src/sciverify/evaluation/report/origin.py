"""Where the figures of a report come from, to stand at its head; what is not known says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sciverify._version import __version__
from sciverify.evaluation.outcomes import Setting
from sciverify.evaluation.provenance import Provenance

__all__ = ["UNKNOWN", "Origin", "origin_of"]

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Origin:
    """What the gold file, the run's side file and this installation say, as texts; "unknown" where none does.

    Attributes:
        split: the gold file's name.
        setting: how much of the gold file the system was given.
        system: the system with its options.
        weights: the models by their use, each with its hash.
        run: the run file.
        made_with: versions of the packages that made the run.
        scored_with: versions of the packages that scored it.
        seed: of the resamples.
    """

    split: str
    setting: str
    system: str
    weights: str
    run: str
    made_with: str
    scored_with: str
    seed: str

    def rows(self) -> list[tuple[str, str]]:
        """Headings and texts in the order shown."""
        return [(heading, getattr(self, name)) for name, heading in _HEADINGS.items()]


_HEADINGS = {
    "split": "Split",
    "setting": "Setting",
    "system": "System",
    "weights": "Weights",
    "run": "Run",
    "made_with": "Made with",
    "scored_with": "Scored with",
    "seed": "Seed",
}


def origin_of(gold: Path, run: Path, setting: Setting | None, provenance: Provenance | None, seed: int) -> Origin:
    """Gather what is known; `provenance` is what the run's side file says."""
    return Origin(
        split=gold.name,
        setting=setting.value if setting else UNKNOWN,
        system=provenance.system if provenance and provenance.system else UNKNOWN,
        weights=_listed(provenance.weights) if provenance else UNKNOWN,
        run=str(run),
        made_with=_listed(provenance.versions) if provenance else UNKNOWN,
        scored_with=f"sciverify {__version__}, numpy {version('numpy')}",
        seed=str(seed),
    )


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if value) or UNKNOWN

"""Every error that sciverify raises on purpose, in one tree.

    SciverifyError
    ├── InputError              a file, a line or a text that the caller gave
    │   ├── CorpusError         a corpus file or one of its lines cannot be read
    │   │   └── DuplicateDocumentError
    │   ├── RecordError         a record that would break its invariants
    │   └── RunFileError        a gold file, claims file or run file is malformed
    ├── IndexingError           an index directory
    │   ├── IndexMissingError   there is none at this path
    │   ├── IndexLockedError    another process has it open
    │   └── IndexDamagedError   its parts disagree
    ├── EndpointError           a server that the caller named fails
    ├── ModelError              model files that are missing, damaged or permuted
    ├── SettingError            an unknown name, option or value
    ├── MissingExtraError       an optional part of the package is not installed
    └── TrainingError           a recipe or a training run that cannot go on

Each one names the input at fault (``where``) and what to do about it (``remedy``);
``str(error)`` is the sentence that the command line prints.
"""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "CorpusError",
    "DuplicateDocumentError",
    "EndpointError",
    "IndexDamagedError",
    "IndexLockedError",
    "IndexMissingError",
    "IndexingError",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "RecordError",
    "RunFileError",
    "SciverifyError",
    "SettingError",
    "TrainingError",
    "place",
]


def place(path: str | Path, line: int | None = None) -> str:
    """Name a spot in a file the way editors understand it: ``path`` or ``path:line``."""
    return f"{path}:{line}" if line is not None else str(path)


class SciverifyError(Exception):
    """Base of the tree; catching it catches everything that a user can cause.

    Args:
        problem: what is wrong, without a final stop.
        where: the file, line or document id at fault.
        remedy: what the reader can do, as an imperative.
    """

    def __init__(self, problem: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(problem, where, remedy)
        self.problem = problem
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        head = f"{self.where}: {self.problem}" if self.where else self.problem
        return f"{head}. {self.remedy}" if self.remedy else head

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments don't survive the default pickling, and errors cross process borders.
        return (_rebuild, (type(self), self.problem, self.where, self.remedy))


def _rebuild(kind: type[SciverifyError], problem: str, where: str, remedy: str) -> SciverifyError:
    return kind(problem, where=where, remedy=remedy)


class InputError(SciverifyError):
    """A file, a line or a text that the caller gave cannot be used."""


class CorpusError(InputError):
    """A corpus file, or one line of it, cannot be read."""


class DuplicateDocumentError(CorpusError):
    """Two documents carry the same id."""


class RecordError(InputError):
    """A record that would break its invariants."""


class RunFileError(InputError):
    """A gold file, a claims file or a file of predictions is malformed."""


class IndexingError(SciverifyError):
    """Something about an index directory."""


class IndexMissingError(IndexingError):
    """There is no index at this path."""


class IndexLockedError(IndexingError):
    """Another process has the index open."""


class IndexDamagedError(IndexingError):
    """The parts of an index disagree; `sciverify index rebuild` restores them from the records."""


class EndpointError(SciverifyError):
    """A server that the caller named can't be reached, refuses, or answers with something else than was asked for."""


class ModelError(SciverifyError):
    """Model files are missing, damaged, permuted, or not what the code expects."""


class SettingError(SciverifyError):
    """An unknown name, option or value."""


class MissingExtraError(SciverifyError):
    """An optional part of the package is not installed."""


class TrainingError(SciverifyError):
    """A recipe is wrong, or a training run cannot go on."""

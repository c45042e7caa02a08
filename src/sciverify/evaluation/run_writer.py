"""Writing a run line by line, so that a long one can go on later."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from types import TracebackType

from sciverify.errors import RunFileError, place
from sciverify.evaluation.form import parse_line, parse_lines
from sciverify.evaluation.runs import check_order, prediction_line, predictions_from
from sciverify.records import Claim, Verdict

__all__ = ["RunWriter"]

_LINE_START = b'{"id": '


class RunWriter:
    """Appends one line per verdict, in the order of the claims, and goes on where an earlier run stopped.

    Every line is handed to the operating system before `write` returns, so that a process that is killed loses at most
    the line it was writing. That torn line is removed when the file is opened again. Use it as a context manager::

        with RunWriter("run.jsonl", claims) as run:
            for claim in run.remaining:
                run.write(system.check([claim])[0])

    Args:
        path: the run file; its folder must exist.
        claims: all claims of the run, in order.
        replace: start anew and drop the predictions that the file holds.

    Raises:
        RunFileError: two claims share an id, the file cannot be opened, or it holds something else than predictions
            for the first of these claims (it is left as it is).
    """

    def __init__(self, path: str | Path, claims: Sequence[Claim], *, replace: bool = False) -> None:
        self.path = Path(path)
        self._claims = tuple(claims)
        ids = [claim.id for claim in self._claims]
        if "" in ids or len(set(ids)) < len(ids):
            raise RunFileError("the claims of a run need distinct, non-empty ids", where=place(path))
        self._done = 0
        try:
            self._file = self._start_anew() if replace else self._resume()
        except OSError as error:
            raise self._failure("opened", error) from error

    @property
    def done(self) -> int:
        """How many claims have their line, those of earlier runs included."""
        return self._done

    @property
    def remaining(self) -> tuple[Claim, ...]:
        """The claims that have no line yet, in order."""
        return self._claims[self._done :]

    def write(self, verdict: Verdict) -> None:
        """Append the next claim's line.

        Raises:
            RunFileError: it is not the next claim's verdict, it has no SciFact form, or the disk refuses it.
        """
        expected = self._claims[self._done].id if self._done < len(self._claims) else None
        if verdict.claim.id != expected:
            what = f"claim {expected}" if expected is not None else "the end of the run"
            raise RunFileError(
                f"claim {verdict.claim.id} came where {what} was due",
                where=place(self.path),
                remedy="Write the verdicts in the order of `remaining`",
            )
        line = json.dumps(prediction_line(verdict)).encode("ascii") + b"\n"
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            self.close()  # nothing may follow half a line
            raise self._failure("written", error) from error
        self._done += 1

    def close(self) -> None:
        """Close the file; lines can no longer be written."""
        self._file.close()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start_anew(self) -> FileIO:
        if self.path.exists():
            # A wrong name must not cost a claims file or somebody's notes.
            with self.path.open("rb") as file:
                first = file.readline()
            try:
                if not _is_torn(first, place(self.path, 1)):
                    predictions_from(parse_lines([first], self.path))
            except RunFileError as error:
                raise RunFileError(
                    f"what this file holds is no run, so it is not replaced ({error.problem})",
                    where=place(self.path),
                    remedy="Name another file, or delete this one yourself",
                ) from error
        return self.path.open("wb", buffering=0)

    def _resume(self) -> FileIO:
        content = self.path.read_bytes() if self.path.exists() else b""
        lines = content.split(b"\n")
        torn = _is_torn(lines[-1], place(self.path, len(lines)))
        predictions = predictions_from(parse_lines(lines[:-1] if torn else lines, self.path))
        check_order(predictions, [claim.id for claim in self._claims], self.path, complete=False)
        self._done = len(predictions)
        file = self.path.open("ab", buffering=0)
        if torn:
            file.truncate(len(content) - len(lines[-1]))
        elif lines[-1]:
            file.write(b"\n")
        return file

    def _failure(self, what: str, error: OSError) -> RunFileError:
        return RunFileError(
            f"cannot be {what} ({error.strerror or error})",
            where=place(self.path),
            remedy="Check the folder, its permissions and the space left, then start the run again: it goes on here",
        )


def _is_torn(tail: bytes, where: str) -> bool:
    """Whether the end of a file is a line of ours that was cut off: half an object, since a whole one is kept.

    Raises:
        RunFileError: it is neither, so the file is not a run and must not be cut.
    """
    if not tail.strip():
        return False
    try:
        parse_line(tail, where)
    except RunFileError:
        if tail.startswith(_LINE_START) or _LINE_START.startswith(tail):
            return True
        raise
    return False

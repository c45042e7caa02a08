"""One process at a time: an operating-system lock on a file in the index directory.

The system releases the lock when its holder dies, however it dies, so nothing stale is left to judge. The file's
text (process id and command line) serves only the error message of whoever comes second.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import IO

from sciverify.errors import IndexingError, IndexLockedError

__all__ = ["DirectoryLock"]

_NAME = "lock"


class DirectoryLock:
    """Held from construction to `release`.

    Raises:
        IndexLockedError: somebody holds it; the message names the process id and, where known, its command line.
        IndexingError: the lock file cannot be written.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / _NAME
        try:
            self._file: IO[bytes] = path.open("a+b")
        except OSError as error:
            raise IndexingError(
                f"the lock file cannot be opened ({error.strerror})",
                where=str(path),
                remedy="An index needs a folder that you may write to",
            ) from error
        if not _acquire(self._file):
            holder = _describe_holder(self._file)
            self._file.close()
            raise IndexLockedError(
                f"{holder} has this index open",
                where=str(directory),
                remedy="Wait until it ends, or stop it: one process at a time may use an index",
            )
        self._write_holder()

    def release(self) -> None:
        """Let others in; calling it twice is fine."""
        if not self._file.closed:
            self._file.seek(0)
            self._file.truncate()
            self._file.close()

    def _write_holder(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(json.dumps({"pid": os.getpid(), "command": " ".join(sys.argv)}).encode())
        self._file.flush()


def _describe_holder(file: IO[bytes]) -> str:
    try:
        file.seek(0)
        holder = json.loads(file.read(100_000))
        pid, command = int(holder["pid"]), str(holder["command"])
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
    if pid == os.getpid():
        return f"this process ({pid})"
    # The text goes to a terminal, and any program may have written it.
    command = "".join(character if character.isprintable() else "?" for character in command)[:200].strip()
    return f"process {pid} ({command})" if command else f"process {pid}"


if sys.platform == "win32":
    import msvcrt

    # The locked byte lies far behind the text: Windows forbids others to read locked bytes.
    _LOCKED_BYTE = 1 << 30

    def _acquire(file: IO[bytes]) -> bool:
        file.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _acquire(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

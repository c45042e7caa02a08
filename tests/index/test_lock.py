from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from index_parts import make_documents
from sciverify.errors import IndexingError, IndexLockedError
from sciverify.index import Index
from sciverify.index.lock import DirectoryLock

HOLDER = """
import sys
from pathlib import Path
from sciverify.index.lock import DirectoryLock
lock = DirectoryLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""

OPENER = """
import sys
from sciverify.index import Index
index = Index.open(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path), "a-command\x1b[31m"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_hears_who_was_first(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    with pytest.raises(IndexLockedError) as caught:
        DirectoryLock(tmp_path)
    assert f"process {holder.pid} (" in caught.value.problem
    assert "a-command?[31m" in caught.value.problem
    assert caught.value.where == str(tmp_path)


def test_the_lock_of_a_dead_process_is_taken_over(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.kill()
    holder.wait()
    DirectoryLock(tmp_path).release()


def test_one_process_opens_once(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    with pytest.raises(IndexLockedError, match="this process"):
        DirectoryLock(tmp_path)
    lock.release()
    lock.release()
    DirectoryLock(tmp_path).release()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"pid": "x", "command": ""}', b"\xff"])
def test_an_unreadable_holder_is_another_process(tmp_path: Path, text: bytes) -> None:
    lock = DirectoryLock(tmp_path)
    (tmp_path / "lock").write_bytes(text)
    with pytest.raises(IndexLockedError, match="another process"):
        DirectoryLock(tmp_path)
    lock.release()


def test_a_folder_that_cannot_hold_a_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(IndexingError, match="lock file"):
        DirectoryLock(tmp_path)


def test_index_open_in_another_process(tmp_path: Path) -> None:
    Index.build(tmp_path / "index", make_documents(3)).close()
    with subprocess.Popen(
        [sys.executable, "-c", OPENER, str(tmp_path / "index")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        for opening in (Index.open, lambda path: Index.build(path, [])):
            with pytest.raises(IndexLockedError, match=f"process {process.pid}"):
                opening(tmp_path / "index")
        process.kill()
    with Index.open(tmp_path / "index") as index:
        assert index.check() == []

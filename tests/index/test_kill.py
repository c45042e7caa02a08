"""Killed at any moment, an index loses nothing that it acknowledged, and its parts agree when it is opened again.

SCIVERIFY_TEST_KILLS sets the number of kills (15 in the normal suite).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from index_parts import BUILD_SIZE, HashEncoder, make_document, make_documents
from sciverify.index import Index
from sciverify.index.store import NAME, Store

KILLS = int(os.environ.get("SCIVERIFY_TEST_KILLS", "15"))
TARGET = Path(__file__).with_name("kill_target.py")
STATE = dict[str, int]  # document id to the seed that its content was made with

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")


def test_changes_survive(tmp_path: Path) -> None:
    path = tmp_path / "index"
    Index.build(path, make_documents(60), encoder=HashEncoder()).close()
    state: STATE = {f"d{number}": 0 for number in range(60)}
    rng = random.Random(1)
    for kill in range(KILLS * 2 // 3):
        lines = run_and_kill(path, "change", kill, rng)
        before, after = states(state, lines)
        with Index.open(path) as index:
            assert index.check() == []
            found = {document.id: document for document in index.documents()}
            state = after if set(found) == set(after) and _made(found, after) else before
            assert _made(found, state), f"kill {kill}: neither before nor after the last change"
            assert len(index.search_vectors(HashEncoder().encode(["dose"]), 10_000)[0]) == len(found)


def test_interrupted_builds_resume(tmp_path: Path) -> None:
    path = tmp_path / "index"
    rng = random.Random(2)
    for kill in range(KILLS - KILLS * 2 // 3):
        lines = run_and_kill(path, "build", kill, rng)
        acknowledged = sum(int(line) for line in lines if line.isdigit())
        if (path / NAME).exists() and Store.exists(path):
            store = Store(path)
            assert len(store) >= acknowledged
            acknowledged = len(store)
            store.close()
        else:
            assert acknowledged == 0
        if "finished" in lines:
            break
    encoder = HashEncoder()
    if "finished" in lines:
        index = Index.open(path)
    else:
        index = Index.build(path, make_documents(BUILD_SIZE), encoder=encoder)
        assert encoder.encoded == BUILD_SIZE - acknowledged
    with index:
        assert index.check() == []
        assert list(index.documents()) == make_documents(BUILD_SIZE)


def run_and_kill(path: Path, mode: str, seed: int, rng: random.Random) -> list[str]:
    """Start the target, kill it at a random moment or have it kill itself at a random step; the lines it wrote."""
    steps = rng.randrange(1, 60) if seed % 2 else 0
    command = [sys.executable, str(TARGET), mode, str(path), str(seed), str(steps)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TARGET.parents[1]), os.environ["PYTHONPATH"]])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip()]
        assert lines == ["ready"]
        if not steps:
            for _ in range(rng.randrange(8)):
                lines.append(process.stdout.readline().strip())
            time.sleep(rng.random() * 0.03)
            process.kill()
        lines += [line.strip() for line in process.stdout]
        assert process.wait() == (-9 if "finished" not in lines else 0)
    return [line for line in lines if line]


def states(state: STATE, lines: list[str]) -> tuple[STATE, STATE]:
    """What must be there when the last change had no effect, and when it had."""
    before, after = dict(state), dict(state)
    for line in lines:
        operation, *words = line.split()
        if operation == "done":
            before = dict(after)
        elif operation == "remove":
            after = {id: seed for id, seed in after.items() if id not in words}
        elif operation == "put":
            after = {**after, **dict.fromkeys(words[1:], int(words[0]))}
    return before, after


def _made(found: dict[str, object], state: STATE) -> bool:
    return found == {id: make_document(id, seed) for id, seed in state.items()}

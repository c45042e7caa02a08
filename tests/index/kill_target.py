"""A process that changes an index until it is killed, and says what it has done: run by test_kill.py.

usage: kill_target.py build|change PATH SEED STEPS

After STEPS steps inside the store and the engine it kills itself; with STEPS 0 its parent does it.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from index_parts import BUILD_SIZE, HashEncoder, make_document, make_documents
from sciverify.index import Index, building
from sciverify.index.core import Core
from sciverify.index.engine import Engine
from sciverify.index.store import Store


def main() -> None:
    mode, path, seed, steps = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    if steps:
        _die_after(steps)
    say("ready")
    if mode == "build":
        building._VECTORS_CHUNK = 20
        Index.build(path, make_documents(BUILD_SIZE), encoder=HashEncoder(), progress=say)
    else:
        change(path, random.Random(seed))
    say("finished")


def change(path: Path, rng: random.Random) -> None:
    """Endless additions, replacements and removals; a line before each and one after it."""
    with Index.open(path) as index:
        while True:
            ids = [document.id for document in index.documents()]
            seed = rng.randrange(10**6)
            if rng.random() < 0.35 and len(ids) > 50:
                gone = rng.sample(ids, rng.randrange(1, 40))
                say("remove", *gone)
                index.remove(gone)
            else:
                names = {*rng.sample(ids, min(len(ids), 10)), *(f"d{rng.randrange(600)}" for _ in range(30))}
                say("put", seed, *sorted(names))
                fresh = [make_document(name, seed) for name in sorted(names)]
                index.add(fresh, encoder=HashEncoder(), replace=True)
                if rng.random() < 0.2:
                    say("rebuild")
                    index.rebuild()
            say("done")


def say(*words: object) -> None:
    """Write a line that arrives even when the process dies right after it."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def _die_after(steps: int) -> None:
    left = steps

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return method(*arguments, **options)

        return wrapper

    for owner, names in (
        (Store, ("put", "remove", "set", "forget_removed", "_create", "_read_state", "_save_settings")),
        (Engine, ("put", "remove", "flush", "optimize", "close", "__init__")),
        (Core, ("commit", "apply", "_sweep")),
    ):
        for name in names:
            setattr(owner, name, counted(getattr(owner, name)))


if __name__ == "__main__":
    main()

"""Imports that don't report: openvino and nncf tell a server of their use, openvino as soon as it is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

__all__ = ["without_telemetry"]

_REPORTER = "openvino_telemetry"  # what both packages report through, where it can be imported
_LOCK = RLock()


@contextmanager
def without_telemetry() -> Iterator[None]:
    """Import openvino or nncf inside this block: they find no reporter, and take the stub that they hold for that.

    A caller's own import of the reporter, before or after, stays as it is; so does openvino where it was imported
    before.
    """
    with _LOCK:  # two threads that open a model at once must not put back each other's entry
        before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == _REPORTER}
        for name in before:
            del sys.modules[name]
        sys.modules[_REPORTER] = None  # type: ignore[assignment]  # Python's way to say that there is no such module
        try:
            yield
        finally:
            del sys.modules[_REPORTER]
            sys.modules.update(before)

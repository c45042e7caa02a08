from __future__ import annotations

import sys
from types import ModuleType

import pytest

from sciverify.models.telemetry import without_telemetry


def test_inside_there_is_no_reporter_and_afterwards_all_is_as_it_was(monkeypatch: pytest.MonkeyPatch):
    reporter, part = ModuleType("openvino_telemetry"), ModuleType("openvino_telemetry.backend")
    monkeypatch.setitem(sys.modules, "openvino_telemetry", reporter)
    monkeypatch.setitem(sys.modules, "openvino_telemetry.backend", part)
    with without_telemetry(), pytest.raises(ImportError):
        import openvino_telemetry  # noqa: F401
    assert sys.modules["openvino_telemetry"] is reporter
    assert sys.modules["openvino_telemetry.backend"] is part


def test_a_reporter_that_was_not_there_can_still_be_imported(monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "openvino_telemetry"]:
        monkeypatch.delitem(sys.modules, name)
    with without_telemetry():
        pass
    assert "openvino_telemetry" not in sys.modules


def test_an_error_inside_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "openvino_telemetry", ModuleType("openvino_telemetry"))
    before = dict(sys.modules)
    with pytest.raises(ZeroDivisionError), without_telemetry():
        raise ZeroDivisionError
    assert sys.modules["openvino_telemetry"] is before["openvino_telemetry"]

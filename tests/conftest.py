"""Settings for the whole suite: no network, and property tests that don't mind a busy machine."""

from __future__ import annotations

import socket

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("sciverify", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sciverify")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection to the outside fails the test that made it."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("sciverify opened a network connection")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)

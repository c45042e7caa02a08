from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

OUTSIDE = ("192.0.2.1", 80)  # an address that is reserved for documentation


def test_a_connection_to_the_outside_is_refused():
    with socket.socket() as here, pytest.raises(BaseException, match=r"connection to '192\.0\.2\.1'"):
        here.connect(OUTSIDE)
    with pytest.raises(BaseException, match=r"connection to 'example\.org'"):
        socket.getaddrinfo("example.org", 80)


def test_a_process_that_a_test_starts_is_offline_too():
    code = f"import socket; socket.socket().connect({OUTSIDE!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "a connection to '192.0.2.1' was tried" in done.stderr


def test_the_machine_may_talk_to_itself():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass


SILENT = """
import multiprocessing, socket
def report():
    try:
        socket.create_connection(("192.0.2.1", 80))
    except BaseException:
        pass
child = multiprocessing.get_context("fork").Process(target=report)
child.start()
child.join()
"""


def run_logged(code: str, log: Path) -> str:
    """What a process prints; `log` exists afterwards if it or a child of its tried to connect to the outside."""
    environment = {**os.environ, "CONNECTIONS_LOG": str(log)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("code", "tried"),
    [
        (SILENT, True),
        ("from sciverify.models import load_encoder, load_cross_encoder; load_encoder(), load_cross_encoder()", False),
        ("import sciverify; sciverify.check('Aspirin prevents stroke.', documents=[])", False),
    ],
)
def test_nothing_is_reported_in_the_background(code: str, tried: bool, tmp_path: Path):
    log = tmp_path / "connections"
    run_logged(code, log)
    assert log.exists() == tried


def test_the_export_reports_nothing_either(tmp_path: Path):
    pytest.importorskip("nncf")
    log = tmp_path / "connections"
    code = """
import sys
from sciverify.models.telemetry import without_telemetry
with without_telemetry():
    import nncf, openvino
reporters = [name for name in sys.modules if name.startswith("openvino_telemetry")]
from nncf.telemetry import telemetry
telemetry.start_session("test")
telemetry.send_event("test", "test", "test")
print(reporters)
"""
    assert run_logged(code, log).strip() == "[]"
    assert not log.exists()

import socket
import subprocess
import sys

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

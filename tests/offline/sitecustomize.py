"""Python runs this at its start where this folder is on PYTHONPATH: connections to the outside are refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class OutsideConnectionError(BaseException):
    """Not an Exception, so that no code under test can take it for an ordinary failed connection."""


def refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # anything else is a socket of this machine
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = arguments[0]
    else:
        return
    if host is not None and host not in LOOPBACK:
        if log := os.environ.get("CONNECTIONS_LOG"):  # a process may try in the background, and say nothing
            with Path(log).open("a", encoding="utf-8") as tried:
                tried.write(f"{host!r}\n")
        raise OutsideConnectionError(f"a connection to {host!r} was tried ({event})")


sys.addaudithook(refuse)

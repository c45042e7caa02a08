"""Asking an HTTP endpoint that the user named: JSON there, a JSON object back, within stated bounds.

The standard library does it: one request a document, each of them seconds of somebody's computing, gains nothing from
kept connections. What is sent goes to the address that was given and nowhere else: redirects are refused, and a proxy
is used only for hosts other than this machine.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from sciverify.errors import EndpointError, SettingError

__all__ = ["Endpoint"]

_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "sciverify"}
_HERE = {"127.0.0.1", "::1", "localhost"}
_RETRIED = {408, 429, 500, 502, 503, 504}
_LONGEST_WAIT = 60.0  # seconds between two attempts
_LARGEST = 1_000_000  # bytes of an answer
_SAID = 200  # characters of what the endpoint itself says of an error
_TELLING = 6  # characters of a key that must not be shown together


class _PassingError(EndpointError):
    """What may be gone at the next attempt."""

    pause = 0.0  # seconds that the endpoint asks to wait


class Endpoint:
    """A base address to which JSON is posted, at most `attempts` times while the trouble may pass.

    Tried again are the statuses 408, 429, 500, 502, 503 and 504 and dropped connections, after `pause` seconds that
    double each time (half to all of it, by chance), or after what ``Retry-After`` asks for if that is more; waits end
    at 60 seconds. A refused connection, a certificate that doesn't hold and an endpoint that is too slow are not.

    Args:
        url: base address, http or https, without user, query and fragment.
        key_variable: the environment variable that holds the key, if there is one. It is read at each request and
            sent as a bearer token; no message shows it, and none shows the variable's name, which may be the key
            itself, put there by mistake.
        timeout: seconds that each step may take (connecting, waiting for the answer's next bytes), and after which an
            answer that still arrives is given up.
        attempts: at least 1.
        pause: seconds before the second attempt.

    Raises:
        SettingError: a value is out of range, the variable holds no key that a header can carry, or the key would
            travel unencrypted to another machine.
    """

    def __init__(
        self,
        url: str,
        key_variable: str | None = None,
        *,
        timeout: float = 120.0,
        attempts: int = 4,
        pause: float = 1.0,
    ) -> None:
        if not 0 < timeout < float("inf") or not 0 <= pause < float("inf") or attempts < 1:
            raise SettingError("a timeout must be above 0 seconds, a pause at least 0 and attempts at least 1")
        host, encrypted = _checked(url)
        self.url = url.rstrip("/")
        self._key_variable = key_variable
        self._timeout, self._attempts, self._pause = timeout, attempts, pause
        if self._key() and not encrypted and host not in _HERE:
            raise SettingError("the key would be sent unencrypted", where=self.url, remedy="Use an https address")
        self._opener = _opener(host)

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """The JSON object that the endpoint answers to `body`, posted to `path` below the base address.

        Raises:
            EndpointError: it can't be reached, refuses, is too slow, or answers with more than a megabyte or with
                something else than a JSON object.
            SettingError: the environment variable no longer holds a key.
        """
        data = json.dumps(body).encode("ascii")
        for attempt in range(1, self._attempts):
            try:
                return self._post_once(path, data)
            except _PassingError as error:
                wait = max(self._pause * 2 ** (attempt - 1) * random.uniform(0.5, 1), error.pause)
                if error.pause > _LONGEST_WAIT:
                    raise
                time.sleep(min(wait, _LONGEST_WAIT))
        return self._post_once(path, data)

    def _post_once(self, path: str, data: bytes) -> dict[str, Any]:
        key = self._key()
        request = Request(f"{self.url}/{path}", data, _HEADERS)
        if key:
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        end = time.monotonic() + self._timeout
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return self._read(response, end)
        except HTTPError as error:
            with error:
                raise self._refusal(error, key) from None
        except URLError as error:
            raise self._failure(error.reason) from None
        except (OSError, HTTPException, UnicodeError) as error:
            raise self._failure(error) from None

    def _read(self, response: HTTPResponse, end: float) -> dict[str, Any]:
        pieces, size = [], 0
        while piece := response.read1(65_536):
            pieces.append(piece)
            size += len(piece)
            if size > _LARGEST:
                raise EndpointError(f"the answer is longer than {_LARGEST:,} bytes", where=self.url)
            if time.monotonic() > end:
                raise TimeoutError
        if response.length:  # what was announced and never came
            raise IncompleteRead(b"", response.length)
        try:
            answer = json.loads(b"".join(pieces))
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise EndpointError(
                "the answer is not a JSON object", where=self.url, remedy="Check that the address is that of an API"
            )
        return answer

    def _refusal(self, error: HTTPError, key: str) -> EndpointError:
        """What to raise for a status that isn't success."""
        said = _said(error, key)
        kind = _PassingError if error.code in _RETRIED else EndpointError
        problem = f"the endpoint answers with status {error.code}" + (f" ({said})" if said else "")
        refusal = kind(problem, where=self.url, remedy=_REMEDIES.get(error.code, ""))
        asked = error.headers.get("Retry-After", "").strip()
        if isinstance(refusal, _PassingError) and asked.isascii() and asked.isdigit():
            refusal.pause = float(asked[:9])
        return refusal

    def _failure(self, reason: object) -> EndpointError:
        """What to raise when no answer came; the library's own texts may hold headers, so they aren't shown."""
        if isinstance(reason, TimeoutError):
            remedy = "Give it a longer timeout or ask fewer documents at once"
            return EndpointError(f"no whole answer within {self._timeout:g} seconds", where=self.url, remedy=remedy)
        if isinstance(reason, ConnectionRefusedError):
            return EndpointError("nobody listens at this address", where=self.url, remedy="Start the server")
        if isinstance(reason, ConnectionError | IncompleteRead):
            return _PassingError("the connection broke off", where=self.url)
        return EndpointError(f"the endpoint can't be reached ({type(reason).__name__})", where=self.url)

    def _key(self) -> str:
        """The key, empty if there is none to send."""
        if self._key_variable is None:
            return ""
        key = os.environ.get(self._key_variable, "").strip()
        if not key:
            raise SettingError("the environment variable named for the key is not set", remedy="Set it to the key")
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise SettingError("the key holds characters that no header can carry", remedy="Set the variable anew")
        return key


_REMEDIES = {
    401: "Check the key, and the name of the environment variable that holds it",
    403: "Check what the key may be used for",
    404: "Check the model's name, and that the address ends where /chat/completions begins",
}


class _NoRedirects(HTTPRedirectHandler):
    """Leaves every redirect to be an error: a text is sent where the user said, and nowhere else."""

    def redirect_request(self, *arguments: object) -> None:
        """None: don't follow."""


def _opener(host: str) -> OpenerDirector:
    return build_opener(_NoRedirects, *([ProxyHandler({})] if host in _HERE else []))


def _checked(url: str) -> tuple[str, bool]:
    """The host of an address and whether https is spoken; an address that may hold a secret is not repeated."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    remedy = "Give it like http://127.0.0.1:8080/v1"
    if not known or not url.isascii() or not url.isprintable() or " " in url:
        raise SettingError("the endpoint's address is not one of http or https", remedy=remedy)
    if "@" in parts.netloc or "?" in url or "#" in url:
        problem = "the endpoint's address holds a user, a query or a fragment"
        raise SettingError(problem, remedy=f"{remedy} and name the environment variable that holds the key")
    return parts.hostname or "", parts.scheme == "https"


def _said(error: HTTPError, key: str) -> str:
    """The endpoint's own words on an error, short; none if they hold a part of the key, or nothing readable."""
    try:
        answer = json.loads(error.read(_LARGEST))
    except (ValueError, RecursionError, OSError, HTTPException):
        return ""
    told = answer.get("error") if isinstance(answer, dict) else None
    text = told.get("message") if isinstance(told, dict) else told
    if not isinstance(text, str):
        return ""
    parts = {key[n : n + _TELLING] for n in range(max(1, len(key) - _TELLING + 1))} - {""}
    if any(part in text for part in parts):
        return ""
    return "".join(c if c.isprintable() else " " for c in text[:_SAID]).strip()

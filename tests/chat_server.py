"""A server on this machine that speaks the protocol of chat completions, and every way of failing at it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handler = BaseHTTPRequestHandler
Act = Callable[[Handler], None]


def completion(content: object, finish: str = "stop") -> dict[str, Any]:
    """What a chat answers."""
    message = {"role": "assistant", "content": content}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def send(body: object, status: int = 200, **headers: str) -> Act:
    """Answer with a status and a body: bytes as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def act(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in ({"Content-Length": str(len(data))} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return act


def hang_up(handler: Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


class ChatServer:
    """Answers the n-th request by the n-th act, and all later ones by the last; keeps what it was sent.

    `act` may also be a function from the request's body to an act.
    """

    def __init__(self, *acts: Act, answer: Callable[[dict[str, Any]], Act] | None = None) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.closing = threading.Event()  # what an act that hangs waits for
        lock = threading.Lock()
        chat = self

        class ChatHandler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    act = answer(body) if answer else acts[min(len(chat.bodies), len(acts) - 1)]
                    chat.bodies.append(body)
                    chat.headers.append(dict(self.headers))
                    chat.paths.append(self.path)
                try:
                    act(self)
                except ConnectionError:
                    self.close_connection = True  # whoever asked is gone

            def log_message(self, format: str, *arguments: object) -> None:
                """Nothing: the tests look at what was sent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), ChatHandler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ChatServer:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

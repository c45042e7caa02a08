from __future__ import annotations

import socket
import traceback

import pytest

from chat_server import ChatServer, hang_up, send
from sciverify.errors import EndpointError, SettingError
from sciverify.verification import endpoint as module
from sciverify.verification.endpoint import Endpoint

FINE = send({"fine": True})
KEY = "sk-0123456789abcdef"


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("SOME_KEY", KEY)
    return "SOME_KEY"


@pytest.fixture
def waits(monkeypatch):
    """The seconds that were waited, none of them really."""
    found = []
    monkeypatch.setattr(module.time, "sleep", found.append)
    return found


def whole_text(error: BaseException) -> str:
    """All that a traceback of an error shows, causes and contexts included."""
    return "".join(traceback.format_exception(error)) + repr(error)


def test_json_goes_there_and_comes_back():
    with ChatServer(FINE) as server:
        assert Endpoint(server.url + "/").post("chat/completions", {"text": "α \ud800"}) == {"fine": True}
    assert server.paths == ["/v1/chat/completions"]
    assert server.bodies == [{"text": "α \ud800"}]
    assert server.headers[0]["Content-Type"] == "application/json"
    assert "Authorization" not in server.headers[0]


def test_the_key_is_read_at_each_request(key, monkeypatch):
    with ChatServer(FINE) as server:
        endpoint = Endpoint(server.url, key)
        endpoint.post("x", {})
        monkeypatch.setenv(key, " another ")
        endpoint.post("x", {})
        monkeypatch.delenv(key)
        with pytest.raises(SettingError, match="not set"):
            endpoint.post("x", {})
    assert [headers["Authorization"] for headers in server.headers] == [f"Bearer {KEY}", "Bearer another"]
    assert KEY not in repr(vars(endpoint))


@pytest.mark.parametrize("trouble", [send({}, status) for status in (408, 429, 500, 502, 503, 504)] + [hang_up])
def test_trouble_that_may_pass_is_met_again(trouble, waits):
    with ChatServer(trouble, trouble, FINE) as server:
        assert Endpoint(server.url, attempts=3, pause=2).post("x", {}) == {"fine": True}
    assert len(server.bodies) == 3
    assert 1 <= waits[0] <= 2 <= waits[1] <= 4


@pytest.mark.parametrize(
    ("cut", "headers"),
    [(b'{"fine": tr', {"Content-Length": "14"}), (b'ff\r\n{"fine"', {"Transfer-Encoding": "chunked"})],
)
def test_an_answer_that_breaks_off_is_asked_for_again(cut, headers, waits):
    def act(handler):
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(cut)
        handler.close_connection = True

    with ChatServer(act, FINE) as server:
        assert Endpoint(server.url).post("x", {}) == {"fine": True}
    with ChatServer(act) as server, pytest.raises(EndpointError, match="broke off"):
        Endpoint(server.url, attempts=2).post("x", {})
    assert len(server.bodies) == 2
    assert len(waits) == 2


def test_it_gives_up_and_says_what_the_endpoint_says(waits):
    busy = send({"error": {"message": "too\nmany requests" + "!" * 1000}}, 429)
    with (
        ChatServer(busy) as server,
        pytest.raises(EndpointError, match=r"status 429 \(too many requests!+\)") as caught,
    ):
        Endpoint(server.url, attempts=3).post("x", {})
    assert len(server.bodies) == 3
    assert len(waits) == 2
    assert len(str(caught.value)) < 400
    assert caught.value.where == server.url


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 403, 404, 413, 422, 501])
def test_a_refusal_is_not_argued_with(status, waits):
    with ChatServer(send({"error": "no"}, status)) as server, pytest.raises(EndpointError, match=rf"status {status}"):
        Endpoint(server.url).post("x", {})
    assert len(server.bodies) == 1
    assert waits == []


def test_a_redirect_is_not_followed(key):
    with ChatServer(FINE) as other:
        for status in (301, 302, 303, 307, 308):
            with (
                ChatServer(send({}, status, Location=other.url)) as server,
                pytest.raises(EndpointError, match=f"status {status}"),
            ):
                Endpoint(server.url, key).post("x", {})
    assert other.bodies == []


@pytest.mark.parametrize(
    ("asked", "waited"), [("7", 7), (" 60 ", 60), ("0", 1), ("soon", 1), ("-5", 1), ("٣", 1), ("61", None)]
)
def test_what_the_endpoint_asks_to_wait_is_waited_up_to_a_minute(asked, waited, waits, monkeypatch):
    monkeypatch.setattr(module.random, "uniform", lambda low, high: high)
    with ChatServer(send({}, 503, Retry_After=asked.encode().decode("latin-1")), FINE) as server:
        endpoint = Endpoint(server.url, pause=1)
        if waited is None:
            with pytest.raises(EndpointError, match="status 503"):
                endpoint.post("x", {})
        else:
            endpoint.post("x", {})
    assert waits == ([] if waited is None else [waited])


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>It works!</html>", b"[1, 2]", b'"text"', b"null", b'{"cut": ', b"\xff\xfe{}", b"[" * 100_000,
     b"9" * 10_000],
)  # fmt: skip
def test_an_answer_that_is_no_object_is_refused(body):
    with ChatServer(send(body)) as server, pytest.raises(EndpointError, match="not a JSON object"):
        Endpoint(server.url).post("x", {})
    assert len(server.bodies) == 1


def test_a_huge_answer_is_not_read_to_its_end():
    sent = []

    def act(handler):
        handler.send_response(200)
        handler.end_headers()
        while len(sent) < 10_000:
            handler.wfile.write(b" " * 65_536)
            sent.append(1)

    with ChatServer(act) as server, pytest.raises(EndpointError, match="longer than 1,000,000 bytes"):
        Endpoint(server.url).post("x", {})
    assert len(sent) < 10_000


def test_an_endpoint_that_is_too_slow_is_given_up():
    with ChatServer(lambda handler: hang_up(handler) if server.closing.wait(60) else None) as server:
        with pytest.raises(EndpointError, match=r"no whole answer within 0\.2 seconds"):
            Endpoint(server.url, timeout=0.2).post("x", {})
        assert len(server.bodies) == 1


def test_an_answer_that_drips_is_given_up():
    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        while not server.closing.wait(0.02):
            handler.wfile.write(b" ")

    with ChatServer(drip) as server, pytest.raises(EndpointError, match=r"no whole answer within 0\.3 seconds"):
        Endpoint(server.url, timeout=0.3).post("x", {})


def test_what_does_not_speak_http_is_named():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(EndpointError, match="nobody listens"):
        Endpoint(f"http://127.0.0.1:{port}").post("x", {})
    garbled = ChatServer(lambda handler: hang_up(handler) if handler.wfile.write(b"SSH-2.0-server\r\n") else None)
    with garbled, pytest.raises(EndpointError, match=r"can't be reached \(BadStatusLine\)"):
        Endpoint(garbled.url).post("x", {})


@pytest.mark.parametrize("said", [f"bad key {KEY}", f"bad key {KEY[:8]}...", f"bad key ****{KEY[-6:]}"])
def test_an_endpoint_that_repeats_the_key_is_not_quoted(said, key, caplog):
    with (
        ChatServer(send({"error": {"message": said}}, 401)) as server,
        pytest.raises(EndpointError, match=r"status 401\. Check the key") as caught,
    ):
        Endpoint(server.url, key).post("x", {})
    assert KEY[-6:] not in whole_text(caught.value) + caplog.text
    assert KEY[:8] not in whole_text(caught.value) + caplog.text


@pytest.mark.parametrize("kept", ["", "  ", f"{KEY}\r\nX-Other: 1", f"{KEY} {KEY}", f"{KEY}é", f"{KEY}\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(kept, monkeypatch):
    monkeypatch.setenv("SOME_KEY", kept)
    with pytest.raises(SettingError, match="key") as caught:
        Endpoint("http://127.0.0.1:1", "SOME_KEY")
    assert KEY not in whole_text(caught.value)


def test_a_key_given_for_the_name_of_its_variable_is_not_shown():
    with pytest.raises(SettingError, match="not set") as caught:
        Endpoint("http://127.0.0.1:1", KEY)
    assert KEY not in str(caught.value) + repr(caught.value)


def test_a_key_travels_encrypted_or_stays_on_this_machine(key):
    with pytest.raises(SettingError, match="unencrypted"):
        Endpoint("http://192.0.2.1/v1", key)
    Endpoint("https://192.0.2.1/v1", key)
    Endpoint("http://192.0.2.1/v1")
    for host in ("localhost", "127.0.0.1", "[::1]"):
        Endpoint(f"http://{host}:8080/v1", key)


@pytest.mark.parametrize(
    "url",
    ["", "127.0.0.1:8080", "ftp://127.0.0.1", "file:///etc/passwd", "http://", "http://[::1", "http://host:99999",
     "http://a b", "http://host/\n", "http://höst/v1"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url):
    with pytest.raises(SettingError, match=r"http or https.*127\.0\.0\.1"):
        Endpoint(url)


@pytest.mark.parametrize(
    "url", [f"https://me:{KEY}@host/v1", f"https://{KEY}@host/", f"https://host/?key={KEY}", f"https://host/v1#{KEY}"]
)
def test_an_address_that_may_hold_a_secret_is_refused_and_not_shown(url):
    with pytest.raises(SettingError, match="environment variable") as caught:
        Endpoint(url)
    assert KEY not in str(caught.value) + repr(caught.value)


@pytest.mark.parametrize(
    "option",
    [{"timeout": 0}, {"timeout": float("nan")}, {"timeout": float("inf")}, {"attempts": 0}, {"pause": -1},
     {"pause": float("nan")}],
)  # fmt: skip
def test_options_out_of_range_are_refused(option):
    with pytest.raises(SettingError, match="timeout"):
        Endpoint("http://127.0.0.1:1", **option)


def test_no_proxy_stands_between_this_machine_and_itself(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with ChatServer(FINE) as server:
        assert Endpoint(server.url).post("x", {}) == {"fine": True}

import io
import sys
from collections.abc import Iterator

import pytest

from sciverify.cli.progress import PlainProgress, duration, progress


class Clock:
    """A clock that moves when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Iterator[Clock]:
    return Clock()


class TestPlainLines:
    def test_a_line_every_ten_seconds_and_one_at_the_end(
        self, clock: Clock, capsys: pytest.CaptureFixture[str]
    ) -> None:
        lines = PlainProgress("indexing", 4000, "document", clock)
        for _ in range(25):
            clock.now += 1
            lines.advance(100)
        lines.finish()
        assert capsys.readouterr().err.splitlines() == [
            "indexing: 1,000 of 4,000 documents (25%), 100/s, 30 s left",
            "indexing: 2,000 of 4,000 documents (50%), 100/s, 20 s left",
            "indexing: 2,500 documents in 25 s, 100/s",
        ]

    def test_without_a_total_there_is_a_rate_only(self, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
        lines = PlainProgress("checking", None, "claim", clock)
        clock.now = 20
        lines.advance(5)
        assert capsys.readouterr().err == "checking: 5 claims, 0.2/s\n"

    def test_more_than_the_estimate_is_all_of_it(self, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
        lines = PlainProgress("indexing", 10, "document", clock)
        clock.now = 10
        lines.advance(12)
        assert capsys.readouterr().err == "indexing: 12 of 10 documents (100%), 1.2/s, 0.0 s left\n"

    def test_nothing_done(self, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
        PlainProgress("indexing", clock=clock).finish()
        assert capsys.readouterr().err == "indexing: 0 documents in 0.0 s\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.44, "0.4 s"), (9.99, "10.0 s"), (12.2, "12 s"), (185, "3 min 5 s"), (7800, "2 h 10 min")],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class TestProgress:
    def test_a_terminal_gets_a_bar_with_rate_and_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "120")
        with progress("indexing [bold]", total=30) as advance:
            advance(10)
            advance(25)
        screen = terminal.getvalue()
        assert "indexing [bold]" in screen
        assert "35/35" in screen
        assert "documents" in screen
        assert "/s" in screen

    @pytest.mark.parametrize("term", [None, "dumb"])
    def test_elsewhere_there_are_plain_lines(
        self, term: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        if term:
            monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
            monkeypatch.setenv("TERM", term)
        with progress("indexing") as advance:
            advance(3)
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("indexing: 3 documents in ")
        assert "\x1b" not in captured.err

    def test_an_error_passes_through(self) -> None:
        with pytest.raises(ZeroDivisionError), progress("indexing"):
            raise ZeroDivisionError

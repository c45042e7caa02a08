import errno
import sys
from collections.abc import Callable

import click
import pytest

from sciverify.cli.errors import SHOWN_PROBLEMS, ExitCode, finish, guard, say
from sciverify.errors import CorpusError, IndexMissingError
from sciverify.records import Problem


def outcome(action: Callable[[], object], *, traceback: bool = False) -> int:
    return guard(action, show_traceback=lambda: traceback)


def raising(error: BaseException) -> Callable[[], object]:
    def action() -> None:
        raise error

    return action


class TestGuard:
    def test_a_command_that_gets_through(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(lambda: None) == 0
        assert capsys.readouterr().err == ""

    def test_a_users_error_is_one_line_with_the_remedy(self, capsys: pytest.CaptureFixture[str]) -> None:
        error = CorpusError("not JSON", where="c.jsonl:3", remedy="Mend the line")
        assert outcome(raising(error)) == ExitCode.ERROR == 1
        assert capsys.readouterr().err == "error: c.jsonl:3: not JSON. Mend the line\n"

    def test_control_characters_in_an_error_stay_harmless(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome(raising(IndexMissingError("none", where="\x1b[2Ja\nb\udc80")))
        assert capsys.readouterr().err == "error: [2Ja b�: none\n"

    def test_a_missing_file_is_a_users_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(raising(FileNotFoundError(errno.ENOENT, "No such file or directory", "x.txt"))) == 1
        assert capsys.readouterr().err == "error: x.txt: No such file or directory\n"

    def test_usage(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(raising(click.UsageError("Give a claim."))) == ExitCode.USAGE == 2
        assert "Give a claim." in capsys.readouterr().err

    def test_a_fault_of_ours_says_how_to_see_more(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(raising(ZeroDivisionError("oh"))) == ExitCode.INTERNAL == 70
        err = capsys.readouterr().err
        assert err.startswith("error: unexpected ZeroDivisionError: oh\n")
        assert "--traceback" in err
        assert "SCIVERIFY_TRACEBACK=1" in err
        assert "Traceback (most recent" not in err

    @pytest.mark.parametrize("error", [ZeroDivisionError("oh"), CorpusError("not JSON")])
    def test_the_traceback_comes_when_asked_for(self, error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
        outcome(raising(error), traceback=True)
        assert "Traceback (most recent call last)" in capsys.readouterr().err

    @pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
    def test_an_interrupt_is_quiet(self, error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(raising(error)) == ExitCode.INTERRUPTED == 130
        assert capsys.readouterr().err == ""

    def test_a_closed_pipe_is_quiet(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(raising(BrokenPipeError())) == ExitCode.BROKEN_PIPE == 141
        assert capsys.readouterr().err == ""


class TestFinish:
    def test_without_problems_nothing_happens(self, capsys: pytest.CaptureFixture[str]) -> None:
        finish([])
        assert capsys.readouterr().err == ""

    def test_problems_are_listed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(lambda: finish([Problem("a:1", "bad"), Problem("", "worse")])) == ExitCode.PARTIAL == 3
        assert capsys.readouterr().err == "2 inputs failed:\n  a:1: bad\n  worse\n"

    def test_a_long_list_is_counted(self, capsys: pytest.CaptureFixture[str]) -> None:
        outcome(lambda: finish([Problem(str(number), "bad") for number in range(1234)]))
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == "1,234 inputs failed:"
        assert lines[-1] == f"  ... and {1234 - SHOWN_PROBLEMS:,} more"
        assert len(lines) == SHOWN_PROBLEMS + 2

    def test_problems_that_were_shown_are_not_listed_again(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert outcome(lambda: finish([], shown=[Problem("a", "bad")])) == ExitCode.PARTIAL
        assert capsys.readouterr().err == ""


def test_say_writes_to_stderr_only(capsys: pytest.CaptureFixture[str]) -> None:
    say("x\x00y")
    assert capsys.readouterr() == ("", "xy\n")
    assert sys.stdout is not sys.stderr

"""What only a process of its own can show: pipes that close, signals, encodings, full disks."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def start(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, *arguments], stderr=subprocess.PIPE, check=False, timeout=120, **options)


class TestOutput:
    @pytest.mark.parametrize("arguments", [["--help"], ["search", "sleep", "--index", "INDEX"]], ids=["help", "search"])
    def test_a_reader_that_went_away(self, arguments: list[str], sleep_index: str) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        arguments = [sleep_index if argument == "INDEX" else argument for argument in arguments]
        try:
            process = start(["-m", "sciverify", *arguments], stdout=writing)
        finally:
            os.close(writing)
        assert (process.returncode, process.stderr) == (141, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_disk(self) -> None:
        with Path("/dev/full").open("wb") as full:
            process = start(["-m", "sciverify", "--help"], stdout=full)
        assert process.returncode == 1
        assert process.stderr.decode().strip() == f"error: {os.strerror(28)}"

    def test_a_narrow_encoding(self, run_process: Run, sleep_index: str) -> None:
        outcome = run_process(
            "search", "sleep", "--index", sleep_index, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        )
        assert outcome.code == 0
        assert "2001 ? a1" in outcome.out

    def test_json_is_the_same_whatever_stdout_is(self, run_process: Run, sleep_index: str) -> None:
        arguments = ["search", "sleep \udcff", "--index", sleep_index, "--json"]
        plain = run_process(*arguments)
        other = run_process(*arguments, env={"PYTHONIOENCODING": "ascii", "COLUMNS": "30", "FORCE_COLOR": "1"})
        assert plain.code == other.code == 0
        assert plain.out == other.out
        assert plain.out.isascii()


def test_an_interrupt_is_quiet() -> None:
    code = (
        "import signal, sys, click; from sciverify.cli import cli, main\n"
        "cli.commands['systems'] = click.Command('systems', callback=lambda: signal.raise_signal(signal.SIGINT))\n"
        "sys.exit(main(['systems']))"
    )
    process = start(["-c", code], stdout=subprocess.PIPE)
    assert (process.returncode, process.stdout, process.stderr) == (130, b"", b"")

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from sciverify import __version__
from sciverify.cli import cli

Run = Callable[..., Any]


def walk(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below this one, groups included, with the words that call it."""
    if path:
        yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from walk(child, (*path, name))


COMMANDS = dict(walk(cli))


def test_version(run: Run) -> None:
    assert run("--version").out == f"sciverify {__version__}\n"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
class TestEveryCommand:
    def test_has_help_for_itself_and_its_options(self, path: tuple[str, ...], run: Run) -> None:
        command = COMMANDS[path]
        assert command.get_short_help_str()
        assert all(parameter.help for parameter in command.params if isinstance(parameter, click.Option))
        outcome = run(*path, "--help")
        assert outcome.code == 0
        assert outcome.out.startswith(f"Usage: sciverify {' '.join(path)} ")

    def test_is_in_the_manual(self, path: tuple[str, ...]) -> None:
        manual = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
        assert f"\n### `sciverify {' '.join(path)}`\n" in manual or f"\n## `sciverify {' '.join(path)}`\n" in manual

    def test_refuses_an_unknown_option(self, path: tuple[str, ...], run: Run) -> None:
        outcome = run(*path, "--no-such-option")
        assert outcome.code == 2
        assert "--no-such-option" in outcome.err
        assert outcome.out == ""


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", "--help"], ["index", "build", "--help"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    code = f"import sys; from sciverify.cli import main; main({arguments}); print(*sys.modules, file=sys.stderr)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "openvino", "qdrant_edge", "tokenizers", "rich", "sqlite3"}
    assert not heavy & set(process.stderr.split())


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    assert run("chekc").code == 2


def test_the_shell_can_ask_for_completions(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SCIVERIFY_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "sciverify ind")
    monkeypatch.setenv("COMP_CWORD", "1")
    outcome = run()
    assert (outcome.code, outcome.out) == (0, "plain,index\n")


class TestTraceback:
    @pytest.fixture
    def broken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail() -> None:
            raise ZeroDivisionError("oh")

        monkeypatch.setitem(cli.commands, "systems", click.Command("systems", callback=fail))

    @pytest.mark.usefixtures("broken")
    def test_only_when_asked_for(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SCIVERIFY_TRACEBACK", raising=False)
        assert "Traceback" not in run("systems").err
        assert "Traceback" in run("--traceback", "systems").err
        monkeypatch.setenv("SCIVERIFY_TRACEBACK", "1")
        outcome = run("systems")
        assert outcome.code == 70
        assert "Traceback" in outcome.err


class TestCheckUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["check"],
            ["check", "a claim", "--claims", "x.jsonl"],
            ["check", "a claim", "--k", "0"],
            ["check", "a claim", "--years", "abc"],
            ["check", "a claim", "--text", "t", "--index", "i"],
            ["check", "a claim", "--text", "t", "--k", "3"],
            ["check", "a claim", "--text", "t", "--years", "2000"],
            ["check", "a claim", "--index", "i", "--corpus", "c"],
            ["check", "a claim", "--column", "title"],
            ["index", "build", "dir"],
            ["index", "remove", "dir"],
            ["predict", "a", "b"],
        ],
        ids=" ".join,
    )
    def test_is_refused_with_exit_code_2(self, arguments: list[str], run: Run) -> None:
        outcome = run(*arguments)
        assert outcome.code == 2
        assert "Usage: sciverify" in outcome.err
        assert outcome.out == ""

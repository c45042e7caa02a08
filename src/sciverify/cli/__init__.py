"""The command line: one module per command, each with its click command as `command`.

What a command needs to import is imported when it runs, so that ``--help`` and ``--version`` answer at once.
Results go to stdout; progress, notes and errors go to stderr. `sciverify.cli.errors` holds the exit codes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from sciverify._version import __version__
from sciverify.cli import ask, check, curves, demo, evaluate, index, predict, runs, search, systems, train
from sciverify.cli.errors import guard

__all__ = ["cli", "main"]

COMPLETION_VARIABLE = "_SCIVERIFY_COMPLETE"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sciverify", message="%(prog)s %(version)s")
@click.option("--traceback", is_flag=True, help="After an error, also show where in the program it arose.")
def cli(traceback: bool) -> None:
    """Check a scientific claim against the literature, with quoted evidence, offline.

    Start with `sciverify demo`.
    """


for module in (ask, check, curves, demo, evaluate, index, predict, runs, search, systems, train):
    cli.add_command(module.command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    context: click.Context | None = None

    def run() -> None:
        nonlocal context
        if instruction := os.environ.get(COMPLETION_VARIABLE):
            _complete(instruction)
        with cli.make_context("sciverify", given) as context:
            cli.invoke(context)

    def show_traceback() -> bool:
        asked = context is not None and bool(context.params.get("traceback"))
        return asked or os.environ.get("SCIVERIFY_TRACEBACK", "") not in ("", "0")

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a narrow encoding shows "?" where it has no character
    return guard(run, show_traceback=show_traceback)


def _complete(instruction: str) -> None:
    """Answer the shell that asks what may come next (click's protocol)."""
    from click.shell_completion import shell_complete

    raise click.exceptions.Exit(shell_complete(cli, {}, "sciverify", COMPLETION_VARIABLE, instruction))

"""How a command ends: exit codes, and what is printed when something goes wrong."""

from __future__ import annotations

import os
import sys
import traceback as tracebacks
from collections.abc import Callable, Sequence
from enum import IntEnum

import click

from sciverify.cli.terminal import clean, count
from sciverify.errors import SciverifyError
from sciverify.records import Problem

__all__ = ["ExitCode", "finish", "guard", "list_problems", "say"]


class ExitCode(IntEnum):
    """What the command line returns to the shell."""

    DONE = 0
    ERROR = 1  # an input, an index or a setting is at fault
    USAGE = 2  # the command itself is written wrongly
    PARTIAL = 3  # done, but some inputs failed; they are listed on stderr
    INTERNAL = 70  # a fault in sciverify
    INTERRUPTED = 130
    BROKEN_PIPE = 141


SHOWN_PROBLEMS = 20


def guard(run: Callable[[], object], *, show_traceback: Callable[[], bool]) -> int:
    """Run a command and turn however it ends into an exit code and at most one short message on stderr.

    `show_traceback` is asked only after a failure, because the option that sets it is parsed inside `run`.
    """
    try:
        run()
        sys.stdout.flush()
        return ExitCode.DONE
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return ExitCode.BROKEN_PIPE
    except Exception as error:
        return _report(error, with_traceback=show_traceback())
    finally:
        _settle_stdout()


def finish(problems: Sequence[Problem], *, shown: Sequence[Problem] = ()) -> None:
    """End a command that got through: list what failed, if anything did, and exit with `PARTIAL` then.

    `shown` are failures too, but ones that the command's own output has shown already.
    """
    if problems:
        list_problems(problems)
    if problems or shown:
        raise click.exceptions.Exit(ExitCode.PARTIAL)


def list_problems(problems: Sequence[Problem]) -> None:
    """Name on stderr how many inputs failed, and the first of them with the reason."""
    say(f"{count(len(problems), 'input')} failed:")
    for problem in problems[:SHOWN_PROBLEMS]:
        say(f"  {problem.where}: {problem.message}" if problem.where else f"  {problem.message}")
    if len(problems) > SHOWN_PROBLEMS:
        say(f"  ... and {len(problems) - SHOWN_PROBLEMS:,} more")


def say(message: str) -> None:
    """Print one line on stderr, safe to show whatever it quotes."""
    click.echo(clean(message), err=True)


def _report(error: Exception, *, with_traceback: bool) -> ExitCode:
    if with_traceback:
        tracebacks.print_exc()
    if isinstance(error, SciverifyError):
        say(f"error: {error}")
        return ExitCode.ERROR
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        say(f"error: {error.filename}: {reason}" if error.filename else f"error: {reason}")
        return ExitCode.ERROR
    say(f"error: unexpected {type(error).__name__}: {error}")
    if not with_traceback:
        say("This is a fault in sciverify. To see where, run `sciverify --traceback ...` or set SCIVERIFY_TRACEBACK=1.")
    return ExitCode.INTERNAL


def _settle_stdout() -> None:
    """Write out what is buffered; where nobody reads any more, drop it, or the interpreter would complain later."""
    try:
        sys.stdout.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)

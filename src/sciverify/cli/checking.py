"""What the commands share that put claims or questions to a system: its options, its source, verdicts as they come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sciverify.cli.progress import progress
from sciverify.cli.sources import Source, SourceOptions, read_claims
from sciverify.cli.terminal import console_for, is_terminal
from sciverify.records import Claim, Filters, Problem, Verdict

if TYPE_CHECKING:
    from rich.console import Console

    from sciverify.index import Index
    from sciverify.stages import System

__all__ = [
    "CLAIMS_AT_ONCE",
    "Check",
    "SystemOptions",
    "Write",
    "check_all",
    "claims_from",
    "open_check",
    "screen_writer",
    "system_options",
]

CLAIMS_AT_ONCE = 8  # results appear after so many claims; more would hardly be faster

Check = Callable[[Sequence[Claim]], list[Verdict]]
Write = Callable[[Verdict], None]


@dataclass(frozen=True)
class SystemOptions:
    """Which system, and its options as far as they were given."""

    name: str
    k: int | None
    model: Path | None

    def load(self, index: Index | None, **more: object) -> System:
        """The system over an index; None makes one that is given its documents. Options that are None are left out."""
        from sciverify.systems import load_system

        options = {"k": self.k, "model": self.model, **more}
        return load_system(
            self.name, index=index, **{name: value for name, value in options.items() if value is not None}
        )

    def require_known(self) -> None:
        """Refuse an unknown system, or a folder that holds no model, before a corpus is indexed for it."""
        from sciverify.systems import SYSTEMS

        if self.name not in SYSTEMS or self.model is not None:
            self.load(None)


def system_options(*, default: str, unit: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options that say which system reads, and how much; the command receives them as ``system``."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_system(*args: Any, system: str, k: int | None, model: Path | None, **rest: Any) -> Any:
            return command(*args, system=SystemOptions(system, k, model), **rest)

        for option in reversed(
            (
                click.option(
                    "--system",
                    metavar="NAME",
                    default=default,
                    show_default=True,
                    help="Which system (see `sciverify systems`).",
                ),
                click.option(
                    "--k",
                    metavar="N",
                    type=click.IntRange(min=1),
                    help=f"How many documents to read per {unit}.  [default: the system's]",
                ),
                click.option(
                    "--model",
                    type=click.Path(path_type=Path),
                    metavar="DIR",
                    help="Read with the model in this folder, as `sciverify train --release` writes it.  "
                    "[default: the one that ships]",
                ),
            )
        ):
            with_system = option(with_system)
        return with_system

    return add


def claims_from(text: str | None, file: Path | None) -> list[Claim]:
    """The claims (or questions) in a file, or the one that was given."""
    return read_claims(file) if file is not None else [Claim("1", text or "")]


@contextmanager
def open_check(system: SystemOptions, source: SourceOptions, filters: Filters | None) -> Iterator[tuple[Check, Source]]:
    """Open what is to be searched, with the system over it."""
    system.require_known()
    with source.open() as opened:
        loaded = system.load(opened.index)
        yield lambda claims: loaded.check(claims, filters), opened


def check_all(
    claims: Sequence[Claim], check: Check, write: Write, *, many: bool, action: str, unit: str
) -> list[Problem]:
    """Check claims a few at a time, write each verdict as soon as it is there, and gather the problems."""
    problems: list[Problem] = []
    # Where stdout is the terminal too, the verdicts themselves show how far it got.
    quiet = not many or is_terminal(sys.stdout)
    with nullcontext(_ignore) if quiet else progress(action, total=len(claims), unit=unit) as advance:
        for start in range(0, len(claims), CLAIMS_AT_ONCE):
            batch = claims[start : start + CLAIMS_AT_ONCE]
            for verdict in check(batch):
                write(verdict)
                problems += verdict.problems
            sys.stdout.flush()
            advance(len(batch))
    return problems


def screen_writer(show: Callable[[Console, Verdict], None]) -> Write:
    """Show verdicts on stdout, an empty line between them."""
    console = console_for()
    written = 0

    def write(verdict: Verdict) -> None:
        nonlocal written
        if written:
            console.print()
        written += 1
        show(console, verdict)

    return write


def _ignore(_: int) -> None:
    """Progress that nobody needs to see."""

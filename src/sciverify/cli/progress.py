"""Progress on stderr: a bar with rate and remaining time on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sciverify.cli.errors import say
from sciverify.cli.terminal import clean, console_for, count, is_terminal

__all__ = ["PlainProgress", "progress"]

SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress(label: str, *, total: int | None = None, unit: str = "document") -> Iterator[Callable[[int], None]]:
    """Show how a long task gets on; the block receives a function to call with the number of newly done units.

    Args:
        label: what is going on, for example ``indexing``.
        total: how many units there are, or None where that is not known; then there is no remaining time.
        unit: what is counted, in the singular.
    """
    if is_terminal(sys.stderr):
        with _bar(label, total, unit) as advance:
            yield advance
        return
    lines = PlainProgress(label, total, unit)
    yield lines.advance
    lines.finish()


class PlainProgress:
    """Lines for a log: one every ten seconds while the task runs, and one at its end."""

    def __init__(
        self, label: str, total: int | None = None, unit: str = "document", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.done = 0
        self._clock = clock
        self._began = self._last_line = clock()

    def advance(self, newly_done: int) -> None:
        """Count units, and print a line when the last one was long enough ago."""
        self.done += newly_done
        now = self._clock()
        if now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            say(self._line(now))

    def finish(self) -> None:
        """Print how many units were done, and how fast."""
        seconds = self._clock() - self._began
        say(f"{self.label}: {count(self.done, self.unit)} in {duration(seconds)}{_rate(self.done, seconds)}")

    def _line(self, now: float) -> str:
        seconds = now - self._began
        if not self.total:
            return f"{self.label}: {count(self.done, self.unit)}{_rate(self.done, seconds)}"
        share = min(self.done / self.total, 1.0)
        left = f", {duration(seconds * (1 - share) / share)} left" if share > 0 else ""
        counted = f"{self.done:,} of {count(self.total, self.unit)} ({share:.0%})"
        return f"{self.label}: {counted}{_rate(self.done, seconds)}{left}"


def duration(seconds: float) -> str:
    """A length of time as people write it: ``0.4 s``, ``12 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _rate(done: int, seconds: float) -> str:
    if not done or seconds <= 0:
        return ""
    rate = done / seconds
    return f", {rate:,.0f}/s" if rate >= 10 else f", {rate:.1f}/s"


@contextmanager
def _bar(label: str, total: int | None, unit: str) -> Iterator[Callable[[int], None]]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(_rate(int(task.completed), task.elapsed or 0.0).removeprefix(", "), style="progress.data.speed")

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}s", markup=False),
        RateColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console_for(sys.stderr)) as bar:
        task = bar.add_task(clean(label), total=total)

        def advance(newly_done: int) -> None:
            bar.advance(task, newly_done)
            if total is not None and bar.tasks[0].completed > total:  # the total may be an estimate
                bar.update(task, total=bar.tasks[0].completed)

        yield advance
        bar.update(task, total=bar.tasks[0].completed)

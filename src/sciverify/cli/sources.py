"""The options that say where documents come from and which of them count, shared by the commands that search."""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sciverify.cli.errors import say
from sciverify.cli.progress import progress
from sciverify.errors import CorpusError, InputError, place
from sciverify.records import Claim, Filters, Problem

if TYPE_CHECKING:
    from sciverify.index import Index
    from sciverify.stages import Reader, TextEncoder

__all__ = [
    "CorpusOptions",
    "Source",
    "SourceOptions",
    "corpus_options",
    "count_lines",
    "filter_options",
    "load_encoder",
    "read_claims",
    "read_text",
    "source_options",
]

Command = Callable[..., Any]
PATH = click.Path(path_type=Path)
YEARS = re.compile(r"(?P<only>[0-9]{1,4})|(?P<first>[0-9]{1,4})?-(?P<last>[0-9]{1,4})?")


def year_range(text: str) -> tuple[int | None, int | None]:
    """Read ``2005``, ``2000-2010``, ``2005-`` or ``-1999``: the first and the last year, None where it is open."""
    match = YEARS.fullmatch(text.strip().replace("–", "-"))
    if not match or not any(match.groups()):
        raise click.BadParameter(f"{text!r} is not a range of years like 2000-2010, 2005-, -1999 or 2005")
    first, last = match["only"] or match["first"], match["only"] or match["last"]
    return int(first) if first else None, int(last) if last else None


def column_name(text: str) -> tuple[str, str]:
    """Read ``title=Heading``: a field, and the name that it has in a file."""
    field, _, header = text.partition("=")
    if not field or not header:
        raise click.BadParameter(f"{text!r} is not of the form name=header, for example title=Heading")
    return field, header


@dataclass(frozen=True)
class CorpusOptions:
    """How corpus files are read."""

    format: str
    columns: dict[str, str]
    skip_bad: bool
    replace: bool  # of documents with one id keep the last

    def open(self, path: Path) -> Reader:
        """A reader over one corpus file or folder."""
        from sciverify.corpora import open_corpus

        return open_corpus(path, format=self.format, columns=self.columns or None, skip_bad=self.skip_bad)


@dataclass(frozen=True)
class Source:
    """An open index, how to call it, and what was skipped while it was made."""

    index: Index
    name: str
    problems: list[Problem]


@dataclass(frozen=True)
class SourceOptions:
    """What to search: an index, corpus files that are indexed on the fly, or the demo corpus."""

    index: Path | None
    corpus: tuple[Path, ...]
    vectors: bool
    reading: CorpusOptions

    def __post_init__(self) -> None:
        if self.index and self.corpus:
            raise click.UsageError("--index and --corpus exclude each other: an index already holds its documents.")

    @property
    def given(self) -> bool:
        """Whether the user named an index or a corpus."""
        return bool(self.index or self.corpus)

    @contextmanager
    def open(self) -> Iterator[Source]:
        """Open what was asked for, and close it (and remove a temporary index) at the end."""
        with ExitStack() as stack:
            if self.corpus:
                from sciverify.index import temporary_folder

                size = sum(path.stat().st_size for path in self.corpus if path.is_file())
                folder = stack.enter_context(temporary_folder(size))
                yield self._index_corpus(folder / "index", stack)
            elif self.index:
                from sciverify.index import Index

                yield Source(stack.enter_context(Index.open(self.index)), str(self.index), [])
            else:
                from sciverify.demo import demo_index

                index = stack.enter_context(demo_index())
                say(f"Using the built-in demo corpus ({len(index):,} studies); --index or --corpus names your own.")
                yield Source(index, "built-in demo corpus", [])

    def _index_corpus(self, folder: Path, stack: ExitStack) -> Source:
        from sciverify.index import Index

        readers = [self.reading.open(path) for path in self.corpus]
        encoder = load_encoder() if self.vectors else None
        with progress("indexing", total=count_lines(self.corpus)) as advance:
            documents = (document for reader in readers for document in reader)
            index = stack.enter_context(
                Index.build(folder, documents, encoder=encoder, replace=self.reading.replace, progress=advance)
            )
        problems = [problem for reader in readers for problem in reader.problems]
        return Source(index, ", ".join(map(str, self.corpus)), problems)


def read_claims(path: Path) -> list[Claim]:
    """The claims in a file, or on stdin for ``-``."""
    from sciverify.corpora.claims import read_claims

    return read_claims(_stream_or_path(path))


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, plain or gzip, or of stdin for ``-``.

    Raises:
        InputError: it cannot be read, is empty, or is not UTF-8 text.
    """
    from sciverify.corpora.lines import decode, numbered_lines

    lines = []
    for number, line in numbered_lines(_stream_or_path(path), blank=True, error=InputError):
        try:
            lines.append(decode(line))
        except CorpusError as error:
            raise InputError(error.problem, where=place(path, number), remedy=error.remedy) from None
    return "".join(lines)


def _stream_or_path(path: Path) -> Path | BinaryIO:
    return sys.stdin.buffer if str(path) == "-" else path


def count_lines(paths: Sequence[Path]) -> int | None:
    """About how many documents files hold, for a progress bar: their lines. None where that says nothing."""
    lines = 0
    for path in paths:
        if not path.is_file() or path.suffix == ".zip":
            return None
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                while block := file.read(1 << 20):
                    lines += block.count(b"\n")
        except (OSError, EOFError, zlib.error):
            return None  # the reader will say what is wrong with it
    return lines or None


def load_encoder() -> TextEncoder:
    """The encoder that makes the vectors of an index."""
    from sciverify.models import load_encoder

    return load_encoder()


def corpus_options(command: Command) -> Command:
    """Add the options that say how a corpus is read; the command receives them as ``reading``."""

    @wraps(command)
    def with_reading(
        *args: Any, format: str, column: tuple[tuple[str, str], ...], skip_bad: bool, replace: bool, **rest: Any
    ) -> Any:
        return command(*args, reading=CorpusOptions(format, dict(column), skip_bad, replace), **rest)

    return _add(
        with_reading,
        click.option(
            "--format",
            metavar="NAME",
            default="auto",
            show_default=True,
            help="Format of the corpus (docs/corpora.md).",
        ),
        click.option(
            "--column",
            type=column_name,
            metavar="NAME=HEADER",
            multiple=True,
            help="Name of a field in the corpus, like title=Heading. Repeatable.",
        ),
        click.option("--replace", is_flag=True, help="Of documents with one id keep the last; otherwise an error."),
        click.option("--skip-bad", is_flag=True, help="Skip lines that cannot be read, list them, and exit with 3."),
    )


def source_options(command: Command) -> Command:
    """Add the options that say what to search; the command receives them as ``source``."""

    @corpus_options
    @wraps(command)
    def with_source(
        *args: Any, index: Path | None, corpus: tuple[Path, ...], vectors: bool, reading: CorpusOptions, **rest: Any
    ) -> Any:
        return command(*args, source=SourceOptions(index, corpus, vectors, reading), **rest)

    return _add(
        with_source,
        click.option("--index", type=PATH, metavar="DIR", help="Search this index (see `sciverify index build`)."),
        click.option(
            "--corpus",
            type=PATH,
            multiple=True,
            metavar="FILE",
            help="Index this corpus for the moment and search it. Repeatable.",
        ),
        click.option(
            "--vectors/--no-vectors",
            default=True,
            show_default=True,
            help="With --corpus: make vectors too, to search by meaning and not by words alone.",
        ),
    )


def filter_options(command: Command) -> Command:
    """Add the options that say which documents count; the command receives them as ``filters``."""

    @wraps(command)
    def with_filters(
        *args: Any,
        years: tuple[int | None, int | None] | None,
        journal: tuple[str, ...],
        publication_type: tuple[str, ...],
        exclude_retracted: bool,
        **rest: Any,
    ) -> Any:
        first, last = years or (None, None)
        filters = Filters(first, last, journal, publication_type, False if exclude_retracted else None)
        return command(*args, filters=filters or None, **rest)

    return _add(
        with_filters,
        click.option(
            "--years", type=year_range, metavar="RANGE", help="Only these years: 2000-2010, 2005-, -1999 or 2005."
        ),
        click.option("--journal", multiple=True, help="Only this journal. Repeatable."),
        click.option("--type", "publication_type", multiple=True, help="Only this publication type. Repeatable."),
        click.option("--exclude-retracted", is_flag=True, help="Leave retracted papers out."),
    )


def _add(command: Command, *options: Callable[[Command], Command]) -> Command:
    """Apply decorators so that ``--help`` lists the options in the order given here."""
    for option in reversed(options):
        command = option(command)
    return command

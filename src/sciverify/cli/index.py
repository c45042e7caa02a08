"""``sciverify index``: build, change and look after an index directory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sciverify.cli.errors import ExitCode, finish, list_problems, say
from sciverify.cli.progress import progress
from sciverify.cli.schema import index_json, to_json
from sciverify.cli.sources import CorpusOptions, corpus_options, count_lines, load_encoder, read_text
from sciverify.cli.terminal import clean, count
from sciverify.records import Document, Problem

if TYPE_CHECKING:
    from sciverify.stages import Reader

__all__ = ["command"]

DIRECTORY = click.Path(path_type=Path)


@click.group("index", short_help="Build, change and look after an index.")
def command() -> None:
    """Build, change and look after an index: a directory that holds documents, ready to be searched."""


@command.command("build")
@click.argument("directory", type=DIRECTORY)
@click.argument("corpus", type=DIRECTORY, nargs=-1, required=True)
@corpus_options
@click.option(
    "--vectors/--no-vectors",
    default=True,
    show_default=True,
    help="Make vectors, to search by meaning and not by words alone (slower to build).",
)
def build(directory: Path, corpus: tuple[Path, ...], reading: CorpusOptions, vectors: bool) -> None:
    """Make an index in DIRECTORY out of one or more CORPUS files.

    A build that was interrupted goes on where it stopped when the same command is given again.
    """
    from sciverify.index import Index

    readers = [reading.open(path) for path in corpus]
    encoder = load_encoder() if vectors else None
    with progress("indexing", total=count_lines(corpus)) as advance:
        index = Index.build(directory, _documents(readers), encoder=encoder, replace=reading.replace, progress=advance)
    with index:
        click.echo(
            f"{clean(str(directory))}: {count(len(index), 'document')}, {'with' if vectors else 'without'} vectors"
        )
    finish(_skipped(readers))


@command.command("add")
@click.argument("directory", type=DIRECTORY)
@click.argument("corpus", type=DIRECTORY, nargs=-1, required=True)
@corpus_options
def add(directory: Path, corpus: tuple[Path, ...], reading: CorpusOptions) -> None:
    """Add the documents of one or more CORPUS files to the index in DIRECTORY."""
    from sciverify.index import Index

    readers = [reading.open(path) for path in corpus]
    with Index.open(directory) as index:
        encoder = load_encoder() if index.encoder_name else None
        with progress("indexing", total=count_lines(corpus)) as advance:
            added = index.add(_documents(readers), encoder=encoder, replace=reading.replace, progress=advance)
        click.echo(f"{clean(str(directory))}: {count(added, 'document')} added, {len(index):,} in all")
    finish(_skipped(readers))


@command.command("remove")
@click.argument("directory", type=DIRECTORY)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--ids", "listed", type=DIRECTORY, metavar="FILE", help="Also remove the ids in this file, one a line.")
def remove(directory: Path, ids: tuple[str, ...], listed: Path | None) -> None:
    """Remove documents from the index in DIRECTORY by their ids: all of them, or none where one is unknown."""
    if not ids and listed is None:
        raise click.UsageError("Give at least one id, or --ids with a file that lists some.")
    from sciverify.index import Index

    wanted = [*ids, *([id for line in read_text(listed).split("\n") if (id := line.rstrip("\r"))] if listed else ())]
    with Index.open(directory) as index:
        removed = index.remove(wanted)
        click.echo(f"{clean(str(directory))}: {count(removed, 'document')} removed, {len(index):,} left")


@command.command("info")
@click.argument("directory", type=DIRECTORY)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json-schema.md).")
def info(directory: Path, as_json: bool) -> None:
    """Say what is in the index in DIRECTORY and how it was made."""
    from sciverify.index import Index

    with Index.open(directory) as index:
        found = index_json(index.info())
    if as_json:
        click.echo(to_json(found, indent=True))
        return
    vectors = (
        f"{found['dimensions']} dimensions, {found['encoder']}" if found["encoder"] else "none: search by words only"
    )
    lines = {
        "index": found["path"],
        "documents": f"{found['documents']:,}",
        "vectors": vectors,
        "words": f"{found['analyser']}, BM25 k1={found['k1']} b={found['b']}, {found['average_length']:.1f} a document",
        "size": f"{found['size'] / 1e6:,.1f} MB",
        "revision": f"{found['revision']} (format {found['format']})",
    }
    for name, value in lines.items():
        click.echo(f"{name:<10} {clean(value)}")


@command.command("check")
@click.argument("directory", type=DIRECTORY)
def check(directory: Path) -> None:
    """Check that the parts of the index in DIRECTORY agree; exits with 1 where they don't."""
    from sciverify.index import Index

    with Index.open(directory) as index:
        problems = index.check()
        if not problems:
            click.echo(f"{clean(str(directory))}: {count(len(index), 'document')}, all parts agree")
            return
    list_problems(problems)
    say(f"To restore the search engine from the records, run `sciverify index rebuild {directory}`.")
    raise click.exceptions.Exit(ExitCode.ERROR)


@command.command("rebuild")
@click.argument("directory", type=DIRECTORY)
def rebuild(directory: Path) -> None:
    """Make the search engine's files anew from the records; nothing is read or embedded again."""
    from sciverify.index import Index

    with Index.open(directory) as index:
        with progress("rebuilding", total=len(index)) as advance:
            index.rebuild(progress=advance)
        click.echo(f"{clean(str(directory))}: {count(len(index), 'document')}")


def _documents(readers: Sequence[Reader]) -> Iterator[Document]:
    for reader in readers:
        yield from reader


def _skipped(readers: Sequence[Reader]) -> list[Problem]:
    return [problem for reader in readers for problem in reader.problems]

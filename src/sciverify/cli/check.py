"""``sciverify check``: claims against an index, a corpus, the demo corpus, or given texts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from sciverify.cli.checking import (
    Check,
    SystemOptions,
    Write,
    check_all,
    claims_from,
    open_check,
    screen_writer,
    system_options,
)
from sciverify.cli.errors import finish
from sciverify.cli.schema import to_json, verdict_json
from sciverify.cli.sources import SourceOptions, filter_options, read_text, source_options
from sciverify.errors import InputError
from sciverify.records import Document, Filters, Problem

__all__ = ["command", "text_documents"]


@click.command("check")
@click.argument("claim", required=False)
@click.option(
    "--claims", type=click.Path(path_type=Path), metavar="FILE", help="Check the claims in this file; - reads stdin."
)
@source_options
@click.option("--text", multiple=True, help="Check against this text alone, no corpus. Repeatable.")
@click.option(
    "--file",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Check against this text file alone; - reads stdin. Repeatable.",
)
@system_options(default="default", unit="claim")
@filter_options
@click.option("--all", "show_all", is_flag=True, help="List the papers that don't give enough information, too.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON (docs/json-schema.md); one line per claim with --claims."
)
def command(
    claim: str | None,
    claims: Path | None,
    source: SourceOptions,
    text: tuple[str, ...],
    files: tuple[Path, ...],
    system: SystemOptions,
    filters: Filters | None,
    show_all: bool,
    as_json: bool,
) -> None:
    """Check a CLAIM, or a closed question, and quote the evidence.

    Without --index, --corpus, --text or --file it is checked against the built-in demo corpus.
    """
    if (claim is None) == (claims is None):
        raise click.UsageError("Give a claim, or --claims with a file that holds some (one of the two).")
    given_texts = bool(text or files)
    if given_texts and (source.given or filters or system.k):
        raise click.UsageError("--text and --file are checked as they are: no corpus, --k or filter goes with them.")
    many = claims is not None
    with ExitStack() as stack:
        to_check = claims_from(claim, claims)
        skipped: list[Problem] = []
        if given_texts:
            check, corpus = _text_check(system, text_documents(text, files)), "given text"
        else:
            check, opened = stack.enter_context(open_check(system, source, filters))
            corpus, skipped = opened.name, opened.problems
        write = _json_writer(corpus, many=many) if as_json else _screen_writer(show_all)
        problems = check_all(to_check, check, write, many=many, action="checking", unit="claim")
    if as_json:
        finish([*skipped, *problems])
    finish(skipped, shown=problems)  # the screen has them beside their verdicts


def text_documents(texts: Sequence[str], files: Sequence[Path]) -> list[Document]:
    """Documents made of plain texts (ids ``text-1``, ``text-2`` ...) and of text files (their path is the id).

    Raises:
        InputError: a file cannot be read, is not UTF-8 text, or is named twice.
    """
    from sciverify.text.sentences import split_sentences

    if len(set(files)) < len(files):
        twice = next(path for path in files if files.count(path) > 1)
        raise InputError("the file is named twice", where=str(twice), remedy="Name it once")
    named = [(f"text-{number}", text) for number, text in enumerate(texts, start=1)]
    named += [(str(path), read_text(path)) for path in files]
    return [Document.from_sentences(id, id, split_sentences(text)) for id, text in named]


def _text_check(options: SystemOptions, documents: Sequence[Document]) -> Check:
    system = options.load(None)
    return lambda claims: [system.check_documents(claim, documents) for claim in claims]


def _json_writer(corpus: str, *, many: bool) -> Write:
    return lambda verdict: click.echo(to_json(verdict_json(verdict, corpus=corpus), indent=not many))


def _screen_writer(show_all: bool) -> Write:
    from sciverify.cli.render import print_verdict

    return screen_writer(lambda console, verdict: print_verdict(console, verdict, show_all=show_all))

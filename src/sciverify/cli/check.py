"""``sciverify check``: claims against an index, a corpus, the demo corpus, or given texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sciverify.cli.errors import finish
from sciverify.cli.progress import progress
from sciverify.cli.schema import to_json, verdict_json
from sciverify.cli.sources import SourceOptions, filter_options, read_claims, read_text, source_options
from sciverify.cli.terminal import console_for, is_terminal
from sciverify.errors import InputError
from sciverify.records import Claim, Document, Filters, Problem, Verdict

if TYPE_CHECKING:
    from sciverify.index import Index
    from sciverify.stages import System

__all__ = ["command", "text_documents"]

CLAIMS_AT_ONCE = 8  # results appear after so many claims; more would hardly be faster

Check = Callable[[Sequence[Claim]], list[Verdict]]


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
@click.option(
    "--system", metavar="NAME", default="default", show_default=True, help="Which system (see `sciverify systems`)."
)
@click.option(
    "--k",
    metavar="N",
    type=click.IntRange(min=1),
    help="How many documents to read per claim.  [default: the system's]",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Read with the model in this folder, as `sciverify train --release` writes it.  [default: the one that ships]",
)
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
    system: str,
    k: int | None,
    model: Path | None,
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
    if given_texts and (source.given or filters or k):
        raise click.UsageError("--text and --file are checked as they are: no corpus, --k or filter goes with them.")
    with ExitStack() as stack:
        to_check = read_claims(claims) if claims is not None else [Claim("1", claim or "")]
        skipped: list[Problem] = []
        options: dict[str, object] = {"k": k, "model": model}
        options = {name: value for name, value in options.items() if value is not None}
        if given_texts:
            check, corpus = _text_check(system, text_documents(text, files), options), "given text"
        else:
            _require_known(system, options)
            opened = stack.enter_context(source.open())
            loaded = _load(system, opened.index, options)
            check, corpus, skipped = _index_check(loaded, filters), opened.name, opened.problems
        write = _json_writer(corpus, many=claims is not None) if as_json else _screen_writer(show_all)
        problems = _check_all(to_check, check, write, many=claims is not None)
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


def _require_known(system: str, options: Mapping[str, object]) -> None:
    """Refuse an unknown system, or a folder that holds no model, before a corpus is indexed for it."""
    from sciverify.systems import SYSTEMS, load_system

    if system not in SYSTEMS or "model" in options:
        load_system(system, index=None, **options)


def _load(system: str, index: Index, options: Mapping[str, object]) -> System:
    from sciverify.systems import load_system

    return load_system(system, index=index, **options)


def _index_check(system: System, filters: Filters | None) -> Check:
    return lambda claims: system.check(claims, filters)


def _text_check(name: str, documents: Sequence[Document], options: Mapping[str, object]) -> Check:
    from sciverify.systems import load_system

    system = load_system(name, index=None, **options)
    return lambda claims: [system.check_documents(claim, documents) for claim in claims]


def _check_all(claims: Sequence[Claim], check: Check, write: Callable[[Verdict], None], *, many: bool) -> list[Problem]:
    """Check claims a few at a time, write each verdict as soon as it is there, and gather the problems."""
    problems: list[Problem] = []
    # Where stdout is the terminal too, the verdicts themselves show how far it got.
    quiet = not many or is_terminal(sys.stdout)
    with nullcontext(_ignore) if quiet else progress("checking", total=len(claims), unit="claim") as advance:
        for batch in _batches(claims):
            for verdict in check(batch):
                write(verdict)
                problems += verdict.problems
            sys.stdout.flush()
            advance(len(batch))
    return problems


def _batches(claims: Sequence[Claim]) -> Iterator[Sequence[Claim]]:
    for start in range(0, len(claims), CLAIMS_AT_ONCE):
        yield claims[start : start + CLAIMS_AT_ONCE]


def _json_writer(corpus: str, *, many: bool) -> Callable[[Verdict], None]:
    return lambda verdict: click.echo(to_json(verdict_json(verdict, corpus=corpus), indent=not many))


def _screen_writer(show_all: bool) -> Callable[[Verdict], None]:
    from sciverify.cli.render import print_verdict

    console = console_for()
    written = 0

    def write(verdict: Verdict) -> None:
        nonlocal written
        if written:
            console.print()
        written += 1
        print_verdict(console, verdict, show_all=show_all)

    return write


def _ignore(_: int) -> None:
    """Progress that nobody needs to see."""

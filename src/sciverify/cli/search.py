"""``sciverify search``: what a retriever finds, without verification."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sciverify.cli.errors import finish
from sciverify.cli.schema import search_json, to_json
from sciverify.cli.sources import SourceOptions, filter_options, load_encoder, source_options
from sciverify.cli.terminal import console_for
from sciverify.records import Claim, Filters

if TYPE_CHECKING:
    from sciverify.index import Index
    from sciverify.stages import Retriever

__all__ = ["command"]


@click.command("search")
@click.argument("query")
@source_options
@click.option(
    "--retriever",
    metavar="NAME",
    help="tfidf, bm25, dense or hybrid.  [default: hybrid; bm25 where the index has no vectors]",
)
@click.option(
    "--k", metavar="N", type=click.IntRange(min=1), default=10, show_default=True, help="How many documents to show."
)
@filter_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json-schema.md).")
def command(
    query: str, source: SourceOptions, retriever: str | None, k: int, filters: Filters | None, as_json: bool
) -> None:
    """Search for a QUERY: the documents that `check` would read.

    Without --index or --corpus the built-in demo corpus is searched.
    """
    with source.open() as opened:
        finder = _retriever(opened.index, retriever)
        [ranking] = finder.retrieve([Claim("1", query)], k, filters)
        if as_json:
            click.echo(to_json(search_json(query, ranking, retriever=finder.name, corpus=opened.name), indent=True))
        else:
            from sciverify.cli.render import print_ranking

            print_ranking(console_for(), ranking)
    finish(opened.problems)


def _retriever(index: Index, name: str | None) -> Retriever:
    from sciverify.retrieval import RETRIEVERS, load_retriever

    name = name or ("hybrid" if index.encoder_name else "bm25")
    needs_encoder = name in RETRIEVERS and RETRIEVERS[name].needs_encoder
    return load_retriever(name, index, load_encoder() if needs_encoder else None)

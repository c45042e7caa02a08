"""``sciverify demo``: a first look, on the built-in corpus."""

from __future__ import annotations

import click

from sciverify.cli.errors import finish, say
from sciverify.cli.terminal import console_for
from sciverify.records import Problem, as_claims

__all__ = ["CLAIMS", "command"]

CLAIMS = (
    "Dexamethasone reduces mortality in COVID-19 patients on mechanical ventilation.",
    "Folic acid prevents neural tube defects.",
    "Vitamin E lowers the risk of heart attack.",
)

NEXT_STEPS = """\
The verifier is a small model. It errs, most often about the direction of a finding: read what it quotes.

What next
  sciverify check "your own claim"                  on this demo corpus
  sciverify check "your own claim" --file paper.txt  on a text of yours
  sciverify index build my.index corpus.jsonl       index your documents once
  sciverify check "your own claim" --index my.index  and check against them
  sciverify --help                                  everything else
"""


@click.command("demo")
def command() -> None:
    """Check three claims against the built-in demo corpus, and say what to try next."""
    from sciverify.cli.render import print_verdict
    from sciverify.demo import demo_index, demo_notice
    from sciverify.systems import load_system

    console = console_for()
    problems: list[Problem] = []
    with demo_index() as index:
        say(f"The demo corpus holds {len(index):,} landmark studies. {demo_notice()}")
        system = load_system("default", index=index)
        for claim in as_claims(CLAIMS):
            [verdict] = system.check([claim])
            print_verdict(console, verdict)
            console.rule(style="dim")
            problems += verdict.problems
    click.echo(NEXT_STEPS, nl=False)
    finish([], shown=problems)

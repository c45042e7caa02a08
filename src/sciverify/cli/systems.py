"""``sciverify systems``: the published systems that are inside, by name."""

from __future__ import annotations

import click

from sciverify.cli.terminal import console_for

__all__ = ["command"]


@click.command("systems")
def command() -> None:
    """List the systems that --system takes: what each adds, and its paper."""
    from sciverify.cli.render import print_systems
    from sciverify.systems import SYSTEMS

    print_systems(console_for(), ({"name": s.name, "summary": s.summary, "paper": s.paper} for s in SYSTEMS.values()))

"""``sciverify curves``: the losses of a training as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from sciverify.cli.terminal import clean

__all__ = ["command"]


@click.command("curves")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="The SVG file; by default curves.svg in RUN."
)
def command(run: Path, out: Path | None) -> None:
    """Draw the losses in the log of a RUN folder (`sciverify train --out`), also while it trains."""
    from sciverify.training.curves import draw_curves

    picture = draw_curves(run)
    target = out if out is not None else run / "curves.svg"
    target.write_text(picture, encoding="utf-8")
    click.echo(clean(str(target)))

"""``sciverify train``: a recipe to trained weights; needs the extra ``train``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from sciverify.cli.errors import say
from sciverify.cli.terminal import clean
from sciverify.errors import MissingExtraError

__all__ = ["command"]

DIRECTORY = click.Path(path_type=Path)
NEEDED = ("torch", "transformers")


@click.command("train")
@click.argument("recipe")
@click.option("--data", type=DIRECTORY, metavar="DIR", required=True, help="The folder of the public data sets.")
@click.option("--out", type=DIRECTORY, metavar="DIR", required=True, help="The run folder: weights, checkpoints, log.")
@click.option("--fold", type=click.IntRange(1, 5), metavar="N", help="Leave out this cross-validation fold, 1 to 5.")
@click.option("--until", metavar="STAGE", help="Stop after this stage of the recipe.")
def command(recipe: str, data: Path, out: Path, fold: int | None, until: str | None) -> None:
    """Train a model by a RECIPE: a TOML file, or the name of one that ships (student).

    Training that was interrupted goes on where it stopped when the same command is given again. Needs the extra
    `train`.
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise MissingExtraError(
            f"training needs {' and '.join(missing)}", remedy="Install the extra: pip install 'sciverify[train]'"
        )
    from sciverify.training.recipe import read_recipe, run_stages

    weights = run_stages(read_recipe(recipe), data, out, fold=fold, until=until, notify=say)
    click.echo(clean(str(weights)))

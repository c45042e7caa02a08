"""``sciverify train``: a recipe to trained weights; needs the extra ``train``."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import click

from sciverify.cli.errors import say
from sciverify.cli.terminal import clean
from sciverify.errors import MissingExtraError

__all__ = ["command"]

DIRECTORY = click.Path(path_type=Path)
NEEDED = ("torch", "transformers", "nncf")


@click.command("train")
@click.argument("recipe")
@click.option("--data", type=DIRECTORY, metavar="DIR", required=True, help="The folder of the public data sets.")
@click.option("--out", type=DIRECTORY, metavar="DIR", required=True, help="The run folder: weights, checkpoints, log.")
@click.option("--fold", type=click.IntRange(1, 5), metavar="N", help="Leave out this cross-validation fold, 1 to 5.")
@click.option("--until", metavar="STAGE", help="Stop after this stage of the recipe.")
@click.option(
    "--release",
    type=DIRECTORY,
    metavar="DIR",
    help="Train folds too, calibrate, export to int8, gate, and write the model that ships to DIR.",
)
@click.option("--folds", default="1,2,3,4,5", show_default=True, metavar="LIST", help="The folds of --release.")
@click.option(
    "--refit/--no-refit",
    default=True,
    show_default=True,
    help="Ship a model trained on all claims, or that of the only fold, which takes half the time.",
)
def command(
    recipe: str,
    data: Path,
    out: Path,
    fold: int | None,
    until: str | None,
    release: Path | None,
    folds: str,
    refit: bool,
) -> None:
    """Train a model by a RECIPE: a TOML file, or the name of one that ships, such as student.

    Training that was interrupted goes on where it stopped when the same command is given again. Needs the extra
    `train`.
    """
    if release is not None and (fold is not None or until is not None):
        raise click.UsageError("--release trains all stages and its own --folds: leave out --fold and --until")
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise MissingExtraError(
            f"training needs {' and '.join(missing)}", remedy="Install the extra: pip install 'sciverify[train]'"
        )
    from sciverify.training.recipe import read_recipe, run_stages

    if release is None:
        weights = run_stages(read_recipe(recipe), data, out, fold=fold, until=until, notify=say)
        click.echo(clean(str(weights)))
        return
    from sciverify.training.release import release as make_release

    report = make_release(read_recipe(recipe), data, out, release, folds=_folds(folds), refit=refit, notify=say)
    click.echo(json.dumps(report, indent=2))


def _folds(text: str) -> list[int]:
    folds = [int(part) if part.strip().isdigit() else 0 for part in text.split(",")]
    if not all(1 <= fold <= 5 for fold in folds) or len(set(folds)) < len(folds):
        raise click.BadParameter(f"{text!r} is not a list of different folds from 1 to 5", param_hint="--folds")
    return folds

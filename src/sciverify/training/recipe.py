"""A training recipe: a TOML file that names the stages, the data sets of each, and how long they train.

    name = "student"
    seed = 13
    [[stages]]
    name = "entailment"
    epochs = 1
    sets = ["fever", "mnli"]

Run folder: ``STAGE.pt`` after each stage (a stage whose file is there is skipped), ``STAGE.ckpt`` while one runs,
``log.jsonl`` for learning curves, ``encoder`` for the architecture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from sciverify.errors import SettingError, TrainingError, place
from sciverify.models.inputs import InputShape
from sciverify.training.augment import Rates
from sciverify.training.mixing import Mixing
from sciverify.training.pretrained import DEFAULT_ENCODER
from sciverify.training.trainer import Schedule
from sciverify.verification import INPUTS, STEPS

__all__ = ["Recipe", "Stage", "exported_weights", "read_recipe", "run_stages", "shipped_recipes"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: which sets, how long, with which dropout, and whose opinions of the examples are learned.

    It goes on from the weights of the stage `after`, by default the one before. `mixing` and `augment` say what an
    epoch makes of the sets.
    """

    name: str
    sets: tuple[str, ...]
    schedule: Schedule
    dropout: float = 0.0
    teacher: tuple[str, ...] = ()
    after: str = ""
    mixing: Mixing = field(default_factory=Mixing)
    augment: Rates = field(default_factory=Rates)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole ladder of stages, each going on from the one before.

    `negatives` is the number of hard negative documents per SciFact claim; `cross_validated` names the first stage
    that sees SciFact, the one from which folds are trained. `freeze_words` keeps the word embeddings as published:
    words that no training set holds stay comparable with those that were trained on. `reread` goes into the decision.
    `encoder` is what the first stage starts from (`sciverify.training.pretrained.open_pretrained`). `input` is what of
    a claim and its document the model may see, one of `sciverify.verification.INPUTS`. `export` names the stage that
    trains each of `sciverify.verification.STEPS`; empty, the last stage's model does it all.
    """

    name: str
    seed: int
    stages: tuple[Stage, ...]
    negatives: int
    cross_validated: str
    shape: InputShape
    freeze_words: bool
    reread: float
    encoder: str = DEFAULT_ENCODER
    input: str = "full"
    export: Mapping[str, str] = field(default_factory=dict)

    @property
    def exported(self) -> dict[str, str]:
        """The stages whose models are exported, by role; a single model has the role ""."""
        return dict(self.export) or {"": self.stages[-1].name}


def shipped_recipes() -> list[str]:
    """The names of the recipes that ship."""
    folder = resources.files("sciverify.training") / "recipes"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def read_recipe(source: str | Path) -> Recipe:
    """Read a recipe by the name of one that ships (``student``) or by its path.

    Raises:
        TrainingError: it isn't there, isn't TOML, or has unknown or missing keys.
    """
    text, where = _recipe_text(source)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TrainingError(f"not TOML ({error})", where=where, remedy="See docs/training.md for the form") from error
    _refuse_unknown(content, {field.name for field in fields(Recipe)}, where)
    try:
        stages = tuple(_stage(stage, where) for stage in content["stages"])
        recipe = Recipe(
            content["name"],
            int(content["seed"]),
            stages,
            int(content["negatives"]),
            content["cross_validated"],
            InputShape(**content.get("shape", {})),
            bool(content.get("freeze_words", False)),
            float(content.get("reread", 0.0)),
            str(content.get("encoder", DEFAULT_ENCODER)),
            str(content.get("input", "full")),
            content.get("export", {}),
        )
    except KeyError as error:
        raise TrainingError(f"the key {error} is missing", where=where, remedy="See docs/training.md") from error
    except (TypeError, ValueError, SettingError) as error:
        raise TrainingError(str(error), where=where, remedy="See docs/training.md for the keys") from error
    if recipe.cross_validated not in {stage.name for stage in stages}:
        raise TrainingError(f"there is no stage {recipe.cross_validated!r} to cross-validate", where=where)
    if recipe.input not in INPUTS:
        raise TrainingError(
            f"there is no input {recipe.input!r}", where=where, remedy=f"Choose among {', '.join(INPUTS)}"
        )
    names = [stage.name for stage in stages]
    for number, stage in enumerate(stages):
        if stage.after and stage.after not in names[:number]:
            raise TrainingError(
                f"the stage {stage.name!r} comes after {stage.after!r}, which is no stage before it", where=where
            )
    for stage in stages[: names.index(recipe.cross_validated)]:
        if stage.teacher:  # a teacher has seen SciFact, and all folds share this stage
            raise TrainingError(
                f"the stage {stage.name!r} has a teacher, but comes before the cross-validated one",
                where=where,
                remedy=f'Set cross_validated = "{stage.name}"',
            )
    _check_export(recipe, where)
    return recipe


def run_stages(
    recipe: Recipe,
    data: Path,
    folder: Path,
    *,
    fold: int | None = None,
    until: str | None = None,
    notify: Callable[[str], None] = lambda _: None,
) -> Path:
    """Train the stages that are not yet done and return the last one's weights.

    Args:
        recipe: what to train.
        data: the folder of the public data sets.
        folder: the run folder; made if missing.
        fold: leave out this SciFact fold (1 to 5); its stages go into ``folder/fold_N`` and start from the stage
            before `cross_validated`, which no fold changes.
        until: stop after this stage.
        notify: told what happens, one line at a time.
    """
    import torch

    from sciverify.models.cpu import available_cpus
    from sciverify.models.tokens import load_tokenizer
    from sciverify.training.allocator import keep_freed_memory
    from sciverify.training.distil import soft_rows, teacher_weights
    from sciverify.training.epochs import Epochs
    from sciverify.training.network import CrossEncoder, open_network, save_state
    from sciverify.training.pretrained import open_pretrained
    from sciverify.training.sets import SETS, Options, load_sets
    from sciverify.training.trainer import train_stage

    if until is not None and until not in {stage.name for stage in recipe.stages}:
        raise TrainingError(
            f"there is no stage {until!r} to stop after",
            where=recipe.name,
            remedy=f"The stages are {', '.join(stage.name for stage in recipe.stages)}",
        )
    if unknown := sorted({name for stage in recipe.stages for name in stage.sets} - set(SETS)):
        raise TrainingError(
            f"there is no data set {unknown[0]!r}", where=recipe.name, remedy=f"Known: {', '.join(SETS)}"
        )
    keep_freed_memory()
    torch.set_num_threads(available_cpus())
    torch.manual_seed(recipe.seed)
    trained: dict[str, Path] = {}
    weights: Path | None = None
    for stage in recipe.stages:
        target = _stage_folder(recipe, stage.name, folder, fold)
        target.mkdir(parents=True, exist_ok=True)
        done = target / f"{stage.name}.pt"
        if not done.exists():
            options = Options(fold, recipe.negatives, recipe.seed)
            teachers = teacher_weights(stage.teacher, None if target == folder else fold)
            epochs = Epochs(
                {name: load_sets([name], data, options) for name in stage.sets},
                load_tokenizer(),
                recipe.shape,
                mixing=stage.mixing,
                rates=stage.augment,
                input=recipe.input,
                seed=recipe.seed,
                finish=partial(soft_rows, weights=teachers, store=folder / "soft", notify=notify) if teachers else list,
            )
            notify(f"{stage.name}: {epochs.size:,} examples, {len(epochs(0)):,} windows")
            if not any(row.trains for row in epochs(0)):
                raise TrainingError(
                    f"nothing in the stage {stage.name!r} has a target", where=recipe.name, remedy="Give it a teacher"
                )
            start = trained[stage.after] if stage.after else weights
            if start is not None:
                model = open_network(start, stage.dropout, freeze_words=recipe.freeze_words)
            else:
                with open_pretrained(recipe.encoder) as published:
                    model = CrossEncoder(published, stage.dropout, freeze_words=recipe.freeze_words)
            if recipe.shape.max_tokens > model.max_tokens:
                raise TrainingError(
                    f"max_tokens is {recipe.shape.max_tokens}, but the encoder reads {model.max_tokens}",
                    where=recipe.name,
                    remedy=f"Set max_tokens to {model.max_tokens} or less",
                )
            train_stage(
                model.to_best_device(), epochs, stage.schedule, seed=recipe.seed, folder=target, name=stage.name
            )
            save_state(model, done)
        weights = trained[stage.name] = done
        if stage.name == until:
            break
    if weights is None:
        raise TrainingError("the recipe has no stages", where=recipe.name)
    return weights


def exported_weights(recipe: Recipe, folder: Path, fold: int | None = None) -> dict[str, Path]:
    """Where `run_stages` leaves the weights of each model that is exported, by role (`Recipe.exported`)."""
    return {role: _stage_folder(recipe, stage, folder, fold) / f"{stage}.pt" for role, stage in recipe.exported.items()}


def _stage_folder(recipe: Recipe, stage: str, folder: Path, fold: int | None) -> Path:
    """The run folder, or that of the fold for the stages that are trained anew in each."""
    names = [stage.name for stage in recipe.stages]
    shared = fold is None or names.index(stage) < names.index(recipe.cross_validated)
    return folder if shared else folder / f"fold_{fold}"


def _check_export(recipe: Recipe, where: str) -> None:
    if recipe.export == {}:
        return
    remedy = "See docs/training.md for the keys"
    if not isinstance(recipe.export, dict) or set(recipe.export) != set(STEPS):
        raise TrainingError(f"export is no table of {' and '.join(STEPS)}", where=where, remedy=remedy)
    names = [stage.name for stage in recipe.stages]
    if unknown := [stage for stage in recipe.export.values() if stage not in names]:
        raise TrainingError(f"there is no stage {unknown[0]!r} to export", where=where, remedy=remedy)
    if recipe.reread:
        raise TrainingError("with export there is no second reading: reread must be 0", where=where, remedy=remedy)


def _recipe_text(source: str | Path) -> tuple[str, str]:
    if str(source) in shipped_recipes():
        shipped = resources.files("sciverify.training") / "recipes" / f"{source}.toml"
        return shipped.read_text(encoding="utf-8"), f"recipe {source}"
    try:
        return Path(source).read_text(encoding="utf-8"), place(source)
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(
            f"the recipe cannot be read ({error})",
            where=place(source),
            remedy=f"Give a TOML file, or one of the names {', '.join(shipped_recipes())}",
        ) from error


def _stage(content: dict[str, Any], where: str) -> Stage:
    schedule, mixing = ({field.name for field in fields(kind)} for kind in (Schedule, Mixing))
    own = {field.name for field in fields(Stage)} - {"schedule", "mixing"}
    place = f"{where}, stage {content.get('name')!r}"
    _refuse_unknown(content, own | schedule | mixing, place)
    rates = content.get("augment", {})
    _refuse_unknown(rates, {field.name for field in fields(Rates)}, f"{place}, augment")
    return Stage(
        content["name"],
        tuple(content["sets"]),
        Schedule(**{key: value for key, value in content.items() if key in schedule}),
        float(content.get("dropout", 0.0)),
        _teacher(content.get("teacher", ())),
        str(content.get("after", "")),
        Mixing(**{key: value for key, value in content.items() if key in mixing}),
        Rates(**rates),
    )


def _teacher(content: object) -> tuple[str, ...]:
    return (content,) if isinstance(content, str) else tuple(map(str, content))  # type: ignore[call-overload]


def _refuse_unknown(content: dict[str, Any], known: set[str], where: str) -> None:
    if unknown := sorted(set(content) - known):
        raise TrainingError(f"unknown key {unknown[0]!r}", where=where, remedy=f"Known: {', '.join(sorted(known))}")

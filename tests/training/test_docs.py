"""What docs/training.md says about recipes, data sets and commands is so."""

from __future__ import annotations

import re
from dataclasses import asdict, fields
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

from sciverify.cli.train import command
from sciverify.models.crossencoder import Decision
from sciverify.models.inputs import InputShape
from sciverify.training import examples, trainer
from sciverify.training.augment import Rates
from sciverify.training.calibration import QUOTES
from sciverify.training.measured_sets import MEASURED
from sciverify.training.mixing import Mixing
from sciverify.training.recipe import Recipe, Stage, read_recipe, shipped_recipes
from sciverify.training.release import GATE
from sciverify.training.sets import SETS
from sciverify.training.trainer import Schedule

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_column(text: str) -> list[str]:
    """The names in backticks in the first cells of the tables."""
    return [name for cell in re.findall(r"^\| (.*?) \|", text, re.MULTILINE) for name in re.findall(r"`([^`]+)`", cell)]


def test_the_example_is_a_recipe(tmp_path: Path) -> None:
    [block] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "small.toml"
    path.write_text(block, encoding="utf-8")
    recipe = read_recipe(path)
    assert [stage.name for stage in recipe.stages] == ["entailment", "scifact"]
    assert {name for stage in recipe.stages for name in stage.sets} <= set(SETS)


def test_every_key_is_listed() -> None:
    listed = {name.strip("[]") for name in first_column(section("Recipes"))}
    of_a_stage = {f.name for kind in (Stage, Schedule, Mixing) for f in fields(kind)} - {"schedule", "mixing"}
    assert listed == {f.name for f in fields(Recipe)} | of_a_stage
    assert all(f"`{f.name}`" in section("Recipes") for f in fields(InputShape))


def test_the_defaults_are_so() -> None:
    rows = re.findall(r"^\| (`.*?) \| ([^|]*) \|.*\|$", section("Recipes").split("| key of a stage")[1], re.MULTILINE)
    stated = {
        name: value
        for names, values in rows
        if values
        for name, value in zip(re.findall(r"`(\w+)`", names), values.split(", "), strict=True)
    }
    defaults = {f.name: f.default for kind in (Schedule, Mixing) for f in fields(kind)}
    defaults["dropout"] = Stage("", (), Schedule()).dropout
    assert {name: float(value) for name, value in stated.items()} == {name: float(v) for name, v in defaults.items()}


def test_every_recipe_and_every_rate_is_listed() -> None:
    assert sorted(first_column(section("Recipes that ship"))) == shipped_recipes()
    assert first_column(section("Mixing and augmentation")) == [f.name for f in fields(Rates)]


def test_every_data_set_is_listed() -> None:
    assert first_column(section("Data sets")) == list(SETS)


def test_names_of_labels() -> None:
    stated = re.search(r"\(`sciverify.training.examples`\):(.*?)\. Numbers", section("Data sets"), re.DOTALL)
    assert stated is not None
    for part in stated[1].split(";"):
        *names, label = re.findall(r"[\w]+", re.sub(r"\b(are|and|the|like)\b", "", part))
        assert {examples.label_of(name).value for name in names} == {label}


def test_the_commands_have_these_options() -> None:
    known = {option for parameter in command.params for option in parameter.opts}
    for line in re.findall(r"^\$ sciverify train .*$", PAGE, re.MULTILINE):
        assert set(re.findall(r"--[a-z]+", line)) <= known
    assert read_recipe("student").name == "student"


def test_the_keys_of_a_decision_and_their_defaults() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", section("Decision"), re.MULTILINE)
    assert {name: float(value) for name, value in rows} == asdict(Decision())
    assert f"fitted decisions have {QUOTES}" in section("Decision")


def test_every_measured_set_is_listed() -> None:
    assert set(first_column(section("Measuring"))) == set(MEASURED)


def test_figures_in_words() -> None:
    assert trainer._CHECKPOINT_SECONDS == 3 * 60  # "every three minutes"
    assert trainer._LOG_STEPS == 50
    assert GATE == 0.01  # "one point"

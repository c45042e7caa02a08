"""A recipe whose stage has a teacher, from start to end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

from sciverify.errors import TrainingError
from sciverify.models.inputs import InputShape
from sciverify.training.distil import Teacher
from sciverify.training.examples import Example
from sciverify.training.network import load_state
from sciverify.training.recipe import Recipe, read_recipe, run_stages

RECIPE = """
name = "small"
seed = 3
negatives = 0
cross_validated = "last"
[shape]
max_tokens = 64
max_claim = 32
max_title = 16
[[stages]]
name = "last"
sets = ["scifact_abstracts"]
"""


@pytest.fixture(autouse=True)
def _small(pretrained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sciverify.training.allocator.keep_freed_memory", lambda: True)  # would outlast the test
    monkeypatch.setattr("sciverify.models.cpu.available_cpus", lambda: 1)


@pytest.fixture
def data(write: Callable[..., Path], write_cited: Callable[..., None], tmp_path: Path) -> Path:
    claims = [
        {"id": n, "claim": f"Claim {n}.", "evidence": {"1": [{"sentences": [0], "label": "SUPPORT"}]}} for n in range(4)
    ]
    write_cited("data/scifact", {1: ["One.", "Two."], 2: ["Claim three."]}, claims)
    write("data/scifact/cross_validation/fold_2/claims_dev_2.jsonl", claims[:3])
    return tmp_path / "data"


@pytest.fixture
def recipe(tmp_path: Path) -> Callable[[str], Recipe]:
    """The recipe with more lines at its end, which belong to its stage."""

    def read(more: str = "") -> Recipe:
        path = tmp_path / "recipe.toml"
        path.write_text(RECIPE + more, encoding="utf-8")
        return read_recipe(path)

    return read


def test_a_student_and_its_folds_learn_from_a_teacher_and_its_folds(
    recipe: Callable[..., Recipe], data: Path, tmp_path: Path
) -> None:
    teacher, student = tmp_path / "teacher", tmp_path / "student"
    run_stages(recipe(), data, teacher)
    distilled = recipe(f'teacher = "{teacher.as_posix()}"\nsoft_weight = 1.0\n')
    with pytest.raises(TrainingError, match="log cannot be read") as caught:
        run_stages(distilled, data, student, fold=2)
    assert caught.value.where == str(teacher / "fold_2")
    run_stages(recipe(), data, teacher, fold=2)
    run_stages(distilled, data, student, fold=2)
    taught = load_state(run_stages(distilled, data, student))
    names = {Teacher([teacher / part]).name for part in ("last.pt", "fold_2/last.pt")}
    assert {path.name for path in (student / "soft").iterdir()} == names
    alone = load_state(teacher / "last.pt")
    assert max(float((taught[name] - alone[name]).abs().max()) for name in alone) > 1e-4


def test_a_teacher_before_the_cross_validated_stage(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    later = 'teacher = "x"\n[[stages]]\nname = "later"\nsets = ["scifact_abstracts"]\n'
    path.write_text(RECIPE.replace('= "last"', '= "later"', 1) + later, encoding="utf-8")
    with pytest.raises(TrainingError, match="'last' has a teacher") as caught:
        read_recipe(path)
    assert caught.value.remedy == 'Set cross_validated = "last"'


def test_a_stage_without_any_target_needs_a_teacher(
    recipe: Callable[..., Recipe], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = [Example("Claim.", "Title", ("One.", "Two."))]
    monkeypatch.setattr("sciverify.training.sets.load_sets", lambda *_: examples)
    with pytest.raises(TrainingError, match="nothing in the stage 'last' has a target"):
        run_stages(recipe(), data, tmp_path / "run")


def test_windows_longer_than_the_encoder_reads(recipe: Callable[..., Recipe], data: Path, tmp_path: Path) -> None:
    long = replace(recipe(), shape=InputShape(max_tokens=600))
    with pytest.raises(TrainingError, match="the encoder reads 512"):
        run_stages(long, data, tmp_path / "run")


def test_a_recipe_names_its_encoder(recipe: Callable[..., Recipe], tiny_bert: Path, data: Path, tmp_path: Path) -> None:
    """A folder does as well as a name; what is not there is refused."""
    by_folder = run_stages(replace(recipe(), encoder=str(tiny_bert)), data, tmp_path / "folder")
    by_name = run_stages(recipe(), data, tmp_path / "name")
    one, other = load_state(by_folder), load_state(by_name)
    assert all((one[name] == other[name]).all() for name in one)
    with pytest.raises(TrainingError, match="there is no encoder 'bart'"):
        run_stages(replace(recipe(), encoder="bart"), data, tmp_path / "none")

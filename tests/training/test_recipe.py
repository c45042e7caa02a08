from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch

from sciverify.errors import TrainingError
from sciverify.models.inputs import InputShape
from sciverify.training import trainer
from sciverify.training.augment import Rates
from sciverify.training.mixing import Mixing
from sciverify.training.recipe import Recipe, Stage, exported_weights, read_recipe, run_stages, shipped_recipes
from sciverify.training.sets import SETS
from sciverify.training.trainer import Schedule

GOOD = """
name = "small"
seed = 3
negatives = 1
cross_validated = "last"
[shape]
max_tokens = 64
max_claim = 32
max_title = 16
[[stages]]
name = "first"
epochs = 2
learning_rate = 1e-3
sets = ["boolq"]
[[stages]]
name = "last"
dropout = 0.1
sets = ["scifact_abstracts", "scifact_negatives"]
"""
CHANGED = (
    GOOD
    + """
after = "first"
temperature = 2
limit = 3
epochs = 4
augment = { negation = 0.5, question = 0.25, sentences = 0.5 }
"""
)


class Killed(BaseException):
    """Ends a run as a signal would: nothing on the way catches it."""


@pytest.fixture
def recipe_file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "recipe.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestReading:
    def test_the_shipped_model(self) -> None:
        recipe = read_recipe("student")
        assert [stage.name for stage in recipe.stages] == ["entailment", "science", "scifact"]
        assert not any(stage.mixing.mixes or stage.augment.augments for stage in recipe.stages)

    @pytest.mark.parametrize("name", shipped_recipes())
    def test_every_recipe_that_ships(self, name: str) -> None:
        recipe = read_recipe(name)
        assert recipe.name == name
        names = [stage.name for stage in recipe.stages]
        for stage in recipe.stages:
            assert set(stage.sets) <= set(SETS)
            assert len(stage.sets) == len(set(stage.sets))
        # Folds share the stages before the one that is cross-validated, so none of them may see SciFact.
        for stage in recipe.stages[: names.index(recipe.cross_validated)]:
            assert not [set_name for set_name in stage.sets if set_name.startswith("scifact")]

    def test_the_variants_differ_in_what_their_names_say(self) -> None:
        assert [read_recipe(f"joint-{n}").negatives for n in (0, 10, 20)] == [0, 10, 20]
        shared = [read_recipe(name).stages[:2] for name in ("verisci", "joint-0", "joint-10", "joint-20")]
        assert all(stages == shared[0] for stages in shared)
        assert [read_recipe(name).input for name in ("claim-only", "abstract-only")] == ["claim-only", "abstract-only"]
        assert read_recipe("teacher").encoder == "all-mpnet-base-v2"
        selector, labeller = read_recipe("verisci").stages[-2:]
        assert (selector.schedule.label_weight, labeller.schedule.element_weight) == (0, 0)
        assert labeller.after == read_recipe("verisci").stages[1].name  # not the selector
        assert read_recipe("verisci").exported == {"selector": selector.name, "labeller": labeller.name}

    def test_every_key(self, recipe_file: Callable[[str], Path]) -> None:
        assert read_recipe(recipe_file(GOOD)) == Recipe(
            "small",
            3,
            (
                Stage("first", ("boolq",), Schedule(epochs=2, learning_rate=1e-3)),
                Stage("last", ("scifact_abstracts", "scifact_negatives"), Schedule(), 0.1),
            ),
            1,
            "last",
            InputShape(max_tokens=64, max_claim=32, max_title=16),
            False,
            0.0,
        )

    def test_every_key_of_mixing_and_augmenting(self, recipe_file: Callable[[str], Path]) -> None:
        stage = read_recipe(recipe_file(CHANGED)).stages[1]
        assert (stage.after, stage.mixing) == ("first", Mixing(2, 3))
        assert stage.augment == Rates(negation=0.5, question=0.25, sentences=0.5)

    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("temperature = 2", "temperature = 0.5", "temperature is 0.5"),
            ("limit = 3", "limit = -3", "limit is -3"),
            ("limit = 3", 'limit = "three"', "not supported"),
            ("negation = 0.5", "negation = 1.5", "the rate of negation is 1.5"),
            ("negation = 0.5", "negating = 0.5", "unknown key 'negating'"),
            ('after = "first"', 'after = "last"', "which is no stage before it"),
            ("seed = 3", 'seed = 3\ninput = "title-only"', "there is no input 'title-only'"),
        ],
    )
    def test_a_mistake_in_mixing_or_augmenting(
        self, recipe_file: Callable[[str], Path], old: str, new: str, problem: str
    ) -> None:
        assert CHANGED.count(old) == 1
        with pytest.raises(TrainingError) as caught:
            read_recipe(recipe_file(CHANGED.replace(old, new)))
        assert problem in caught.value.problem

    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("seed = 3", "seed = ", "not TOML"),
            ("seed = 3", "seed = 3\nsed = 4", "unknown key 'sed'"),
            ("epochs = 2", "epoch = 2", "unknown key 'epoch'"),
            ("max_tokens = 64", "maximum = 64", "'maximum'"),
            ('name = "small"', "", "the key 'name' is missing"),
            ("seed = 3", "", "the key 'seed' is missing"),
            ("negatives = 1", "", "the key 'negatives' is missing"),
            ('cross_validated = "last"', "", "the key 'cross_validated' is missing"),
            ('name = "first"', "", "the key 'name' is missing"),
            ('sets = ["boolq"]', "", "the key 'sets' is missing"),
            ('cross_validated = "last"', 'cross_validated = "lost"', "there is no stage 'lost' to cross-validate"),
            ("[shape]", "[[shape]]", "must be a mapping"),
            ('sets = ["boolq"]', "sets = 1", "not iterable"),
        ],
    )
    def test_a_mistake_is_one_error_that_names_the_file(
        self, recipe_file: Callable[[str], Path], old: str, new: str, problem: str
    ) -> None:
        assert GOOD.count(old) == 1
        path = recipe_file(GOOD.replace(old, new))
        with pytest.raises(TrainingError) as caught:
            read_recipe(path)
        assert problem in caught.value.problem
        assert caught.value.where.startswith(str(path))

    def test_what_is_exported(self, recipe_file: Callable[[str], Path]) -> None:
        assert read_recipe(recipe_file(GOOD)).exported == {"": "last"}
        recipe = read_recipe(recipe_file('export = { selector = "last", labeller = "first" }\n' + GOOD))
        assert recipe.exported == {"selector": "last", "labeller": "first"}
        run = Path("run")
        assert exported_weights(recipe, run) == {"selector": run / "last.pt", "labeller": run / "first.pt"}
        # Folds share the stages before the cross-validated one.
        assert exported_weights(recipe, run, 2) == {"selector": run / "fold_2/last.pt", "labeller": run / "first.pt"}

    @pytest.mark.parametrize(
        ("export", "problem"),
        [
            ('["first", "last"]', "no table of selector and labeller"),
            ('{ selector = "last" }', "no table of selector and labeller"),
            ('{ selector = "last", labeler = "first" }', "no table of selector and labeller"),
            ('{ selector = "last", labeller = "lost" }', "no stage 'lost' to export"),
            ('{ selector = "last", labeller = 3 }', "no stage 3 to export"),
            ('{ selector = ["last"], labeller = "first" }', "no stage .'last'. to export"),
            ('{ selector = "last", labeller = "first" }\nreread = 0.6', "reread must be 0"),
        ],
    )
    def test_a_mistake_in_what_is_exported(self, recipe_file: Callable[[str], Path], export: str, problem: str) -> None:
        path = recipe_file(f"export = {export}\n{GOOD}")
        with pytest.raises(TrainingError, match=problem) as caught:
            read_recipe(path)
        assert caught.value.where == str(path)

    @pytest.mark.parametrize("old", ["seed = 3", "negatives = 1", "dropout = 0.1"])
    def test_a_text_where_a_number_is_due(self, recipe_file: Callable[[str], Path], old: str) -> None:
        path = recipe_file(GOOD.replace(old, f'{old.split(" ")[0]} = "three"'))
        with pytest.raises(TrainingError):
            read_recipe(path)

    def test_without_stages(self, recipe_file: Callable[[str], Path]) -> None:
        path = recipe_file(GOOD[: GOOD.index("[[stages]]")])
        with pytest.raises(TrainingError, match="the key 'stages' is missing"):
            read_recipe(path)

    def test_no_such_file(self, tmp_path: Path) -> None:
        for source in ("no-such", tmp_path / "none.toml", tmp_path, "../recipes/student"):
            with pytest.raises(TrainingError, match="the recipe cannot be read") as caught:
                read_recipe(source)
            assert caught.value.where == str(source)

    def test_a_file_that_is_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "recipe.toml"
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(TrainingError, match="the recipe cannot be read"):
            read_recipe(path)


class TestRunning:
    @pytest.fixture(autouse=True)
    def small(self, pretrained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sciverify.training.allocator.keep_freed_memory", lambda: True)  # would outlast the test
        monkeypatch.setattr("sciverify.models.cpu.available_cpus", lambda: 1)

    @pytest.fixture
    def data(self, write: Callable[..., Path], write_cited: Callable[..., None], tmp_path: Path) -> Path:
        questions = [
            {"question": f"is it {n}", "title": "T", "passage": "It is.", "answer": n % 2 == 0} for n in range(4)
        ]
        write("data/qa/boolq/dev/datafile/dev.jsonl", questions)
        claims = [
            {"id": n, "claim": f"Claim {n}.", "evidence": {"1": [{"sentences": [0], "label": "SUPPORT"}]}}
            for n in range(4)
        ]
        write_cited("data/scifact", {1: ["One.", "Two."], 2: ["Claim three."]}, claims)
        write("data/scifact/cross_validation/fold_2/claims_dev_2.jsonl", claims[:3])
        return tmp_path / "data"

    @pytest.fixture
    def recipe(self, recipe_file: Callable[[str], Path]) -> Recipe:
        return read_recipe(recipe_file(GOOD))

    def test_stages_follow_each_other_and_are_done_once(self, recipe: Recipe, data: Path, tmp_path: Path) -> None:
        folder = tmp_path / "run"
        said: list[str] = []
        assert run_stages(recipe, data, folder, notify=said.append) == folder / "last.pt"
        assert sorted(path.name for path in folder.iterdir()) == ["encoder", "first.pt", "last.pt", "log.jsonl"]
        assert [line.split(",")[0] for line in said] == ["first: 4 examples", "last: 8 examples"]
        before, after = (torch.load(folder / f"{name}.pt", weights_only=True) for name in ("first", "last"))
        moved = [float((before[key] - after[key]).abs().max()) for key in before if before[key].ndim > 1]
        assert 0 < max(moved) < 0.02  # the second stage went on from the first one's weights
        (folder / "last.pt").unlink()
        assert run_stages(recipe, data, folder, notify=said.append) == folder / "last.pt"
        assert [line.split(":")[0] for line in said] == ["first", "last", "last"]
        again = torch.load(folder / "last.pt", weights_only=True)
        assert all(torch.allclose(after[key], again[key], atol=1e-5) for key in after)

    def test_until(self, recipe: Recipe, data: Path, tmp_path: Path) -> None:
        assert run_stages(recipe, data, tmp_path / "run", until="first") == tmp_path / "run/first.pt"
        assert not (tmp_path / "run/last.pt").exists()

    def test_until_a_stage_that_is_not_there(self, recipe: Recipe, data: Path, tmp_path: Path) -> None:
        with pytest.raises(TrainingError, match="frist"):
            run_stages(recipe, data, tmp_path / "run", until="frist")

    def test_a_fold_shares_the_stages_before_and_leaves_its_claims_out(
        self, recipe: Recipe, data: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "run"
        said: list[str] = []
        assert run_stages(recipe, data, folder, fold=2, notify=said.append) == folder / "fold_2/last.pt"
        assert (folder / "first.pt").is_file()
        assert not (folder / "last.pt").exists()
        assert [line.split(",")[0] for line in said] == ["first: 4 examples", "last: 2 examples"]

    def test_frozen_words_stay_as_published(
        self, data: Path, tmp_path: Path, recipe_file: Callable[[str], Path]
    ) -> None:
        from transformers import AutoModel

        from sciverify.training.encoder import pretrained_folder

        recipe = read_recipe(recipe_file("freeze_words = true\n" + GOOD))
        trained = torch.load(run_stages(recipe, data, tmp_path / "run", until="first"), weights_only=True)
        words = AutoModel.from_pretrained(pretrained_folder()).get_input_embeddings().weight
        assert torch.equal(trained["encoder.embeddings.word_embeddings.weight"], words)

    def test_a_changed_stage_goes_on_after_a_kill_as_if_there_had_been_none(
        self, recipe_file: Callable[[str], Path], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Mixing and augmentation are drawn by epoch and place, so a resumed stage sees what it would have seen."""
        recipe = read_recipe(recipe_file(CHANGED))
        expected = torch.load(run_stages(recipe, data, tmp_path / "whole"), weights_only=True)
        step, done = trainer._step, 0

        def killed_at_third(*arguments: Any) -> dict[str, float]:
            nonlocal done
            done += 1
            if done == 3 + 1:
                raise Killed
            return step(*arguments)

        run_stages(recipe, data, tmp_path / "parts", until="first")
        with monkeypatch.context() as patch:
            patch.setattr(trainer, "_CHECKPOINT_SECONDS", -1)
            patch.setattr(trainer, "_step", killed_at_third)
            with pytest.raises(Killed):
                run_stages(recipe, data, tmp_path / "parts")
        assert (tmp_path / "parts/last.ckpt").is_file()
        resumed = torch.load(run_stages(recipe, data, tmp_path / "parts"), weights_only=True)
        assert all(torch.allclose(expected[key], resumed[key], atol=1e-5) for key in expected)
        log = [json.loads(line) for line in (tmp_path / "parts/log.jsonl").read_text(encoding="utf-8").splitlines()]
        assert [line["resumed_at"] for line in log if "resumed_at" in line] == [0, 0, 3]

    def test_a_stage_may_go_on_from_an_earlier_one(
        self, recipe_file: Callable[[str], Path], data: Path, tmp_path: Path
    ) -> None:
        branch = '\n[[stages]]\nname = "branch"\nlearning_rate = 0.0\nsets = ["boolq"]\n'
        ends = {}
        for after in ("first", "last"):
            recipe = read_recipe(recipe_file(GOOD + branch + f'after = "{after}"\n'))
            ends[after] = torch.load(run_stages(recipe, data, tmp_path / "run"), weights_only=True)
            (tmp_path / "run/branch.pt").unlink()
            start = torch.load(tmp_path / f"run/{after}.pt", weights_only=True)
            assert all(torch.equal(start[key], ends[after][key]) for key in start)

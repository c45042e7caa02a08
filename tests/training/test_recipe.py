from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch

from sciverify.errors import TrainingError
from sciverify.models.inputs import InputShape
from sciverify.training.recipe import Recipe, Stage, read_recipe, run_stages
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


@pytest.fixture
def recipe_file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "recipe.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


class TestReading:
    def test_the_shipped_recipe(self) -> None:
        recipe = read_recipe("student")
        assert recipe.name == "student"
        assert [stage.name for stage in recipe.stages] == ["entailment", "science", "scifact"]
        assert recipe.cross_validated == "scifact"
        used = [name for stage in recipe.stages for name in stage.sets]
        assert set(used) <= set(SETS)
        assert len(used) == len(set(used))
        # Folds share the stages before the one that is cross-validated, so none of them may see SciFact.
        for stage in recipe.stages[: [stage.name for stage in recipe.stages].index(recipe.cross_validated)]:
            assert not [name for name in stage.sets if name.startswith("scifact")]

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
        for source in ("teacher", tmp_path / "none.toml", tmp_path, "../recipes/student"):
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

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sciverify.cli import train

Run = Callable[..., Any]


def test_without_the_extra_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "find_spec", lambda name: None)
    outcome = run("train", "student", "--data", "d", "--out", "o")
    assert outcome.code == 1
    assert outcome.err == (
        "error: training needs torch and transformers and nncf. Install the extra: pip install 'sciverify[train]'\n"
    )


class TestWithTheExtra:
    @pytest.fixture(autouse=True)
    def extra(self) -> None:
        pytest.importorskip("torch", reason="needs the extra train")
        pytest.importorskip("transformers", reason="needs the extra train")

    def test_an_unknown_recipe(self, run: Run, tmp_path: Path) -> None:
        outcome = run("train", "no-such-recipe", "--data", str(tmp_path), "--out", str(tmp_path / "run"))
        assert outcome.code == 1
        assert outcome.err.startswith("error: no-such-recipe: ")

    def test_options_reach_the_recipe(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from sciverify.training import recipe as recipes

        seen = {}

        def run_stages(recipe: recipes.Recipe, data: Path, folder: Path, **options: Any) -> Path:
            seen.update(options, name=recipe.name, data=data)
            options["notify"]("under way")
            return folder / "science.pt"

        monkeypatch.setattr(recipes, "run_stages", run_stages)
        outcome = run("train", "student", "--data", "d", "--out", "o", "--fold", "2", "--until", "science")
        assert (outcome.code, outcome.out, outcome.err) == (0, "o/science.pt\n", "under way\n")
        assert (seen["name"], seen["data"], seen["fold"], seen["until"]) == ("student", Path("d"), 2, "science")

    def test_options_reach_the_release(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from sciverify.training import release as releases

        seen = {}

        def release(recipe: Any, data: Path, folder: Path, target: Path, **options: Any) -> dict[str, object]:
            seen.update(options, target=target)
            return {"gate": {}}

        monkeypatch.setattr(releases, "release", release)
        outcome = run(
            "train", "student", "--data", "d", "--out", "o", "--release", "t", "--folds", "2", "--no-refit"
        )  # fmt: skip
        assert (outcome.code, json.loads(outcome.out)) == (0, {"gate": {}})
        assert (seen["target"], seen["folds"], seen["refit"]) == (Path("t"), [2], False)

    @pytest.mark.parametrize("options", [("--folds", "0,1"), ("--folds", "1,1"), ("--folds", "x"), ("--fold", "1")])
    def test_what_makes_no_sense_is_a_usage_error(self, run: Run, options: tuple[str, str]) -> None:
        outcome = run("train", "student", "--data", "d", "--out", "o", "--release", "t", *options)
        assert outcome.code == 2
        assert "--fold" in outcome.err

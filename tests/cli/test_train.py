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
        "error: training needs torch and transformers. Install the extra: pip install 'sciverify[train]'\n"
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

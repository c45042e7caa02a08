from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize("named", [True, False])
def test_the_picture_is_written(run: Run, tmp_path: Path, named: bool) -> None:
    (tmp_path / "log.jsonl").write_text('{"stage": "first", "step": 50, "loss": 1.5}\n', encoding="utf-8")
    target = tmp_path / ("picture.svg" if named else "curves.svg")
    outcome = run("curves", str(tmp_path), *(("--out", str(target)) if named else ()))
    assert (outcome.code, outcome.out) == (0, f"{target}\n")
    assert target.read_text(encoding="utf-8").startswith("<svg")


def test_a_folder_without_a_log(run: Run, tmp_path: Path) -> None:
    outcome = run("curves", str(tmp_path))
    assert outcome.code == 1
    assert outcome.err.startswith("error: ")
    assert not (tmp_path / "curves.svg").exists()

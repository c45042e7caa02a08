from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sciverify.errors import TrainingError
from sciverify.training.curves import draw_curves, read_losses

SVG = "{http://www.w3.org/2000/svg}"


def step(stage: str, number: int, **losses: float) -> dict[str, Any]:
    return {"stage": stage, "step": number, "rows_per_s": 9.0, **losses}


def start(stage: str, at: int = 0) -> dict[str, Any]:
    return {"stage": stage, "rows": 5, "steps": 200, "resumed_at": at, "learning_rate": 1e-4}


def write_log(folder: Path, *entries: dict[str, Any]) -> None:
    (folder / "log.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


def test_steps_done_again_count_once(tmp_path: Path) -> None:
    write_log(
        tmp_path,
        start("first"),
        *(step("first", n, loss=2.0, label=1.0) for n in (50, 100, 150)),
        start("first", 120),
        step("first", 150, loss=1.0, label=0.5),
        {"stage": "first", "done": True, "seconds": 3.0},
        start("second"),
        step("second", 50, loss=3.0),
        start("second"),
        step("second", 100, loss=0.5),
    )
    assert read_losses(tmp_path) == {
        "first": {50: {"loss": 2, "label": 1}, 100: {"loss": 2, "label": 1}, 150: {"loss": 1, "label": 0.5}},
        "second": {100: {"loss": 0.5}},
    }


def test_a_chart_per_stage_and_a_line_per_loss(tmp_path: Path) -> None:
    write_log(
        tmp_path,
        *(step("a <b> & c", n, loss=2.0 / n, label=1.0 / n, spans=0.0) for n in (50, 100)),
        *(step("second", n, loss=1.0, elements=1.0) for n in (50, 100, 150)),
    )
    picture = draw_curves(tmp_path)
    root = ElementTree.fromstring(picture)
    texts = [node.text for node in root.iter(f"{SVG}text")]
    assert {"a <b> & c", "second", "loss", "label", "elements"} <= set(texts)
    assert "spans" not in texts  # it was never trained
    paths = [node.get("d", "") for node in root.iter(f"{SVG}path")]
    assert [path.count("L") for path in paths] == [1, 1, 2, 2]
    heights = [[float(point.split()[1]) for point in path[1:].split("L")] for path in paths]
    assert heights[0][1] > heights[0][0]  # a falling loss falls on the canvas
    assert "http" not in picture.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "url(" not in picture


def test_a_last_line_that_was_cut_off(tmp_path: Path) -> None:
    write_log(tmp_path, step("first", 50, loss=1.0))
    with (tmp_path / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write('{"stage": "first", "st')
    assert read_losses(tmp_path) == {"first": {50: {"loss": 1.0}}}


@pytest.mark.parametrize(
    "lines", ["nonsense\n{}\n", '["a"]\n{}\n', '{"step": 3}\n{}\n', '{"stage": "a", "step": "x"}\n{}\n']
)
def test_what_is_no_log(tmp_path: Path, lines: str) -> None:
    (tmp_path / "log.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(TrainingError, match="line 1 is none"):
        read_losses(tmp_path)


def test_without_a_log_or_losses(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="the log cannot be read"):
        draw_curves(tmp_path)
    write_log(tmp_path, start("first"))
    with pytest.raises(TrainingError, match="no losses yet"):
        draw_curves(tmp_path)

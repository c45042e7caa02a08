from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch

from sciverify.models.inputs import InputShape
from sciverify.models.tokens import load_tokenizer
from sciverify.records import Label
from sciverify.training import trainer
from sciverify.training.examples import Example, Span
from sciverify.training.features import IGNORE, Row, collate, make_rows
from sciverify.training.network import CrossEncoder
from sciverify.training.trainer import Schedule, train_stage

WORDS = {Label.SUPPORTS: "rose", Label.REFUTES: "fell", Label.NEI: "was measured"}
SCHEDULE = Schedule(epochs=3, learning_rate=3e-3, max_batch=12)


class Killed(BaseException):
    """Ends a run as a signal would: nothing on the way catches it."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Three kinds of sentence that a single word tells apart."""
    examples = []
    for number in range(24):
        for label, word in WORDS.items():
            texts = ("Adults took part.", f"The pressure {word} in group {number}.")
            relevant = label is not Label.NEI
            start = texts[1].index(word)
            spans = (Span(1, start, start + len(word)),) if relevant else ()
            examples.append(
                Example("The pressure rose.", f"Trial {number}", texts, label, (False, relevant), relevant, spans)
            )
    return make_rows(examples, load_tokenizer(), InputShape())


def new_model(folder: Path, seed: int = 1, dropout: float = 0.0) -> CrossEncoder:
    torch.manual_seed(seed)
    return CrossEncoder(folder, dropout)


def losses(model: CrossEncoder, rows: list[Row]) -> dict[str, float]:
    batch = collate(rows)
    with torch.inference_mode():
        label, relevance, tokens = model.eval()(**batch.inputs)
    return {
        "label": float(torch.nn.functional.cross_entropy(label, batch.label)),
        "relevance": float(trainer._binary(relevance, batch.relevance, batch.weight)),
        "elements": float(trainer._binary(tokens[..., 0], batch.elements, batch.weight.unsqueeze(1))),
        "spans": float(trainer._spans(tokens, batch)),
    }


def log_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def test_training_lowers_every_loss(pretrained: Path, rows: list[Row], tmp_path: Path) -> None:
    model = new_model(pretrained)
    before = losses(model, rows)
    schedule = Schedule(epochs=14, learning_rate=1e-2, max_batch=12)
    train_stage(model, rows, schedule, seed=1, folder=tmp_path, name="toy")
    after = losses(model, rows)
    assert before["label"] > 1
    assert all(after[name] < 0.5 * before[name] for name in before), (before, after)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jsonl"]  # no checkpoint stays behind


def test_the_log_tells_how_it_goes(
    pretrained: Path, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "_LOG_STEPS", 3)
    train_stage(new_model(pretrained), rows, SCHEDULE, seed=1, folder=tmp_path, name="toy")
    first, *steps, last = log_of(tmp_path)
    assert {**first, "stage": "toy", "rows": 72, "steps": 18, "resumed_at": 0, "learning_rate": 3e-3} == first
    assert [line["step"] for line in steps] == list(range(3, 19, 3))
    assert steps[-1]["loss"] < steps[0]["loss"]
    assert {"label", "relevance", "elements", "spans", "rows_per_s"} <= set(steps[0])
    assert last["done"] is True


def test_a_seed_gives_one_model(pretrained: Path, rows: list[Row], tmp_path: Path) -> None:
    schedule = Schedule(learning_rate=1e-3, max_batch=12)
    states = []
    for number, seed in enumerate((1, 1, 2)):
        model = new_model(pretrained)
        (tmp_path / str(number)).mkdir()
        train_stage(model, rows, schedule, seed=seed, folder=tmp_path / str(number), name="toy")
        states.append(model.state_dict())
    assert distance(states[0], states[1]) < 1e-5 < distance(states[0], states[2])


def test_a_stage_may_stop_early(pretrained: Path, rows: list[Row], tmp_path: Path) -> None:
    """Its learning rate is that of the whole plan, so that the first steps are the same."""
    states = []
    for stop in (0, 4, 1000):
        model, folder = new_model(pretrained), tmp_path / str(stop)
        folder.mkdir()
        train_stage(model, rows, replace(SCHEDULE, stop_after=stop), seed=1, folder=folder, name="toy")
        assert log_of(folder)[-1]["done"] is True
        states.append(model.state_dict())
    whole, part, beyond = states
    assert distance(whole, beyond) < 1e-5 < distance(whole, part)


class TestResuming:
    @pytest.fixture
    def often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A checkpoint after every step."""
        monkeypatch.setattr(trainer, "_CHECKPOINT_SECONDS", -1)

    @pytest.fixture
    def kill_at(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
        step = trainer._step

        def arrange(count: int) -> None:
            done = 0

            def counted(*arguments: Any) -> dict[str, float]:
                nonlocal done
                if done == count:
                    raise Killed
                done += 1
                return step(*arguments)

            monkeypatch.setattr(trainer, "_step", counted)

        return arrange

    @pytest.mark.usefixtures("often")
    def test_a_killed_run_goes_on_and_ends_where_it_would_have(
        self, pretrained: Path, rows: list[Row], tmp_path: Path, kill_at: Callable[[int], None]
    ) -> None:
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        whole.mkdir()
        parts.mkdir()
        expected = new_model(pretrained, dropout=0.2)
        train_stage(expected, rows, SCHEDULE, seed=1, folder=whole, name="toy")
        # Whatever a resumed run starts from, the checkpoint counts.
        for steps, start in ((7, 1), (6, 9)):
            kill_at(steps)
            with pytest.raises(Killed):
                train_stage(new_model(pretrained, start, 0.2), rows, SCHEDULE, seed=1, folder=parts, name="toy")
            assert [path.name for path in sorted(parts.iterdir())] == ["log.jsonl", "toy.ckpt"]
        kill_at(1000)
        resumed = new_model(pretrained, 9, 0.2)
        train_stage(resumed, rows, SCHEDULE, seed=1, folder=parts, name="toy")
        assert [line["resumed_at"] for line in log_of(parts) if "resumed_at" in line] == [0, 7, 13]
        assert distance(expected.state_dict(), resumed.state_dict()) < 1e-5
        assert not (parts / "toy.ckpt").exists()

    @pytest.mark.usefixtures("often")
    def test_a_kill_while_a_checkpoint_is_written_leaves_the_one_before(
        self, pretrained: Path, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        save, calls = torch.save, []

        def torn(state: Any, path: Path) -> None:
            calls.append(path)
            if len(calls) == 3:
                path.write_bytes(b"half a check")
                raise Killed
            save(state, path)

        monkeypatch.setattr(torch, "save", torn)
        with pytest.raises(Killed):
            train_stage(new_model(pretrained), rows, SCHEDULE, seed=1, folder=tmp_path, name="toy")
        assert torch.load(tmp_path / "toy.ckpt", weights_only=True)["step"] == 2

    def test_checkpoints_wait_for_their_time(
        self, pretrained: Path, rows: list[Row], tmp_path: Path, kill_at: Callable[[int], None]
    ) -> None:
        kill_at(5)
        with pytest.raises(Killed):
            train_stage(new_model(pretrained), rows, SCHEDULE, seed=1, folder=tmp_path, name="toy")
        assert not (tmp_path / "toy.ckpt").exists()


class TestLosses:
    def test_what_is_not_known_trains_nothing(self, pretrained: Path, tmp_path: Path) -> None:
        unknown = make_rows([Example("c", "t", ("Adults took part.",))], load_tokenizer(), InputShape())
        assert losses(new_model(pretrained), unknown * 2)["elements"] == 0
        model = new_model(pretrained)
        before = {key: value.clone() for key, value in model.state_dict().items()}
        schedule = Schedule(weight_decay=0.0)
        train_stage(model, unknown * 2, schedule, seed=1, folder=tmp_path, name="toy")
        assert distance(before, model.state_dict()) == 0

    def test_a_weight_of_zero_counts_for_nothing(self) -> None:
        values, target = torch.tensor([1.0, 5.0]), torch.tensor([0, 1])
        assert float(trainer._per_row(values, target, torch.tensor([1.0, 0.0]))) == 1.0
        assert float(trainer._per_row(values, target, torch.tensor([1.0, 3.0]))) == 4.0
        assert float(trainer._per_row(values, torch.tensor([0, IGNORE]), torch.ones(2))) == 1.0

    def test_the_learning_rate_warms_up_and_falls(self) -> None:
        ramp = [trainer._ramp(step, 100) for step in range(100)]
        assert ramp[0] == pytest.approx(1 / 6)
        assert ramp[:6] == sorted(ramp[:6])
        assert ramp[6:] == sorted(ramp[6:], reverse=True)
        assert max(ramp) == 1
        assert min(ramp) == 0.02
        assert trainer._ramp(0, 1) == 1


def distance(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    return max(float((one[key] - other[key]).abs().max()) for key in one)

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

import torch

from sciverify.errors import TrainingError
from sciverify.models.inputs import InputShape
from sciverify.models.tokens import load_tokenizer
from sciverify.training import distil, trainer
from sciverify.training.distil import Teacher, soft_rows, teacher_weights
from sciverify.training.examples import Example
from sciverify.training.features import Row, Soft, make_rows
from sciverify.training.network import CrossEncoder, save_state
from sciverify.training.trainer import Schedule, train_stage

VERBS = ("rose", "fell", "was measured", "doubled", "halved", "varied")
SCHEDULE = Schedule(epochs=20, learning_rate=1e-2, max_batch=12, soft_weight=1.0)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Windows without any target: claims against one to three sentences."""
    examples = []
    for number in range(60):
        texts = ("Adults took part.", f"The pressure {VERBS[number % 6]} in group {number}.", "Thanks.")
        examples.append(Example(f"The pressure {VERBS[number % 5]}.", f"Trial {number}", texts[: 1 + number % 3]))
    return make_rows(examples, load_tokenizer(), InputShape())


@pytest.fixture(scope="module")
def learned(tiny_bert: Path, rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher that knows the three meanings of the verbs, and calls the second sentence evidence."""
    folder = tmp_path_factory.mktemp("learned")
    labelled = [
        replace(row, label=n % 6 % 3, relevance=int(n % 3 > 0), elements=[int(p == 1) for p in row.window.positions])
        for n, row in enumerate(rows)
    ]
    torch.manual_seed(3)
    model = CrossEncoder(tiny_bert)
    schedule = Schedule(epochs=20, learning_rate=1e-2, max_batch=12)
    train_stage(model, labelled, schedule, seed=1, folder=folder, name="last")
    save_state(model, folder / "last.pt")
    return folder / "last.pt"


@pytest.fixture
def save(tiny_bert: Path, tmp_path: Path) -> Callable[..., Path]:
    """Writes a random network, by seed."""

    def save_network(seed: int, name: str = "teacher") -> Path:
        torch.manual_seed(seed)
        model = CrossEncoder(tiny_bert)
        path = tmp_path / f"{name}_{seed}" / "last.pt"
        path.parent.mkdir()
        save_state(model, path)
        return path

    return save_network


class TestTeacher:
    def test_scores_are_those_of_the_network_in_the_callers_order(
        self, learned: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(distil, "_BATCH_TOKENS", 100)
        teacher = Teacher([learned])
        scores = teacher.score(rows)
        assert teacher.score([]) == []
        assert [len(s.elements) for s in scores] == [len(row.window.positions) for row in rows]
        assert {max(range(3), key=s.label.__getitem__) for s in scores} == {0, 1, 2}
        for row, soft in list(zip(rows, scores, strict=True))[:12]:
            ids = torch.tensor([row.window.input_ids])
            with torch.inference_mode():
                label, relevance, tokens = teacher.networks[0](
                    ids, torch.ones_like(ids), torch.tensor([row.window.token_type_ids])
                )
            assert soft.label == pytest.approx(label[0].tolist(), abs=0.1)  # the teacher computes in bfloat16
            assert soft.relevance == pytest.approx(float(relevance[0]), abs=0.1)
            assert soft.elements == pytest.approx(tokens[0, row.window.separators, 0].tolist(), abs=0.1)

    def test_an_ensemble_of_one_is_its_member(self, save: Callable[..., Path], rows: list[Row]) -> None:
        one = save(1)
        assert Teacher([one, one]).score(rows) == Teacher([one]).score(rows)

    def test_an_ensemble_gives_the_mean(self, save: Callable[..., Path], rows: list[Row]) -> None:
        one, two = save(1), save(2)
        together = Teacher([one, two]).score(rows)
        for a, b, both in zip(Teacher([one]).score(rows), Teacher([two]).score(rows), together, strict=True):
            assert both.label == pytest.approx([(x + y) / 2 for x, y in zip(a.label, b.label, strict=True)], abs=1e-5)
            assert both.relevance == pytest.approx((a.relevance + b.relevance) / 2, abs=1e-5)

    def test_its_name_changes_with_its_weights(self, save: Callable[..., Path]) -> None:
        one, two = save(1), save(2)
        names = {Teacher(weights).name for weights in ([one], [two], [one, two])}
        assert len(names) == 3
        assert Teacher([one]).name in names

    def test_without_weights(self) -> None:
        with pytest.raises(TrainingError, match="a teacher needs weights"):
            Teacher([])


class TestSoftRows:
    def test_answers_are_kept_and_not_asked_for_again(
        self, save: Callable[..., Path], rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(distil, "_PART", 16)
        weights, said = [save(1)], list[str]()
        taught = soft_rows([*rows, *rows], weights, tmp_path / "soft", notify=said.append)
        assert [replace(row, soft=None) for row in taught] == [*rows, *rows]
        assert taught[: len(rows)] == taught[len(rows) :]
        for row, soft in zip(taught, Teacher(weights).score(rows), strict=False):
            assert row.soft is not None
            assert row.soft.label == pytest.approx(soft.label, rel=2e-3, abs=2e-3)
            assert row.soft.elements == pytest.approx(soft.elements, rel=2e-3, abs=2e-3)
        folder = tmp_path / "soft" / Teacher(weights).name
        assert sorted(path.name for path in folder.iterdir()) == [f"{n:05}.npz" for n in range(4)]
        assert said[0].endswith("60 of 120 windows to read")
        monkeypatch.setattr(Teacher, "score", lambda *_: pytest.fail("asked again"))
        assert soft_rows(rows, weights, tmp_path / "soft") == taught[: len(rows)]

    def test_scoring_goes_on_after_a_kill(
        self, save: Callable[..., Path], rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(distil, "_PART", 16)
        weights, score, asked = [save(1)], Teacher.score, list[int]()

        def killed_in_the_third(teacher: Teacher, part: list[Row]) -> list[Soft]:
            asked.append(len(part))
            if len(asked) == 3:
                raise KeyboardInterrupt
            return score(teacher, part)

        monkeypatch.setattr(Teacher, "score", killed_in_the_third)
        with pytest.raises(KeyboardInterrupt):
            soft_rows(rows, weights, tmp_path / "parts")
        resumed = soft_rows(rows, weights, tmp_path / "parts")
        assert asked == [16, 16, 16, 16, 12]
        assert resumed == soft_rows(rows, weights, tmp_path / "whole")

    def test_windows_longer_than_a_teacher_reads(
        self, save: Callable[..., Path], rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(CrossEncoder, "max_tokens", 20)
        with pytest.raises(TrainingError, match="the teacher reads 20") as caught:
            soft_rows(rows, [save(1)], tmp_path)
        assert "max_tokens" in caught.value.remedy

    def test_a_damaged_part(self, save: Callable[..., Path], rows: list[Row], tmp_path: Path) -> None:
        weights = [save(1)]
        soft_rows(rows, weights, tmp_path / "soft")
        [part] = (tmp_path / "soft").rglob("*.npz")
        part.write_bytes(part.read_bytes()[:-200])
        with pytest.raises(TrainingError, match="cannot be read") as caught:
            soft_rows(rows, weights, tmp_path / "soft")
        assert caught.value.where == str(part)

    @settings(max_examples=25, deadline=None)
    @given(
        st.lists(
            st.tuples(
                st.binary(min_size=16, max_size=16),
                st.builds(
                    Soft,
                    st.tuples(*[st.floats(-50, 50, width=16)] * 3),
                    st.floats(-50, 50, width=16),
                    st.lists(st.floats(-50, 50, width=16), max_size=5).map(tuple),
                ),
            ),
            min_size=1,
            max_size=9,
        )
    )
    def test_what_is_written_is_read(
        self, tmp_path_factory: pytest.TempPathFactory, items: list[tuple[bytes, Soft]]
    ) -> None:
        path = tmp_path_factory.mktemp("part") / "00000.npz"
        distil._write(path, [key for key, _ in items], [soft for _, soft in items])
        assert list(distil._read(path)) == items


class TestLearning:
    def test_a_student_learns_what_a_teacher_says(
        self, learned: Path, pretrained: Path, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        taught = soft_rows(rows, [learned], tmp_path / "soft")
        monkeypatch.setattr(trainer, "_LOG_STEPS", 10)
        torch.manual_seed(9)
        student = CrossEncoder(pretrained)
        before = agreement(student, taught), divergence(student, taught)
        train_stage(student, taught, SCHEDULE, seed=1, folder=tmp_path, name="toy")
        lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
        after = agreement(student, taught), divergence(student, taught)
        assert before[0] < 0.6
        assert after[0] > 0.95
        assert after[1] < 0.2 * before[1]
        first, last = json.loads(lines[1]), json.loads(lines[-2])
        assert first["label"] == first["elements"] == 0  # nothing but the teacher's word
        assert last["soft"] < 0.5 * first["soft"]

    def test_a_resumed_student_is_the_same_to_the_bit(
        self,
        save: Callable[..., Path],
        pretrained: Path,
        rows: list[Row],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(trainer, "_CHECKPOINT_SECONDS", -1)
        labelled = [replace(row, label=n % 3) for n, row in enumerate(rows)]
        taught = soft_rows(labelled, [save(1)], tmp_path / "soft")
        schedule = replace(SCHEDULE, epochs=2, soft_weight=0.6)
        step, left = trainer._step, [1000]

        def counted(*arguments: object) -> dict[str, float]:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return step(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(trainer, "_step", counted)
        states = []
        for folder, allowed in (("whole", 1000), ("parts", 4)):
            (tmp_path / folder).mkdir()
            left[0] = allowed
            for _ in range(2):
                torch.manual_seed(9)
                student = CrossEncoder(pretrained, 0.1)
                try:
                    train_stage(student, taught, schedule, seed=1, folder=tmp_path / folder, name="toy")
                    break
                except KeyboardInterrupt:
                    left[0] = 1000
            states.append(student.state_dict())
        resumed = [
            line for line in (tmp_path / "parts/log.jsonl").read_text().splitlines() if '"resumed_at": 4' in line
        ]
        assert len(resumed) == 1
        assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


class TestWhichWeights:
    @pytest.fixture
    def run(self, tmp_path: Path) -> Path:
        """A run of two stages, and fold 2 of the second one."""
        for folder, stages in (("run", ("first", "last")), ("run/fold_2", ("last",))):
            path = tmp_path / folder
            path.mkdir()
            for stage in stages:
                (path / f"{stage}.pt").write_bytes(b"")
                with (path / "log.jsonl").open("a", encoding="utf-8") as log:
                    log.write(json.dumps({"stage": stage, "resumed_at": 0}) + "\n")
                    log.write(json.dumps({"stage": stage, "done": True}) + "\n")
        return tmp_path / "run"

    def test_a_run_stands_for_its_last_stage(self, run: Path) -> None:
        assert teacher_weights([str(run)], None) == [run / "last.pt"]
        assert teacher_weights([str(run), str(run / "first.pt")], None) == [run / "last.pt", run / "first.pt"]

    def test_a_student_of_a_fold_gets_the_teacher_of_that_fold(self, run: Path) -> None:
        for teacher in (run, run / "last.pt"):
            assert teacher_weights([str(teacher)], 2) == [run / "fold_2/last.pt"]

    @pytest.mark.parametrize(("teacher", "fold"), [("", 3), ("last.pt", 3), ("first.pt", 2), ("other.pt", None)])
    def test_what_is_not_there(self, run: Path, teacher: str, fold: int | None) -> None:
        with pytest.raises(TrainingError) as caught:
            teacher_weights([str(run / teacher)], fold)
        assert str(run) in caught.value.where
        assert "Train the teacher first" in caught.value.remedy

    def test_a_run_that_is_still_going_on(self, run: Path) -> None:
        with (run / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps({"stage": "more", "step": 50}) + "\n")
        with pytest.raises(TrainingError, match="has not finished"):
            teacher_weights([str(run)], None)


def agreement(model: CrossEncoder, rows: list[Row]) -> float:
    """How often student and teacher choose the same label."""
    label, _ = logits(model, rows)
    chosen = torch.tensor([max(range(3), key=row.soft.label.__getitem__) for row in rows if row.soft is not None])
    return float((label.argmax(1) == chosen).float().mean())


def divergence(model: CrossEncoder, rows: list[Row]) -> float:
    batch = trainer.collate(rows)
    label, (relevance, tokens) = logits(model, rows)
    return float(trainer._soft(label, relevance, tokens[..., 0], batch, SCHEDULE))


def logits(model: CrossEncoder, rows: list[Row]) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
    batch = trainer.collate(rows)
    with torch.inference_mode():
        label, relevance, tokens = model.eval()(**batch.inputs)
    return label, (relevance, tokens)

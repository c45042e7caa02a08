from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import ModelError
from sciverify.models.session import Session, plan_batches

LENGTHS = st.lists(st.integers(0, 600), max_size=200)


def padded(length: int) -> int:
    return max(16, (length + 15) // 16 * 16)


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 4096), st.integers(1, 64))
def test_a_plan_has_each_row_once_within_the_limits(lengths: list[int], batch_tokens: int, max_batch: int) -> None:
    plan = plan_batches(lengths, batch_tokens, max_batch)
    assert sorted(int(row) for batch in plan for row in batch) == list(range(len(lengths)))
    for batch in plan:
        width = padded(max(lengths[row] for row in batch))
        assert 1 <= len(batch) <= max_batch
        assert len(batch) == 1 or len(batch) * width <= batch_tokens


@settings(deadline=None)
@given(LENGTHS)
def test_a_plan_goes_from_long_to_short(lengths: list[int]) -> None:
    planned = [lengths[row] for batch in plan_batches(lengths) for row in batch]
    assert planned == sorted(lengths, reverse=True)


def test_no_rows_no_batches() -> None:
    assert plan_batches([]) == []


class TestSession:
    @pytest.fixture
    def session(self, counting_model: Path) -> Session:
        return Session(counting_model, threads=2)

    def test_results_come_in_the_order_of_the_rows(self, session: Session) -> None:
        rng = np.random.default_rng(3)
        rows = [rng.integers(1, 15, size=rng.integers(1, 40)).tolist() for _ in range(300)]
        results = session.run({"input_ids": rows})
        assert [float(r["total"]) for r in results] == [float(sum(row)) for row in rows]
        for row, result in zip(rows, results, strict=True):
            assert result["squares"][: len(row)].tolist() == [float(n * n) for n in row]
            assert not result["squares"][len(row) :].any()  # padding

    def test_a_row_gets_the_same_alone(self, session: Session) -> None:
        rows = [[1, 2, 3], [9] * 30, [4]]
        together = session.run({"input_ids": rows})
        for row, result in zip(rows, together, strict=True):
            [alone] = session.run({"input_ids": [row]})
            assert float(alone["total"]) == float(result["total"])

    def test_no_rows_and_an_empty_row(self, session: Session) -> None:
        assert session.run({"input_ids": []}) == []
        assert [float(r["total"]) for r in session.run({"input_ids": [[], [5]]})] == [0.0, 5.0]

    def test_it_can_run_again(self, session: Session) -> None:
        for number in (1, 2, 3):
            assert [float(r["total"]) for r in session.run({"input_ids": [[number]] * number})] == [number] * number

    def test_it_knows_its_ports(self, session: Session) -> None:
        assert set(session.inputs) == {"input_ids", "attention_mask"}
        assert session.outputs == ("total", "squares")

    def test_threads_are_those_of_this_process_unless_given(
        self, counting_model: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sciverify.models.session.available_cpus", lambda: 1)
        assert Session(counting_model).threads == 1
        assert Session(counting_model, threads=2).threads == 2


class TestFiles:
    @pytest.mark.parametrize("suffix", [".xml", ".bin"])
    def test_a_missing_file_is_named(self, counting_model: Path, suffix: str) -> None:
        counting_model.with_suffix(suffix).unlink()
        with pytest.raises(ModelError, match="missing") as caught:
            Session(counting_model)
        assert caught.value.where == str(counting_model.with_suffix(suffix))

    @pytest.mark.parametrize("keep", [0.0, 0.5, 0.9])
    def test_a_description_that_was_cut_off(self, counting_model: Path, keep: float) -> None:
        content = counting_model.read_bytes()
        counting_model.write_bytes(content[: int(len(content) * keep)])
        with pytest.raises(ModelError, match="cannot load it") as caught:
            Session(counting_model)
        assert caught.value.where == str(counting_model)
        assert "\n" not in str(caught.value)

    def test_something_else_in_its_place(self, counting_model: Path) -> None:
        counting_model.write_text("<html>not found</html>", encoding="utf-8")
        with pytest.raises(ModelError, match="cannot load it"):
            Session(counting_model)

    def test_weights_that_were_cut_off(self, counting_model: Path) -> None:
        weights = counting_model.with_suffix(".bin")
        weights.write_bytes(weights.read_bytes()[:40])
        with pytest.raises(ModelError, match="cannot load it"):
            Session(counting_model)

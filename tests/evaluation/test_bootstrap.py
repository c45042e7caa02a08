import numpy as np
import pytest

from sciverify.errors import SettingError
from sciverify.evaluation.bootstrap import claim_weights, resampled_totals, summarise


def counts(claims=40, columns=3):
    return np.random.default_rng(5).integers(0, 6, size=(claims, columns))


def test_one_seed_repeats_to_the_last_bit_and_another_differs():
    first = resampled_totals(counts(), resamples=1_200, seed=3)
    assert first.tobytes() == resampled_totals(counts(), resamples=1_200, seed=3).tobytes()
    assert first.tobytes() != resampled_totals(counts(), resamples=1_200, seed=4).tobytes()


def test_every_resample_draws_as_many_claims_as_there_are():
    weights = np.concatenate(list(claim_weights(17, resamples=1_201, seed=0)))
    assert weights.shape == (1_201, 17)
    assert (weights.sum(axis=1) == 17).all()
    assert (weights >= 0).all()
    # A claim is left out of a resample with probability (1 - 1/17)^17.
    assert (weights == 0).mean() == pytest.approx((1 - 1 / 17) ** 17, abs=0.01)


def test_totals_are_sums_of_drawn_rows():
    table = counts(9)
    weights = np.concatenate(list(claim_weights(9, resamples=50, seed=1)))
    slow = [[sum(w * value for w, value in zip(row, column, strict=True)) for column in table.T] for row in weights]
    assert resampled_totals(table, resamples=50, seed=1).tolist() == slow


def test_one_claim_has_no_spread():
    totals = resampled_totals(np.array([[2, 3]]), resamples=10)
    assert totals.tolist() == [[2.0, 3.0]] * 10
    assert summarise(totals[:, 0]).sd == 0


def test_the_mean_of_a_mean_agrees_with_theory():
    values = np.random.default_rng(0).integers(0, 2, size=(300, 1))
    interval = summarise(resampled_totals(values, resamples=10_000, seed=0)[:, 0] / 300)
    share = values.mean()
    deviation = (share * (1 - share) / 300) ** 0.5
    assert interval.mean == pytest.approx(share, abs=5 * deviation / 100)
    assert interval.sd == pytest.approx(deviation, rel=0.05)
    assert interval.low == pytest.approx(share - 1.96 * deviation, abs=0.2 * deviation)
    assert interval.high == pytest.approx(share + 1.96 * deviation, abs=0.2 * deviation)


def test_summary_of_known_values():
    interval = summarise(np.arange(1001.0))
    assert (interval.mean, interval.low, interval.high) == (500, 25, 975)
    assert interval.sd == pytest.approx(np.std(np.arange(1001), ddof=1))


def test_nothing_to_draw_is_said():
    with pytest.raises(SettingError, match="no claims"):
        resampled_totals(np.zeros((0, 3), dtype=np.int64))
    for resamples in (-1, 0, 1):
        with pytest.raises(SettingError, match="no spread"):
            resampled_totals(counts(), resamples=resamples)

import numpy as np
import pytest

from sciverify.errors import SettingError
from sciverify.evaluation.bootstrap import bootstrap, claim_weights, compare, summarise
from sciverify.evaluation.measures import CountedScores, Measure


def means(values, ids=None):
    """Scores whose measures are the means of the columns of `values`, shape (claims, columns)."""
    values = np.asarray(values, dtype=np.float64)
    columns = tuple(f"column_{i}" for i in range(values.shape[1]))
    counts = np.concatenate([values, np.ones((len(values), 1))], axis=1)
    return CountedScores(
        "means",
        tuple(map(str, range(len(values)))) if ids is None else ids,
        tuple(Measure(name, name) for name in columns),
        (*columns, "claims"),
        counts,
        lambda totals: totals[:, :-1] / totals[:, -1:],
    )


def some(claims=40, columns=3, seed=5):
    return means(np.random.default_rng(seed).integers(0, 6, size=(claims, columns)))


def test_one_seed_repeats_to_the_last_bit_and_another_differs():
    assert bootstrap(some(), resamples=1_200, seed=3) == bootstrap(some(), resamples=1_200, seed=3)
    assert bootstrap(some(), resamples=1_200, seed=3) != bootstrap(some(), resamples=1_200, seed=4)


def test_every_resample_draws_as_many_claims_as_there_are():
    weights = np.concatenate(list(claim_weights(17, resamples=1_201, seed=0)))
    assert weights.shape == (1_201, 17)
    assert (weights.sum(axis=1) == 17).all()
    assert (weights >= 0).all()
    # A claim is left out of a resample with probability (1 - 1/17)^17.
    assert (weights == 0).mean() == pytest.approx((1 - 1 / 17) ** 17, abs=0.01)


def test_measures_are_recomputed_from_the_drawn_claims():
    scores = some(9)
    weights = np.concatenate(list(claim_weights(9, resamples=50, seed=1)))
    slow = [
        sum(w * value for w, value in zip(row, scores.counts[:, 0], strict=True)) / sum(row) for row in weights.tolist()
    ]
    assert bootstrap(scores, resamples=50, seed=1)["column_0"] == summarise(np.array(slow))


def test_pieces_are_small_however_many_claims_and_resamples_there_are():
    assert max(weights.size for weights in claim_weights(300, resamples=10_000)) <= 100_000
    assert [weights.shape for weights in claim_weights(120_000, resamples=2)] == [(1, 120_000)] * 2


def test_one_claim_has_no_spread():
    interval = bootstrap(means([[0.25]]), resamples=10)["column_0"]
    assert (interval.mean, interval.sd, interval.low, interval.high) == (0.25, 0, 0.25, 0.25)


def test_the_mean_of_a_mean_agrees_with_theory():
    values = np.random.default_rng(0).integers(0, 2, size=(300, 1))
    interval = bootstrap(means(values))["column_0"]
    share = values.mean()
    deviation = (share * (1 - share) / 300) ** 0.5
    assert interval.mean == pytest.approx(share, abs=5 * deviation / 100)
    assert interval.sd == pytest.approx(deviation, rel=0.05)
    assert interval.low == pytest.approx(share - 1.96 * deviation, abs=0.2 * deviation)
    assert interval.high == pytest.approx(share + 1.96 * deviation, abs=0.2 * deviation)


class TestCompare:
    def test_a_run_against_itself_differs_by_nothing(self):
        difference = compare(some(), some(), resamples=200)["column_1"]
        assert (difference.value, difference.interval.sd, difference.p) == (0, 0, 1)

    def test_is_paired(self):
        """One run is better by the same little on every claim: far less than the spread, and yet beyond doubt."""
        values = np.random.default_rng(0).uniform(0, 0.9, size=(50, 1))
        difference = compare(means(values + 0.01), means(values), resamples=1_000)["column_0"]
        assert difference.value == pytest.approx(0.01)
        assert difference.interval.low == pytest.approx(0.01)
        assert difference.p == pytest.approx(2 / 1_001)

    def test_turns_its_sign_with_the_runs(self):
        there, back = (compare(*pair, resamples=500) for pair in ((some(), some(seed=6)), (some(seed=6), some())))
        for name in there:
            assert there[name].value == -back[name].value
            assert there[name].interval.low == pytest.approx(-back[name].interval.high)
            assert there[name].p == back[name].p

    def test_agrees_with_the_t_test_where_that_holds(self):
        from scipy.stats import ttest_rel

        random = np.random.default_rng(2)
        first = random.normal(0.50, 0.1, size=(400, 1))
        second = first + random.normal(0.004, 0.05, size=(400, 1))
        difference = compare(means(second), means(first))["column_0"]
        assert difference.p == pytest.approx(ttest_rel(second, first).pvalue[0], abs=0.02)

    def test_needs_the_same_claims(self):
        with pytest.raises(SettingError, match="same task"):
            compare(some(3), means(np.zeros((3, 3)), ids=("a", "b", "c")))


def test_summary_of_known_values():
    interval = summarise(np.arange(1001.0))
    assert (interval.mean, interval.low, interval.high) == (500, 25, 975)
    assert interval.sd == pytest.approx(np.std(np.arange(1001), ddof=1))


def test_nothing_to_draw_is_said():
    with pytest.raises(SettingError, match="no claims"):
        means(np.zeros((0, 3)))
    for resamples in (-1, 0, 1):
        with pytest.raises(SettingError, match="no spread"):
            bootstrap(some(), resamples=resamples)

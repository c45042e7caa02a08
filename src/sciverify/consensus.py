"""Summing findings up: counts, an interval, and one of four answers by a stated rule.

The answers are those of Science Checker §3, which takes a majority vote over articles and leaves open when opinions
are divided; here a test decides it.

The rule is the same for whole articles and for articles that count in part: `decide` takes what is in favour and what
is against, and `even_split_p` and `wilson_interval` are defined for fractions as well. More in favour never gives an
answer nearer to Negative, nor a lower bound of the interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, lgamma, log, sqrt

from sciverify.records import Consensus, ConsensusLabel, Finding, Label

__all__ = [
    "CAVEAT",
    "SIGNIFICANCE",
    "decide",
    "even_split_p",
    "from_counts",
    "share_of_yes",
    "sum_up",
    "wilson_interval",
]

CAVEAT = "This is the balance of the documents that were searched, not the truth about the claim."

SIGNIFICANCE = 0.05
_Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def sum_up(findings: Iterable[Finding]) -> Consensus:
    """Count SUPPORTS (yes) against REFUTES (no), one finding per document.

    * *Neutral*: no document supports or refutes the claim.
    * *Affirmative* / *Negative*: all that bear on it agree, or an exact binomial test tells the majority from an even
      split (two-sided, 5 %).
    * *Balanced*: both sides are there and the test can't tell them apart.

    The interval is Wilson's for the share of SUPPORTS among SUPPORTS + REFUTES. The answer doesn't depend on the order
    of the findings nor on those labelled NEI; one more SUPPORTS never moves it towards Negative, in the order
    Negative, Balanced, Affirmative (Neutral stands apart: one SUPPORTS makes it Affirmative), and one more REFUTES
    never towards Affirmative.
    """
    counts = dict.fromkeys(Label, 0)
    for finding in findings:
        counts[finding.label] += 1
    return from_counts(counts[Label.SUPPORTS], counts[Label.REFUTES], counts[Label.NEI])


def from_counts(supports: int, refutes: int, nei: int = 0) -> Consensus:
    """The consensus of so many documents; see `sum_up`."""
    p = even_split_p(supports, refutes)
    label = decide(supports, refutes, p)
    low, high = wilson_interval(supports, supports + refutes)
    return Consensus(label, supports, refutes, nei, low, high, p, _reason(label, supports, refutes, p))


def decide(supports: float, refutes: float, p: float) -> ConsensusLabel:
    """The answer, from what is on either side (documents, or weight) and the p-value of an even split."""
    if not supports and not refutes:
        return ConsensusLabel.NEUTRAL
    if supports and refutes and p > SIGNIFICANCE:
        return ConsensusLabel.BALANCED
    return ConsensusLabel.AFFIRMATIVE if supports > refutes else ConsensusLabel.NEGATIVE


def share_of_yes(supports: float, refutes: float) -> float | None:
    """The share of SUPPORTS among those that take a side; None where none does."""
    return supports / (supports + refutes) if supports or refutes else None


def even_split_p(supports: float, refutes: float) -> float:
    """Two-sided exact binomial test of an even split; 1.0 without any observation.

    Whole numbers are counted out, without rounding error. Fractions are read through the identity
    P(X <= k) = I½(n - k, k + 1) for X ~ Bin(n, ½), whose right side, the regularised incomplete beta function, is
    defined for them too, and monotone: falling in what the majority has, rising in what the minority has.
    """
    fewer, more = sorted((supports, refutes))
    if isinstance(fewer, int) and isinstance(more, int):
        return min(1.0, float(2 * _tail(fewer, fewer + more) / 2 ** (fewer + more)))
    if more <= fewer + 1:  # the median of Beta(more, fewer + 1) is at most ½
        return 1.0
    return min(1.0, 2 * _beta_at_half(more, fewer + 1.0))


def wilson_interval(successes: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % score interval for a share; (0, 1) without any observation. Either number may be a fraction."""
    if n <= 0:
        return (0.0, 1.0)
    square = _Z * _Z
    centre = (successes + square / 2) / (n + square)
    half = _Z * sqrt(successes * ((n - successes) / n) + square / 4) / (n + square)
    return (max(0.0, centre - half), min(1.0, centre + half))


def _reason(label: ConsensusLabel, supports: int, refutes: int, p: float) -> str:
    if label is ConsensusLabel.NEUTRAL:
        return "No document that was read supports or refutes the claim."
    if not supports or not refutes:
        few = f"; {supports + refutes} alone cannot rule out chance (p = {p:.2g})" if p > SIGNIFICANCE else ""
        return f"All documents that bear on the claim {'support' if supports else 'refute'} it{few}."
    told = "not told" if label is ConsensusLabel.BALANCED else "told"
    return f"{supports} support, {refutes} refute: {told} from an even split (p = {p:.2g})."


def _tail(k: int, n: int) -> int:
    """How many of the 2**n outcomes of n coins have at most k heads."""
    total = ways = 1
    for heads in range(1, k + 1):
        ways = ways * (n - heads + 1) // heads
        total += ways
    return total


def _beta_at_half(a: float, b: float) -> float:
    """The regularised incomplete beta function I½(a, b) for a > b >= 1, to about 11 digits.

    By its continued fraction (DLMF 8.17.22), which converges fast for a > b, with Lentz's method.
    """
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) - (a + b) * log(2)) / a
    c, d = 1.0, 1.0 / (1.0 - (a + b) / (a + 1) / 2)
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m)) / 2
        odd = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1)) / 2
        for term in (even, odd):
            c, d = 1.0 + term / c, 1.0 / (1.0 + term * d)
            value *= c * d
        if abs(c * d - 1.0) < 1e-14:
            break
    return front * value

"""Summing findings up: counts, an interval, and one of four answers by a stated rule."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, sqrt

from sciverify.records import Consensus, ConsensusLabel, Finding, Label

__all__ = ["SIGNIFICANCE", "binomial_p", "sum_up", "wilson_interval"]

SIGNIFICANCE = 0.05
_Z = 1.959963984540054  # the 97.5 % point of the normal distribution


def sum_up(findings: Iterable[Finding]) -> Consensus:
    """Count SUPPORTS against REFUTES, each document once.

    * *Neutral*: no document supports or refutes the claim.
    * *Affirmative* / *Negative*: all that bear on it agree, or an exact binomial test tells the majority from an even
      split (two-sided, 5 %).
    * *Balanced*: both sides are there and the test can't tell them apart.

    The interval is Wilson's for the share of SUPPORTS among SUPPORTS + REFUTES.
    """
    counts = dict.fromkeys(Label, 0)
    for finding in findings:
        counts[finding.label] += 1
    supports, refutes, nei = counts[Label.SUPPORTS], counts[Label.REFUTES], counts[Label.NEI]
    p = binomial_p(supports, refutes)
    label, reason = _answer(supports, refutes, p)
    low, high = wilson_interval(supports, supports + refutes)
    return Consensus(label, supports, refutes, nei, low, high, p, reason)


def binomial_p(supports: int, refutes: int) -> float:
    """Two-sided exact binomial test of an even split; 1.0 without any observation."""
    n, fewer = supports + refutes, min(supports, refutes)
    tail = sum(comb(n, k) for k in range(fewer + 1))
    return min(1.0, float(2 * tail / 2**n))


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % score interval for a share; (0, 1) without any observation."""
    if n == 0:
        return (0.0, 1.0)
    share, square = successes / n, _Z * _Z
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = _Z * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return (max(0.0, centre - half), min(1.0, centre + half))


def _answer(supports: int, refutes: int, p: float) -> tuple[ConsensusLabel, str]:
    if not supports and not refutes:
        return ConsensusLabel.NEUTRAL, "No document that was read supports or refutes the claim."
    majority = ConsensusLabel.AFFIRMATIVE if supports > refutes else ConsensusLabel.NEGATIVE
    if not supports or not refutes:
        few = f"; {supports + refutes} alone cannot rule out chance (p = {p:.2g})" if p > SIGNIFICANCE else ""
        verb = "support" if supports else "refute"
        return majority, f"All documents that bear on the claim {verb} it{few}."
    if p > SIGNIFICANCE:
        return (
            ConsensusLabel.BALANCED,
            f"{supports} support, {refutes} refute: not told from an even split (p = {p:.2g}).",
        )
    return majority, f"{supports} support, {refutes} refute: told from an even split (p = {p:.2g})."

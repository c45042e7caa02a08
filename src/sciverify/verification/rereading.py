"""A second reading: the rationale alone, without the rest of the document, as VeriSci's labeller sees it.

One pass over a whole document finds the sentences that matter better than it weighs them; the label of those
sentences read alone, mixed with that of the whole, is right more often (docs/experiments.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sciverify.models.crossencoder import Passage, Scores
from sciverify.verification.findings import element_probabilities
from sciverify.verification.reading import PassageModel

__all__ = ["reread"]

_WORTH = 0.05  # of the probability of SUPPORTS and REFUTES: below it a document is not read again
_SHOWN = 3  # elements
_ELEMENT = 0.15


def reread(model: PassageModel, passages: Sequence[Passage], scores: Sequence[Scores], weight: float) -> list[Scores]:
    """Scores whose label logits are ``(1 - weight)`` of the first reading and `weight` of the second.

    Only passages that seem to hold evidence are read again: their three likeliest elements that reach a probability
    of 0.15, or the likeliest one.
    """
    mixed = list(scores)
    if not weight:
        return mixed
    again = [n for n, first in enumerate(scores) if passages[n].elements and _evidence(first) > _WORTH]
    extracts = [passages[n]._replace(elements=_likeliest(passages[n], scores[n])) for n in again]
    for n, second in zip(again, model.score(extracts), strict=True):
        mixed[n] = replace(mixed[n], label=(1 - weight) * mixed[n].label + weight * second.label)
    return mixed


def _evidence(scores: Scores) -> float:
    supports, refutes, nei = (float(logit) for logit in scores.label)
    return float(1 / (1 + np.exp(nei - np.logaddexp(supports, refutes))))


def _likeliest(passage: Passage, scores: Scores) -> list[str]:
    probabilities = element_probabilities(scores.elements)
    order = np.argsort(-probabilities, kind="stable")[:_SHOWN]
    chosen = [n for n in order if probabilities[n] >= _ELEMENT] or order[:1]
    return [passage.elements[n] for n in sorted(chosen)]

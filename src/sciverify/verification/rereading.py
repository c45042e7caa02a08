"""Further readings of the documents that seem to hold evidence: each element alone, then the rationale alone.

One pass over a whole document tells well whether it bears on the claim. Which sentences do is told better by reading
each of them alone, as VeriSci's selector does (SciFact §5); and the label of those sentences read together, without the
rest, mixed with that of the whole, is right more often (docs/experiments.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sciverify.models.crossencoder import Passage, Scores
from sciverify.verification.findings import element_probabilities
from sciverify.verification.reading import PassageModel, score_elements

__all__ = ["reread"]

_WORTH = 0.05  # of the probability of SUPPORTS and REFUTES: below it a document is not read again
_SHOWN = 3  # elements
_ELEMENT = 0.15


def reread(
    model: PassageModel, passages: Sequence[Passage], scores: Sequence[Scores], weight: float, alone: float = 0.0
) -> list[Scores]:
    """Scores with the further readings mixed in, for the passages that seem to hold evidence; the others keep theirs.

    Args:
        model: what reads.
        passages: what was read.
        scores: what the first reading, of whole passages, gave.
        weight: the share of the rationale's reading in the label logits: that of the three likeliest elements which
            reach a probability of 0.15, or of the likeliest one. 0 leaves this reading out.
        alone: the share of each element's own reading in its logit, before the likeliest are chosen. 0 leaves these
            readings out.
    """
    mixed = list(scores)
    if not weight and not alone:
        return mixed
    again = [n for n, first in enumerate(scores) if passages[n].elements and _evidence(first) > _WORTH]
    if alone:
        for n, own in zip(again, score_elements(model, [passages[n] for n in again]), strict=True):
            mixed[n] = replace(mixed[n], elements=(1 - alone) * mixed[n].elements + alone * own)
    if weight:
        extracts = [passages[n]._replace(elements=_likeliest(passages[n], mixed[n])) for n in again]
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

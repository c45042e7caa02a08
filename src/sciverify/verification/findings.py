"""From scores to findings: the decision rule that all verifiers share, and keeping one bad document to itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sciverify.models.crossencoder import LABELS, Decision
from sciverify.records import Candidate, Claim, Document, Finding, Label, Probabilities, Problem, Quote

__all__ = ["NEUTRAL", "each_apart", "element_probabilities", "make_finding", "quotable", "quoted_finding"]

NEUTRAL = np.array([0.0, 0.0, 1.0])
"""The probabilities of a document that had nothing to be read, in the order of `LABELS`."""

Pairs = Sequence[tuple[Claim, Candidate]]


def make_finding(
    candidate: Candidate,
    probabilities: NDArray[np.float64],
    elements: NDArray[np.float32],
    decision: Decision,
) -> Finding:
    """Apply the decision rule to one document.

    Args:
        candidate: the document.
        probabilities: calibrated, in the order of `LABELS`.
        elements: one logit per element of the document.
        decision: the thresholds.

    The document is NEI when the probability of SUPPORTS and REFUTES together is below `decision.evidence` or zero, or
    when it has nothing to quote. Otherwise the likelier of the two stands, with the elements that reach
    `decision.element` quoted, best first; when none does, the best one is.
    """
    speaks = _label(probabilities, decision) is not Label.NEI
    rationale = _rationale(candidate.document, elements, decision) if speaks else ()
    return quoted_finding(candidate, probabilities, rationale, decision)


def quoted_finding(
    candidate: Candidate, probabilities: NDArray[np.float64], quotes: Sequence[Quote], decision: Decision
) -> Finding:
    """The same rule where it is settled what would be quoted, best first; all of it is, and without any it is NEI."""
    supports, refutes, nei = (float(p) for p in probabilities)
    label = _label(probabilities, decision) if quotes else Label.NEI
    rationale = tuple(quotes) if label is not Label.NEI else ()
    return Finding(candidate.document, label, Probabilities(supports, refutes, nei), rationale, candidate)


def element_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """The probability of each element to belong to the rationale; an element that was not read (-inf) has 0."""
    return np.asarray((1 + np.tanh(logits.astype(np.float64) / 2)) / 2)


def quotable(document: Document) -> list[int]:
    """The positions of the elements that hold any text."""
    return [number for number, element in enumerate(document.elements) if element.text.strip()]


def each_apart(verify: Callable[[Pairs], list[Finding]], pairs: Pairs) -> list[Finding | Problem]:
    """Verify all pairs at once; if that fails, one by one, so that only the document at fault is lost."""
    try:
        return list(verify(pairs))
    except Exception as error:  # whatever it is, the other documents' findings must survive it
        if len(pairs) == 1:
            return [Problem(f"document {pairs[0][1].document.id!r}", f"{type(error).__name__}: {error}")]
        return [result for pair in pairs for result in each_apart(verify, [pair])]


def _label(probabilities: NDArray[np.float64], decision: Decision) -> Label:
    """The label that probabilities in the order of `LABELS` stand for, if there is something to quote."""
    speaks = 0 < float(probabilities[0]) + float(probabilities[1]) >= decision.evidence
    return LABELS[int(np.argmax(probabilities[:2]))] if speaks else Label.NEI


def _rationale(document: Document, elements: NDArray[np.float32], decision: Decision) -> tuple[Quote, ...]:
    scores = element_probabilities(elements)
    order = sorted(quotable(document), key=lambda n: (-scores[n], n))
    chosen = [n for n in order if scores[n] >= decision.element] or order[:1]
    return tuple(Quote.whole(document.elements[n], float(scores[n])) for n in chosen[: decision.quotes])

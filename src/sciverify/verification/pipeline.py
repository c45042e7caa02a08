"""VeriSci's two steps (SciFact §5): choose rationale sentences one at a time, then label from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sciverify.models.crossencoder import Passage, load_cross_encoder
from sciverify.records import Candidate, Claim, Finding, Problem
from sciverify.verification.findings import each_apart, element_probabilities, make_finding, quotable
from sciverify.verification.reading import PassageModel

__all__ = ["PipelineVerifier"]

_NOTHING = np.array([0.0, 0.0, 1.0])


class PipelineVerifier:
    """Elements whose own pass gives at least the probability `element` are the rationale; the label comes from them.

    A document with no such element is NEI, as in VeriSci. `model` None loads the one that ships.
    """

    def __init__(self, model: PassageModel | None = None, *, element: float = 0.5, evidence: float = 0.5) -> None:
        self.model: PassageModel = model or load_cross_encoder()
        self.decision = replace(self.model.decision, element=element, evidence=evidence)
        self.name = f"pipeline(element={element:g}, evidence={evidence:g})"

    def with_model(self, model: PassageModel) -> PipelineVerifier:
        """The same verifier reading with another model; the thresholds stay."""
        return PipelineVerifier(model, element=self.decision.element, evidence=self.decision.evidence)

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`."""
        return each_apart(self._verify, pairs)

    def _verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding]:
        elements = self._select(pairs)
        chosen = [np.flatnonzero(element_probabilities(scores) >= self.decision.element) for scores in elements]
        labels = self._label(pairs, chosen)
        return [
            make_finding(candidate, probabilities, scores, self.decision)
            for (_, candidate), scores, probabilities in zip(pairs, elements, labels, strict=True)
        ]

    def _select(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[NDArray[np.float32]]:
        """The logit of every element of every document, each read alone."""
        places = [(n, e) for n, (_, candidate) in enumerate(pairs) for e in quotable(candidate.document)]
        passages = [
            Passage(pairs[n][0].text, pairs[n][1].document.title, [pairs[n][1].document.elements[e].text])
            for n, e in places
        ]
        elements = [np.full(len(c.document.elements), -np.inf, dtype=np.float32) for _, c in pairs]
        for (n, e), scores in zip(places, self.model.score(passages), strict=True):
            elements[n][e] = scores.elements[0]
        return elements

    def _label(
        self, pairs: Sequence[tuple[Claim, Candidate]], chosen: Sequence[NDArray[np.intp]]
    ) -> list[NDArray[np.float64]]:
        with_rationale = [n for n, positions in enumerate(chosen) if len(positions)]
        passages = []
        for n in with_rationale:
            claim, candidate = pairs[n]
            texts = [candidate.document.elements[e].text for e in chosen[n]]
            passages.append(Passage(claim.text, candidate.document.title, texts))
        labels = [_NOTHING for _ in pairs]
        for n, scores in zip(with_rationale, self.model.score(passages), strict=True):
            labels[n] = self.model.probabilities(scores)
        return labels

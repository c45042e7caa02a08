"""VeriSci's two steps (SciFact §5): choose rationale sentences one at a time, then label from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sciverify.models.crossencoder import Passage, Scores, load_cross_encoder
from sciverify.records import Candidate, Claim, Finding, Problem
from sciverify.verification.findings import each_apart, element_probabilities, make_finding
from sciverify.verification.reading import PassageModel, score_elements

__all__ = ["PipelineVerifier", "label_chosen"]

_THRESHOLD = 0.5
_NOTHING = np.array([-np.inf, -np.inf, 0.0], dtype=np.float32)  # logits: NEI for certain


class PipelineVerifier:
    """Elements whose own pass gives at least the probability `element` are the rationale; the label comes from them.

    A document with no such element is NEI, as in VeriSci.

    Args:
        selector: chooses the elements; None takes the model that ships.
        labeller: labels what was chosen; None lets the selector do that too.
        element: None takes the selector's, or 0.5 where one model stands for both steps, since its thresholds were
            fitted to whole documents.
        evidence: None takes the labeller's, or 0.5 as above.
    """

    def __init__(
        self,
        selector: PassageModel | None = None,
        labeller: PassageModel | None = None,
        *,
        element: float | None = None,
        evidence: float | None = None,
    ) -> None:
        self.selector: PassageModel = selector or load_cross_encoder()
        self.model: PassageModel = labeller or self.selector
        choosing, labelling = self.selector.decision, self.model.decision
        self.decision = replace(
            labelling,
            quotes=choosing.quotes,
            element=_threshold(element, choosing.element if self.has_two_models else _THRESHOLD),
            evidence=_threshold(evidence, labelling.evidence if self.has_two_models else _THRESHOLD),
        )
        self.name = f"pipeline(element={self.decision.element:g}, evidence={self.decision.evidence:g})"

    @property
    def has_two_models(self) -> bool:
        """Whether the elements are chosen by another model than `model`, which labels."""
        return self.selector is not self.model

    def with_model(self, model: PassageModel, selector: PassageModel | None = None) -> PipelineVerifier:
        """The same verifier labelling with another model and choosing with `selector`; the thresholds stay.

        Without a selector the model does both.
        """
        chosen = self.decision
        return PipelineVerifier(selector or model, model, element=chosen.element, evidence=chosen.evidence)

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`."""
        return each_apart(self._verify, pairs)

    def _verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding]:
        elements = score_elements(self.selector, [Passage.of(claim, candidate.document) for claim, candidate in pairs])
        labels = label_chosen(self.model, pairs, elements, self.decision.element)
        return [
            make_finding(candidate, self.model.probabilities(Scores(label, 0.0, scores)), scores, self.decision)
            for (_, candidate), scores, label in zip(pairs, elements, labels, strict=True)
        ]


def label_chosen(
    labeller: PassageModel,
    pairs: Sequence[tuple[Claim, Candidate]],
    elements: Sequence[NDArray[np.float32]],
    threshold: float,
) -> list[NDArray[np.float32]]:
    """Label logits of every document, shape (3,), from its elements that reach the probability `threshold` alone.

    Where none does they are those of a certain NEI, at any temperature.
    """
    chosen = [np.flatnonzero(element_probabilities(logits) >= threshold) for logits in elements]
    with_rationale = [n for n, positions in enumerate(chosen) if len(positions)]
    passages = []
    for n in with_rationale:
        claim, candidate = pairs[n]
        texts = [candidate.document.elements[e].text for e in chosen[n]]
        passages.append(Passage(claim.text, candidate.document.title, texts))
    labels = [_NOTHING for _ in pairs]
    for n, scores in zip(with_rationale, labeller.score(passages), strict=True):
        labels[n] = scores.label
    return labels


def _threshold(given: float | None, own: float) -> float:
    return own if given is None else given

"""One pass over claim, title and all elements: label and rationale together (ParagraphJoint, MultiVerS)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciverify.models.crossencoder import CrossEncoderModel, Passage, load_cross_encoder
from sciverify.records import Candidate, Claim, Finding, Problem
from sciverify.verification.findings import each_apart, make_finding

__all__ = ["JointVerifier"]


class JointVerifier:
    """Labels a document and chooses its rationale in one pass of the cross-encoder.

    Args:
        model: the cross-encoder; None loads the one that ships.
        evidence: probability of SUPPORTS + REFUTES below which a document is NEI; None takes the model's.
        element: probability from which an element is quoted; None takes the model's.
    """

    def __init__(
        self, model: CrossEncoderModel | None = None, *, evidence: float | None = None, element: float | None = None
    ) -> None:
        self._model = model or load_cross_encoder()
        fitted = self._model.decision
        self.decision = replace(
            fitted,
            evidence=fitted.evidence if evidence is None else evidence,
            element=fitted.element if element is None else element,
        )
        self.name = f"joint(evidence={self.decision.evidence:g}, element={self.decision.element:g})"

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`."""
        return each_apart(self._verify, pairs)

    def _verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding]:
        passages = [
            Passage(claim.text, c.document.title, [element.text for element in c.document.elements])
            for claim, c in pairs
        ]
        return [
            make_finding(candidate, self._model.probabilities(scores), scores.elements, self.decision)
            for (_, candidate), scores in zip(pairs, self._model.score(passages), strict=True)
        ]

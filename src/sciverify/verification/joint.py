"""One pass over claim, title and all elements: label and rationale together (ParagraphJoint, MultiVerS).

What each element and the rationale say when they are read alone may then be mixed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciverify.models.crossencoder import Passage, load_cross_encoder
from sciverify.records import Candidate, Claim, Finding, Problem
from sciverify.verification.findings import each_apart, make_finding
from sciverify.verification.reading import PassageModel
from sciverify.verification.rereading import reread as read_again

__all__ = ["JointVerifier"]


class JointVerifier:
    """Labels a document and chooses its rationale in one pass of the cross-encoder.

    How well retrieval found a document counts too, as much as the model's decision says.

    Args:
        model: the cross-encoder; None loads the one that ships.
        evidence: probability of SUPPORTS + REFUTES below which a document is NEI; None takes the model's.
        element: probability from which an element is quoted; None takes the model's.
        reread: weight of a second reading of the rationale alone; None takes the model's, 0 leaves it out.
        alone: weight of each element's own reading; None takes the model's, 0 leaves it out.
    """

    def __init__(
        self,
        model: PassageModel | None = None,
        *,
        evidence: float | None = None,
        element: float | None = None,
        reread: float | None = None,
        alone: float | None = None,
    ) -> None:
        self.model: PassageModel = model or load_cross_encoder()
        fitted = self.model.decision
        self.decision = replace(
            fitted,
            evidence=fitted.evidence if evidence is None else evidence,
            element=fitted.element if element is None else element,
            reread=fitted.reread if reread is None else reread,
            alone=fitted.alone if alone is None else alone,
        )
        chosen = (f"{name}={getattr(self.decision, name):g}" for name in ("evidence", "element", "reread", "alone"))
        self.name = f"joint({', '.join(chosen)})"

    def with_model(self, model: PassageModel) -> JointVerifier:
        """The same verifier reading with another model; the thresholds stay."""
        chosen = self.decision
        return JointVerifier(
            model, evidence=chosen.evidence, element=chosen.element, reread=chosen.reread, alone=chosen.alone
        )

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`."""
        return each_apart(self._verify, pairs)

    def _verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding]:
        passages = [Passage.of(claim, candidate.document) for claim, candidate in pairs]
        first = self.model.score(passages)
        read = read_again(self.model, passages, first, self.decision.reread, self.decision.alone)
        return [
            make_finding(candidate, self.model.probabilities(scores, candidate.score), scores.elements, self.decision)
            for (_, candidate), scores in zip(pairs, read, strict=True)
        ]

"""Closed questions put to a verifier that judges statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciverify.models.crossencoder import Decision
from sciverify.records import Candidate, Claim, Finding, Label, Probabilities, Problem
from sciverify.text.questions import ClosedQuestion, parse_question
from sciverify.verification.reading import ModelVerifier, PassageModel

__all__ = ["QuestionVerifier"]

_OPPOSITE = {Label.SUPPORTS: Label.REFUTES, Label.REFUTES: Label.SUPPORTS, Label.NEI: Label.NEI}


class QuestionVerifier:
    """Has the claim judged that a closed question asks about ("Does X prevent Y?": "X prevents Y"); yes is SUPPORTS.

    Where a yes denies that claim ("Does X not prevent Y?"), the sides are changed over. A plain claim, and a question
    that can't be taken apart, is judged as it stands.
    """

    def __init__(self, inner: ModelVerifier) -> None:
        self.inner = inner
        self.name = f"questions({inner.name})"

    @property
    def model(self) -> PassageModel:
        """See `ModelVerifier`."""
        return self.inner.model

    @property
    def decision(self) -> Decision:
        """See `ModelVerifier`."""
        return self.inner.decision

    def with_model(self, model: PassageModel) -> QuestionVerifier:
        """See `ModelVerifier`."""
        return QuestionVerifier(self.inner.with_model(model))

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`; a claim's text is the question."""
        asked = {text: _question(text) for text in {claim.text for claim, _ in pairs}}
        judged = [
            (Claim(claim.id, question.claim) if (question := asked[claim.text]) else claim, candidate)
            for claim, candidate in pairs
        ]
        results = self.inner.verify(judged)
        return [
            _turned(result) if (question := asked[claim.text]) and question.negated else result
            for (claim, _), result in zip(pairs, results, strict=True)
        ]


def _question(text: str) -> ClosedQuestion | None:
    return parse_question(text) if text.rstrip().endswith("?") else None


def _turned(result: Finding | Problem) -> Finding | Problem:
    if isinstance(result, Problem):
        return result
    said = result.probabilities
    return replace(
        result, label=_OPPOSITE[result.label], probabilities=Probabilities(said.refutes, said.supports, said.nei)
    )

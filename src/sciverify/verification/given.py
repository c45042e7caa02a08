"""Verification that is told which elements justify the label: the "oracle rationale" setting of SciFact (§6.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sciverify.models.crossencoder import Decision, Passage
from sciverify.records import Candidate, Claim, Document, Element, Finding, Problem, Quote
from sciverify.verification.findings import NEUTRAL, each_apart, quoted_finding
from sciverify.verification.reading import PassageModel

__all__ = ["GivenRationaleVerifier", "Rationales"]

Rationales = Mapping[str, Mapping[str, Sequence[Collection[str]]]]
"""Claim id to document id to the document's rationales, each a set of element ids."""


class GivenRationaleVerifier:
    """Labels a document from its given rationales alone and quotes exactly those; without any it is NEI.

    The model reads claim, title and the elements of all rationales of the document in reading order, as its second
    reading does. The rationale is given, the label is not: it may still be wrong, or NEI.

    The smallest rationale is quoted first, for SciFact's abstract-level metric looks at the first sentences only.

    Args:
        model: what reads.
        decision: the thresholds.
        rationales: what is given.
    """

    def __init__(self, model: PassageModel, decision: Decision, rationales: Rationales) -> None:
        self.model = model
        self.decision = decision
        self._rationales = rationales
        self.name = f"given_rationales(evidence={decision.evidence:g})"

    def with_model(self, model: PassageModel) -> GivenRationaleVerifier:
        """The same verifier reading with another model."""
        return GivenRationaleVerifier(model, self.decision, self._rationales)

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`; a rationale that names an element the document lacks is a problem."""
        return each_apart(self._verify, pairs)

    def _verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding]:
        given = [self._given(claim, candidate.document) for claim, candidate in pairs]
        passages = [
            Passage(claim.text, candidate.document.title, _in_reading_order(candidate.document, elements))
            for (claim, candidate), elements in zip(pairs, given, strict=True)
            if elements
        ]
        read = iter(self.model.score(passages))
        findings = []
        for (_, candidate), elements in zip(pairs, given, strict=True):
            probabilities = self.model.probabilities(next(read)) if elements else NEUTRAL
            findings.append(quoted_finding(candidate, probabilities, list(map(Quote.whole, elements)), self.decision))
        return findings

    def _given(self, claim: Claim, document: Document) -> list[Element]:
        """The elements of the document's rationales that hold any text, those of the smallest rationale first."""
        rationales = self._rationales.get(claim.id, {}).get(document.id, ())
        for id in sorted({id for rationale in rationales for id in rationale}):
            document.element(id)  # a rationale that the document lacks must not pass for one that says nothing
        ordered = [e for rationale in sorted(rationales, key=len) for e in document.elements if e.id in rationale]
        return [element for element in dict.fromkeys(ordered) if element.text.strip()]


def _in_reading_order(document: Document, elements: Collection[Element]) -> list[str]:
    return [element.text for element in document.elements if element in elements]

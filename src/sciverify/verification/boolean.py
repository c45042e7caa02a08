"""Yes, no or neutral of each document to a closed question (Science Checker §4.1, algorithm 1, and §4.3.3, BQA).

Yes is SUPPORTS, no is REFUTES, neutral is NEI.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import SettingError
from sciverify.models.crossencoder import Passage, calibrated, load_cross_encoder
from sciverify.models.spans import WindowScores
from sciverify.records import Candidate, Claim, Document, Finding, Problem, Quote
from sciverify.text.windows import Tokenizer2D
from sciverify.verification.extracts import extracts_in
from sciverify.verification.findings import NEUTRAL, each_apart, make_finding, quotable, quoted_finding
from sciverify.verification.reading import PassageModel

__all__ = ["READINGS", "BooleanVerifier"]

READINGS = ("extracts", "sentences", "windows")
"""What an answer is read from: a document's extracts, the sentences that hold these, or its windows one by one."""

_Pairs = Sequence[tuple[Claim, Candidate]]


class BooleanVerifier:
    """Answers a question from what each document says on it; a claim's text is the question.

    Read from *extracts*, a document answers by its title and its extracts alone, and one without an extract is NEI. The
    extracts are its rationale, spans of sentences with their offsets. *Sentences* is the same with each extract read in
    the whole of its sentence. *Windows* does without extraction: the probabilities of all windows are averaged, and the
    rationale is the elements that the model's decision quotes.

    Args:
        model: the cross-encoder; None loads the one that ships.
        windows: how documents are cut; None is 7 sentences without stride.
        reading: one of `READINGS`.
        evidence: probability of SUPPORTS + REFUTES below which a document is NEI; None takes the model's.
        span: probability, against no span, from which a window's best span is an extract; None takes the model's.
        retrieval: weight of the retrieval score (`sciverify.models.crossencoder.calibrated`); None takes the model's.

    Raises:
        SettingError: there is no such reading, a value is out of range, or the windows leave no room beside a question
            and a title.
    """

    def __init__(
        self,
        model: PassageModel | None = None,
        *,
        windows: Tokenizer2D | None = None,
        reading: str = "extracts",
        evidence: float | None = None,
        span: float | None = None,
        retrieval: float | None = None,
    ) -> None:
        if reading not in READINGS:
            raise SettingError(f"there is no reading {reading!r}", remedy=f"Choose one of {', '.join(READINGS)}")
        self.model: PassageModel = model or load_cross_encoder()
        self.windows = windows or Tokenizer2D()
        self.reading = reading
        fitted = self.model.decision
        self.decision = replace(
            fitted,
            evidence=fitted.evidence if evidence is None else evidence,
            span=fitted.span if span is None else span,
            retrieval=fitted.retrieval if retrieval is None else retrieval,
        )
        # Windows that are too small are refused now, not document by document.
        self.model.score_windows([], self.windows)
        self.name = (
            f"boolean(reading={reading}, size={self.windows.size}, stride={self.windows.stride}, "
            f"evidence={self.decision.evidence:g}, span={self.decision.span:g}, retrieval={self.decision.retrieval:g})"
        )

    def with_model(self, model: PassageModel) -> BooleanVerifier:
        """The same verifier reading with another model; windows, reading and thresholds stay."""
        chosen = self.decision
        return BooleanVerifier(
            model,
            windows=self.windows,
            reading=self.reading,
            evidence=chosen.evidence,
            span=chosen.span,
            retrieval=chosen.retrieval,
        )

    def verify(self, pairs: Sequence[tuple[Claim, Candidate]]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`; quotes of the same span stand in reading order."""
        return each_apart(self._verify, pairs)

    def _verify(self, pairs: _Pairs) -> list[Finding]:
        passages = [Passage.of(claim, candidate.document) for claim, candidate in pairs]
        read = self.model.score_windows(passages, self.windows)
        if self.reading == "windows":
            return [self._averaged(candidate, windows) for (_, candidate), windows in zip(pairs, read, strict=True)]
        return self._answered(pairs, passages, read)

    def _averaged(self, candidate: Candidate, windows: Sequence[WindowScores]) -> Finding:
        elements = np.full(len(candidate.document.elements), -np.inf, dtype=np.float32)
        for window in windows:
            np.maximum.at(elements, window.positions, window.elements)
        if not windows or not quotable(candidate.document):
            return quoted_finding(candidate, NEUTRAL, (), self.decision)
        each = self._probabilities(np.stack([window.label for window in windows]), candidate)
        return make_finding(candidate, each.mean(axis=0), elements, self.decision)

    def _answered(
        self, pairs: _Pairs, passages: Sequence[Passage], read: Sequence[Sequence[WindowScores]]
    ) -> list[Finding]:
        extracts = [
            extracts_in(candidate.document, windows, self.decision.span)
            for (_, candidate), windows in zip(pairs, read, strict=True)
        ]
        condensed = [
            passage._replace(elements=self._texts(candidate.document, quotes))
            for (_, candidate), passage, quotes in zip(pairs, passages, extracts, strict=True)
            if quotes
        ]
        labels = iter(self.model.score(condensed))
        findings = []
        for (_, candidate), quotes in zip(pairs, extracts, strict=True):
            probabilities = self._probabilities(next(labels).label, candidate) if quotes else NEUTRAL
            best_first = sorted(quotes, key=lambda quote: -quote.score)
            findings.append(quoted_finding(candidate, probabilities, best_first, self.decision))
        return findings

    def _texts(self, document: Document, quotes: Sequence[Quote]) -> list[str]:
        if self.reading == "extracts":
            return [quote.text for quote in quotes]
        return [document.element(id).text for id in dict.fromkeys(quote.element_id for quote in quotes)]

    def _probabilities(self, labels: NDArray[np.float32], candidate: Candidate) -> NDArray[np.float64]:
        return calibrated(labels, self.decision, candidate.score)

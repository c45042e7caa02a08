"""A label from a summary that a language model writes, for comparison with extracts (Science Checker §4.3.2).

What is quoted comes from the document alone; the summary is read by the label head and thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from sciverify.errors import SciverifyError, SettingError
from sciverify.models.crossencoder import Passage, load_cross_encoder
from sciverify.records import Candidate, Claim, Document, Finding, Problem
from sciverify.text.sentences import split_sentences
from sciverify.text.windows import window_ranges
from sciverify.verification.findings import each_apart, make_finding, quotable
from sciverify.verification.reading import PassageModel
from sciverify.verification.summaries import Summariser

__all__ = ["AbstractiveVerifier"]

Pair = tuple[Claim, Candidate]
_Asked = tuple[str, tuple[str, ...]]  # a question and the texts of a document


class AbstractiveVerifier:
    """Labels a document by title and summary; the elements to quote are chosen as if there were no summary.

    A document is summed up in windows of whole elements and its summaries are joined in order, as in the paper; most
    abstracts are one window, a paper of 40,000 characters is seven, and each window is one request. A document without
    text is not sent. One whose summary fails is a problem, the others go on.

    Args:
        summariser: writes the summaries.
        model: reads them; None loads the one that ships.
        evidence: probability of SUPPORTS + REFUTES below which a document is NEI; None takes the model's.
        element: probability from which an element is quoted; None takes the model's.
        window: characters that are summed up at once.
        workers: documents that are summed up at the same time.

    Raises:
        SettingError: a value is out of range.
    """

    def __init__(
        self,
        summariser: Summariser,
        model: PassageModel | None = None,
        *,
        evidence: float | None = None,
        element: float | None = None,
        window: int = 6_000,
        workers: int = 4,
    ) -> None:
        if window < 1 or workers < 1:
            raise SettingError("a window must hold at least 1 character, and workers must be at least 1")
        self.model: PassageModel = model or load_cross_encoder()
        fitted = self.model.decision
        self.decision = replace(
            fitted,
            evidence=fitted.evidence if evidence is None else evidence,
            element=fitted.element if element is None else element,
        )
        self._summariser, self._window, self._workers = summariser, window, workers
        self.name = f"abstractive({summariser.name}, evidence={self.decision.evidence:g})"

    def verify(self, pairs: Sequence[Pair]) -> list[Finding | Problem]:
        """See `sciverify.stages.Verifier`; a document whose summary fails is a problem."""
        summaries = self.summaries(pairs)
        told = {_asked(pair): text for pair, text in zip(pairs, summaries, strict=True) if isinstance(text, str)}
        summed_up = [pair for pair, text in zip(pairs, summaries, strict=True) if isinstance(text, str)]
        found = iter(each_apart(partial(self._label, told), summed_up))
        return [next(found) if isinstance(text, str) else text for text in summaries]

    def summaries(self, pairs: Sequence[Pair]) -> list[str | Problem]:
        """The summary of each document with the claim as the question; empty for a document without text.

        The same texts are asked about once.
        """
        asked = list(dict.fromkeys(map(_asked, pairs)))
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="summary")
        try:
            told = dict(zip(asked, pool.map(self._summary, asked), strict=True))
        finally:
            pool.shutdown(cancel_futures=True)  # an interrupt must not wait for what has not begun
        found = [(pair[1].document, told[_asked(pair)]) for pair in pairs]
        return [text if error is None else _problem(document, error) for document, (text, error) in found]

    def _summary(self, asked: _Asked) -> tuple[str, Exception | None]:
        question, texts = asked
        pieces = [text[n : n + self._window] for text in texts for n in range(0, len(text), self._window)]
        windows = window_ranges(list(map(len, pieces)), self._window, overlap=0)
        try:
            parts = [self._summariser.summarise(question, pieces[w.start : w.stop]) for w in windows]
            if not all(map(str.strip, parts)):
                raise ValueError("an empty summary")
        except Exception as error:  # whatever it is, the other documents must survive it
            return "", error
        return " ".join(parts), None

    def _label(self, told: dict[_Asked, str], pairs: Sequence[Pair]) -> list[Finding]:
        documents = [Passage.of(claim, candidate.document) for claim, candidate in pairs]
        summaries = [
            Passage(claim.text, candidate.document.title, split_sentences(told[_asked((claim, candidate))]))
            for claim, candidate in pairs
        ]
        scores = self.model.score([*documents, *summaries])
        return [
            make_finding(candidate, self.model.probabilities(label, candidate.score), read.elements, self.decision)
            for (_, candidate), read, label in zip(pairs, scores[: len(pairs)], scores[len(pairs) :], strict=True)
        ]


def _asked(pair: Pair) -> _Asked:
    claim, candidate = pair
    return claim.text, tuple(candidate.document.elements[n].text for n in quotable(candidate.document))


def _problem(document: Document, error: Exception) -> Problem:
    said = str(error) if isinstance(error, SciverifyError) else f"{type(error).__name__}: {error}"
    return Problem(f"document {document.id!r}", f"no summary: {said}")

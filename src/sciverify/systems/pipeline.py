"""Stages put together: retrieve, verify, sum up. A retracted document is read and shown, but doesn't count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sciverify.consensus import sum_up
from sciverify.errors import SettingError
from sciverify.records import Candidate, Claim, Document, Filters, Finding, Label, Problem, Ranking, Verdict
from sciverify.stages import Retriever, Verifier
from sciverify.study_design import part_retracted

__all__ = ["Pipeline"]


class Pipeline:
    """A retriever and a verifier; satisfies `sciverify.stages.System`.

    Args:
        name: the system's name with its options, as it stands in verdicts.
        verifier: labels the candidates.
        retriever: finds them; None for a system that is only given documents.
        k: how many candidates per claim.
        remark: what to say of a claim beside its findings, or an empty string.

    Raises:
        SettingError: `k` is below 1.
    """

    def __init__(
        self,
        name: str,
        verifier: Verifier,
        retriever: Retriever | None = None,
        k: int = 20,
        remark: Callable[[Claim], str] = lambda _: "",
    ) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise SettingError(f"k must be a whole number of at least 1, not {k!r}", remedy="Give a k of 1 or more")
        self.name = name
        self.retriever = retriever
        self.verifier = verifier
        self.k = k
        self._remark = remark

    def check(self, claims: Sequence[Claim], filters: Filters | None = None) -> list[Verdict]:
        """One verdict per claim, in order.

        Raises:
            SettingError: the system was made without an index.
        """
        if self.retriever is None:
            raise SettingError("this system has nothing to search", remedy="Load it with index=..., or give documents")
        return self._verdicts(claims, self.retriever.retrieve(claims, self.k, filters))

    def check_documents(self, claim: Claim, documents: Sequence[Document]) -> Verdict:
        """The verdict on documents that the caller chose, in their order, without retrieval."""
        candidates = tuple(Candidate(document, 1.0, ("given",)) for document in documents)
        notice = "" if candidates else "There are no documents to read."
        if candidates and not claim.text.strip():
            candidates, notice = (), "The claim is empty."
        return self._verdicts([claim], [Ranking(candidates, notice)])[0]

    def _verdicts(self, claims: Sequence[Claim], rankings: Sequence[Ranking]) -> list[Verdict]:
        pairs = [(claim, c) for claim, ranking in zip(claims, rankings, strict=True) for c in ranking.candidates]
        results = iter(self.verifier.verify(pairs))
        return [
            self._verdict(claim, ranking, [next(results) for _ in ranking.candidates])
            for claim, ranking in zip(claims, rankings, strict=True)
        ]

    def _verdict(self, claim: Claim, ranking: Ranking, results: Sequence[Finding | Problem]) -> Verdict:
        findings = [result for result in results if isinstance(result, Finding)]
        findings.sort(key=_by_certainty)
        counted, retracted = part_retracted(findings)
        return Verdict(
            claim,
            tuple(findings),
            sum_up(counted),
            self.name,
            tuple(result for result in results if isinstance(result, Problem)),
            tuple(filter(None, (ranking.notice, self._remark(claim), _not_counted(retracted)))),
        )


def _not_counted(retracted: Sequence[Finding]) -> str:
    names = ", ".join(finding.document.id for finding in retracted)
    return f"Retracted, so not counted in the consensus: {names}." if names else ""


def _by_certainty(finding: Finding) -> tuple[bool, float]:
    """What supports or refutes comes first, the surest of it on top; sorting is stable, so ties keep their rank."""
    return (finding.label is Label.NEI, -finding.probabilities.of(finding.label) if finding.rationale else 0.0)

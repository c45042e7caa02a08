"""Documents on the agent and the target of a closed question (Science Checker §4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sciverify.records import Claim, Filters, Ranking
from sciverify.retrieval.common import check_count
from sciverify.stages import Retriever
from sciverify.text.abbreviations import synonyms
from sciverify.text.questions import ClosedQuestion, parse_question

__all__ = ["QuestionRetriever"]


class QuestionRetriever:
    """Searches for the expression of agent and target instead of the question, and once more with their other names.

    The other names are the abbreviations, and what these stand for, that the first documents found spell out
    ("hydroxychloroquine (HCQ)"). A text that can't be taken apart is searched for as it stands.

    Args:
        inner: what searches.
        spelling: how many of the first documents may spell out other names; 0 asks none.
    """

    def __init__(self, inner: Retriever, *, spelling: int = 20) -> None:
        self._inner = inner
        self._spelling = check_count("spelling", spelling) if spelling else 0
        self.name = f"questions({inner.name}, spelling={spelling})"

    def retrieve(self, claims: Sequence[Claim], k: int, filters: Filters | None = None) -> list[Ranking]:
        """See `sciverify.stages.Retriever`; a claim's text is the question."""
        check_count("k", k)
        questions = [parse_question(claim.text) for claim in claims]
        searches = [_search(claim, question) for claim, question in zip(claims, questions, strict=True)]
        rankings = self._inner.retrieve(searches, max(k, self._spelling), filters)
        widened = {
            n: Claim(search.id, " ".join((search.text, *others)))
            for n, (search, question, ranking) in enumerate(zip(searches, questions, rankings, strict=True))
            if question and (others := self._others(question, ranking))
        }
        if widened:
            again = self._inner.retrieve(list(widened.values()), k, filters)
            found = dict(zip(widened, again, strict=True))
            rankings = [found.get(n, ranking) for n, ranking in enumerate(rankings)]
        return [replace(ranking, candidates=ranking.candidates[:k]) for ranking in rankings]

    def _others(self, question: ClosedQuestion, ranking: Ranking) -> tuple[str, ...]:
        texts = [candidate.document.text for candidate in ranking.candidates[: self._spelling]]
        return (*synonyms(question.agent, texts), *synonyms(question.target, texts))


def _search(claim: Claim, question: ClosedQuestion | None) -> Claim:
    return Claim(claim.id, f"{question.agent} {question.target}") if question else claim

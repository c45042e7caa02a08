"""Questions over the demo corpus with the answers that its studies give, to try a system that answers questions.

The answers were read off the summaries by hand, before any system had been asked; `docs/demo-corpus.md` tells how.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from sciverify.records import ConsensusLabel

__all__ = ["DemoQuestion", "demo_questions"]


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A closed question and what the demo corpus answers.

    Attributes:
        id: such as ``demo-question-07``.
        question: as a lay person would ask it, ending in a question mark.
        answer: what `sciverify.consensus.sum_up` makes of `yes` and `no`.
        yes: the studies by which the answer is yes, by document id. "Doesn't X prevent Y?" is answered yes by a
            study that found X to prevent Y, as in "yes, it does".
        no: those by which it is no. A study in neither list doesn't answer the question.
        retracted: retracted papers that take a side; they are in neither list, so the answer is that of the rest.
    """

    id: str
    question: str
    answer: ConsensusLabel
    yes: tuple[str, ...]
    no: tuple[str, ...]
    retracted: tuple[str, ...]


def demo_questions() -> list[DemoQuestion]:
    """All questions in the order of the file. Every call reads them anew."""
    source = files("sciverify.demo") / "questions.jsonl"
    return [_question(line) for line in source.read_text(encoding="utf-8").splitlines()]


def _question(line: str) -> DemoQuestion:
    fields = json.loads(line)
    return DemoQuestion(
        id=fields["id"],
        question=fields["question"],
        answer=ConsensusLabel(fields["answer"]),
        yes=tuple(fields["yes"]),
        no=tuple(fields["no"]),
        retracted=tuple(fields["retracted"]),
    )

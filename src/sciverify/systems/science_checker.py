"""Science Checker (§4 of its paper): closed questions, windows, extracts, yes or no of each article, a majority."""

from __future__ import annotations

from pathlib import Path

from sciverify.index import Index
from sciverify.records import Claim
from sciverify.retrieval.questions import QuestionRetriever
from sciverify.systems.default import hybrid
from sciverify.systems.pipeline import Pipeline
from sciverify.systems.reader import open_reader
from sciverify.text.questions import parse_question
from sciverify.text.windows import Tokenizer2D
from sciverify.verification import BooleanVerifier, QuestionVerifier

__all__ = ["FREE_TEXT", "science_checker"]

FREE_TEXT = (
    "This was not understood as a closed question on an agent and its target: it was searched for and answered as it "
    "is written."
)


def science_checker(
    index: Index | None = None,
    *,
    k: int = 100,
    size: int = 7,
    stride: int = 0,
    reading: str = "extracts",
    evidence: float | None = None,
    span: float | None = None,
    model: str | Path | None = None,
) -> Pipeline:
    """Hybrid retrieval on the question's agent and target, then `BooleanVerifier` on the claim that it asks about.

    Args:
        index: what to search; None makes a system for `check_documents` only.
        k: candidates per question.
        size: sentences in a window (Tokenizer2D).
        stride: sentences that a window repeats of the one before.
        reading: see `BooleanVerifier`.
        evidence: see `BooleanVerifier`.
        span: see `BooleanVerifier`.
        model: the folder of the model that reads; None takes the one that ships.

    Raises:
        SettingError: a value is out of range.
        ModelError: see `sciverify.verification.open_model`.
    """
    reader, named = open_reader(model)
    boolean = BooleanVerifier(
        reader, windows=Tokenizer2D(size=size, stride=stride), reading=reading, evidence=evidence, span=span
    )
    retriever = QuestionRetriever(hybrid(index)) if index is not None else None
    return Pipeline(
        f"science-checker(k={k}, {named}{boolean.name})", QuestionVerifier(boolean), retriever, k, _free_text
    )


def _free_text(question: Claim) -> str:
    return FREE_TEXT if question.text.strip() and parse_question(question.text) is None else ""

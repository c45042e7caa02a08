from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from sciverify.consensus import sum_up
from sciverify.demo import DemoQuestion, demo_documents, demo_questions
from sciverify.records import ConsensusLabel, Finding, Label, Probabilities, Quote

QUESTIONS = demo_questions()
DOCUMENTS = {document.id: document for document in demo_documents()}
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "demo-corpus.md"
FIELDS = {"id", "question", "answer", "yes", "no", "retracted"}

each = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)


def finding(id: str, label: Label) -> Finding:
    document = DOCUMENTS[id]
    probabilities = Probabilities(float(label is Label.SUPPORTS), float(label is Label.REFUTES), 0.0)
    return Finding(document, label, probabilities, (Quote.whole(document.elements[0]),))


class TestQuestions:
    def test_are_fifty_ten_balanced_and_ten_neutral(self) -> None:
        count = Counter(question.answer for question in QUESTIONS)
        assert len(QUESTIONS) == 50
        assert count[ConsensusLabel.BALANCED] == count[ConsensusLabel.NEUTRAL] == 10
        assert 12 <= count[ConsensusLabel.AFFIRMATIVE] <= 18

    def test_are_asked_once(self) -> None:
        assert len({question.question.casefold() for question in QUESTIONS}) == len(QUESTIONS)

    def test_are_numbered_in_order(self) -> None:
        assert [question.id for question in QUESTIONS] == [f"demo-question-{number:02}" for number in range(1, 51)]

    def test_some_turn_on_a_retracted_paper(self) -> None:
        assert len([question for question in QUESTIONS if question.retracted]) >= 5

    def test_each_call_reads_the_same_questions_anew(self) -> None:
        again = demo_questions()
        assert again == QUESTIONS
        again.clear()
        assert len(demo_questions()) == len(QUESTIONS)

    def test_file_holds_the_documented_fields_and_nothing_else(self) -> None:
        text = DOCUMENTATION.read_text(encoding="utf-8")
        assert "`questions.jsonl`" in text
        assert all(f"`{field}`" in text for field in FIELDS)
        lines = (files("sciverify.demo") / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            assert set(json.loads(line)) == FIELDS, f"questions.jsonl:{number}"


@each
class TestQuestion:
    def test_is_one_closed_question(self, question: DemoQuestion) -> None:
        text = question.question
        assert text.endswith("?")
        assert text.count("?") == 1
        assert text == " ".join(text.split())
        assert text.split()[0] in {"Are", "Can", "Do", "Does", "Doesn't", "Don't", "Is", "Isn't"}

    def test_names_studies_that_exist_in_order_and_each_once(self, question: DemoQuestion) -> None:
        named = question.yes + question.no + question.retracted
        assert set(named) <= set(DOCUMENTS)
        assert len(set(named)) == len(named)
        assert all(list(ids) == sorted(ids) for ids in (question.yes, question.no, question.retracted))

    def test_keeps_retracted_papers_apart(self, question: DemoQuestion) -> None:
        assert all(DOCUMENTS[id].metadata.retracted for id in question.retracted)
        assert not any(DOCUMENTS[id].metadata.retracted for id in question.yes + question.no)

    def test_answer_follows_from_the_studies(self, question: DemoQuestion) -> None:
        sides = [finding(id, Label.SUPPORTS) for id in question.yes]
        sides += [finding(id, Label.REFUTES) for id in question.no]
        assert sum_up(sides).label is question.answer

    def test_balanced_has_both_sides_and_neutral_none(self, question: DemoQuestion) -> None:
        assert (question.answer is ConsensusLabel.BALANCED) == bool(question.yes and question.no)
        assert (question.answer is ConsensusLabel.NEUTRAL) == (not question.yes and not question.no)

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sciverify.records import Label
from sciverify.training.examples import Span
from sciverify.training.questions import (
    BIOASQ_HELD_OUT,
    BIOASQ_TRAIN,
    bioasq_spans,
    bioasq_yesno,
    boolq,
    pubmedqa,
    squad_shifts,
    xquad,
)


@pytest.mark.parametrize("answers", [(True, False), ("True", "False"), ("true", "false")])
def test_boolq(write: Callable[..., Path], tmp_path: Path, answers: tuple[object, object]) -> None:
    row = {"question": "do terns migrate", "title": "Tern", "passage": "Terns fly south."}
    write("qa/boolq/dev/datafile/dev.jsonl", [{**row, "answer": answer} for answer in answers])
    yes, no = boolq(tmp_path)
    assert (yes.claim, yes.title, yes.elements) == ("Do terns migrate?", "Tern", ("Terns fly south.",))
    assert (yes.label, no.label) == (Label.SUPPORTS, Label.REFUTES)
    assert yes.targets == no.targets == (True,)
    assert yes.source == "boolq"


def test_squad_shifts(tmp_path: Path) -> None:
    context = "Terns breed in the Arctic and fly south in autumn."
    answers = [
        {"text": text, "answer_start": context.index(text)} for text in ("the Arctic", "Arctic", "Terns breed in")
    ]
    questions = [
        {"question": " Where do terns breed? ", "id": "1", "answers": answers},
        {"question": "Who?", "id": "2", "answers": []},
    ]
    article = {"title": "Arctic_tern", "paragraphs": [{"context": context, "qas": questions}]}
    path = tmp_path / "qa/squadshifts/new_wiki_v1.0.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": "1.0", "data": [article, {"paragraphs": []}]}), encoding="utf-8")
    answered, other = squad_shifts(tmp_path)
    assert (answered.claim, answered.title) == ("Where do terns breed?", "Arctic tern")
    assert answered.elements == (context,)
    assert (answered.label, answered.targets, answered.relevance) == (None, None, None)
    assert answered.spans is not None
    assert [context[s.start : s.end] for s in answered.spans] == ["the Arctic", "Arctic", "Terns breed in"]
    assert {s.element for s in answered.spans} == {0}
    assert other.spans == ()


def test_xquad_is_read_like_squad(tmp_path: Path) -> None:
    question = {"question": "Where?", "id": "1", "answers": [{"text": "south", "answer_start": 10}]}
    article = {"title": "Arctic_tern", "paragraphs": [{"context": "Terns fly south.", "qas": [question]}]}
    path = tmp_path / "qa/xquad_en/xquad.en.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"data": [article]}), encoding="utf-8")
    [example] = xquad(tmp_path)
    assert (example.claim, example.title, example.spans) == ("Where?", "Arctic tern", (Span(0, 10, 15),))
    assert example.source == "xquad"


def test_pubmedqa(tmp_path: Path) -> None:
    rows = {
        str(n): {
            "QUESTION": f" Does it help {n}? ",
            "CONTEXTS": ["Background.", " ", "Results."],
            "final_decision": name,
        }
        for n, name in enumerate(("yes", "no", "maybe"))
    }
    path = tmp_path / "pubmedqa/ori_pqal_train_dev.json"
    path.parent.mkdir()
    path.write_text(json.dumps(rows), encoding="utf-8")
    examples = pubmedqa(tmp_path)
    assert [e.label for e in examples] == [Label.SUPPORTS, Label.REFUTES, Label.NEI]
    assert [e.relevance for e in examples] == [True, True, None]
    assert {(e.title, e.elements, e.targets) for e in examples} == {("", ("Background.", "Results."), None)}
    assert examples[0].claim == "Does it help 0?"


class TestBioASQ:
    ARTICLE = "http://www.ncbi.nlm.nih.gov/pubmed/{}"

    def question(self, type: str, answer: object, *snippets: tuple[int, str]) -> dict[str, object]:
        found = [{"document": self.ARTICLE.format(number), "text": text} for number, text in snippets]
        return {"type": type, "body": f"Which {answer}? ", "exact_answer": answer, "snippets": found}

    def write(self, folder: Path, years: dict[int, list[dict[str, object]]]) -> None:
        (folder / "bioasq").mkdir()
        for year in (7, 8, 9, 10, 11):
            path = folder / f"bioasq/{year}B1_golden.json"
            other = self.question("summary", "none", (0, "Text."))
            path.write_text(json.dumps({"questions": [*years.get(year, []), other]}), encoding="utf-8")

    def test_yes_and_no(self, tmp_path: Path) -> None:
        yes = self.question("yesno", "Yes", (1, " It helps. "), (2, "It helps."), (1, "Well."))
        self.write(tmp_path, {7: [yes, self.question("yesno", "no", (3, "It does not."))], 9: [yes]})
        first, second = bioasq_yesno(tmp_path, (7, 8))
        assert (first.claim, first.title, first.elements) == ("Which Yes?", "", ("It helps.", "Well."))
        assert (first.label, first.targets, first.relevance) == (Label.SUPPORTS, (True, True), True)
        assert second.label is Label.REFUTES

    def test_what_shares_an_article_with_a_held_out_question_does_not_train(self, tmp_path: Path) -> None:
        held = self.question("yesno", "yes", (5, "Held."))
        self.write(tmp_path, {8: [self.question("yesno", "no", (5, "Shared.")), held], 10: [held]})
        assert bioasq_yesno(tmp_path, BIOASQ_TRAIN) == []
        assert [e.elements for e in bioasq_yesno(tmp_path, BIOASQ_HELD_OUT)] == [("Held.",)]

    @pytest.mark.parametrize(
        ("type", "answer"),
        [("factoid", [["IL-6", "interleukin 6"]]), ("list", [["IL-6"], ["interleukin 6"]]), ("list", ["IL-6", ""])],
    )
    def test_spans_are_the_answers_as_whole_words(self, tmp_path: Path, type: str, answer: object) -> None:
        text = "Serum il-6 (not IL-60) and (IL-6) rose."
        self.write(tmp_path, {9: [self.question(type, answer, (1, text), (2, "It is said in other words."))]})
        [example] = bioasq_spans(tmp_path, (9,))
        assert example.spans is not None
        assert [text[s.start : s.end] for s in example.spans] == ["il-6", "IL-6"]
        assert (example.elements, example.label) == ((text,), None)

    def test_the_longest_of_those_that_begin_together(self, tmp_path: Path) -> None:
        self.write(tmp_path, {9: [self.question("factoid", [["zinc", "zinc sulphate"]], (1, "It was zinc sulphate."))]})
        assert [e.spans for e in bioasq_spans(tmp_path, (9,))] == [(Span(0, 7, 20),)]

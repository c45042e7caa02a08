from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sciverify.records import Label
from sciverify.training.questions import boolq, squad_shifts


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

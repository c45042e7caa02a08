"""The section on questions in docs/asking.md: its example runs, its lists are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from sciverify.text.questions import parse_question
from sciverify.text.relations import Relation

PAGE = Path(__file__).parents[2] / "docs" / "asking.md"
SECTION = re.split(r"^## ", PAGE.read_text(encoding="utf-8").split("\n## Questions\n")[1], flags=re.MULTILINE)[0]


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    [(example, shown)] = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == shown


def test_the_relations_are_those_of_the_code() -> None:
    [listed] = re.findall(r"\*\*Relations\*\*: ([^.]+)\.", SECTION)
    assert tuple(listed.replace("\n", " ").split(", ")) == get_args(Relation)


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Does zinc not help against colds?", True),
        ("Is it a myth that zinc helps against colds?", True),
        ("Doesn't zinc help against colds?", False),
    ],
)
def test_what_yes_means_is_as_the_page_says(text: str, negated: bool) -> None:
    found = parse_question(text)
    assert found is not None
    assert found.negated is negated


@pytest.mark.parametrize(
    "text",
    [
        "Should zinc be used against colds?",
        "Does it help?",
        "Zinc rarely prevents colds.",
        "Zinc has little effect on flu.",
    ],
)
def test_what_the_page_says_is_not_read_is_not(text: str) -> None:
    assert parse_question(text) is None

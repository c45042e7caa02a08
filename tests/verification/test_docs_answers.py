"""The example of the section on extracts and answers in docs/asking.md runs, and its defaults are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from sciverify.text.windows import Tokenizer2D
from sciverify.verification.boolean import READINGS

PAGE = Path(__file__).parents[2] / "docs" / "asking.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## Extracts and answers\n")[1].split("\n## ")[0]


def test_the_example_runs() -> None:
    [code] = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    for quote in names["quotes"]:  # type: ignore[attr-defined]
        assert names["trial"].element(quote.element_id).text[quote.start : quote.end] == quote.text  # type: ignore[attr-defined]


def test_the_defaults_are_those_of_the_code() -> None:
    stated = re.search(r"`size` sentences \((\d+)\) and at most `max_tokens` tokens \((\d+)\)", SECTION)
    assert stated is not None
    assert (int(stated[1]), int(stated[2])) == (Tokenizer2D().size, Tokenizer2D().max_tokens)
    assert Tokenizer2D().stride == 0


def test_every_reading_is_told_of() -> None:
    told = SECTION.split("**Answers**")[1]
    assert all(f"`{reading}`" in told for reading in READINGS)

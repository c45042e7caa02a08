"""docs/corpora.md names every format and column, and its examples print what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sciverify.corpora import FORMATS
from sciverify.corpora.fields import FIELDS

PAGE = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_row(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_a_row_with_its_names_in_order(field: str) -> None:
    names = ", ".join(f"`{name}`" for name in FIELDS[field])
    assert f"\n| `{field}` | {names} |" in PAGE


def test_the_examples_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == PAGE.count("```python")
    names: dict[str, object] = {}
    for code, printed in examples:
        exec(compile(code, "docs/corpora.md", "exec"), names)
        assert capsys.readouterr().out == printed

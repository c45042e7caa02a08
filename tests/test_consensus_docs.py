"""The section on the consensus in docs/asking.md: its example runs, its tables are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from consensus_cases import several
from sciverify.consensus import CAVEAT, sum_up
from sciverify.consensus_views import CONFLICTS
from sciverify.consensus_weights import DESIGN_WEIGHTS, HALF_LIFE
from sciverify.study_design import PUBLICATION_TYPES, StudyDesign

PAGE = Path(__file__).parents[1] / "docs" / "asking.md"
SECTION = re.split(r"^## ", PAGE.read_text(encoding="utf-8").split("\n## Consensus\n")[1], flags=re.MULTILINE)[0]


def test_the_example_prints_what_the_page_shows(capsys):
    [(example, shown)] = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == shown


def test_the_caveat_stands_in_the_first_sentence():
    assert CAVEAT.removeprefix("This is the ").removesuffix(".") in " ".join(SECTION.split()).split(":")[0]


def test_the_table_of_designs_is_that_of_the_code():
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \| ([^|]+) \|$", SECTION, re.MULTILINE)
    assert {StudyDesign(design): float(weight) for design, weight, _ in rows} == DESIGN_WEIGHTS
    for design, _, types in rows:
        if design != StudyDesign.UNKNOWN.value:
            named = re.findall(r"(?:[^,]|, Veterinary)+", types)
            assert {PUBLICATION_TYPES[term.strip()] for term in named} == {StudyDesign(design)}


def test_the_numbers_in_the_text_are_those_of_the_code():
    words = " ".join(SECTION.split())
    assert f"half of its weight every {HALF_LIFE:.0f} years" in words
    assert CONFLICTS == 10
    assert "ten unless you ask for more" in words
    answers = {f"{yes} to {no}": sum_up(several(yes, no)).label.value for yes, no in [(3, 0), (3, 1), (7, 1), (8, 1)]}
    assert answers == {"3 to 0": "Affirmative", "3 to 1": "Balanced", "7 to 1": "Balanced", "8 to 1": "Affirmative"}
    assert all(counts in words for counts in answers)

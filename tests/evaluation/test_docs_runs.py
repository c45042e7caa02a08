"""The examples of docs/runs.md, run from top to bottom in one folder, and what the page says of forms and settings."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

from sciverify.cli import main
from sciverify.cli import predict as predict_command
from sciverify.cli import runs as runs_command
from sciverify.evaluation import read_run
from sciverify.evaluation.exchange import EXPORTS, IMPORTS
from sciverify.evaluation.oracle import ORACLES
from sciverify.evaluation.provenance import Provenance, read_provenance
from sciverify.verification import INPUTS

PAGE = (Path(__file__).parents[2] / "docs" / "runs.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def steps():
    """Each command of the page with the lines that follow it."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, content = part.partition("\n")
            yield command, content


def test_every_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    commands = 0
    for command, content in steps():
        if command.startswith("cat > "):
            Path(command.removeprefix("cat > ")).write_text(content, encoding="utf-8")
            continue
        assert main(shlex.split(command)[1:]) == 0, (command, capsys.readouterr().err)
        assert capsys.readouterr().out, command
        commands += 1
    assert commands >= 15
    for run in Path().glob("*.meta.json"):
        assert read_provenance(run.name.removesuffix(".meta.json")).ended
    assert [read_provenance(f"{name}.jsonl").oracle for name in ("open", "abstract", "both")] == [
        (),
        ("abstract",),
        ("abstract", "rationale"),
    ]


def test_the_line_in_the_text_is_one(tmp_path):
    [line] = blocks("json")
    (tmp_path / "run.jsonl").write_text(json.dumps(json.loads(line)) + "\n", encoding="utf-8")
    [prediction] = read_run(tmp_path / "run.jsonl")
    assert [candidate.doc_id for candidate in prediction.candidates] == ["11", "12"]


def test_every_key_of_the_side_file_is_described():
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {field.name for field in fields(Provenance)} | {"schema"} <= described


@pytest.mark.parametrize(
    ("shown", "known"),
    [
        (predict_command.ORACLES, ORACLES),
        (predict_command.INPUTS, INPUTS),
        (runs_command.EXPORTS, EXPORTS),
        (runs_command.IMPORTS, IMPORTS),
    ],
)
def test_the_commands_offer_what_there_is(shown, known):
    assert shown == known
    assert all(f"`{name}`" in PAGE for name in known)

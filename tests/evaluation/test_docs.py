"""The examples of docs/evaluation.md are what the code does."""

import re
import subprocess
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from sciverify.cli import main
from sciverify.evaluation.error_table import KINDS
from sciverify.evaluation.outcomes import ErrorType
from sciverify.evaluation.tasks import TASKS

DOCUMENT = Path(__file__).parents[2] / "docs" / "evaluation.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def commands():
    """Each command with the lines that follow it: what a ``cat`` writes to its file."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, following = part.partition("\n")
            yield command, following


def run(command, following):
    """Run one command of the page and return what it prints."""
    if command.startswith("cat > "):
        Path(command.removeprefix("cat > ")).write_text(following, encoding="utf-8")
        return ""
    if command.startswith("sed "):
        subprocess.run(["bash", "-c", command], check=True)
        return ""
    words = command.removeprefix("sciverify ").split()
    target = words[words.index(">") + 1] if ">" in words else None
    printed = StringIO()
    with redirect_stdout(printed):
        assert main(words[: words.index(">") if target else None]) == 0, command
    if target:
        Path(target).write_text(printed.getvalue(), encoding="utf-8")
    return printed.getvalue()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder with the files that the page begins with."""
    monkeypatch.chdir(tmp_path)
    for command, following in commands():
        if command.startswith("cat > "):
            run(command, following)
    return tmp_path


def test_every_command_runs(folder):
    printed = [run(command, following) for command, following in commands()]
    assert sum(bool(text) for text in printed) >= 6
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "1 of 1 error sorted by hand" in printed[-1]
    assert "      1  numerical" in printed[-1]


def test_the_first_command_prints_the_table(folder, capsys):
    [first] = [command for command, _ in commands() if command.endswith("--run run.jsonl --corpus corpus.jsonl")]
    assert main(first.split()[1:]) == 0
    assert capsys.readouterr().out.startswith(blocks("text")[0])


def test_the_python_example_prints_what_stands_below_it(folder, capsys):
    exec(compile(blocks("python")[0], DOCUMENT, "exec"), {})
    assert capsys.readouterr().out == blocks("text")[1]


def test_all_tasks_types_and_kinds_are_named():
    firsts = set(re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE))))
    assert firsts == {*TASKS, *map(str, ErrorType), *KINDS}


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 5
    assert [link for link in links if not (DOCUMENT.parent / link).is_file()] == []

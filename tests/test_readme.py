"""The README's commands and its Python, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sciverify.demo import demo_documents

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that the examples name."""
    with (tmp_path / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for document in demo_documents()[:30]:
            record = {"doc_id": document.id, "title": document.title, "abstract": [e.text for e in document.elements]}
            file.write(json.dumps(record | {"year": document.metadata.year}) + "\n")
    claims = ["Statins lower cholesterol.", "Beta carotene prevents cancer."]
    lines = (json.dumps({"id": number, "claim": claim, "evidence": {}}) for number, claim in enumerate(claims))
    (tmp_path / "claims.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "paper.txt").write_text("Coffee in the evening. It delayed sleep by forty minutes.", encoding="utf-8")
    return tmp_path


def run(command: list[str], folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr.decode()}"
    return done.stdout.decode()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_commands_run(folder: Path):
    commands = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]
    assert len(commands) >= 5
    for command in commands:
        run(["bash", "-c", command], folder)
    assert len((folder / "run.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_the_python_runs(folder: Path):
    [block] = blocks("python")
    output = run([sys.executable, "-W", "error", "-c", block], folder)
    assert output.split()[0] in {"Affirmative", "Negative", "Balanced", "Neutral"}


def test_the_output_shown_is_real():
    """Claims, verdicts and quotes, whatever the probabilities are on this processor."""
    [shown] = blocks("text")
    output = run([sys.executable, "-m", "sciverify", "demo"], Path.cwd())
    words = re.compile(r"[^\W\d_]{3,}")
    missing = [line for line in shown.splitlines() if not set(words.findall(line)) <= set(words.findall(output))]
    assert not missing
    assert "Dexamethasone" in shown

"""The commands shown in docs/cli.md and docs/asking.md, run from top to bottom in one folder."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    """The lines after ``$`` in the console blocks of a page."""
    lines = [line for block in BLOCK.findall(page) for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("page", "least"), [("cli.md", 15), ("asking.md", 2)])
def test_every_example_runs(page: str, least: int, tmp_path: Path) -> None:
    examples = commands((DOCS / page).read_text(encoding="utf-8"))
    assert sum(example.startswith("sciverify ") for example in examples) >= least
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    for example in examples:
        outcome = subprocess.run(
            ["bash", "-c", example], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=300
        )
        assert outcome.returncode == 0, f"{example}\n{outcome.stderr.decode()}"
        if example.startswith("sciverify ") and ">" not in example:
            assert outcome.stdout, example

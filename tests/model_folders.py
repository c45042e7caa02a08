"""Folders with the model that ships under another name, with another card."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from sciverify.models.tokens import WEIGHTS


def write_model(folder: Path, **changes: object) -> Path:
    """Copy the model that ships into `folder`, with these changes in its card; its words lie one folder up."""
    shutil.copytree(WEIGHTS / "verifier", folder)
    words = folder.with_name("words.npz")
    if not words.exists():
        shutil.copyfile(WEIGHTS / "words.npz", words)
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    (folder / "model.json").write_text(json.dumps(card | changes), encoding="utf-8")
    return folder

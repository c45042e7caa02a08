"""``model.json``: what the run time must know about a model's files, and whether they are the ones it speaks of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sciverify.errors import ModelError

__all__ = ["REINSTALL", "file_hash", "read_card", "signature", "words_beside"]

REINSTALL = "Reinstall sciverify, or export the model again"


def read_card(folder: Path, keys: Collection[str]) -> dict[str, Any]:
    """The card of a model folder, after its weights' hashes have been compared.

    ``sha256`` is that of ``model.bin``; ``words_sha256``, where the card has it, that of the word embeddings.

    Raises:
        ModelError: a file is missing or unreadable, the card lacks one of `keys`, or a hash differs.
    """
    path = folder / "model.json"
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(card, dict) or {"name", "sha256", *keys} - set(card):
            raise ModelError("the card lacks keys", where=str(path), remedy=REINSTALL)
        hashes = {folder / "model.bin": card["sha256"]}
        if "words_sha256" in card:
            hashes[words_beside(folder)] = card["words_sha256"]
        for file, stated in hashes.items():
            if (found := file_hash(file)) != stated:
                raise ModelError(
                    f"the file's hash is {found[:12]}..., not {str(stated)[:12]}...",
                    where=str(file),
                    remedy=REINSTALL,
                )
    except (OSError, ValueError) as error:
        raise ModelError(f"a model file cannot be read ({error})", where=str(path), remedy=REINSTALL) from error
    return card


def signature(card: dict[str, Any]) -> str:
    """Twelve digits that change whenever the weights do."""
    return str(card["sha256"])[:8] + str(card.get("words_sha256", card["sha256"]))[-4:]


def words_beside(folder: Path) -> Path:
    """Where a model's word embeddings lie: in its folder, or one up, where the shipped models share them."""
    own = folder / "words.npz"
    return own if own.exists() else folder.with_name("words.npz")


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

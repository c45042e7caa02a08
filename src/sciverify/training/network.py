"""The cross-encoder as it is trained: an encoder with four heads (torch)."""

from __future__ import annotations

import inspect
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn

from sciverify.errors import TrainingError
from sciverify.training import encoder
from sciverify.training.pretrained import word_order

__all__ = ["LABEL_ORDER", "OUTPUTS", "CrossEncoder", "load_state", "open_network", "save_state"]

LABEL_ORDER = ("SUPPORTS", "REFUTES", "NEI")
"""The columns of the label head; the file that ships names them, and the run time reads them by name."""

OUTPUTS = ("label", "relevance", "tokens")

_ARCHITECTURE = "encoder"  # the folder in a run that holds the encoder's config.json
_DROPOUTS = ("hidden_dropout_prob", "dropout")  # as BERT, MPNet and ELECTRA call it, and as DistilBERT does
_ATTENTION_DROPOUTS = ("attention_probs_dropout_prob", "attention_dropout")


class CrossEncoder(nn.Module):
    """Reads ``[CLS] claim [SEP] title [SEP] element [SEP] ...`` and scores it in one pass.

    Outputs (logits): ``label`` (batch, 3) and ``relevance`` (batch,) from CLS; ``tokens`` (batch, tokens, 3): column
    0, read at an element's closing SEP, is the element's score, columns 1 and 2 are the start and end of spans.

    Any encoder does that has the word pieces of the tokenizer that ships: its word embeddings are put into that order.
    One that doesn't know token types gets an embedding of them, which starts at zero: as published.

    Args:
        pretrained: a folder of published weights.
        dropout: in the encoder's layers and in the heads.
        freeze_words: keep the word embeddings as published.
        untrained: read the architecture alone (``config.json``), for weights that are loaded afterwards.

    Raises:
        TrainingError: the encoder reads other word pieces.
    """

    def __init__(
        self, pretrained: Path | str, dropout: float = 0.0, *, freeze_words: bool = False, untrained: bool = False
    ) -> None:
        super().__init__()
        self.encoder = _encoder(Path(pretrained), dropout, untrained=untrained)
        words = self.encoder.get_input_embeddings()
        if not untrained:
            _reorder(words, word_order(Path(pretrained), words.num_embeddings))
            self.encoder.config.vocab_size = words.num_embeddings
        words.padding_idx = 0
        words.weight.requires_grad_(not freeze_words)
        self.types = None if _knows_types(self.encoder) else nn.Embedding(2, words.embedding_dim)
        if self.types is not None:
            nn.init.zeros_(self.types.weight)
        width = int(self.encoder.config.hidden_size)
        self.label = _head(width, len(LABEL_ORDER), dropout)
        self.relevance = _head(width, 1, dropout)
        self.tokens = _head(width, 3, dropout)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    @property
    def max_tokens(self) -> int:
        """How many tokens the encoder has positions for."""
        for name, module in self.encoder.named_modules():
            if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
                first = module.padding_idx + 1 if module.padding_idx is not None else 0
                return module.num_embeddings - first
        return int(self.encoder.config.max_position_embeddings)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, ...]:
        """Logits in the order of `OUTPUTS`."""
        return self.read(self.encoder.get_input_embeddings()(input_ids), attention_mask, token_type_ids)

    def read(self, word_embeddings: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, ...]:
        """The same from word embeddings, shape (batch, tokens, width): what is exported."""
        if self.types is None:
            output = self.encoder(
                inputs_embeds=word_embeddings, attention_mask=attention_mask, token_type_ids=token_type_ids
            )
        else:
            typed = word_embeddings + self.types(token_type_ids)
            output = self.encoder(inputs_embeds=typed, attention_mask=attention_mask)
        hidden = output.last_hidden_state
        first = hidden[:, 0]
        return self.label(first), self.relevance(first).squeeze(-1), self.tokens(hidden)

    def use_fused_attention(self) -> None:
        """Switch to fused attention, which the export turns into one operation; MPNet's cannot be fused and stays."""
        if self.encoder._supports_sdpa:
            self.encoder.set_attn_implementation("sdpa")

    def to_best_device(self) -> CrossEncoder:
        """Move to the GPU where torch has one (CUDA), and take the attention that is fastest there."""
        if torch.cuda.is_available():
            self.to("cuda")
            self.use_fused_attention()
        return self


def save_state(model: CrossEncoder, path: Path) -> None:
    """Write the weights to `path`, whole or not at all, and the encoder's architecture beside it."""
    model.encoder.config.save_pretrained(path.parent / _ARCHITECTURE)
    partial = path.with_suffix(".partial")
    torch.save({name: value.cpu() for name, value in model.state_dict().items()}, partial)
    partial.replace(path)


def load_state(path: Path) -> dict[str, Tensor]:
    """The weights that `save_state` wrote.

    Raises:
        TrainingError: the file is missing or no such file.
    """
    try:
        state: dict[str, Tensor] = torch.load(path, weights_only=True, map_location="cpu")
    except (OSError, RuntimeError, ValueError, KeyError, EOFError, UnpicklingError) as error:
        raise TrainingError(
            f"the weights cannot be read ({str(error).splitlines()[0]})", where=str(path), remedy="Train them again"
        ) from error
    return state


def open_network(weights: Path, dropout: float = 0.0, *, freeze_words: bool = False) -> CrossEncoder:
    """The network of weights that `save_state` wrote, with them in it.

    Its architecture lies beside them; weights without one are of all-MiniLM-L6-v2.

    Raises:
        TrainingError: the weights cannot be read or belong to another architecture.
    """
    folder = weights.parent / _ARCHITECTURE
    known = folder if (folder / "config.json").is_file() else encoder.pretrained_folder()
    state = load_state(weights)
    model = CrossEncoder(known, dropout, freeze_words=freeze_words, untrained=True)
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        raise TrainingError(
            f"the weights are not of the encoder in {known}", where=str(weights), remedy="Train them again"
        ) from error
    return model


def _encoder(folder: Path, dropout: float, *, untrained: bool) -> Any:
    from transformers import MODEL_MAPPING, AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(folder)
    for names, value in ((_DROPOUTS, dropout), (_ATTENTION_DROPOUTS, 0.0)):
        for name in names:
            if hasattr(config, name):
                setattr(config, name, value)
    kind: Any = MODEL_MAPPING[type(config)]
    takes = inspect.signature(kind).parameters
    # 'eager': on CPU the fused attention's backward pass is slower than the rest of the step together.
    options = {"attn_implementation": "eager"} | ({"add_pooling_layer": False} if "add_pooling_layer" in takes else {})
    if untrained:
        return AutoModel.from_config(config, **options)  # type: ignore[no-untyped-call]
    return AutoModel.from_pretrained(folder, config=config, **options)


def _knows_types(model: nn.Module) -> bool:
    config: Any = model.config
    return (
        getattr(config, "type_vocab_size", 0) >= 2 and "token_type_ids" in inspect.signature(model.forward).parameters
    )


def _reorder(words: nn.Embedding, rows: list[int] | None) -> None:
    if rows is not None:
        trained = words.weight.detach()[torch.tensor(rows)].clone()
        words.weight = nn.Parameter(trained)
        words.num_embeddings = len(rows)


def _head(width: int, outputs: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, outputs))

"""The cross-encoder as it is trained: an encoder with four heads (torch)."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

__all__ = ["LABEL_ORDER", "OUTPUTS", "CrossEncoder"]

LABEL_ORDER = ("SUPPORTS", "REFUTES", "NEI")
"""The columns of the label head; the file that ships names them, and the run time reads them by name."""

OUTPUTS = ("label", "relevance", "tokens")


class CrossEncoder(nn.Module):
    """Reads ``[CLS] claim [SEP] title [SEP] element [SEP] ...`` and scores it in one pass.

    Outputs (logits): ``label`` (batch, 3) and ``relevance`` (batch,) from CLS; ``tokens`` (batch, tokens, 3): column
    0, read at an element's closing SEP, is the element's score, columns 1 and 2 are the start and end of spans.
    """

    def __init__(self, pretrained: Path | str, dropout: float = 0.0, *, freeze_words: bool = False) -> None:
        super().__init__()
        from transformers import AutoModel

        # 'eager': on CPU the fused attention's backward pass is slower than the rest of the step together.
        self.encoder = AutoModel.from_pretrained(
            pretrained,
            attn_implementation="eager",
            attention_probs_dropout_prob=0.0,
            hidden_dropout_prob=dropout,
            add_pooling_layer=False,
        )
        if freeze_words:
            self.encoder.get_input_embeddings().weight.requires_grad_(False)
        width = int(self.encoder.config.hidden_size)
        self.label = _head(width, len(LABEL_ORDER), dropout)
        self.relevance = _head(width, 1, dropout)
        self.tokens = _head(width, 3, dropout)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, ...]:
        """Logits in the order of `OUTPUTS`."""
        return self.read(self.encoder.get_input_embeddings()(input_ids), attention_mask, token_type_ids)

    def read(self, word_embeddings: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> tuple[Tensor, ...]:
        """The same from word embeddings, shape (batch, tokens, width): what is exported."""
        hidden = self.encoder(
            inputs_embeds=word_embeddings, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        first = hidden[:, 0]
        return self.label(first), self.relevance(first).squeeze(-1), self.tokens(hidden)

    def use_fused_attention(self) -> None:
        """Switch to fused attention, which the export turns into one operation."""
        self.encoder.set_attn_implementation("sdpa")


def _head(width: int, outputs: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, outputs))

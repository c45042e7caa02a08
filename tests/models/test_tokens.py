from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import ModelError
from sciverify.models.tokens import WEIGHTS, WordPieces, load_tokenizer

ANY_TEXT = st.text(st.characters())  # lone surrogates and NUL included


def covered(text: str) -> list[str]:
    """What each piece of the text covers, as the offsets say."""
    [pieces] = load_tokenizer().split([text])
    return [text[start:end] for start, end in pieces.offsets]


@settings(deadline=None)
@given(ANY_TEXT)
def test_offsets_lie_in_the_text_and_in_order(text: str) -> None:
    [pieces] = load_tokenizer().split([text])
    assert len(pieces.ids) == len(pieces.offsets)
    end_before = 0
    for start, end in pieces.offsets:
        assert 0 <= start <= end <= len(text)
        assert start >= end_before or (start, end) == pieces.offsets[0] or end >= end_before
        end_before = end


@settings(deadline=None)
@given(st.lists(ANY_TEXT, max_size=5))
def test_the_quick_way_gives_the_same_ids(texts: list[str]) -> None:
    tokens = load_tokenizer()
    assert tokens.ids(texts) == [pieces.ids for pieces in tokens.split(texts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Blood pressure fell.", ["Blood", "pressure", "fell", "."]),
        ("  blood\n\tpressure ", ["blood", "pressure"]),
        ("blood \ud800 pressure", ["blood", "pressure"]),
        ("\udfff\udfff blood", ["blood"]),
        ("blood\ud800", ["blood"]),
        ("\x00blood \x00 pressure", ["blood", "pressure"]),
        ("\U0001f9ea blood", ["\U0001f9ea", "blood"]),
        ("na\u00efve", ["na\u00efve"]),
        ("", []),
        ("   ", []),
    ],
)
def test_offsets_reproduce_the_words(text: str, expected: list[str]) -> None:
    assert covered(text) == expected


@given(st.sampled_from(["\ud800", "\udc00", "\x00", "\ufffd"]), st.integers(0, 19))
def test_a_character_that_has_no_piece_moves_the_offsets_behind_it_by_one(character: str, at: int) -> None:
    text = "blood pressure falls"
    at = text.index(" ") if at < 10 else text.rindex(" ")
    [plain], [other] = (load_tokenizer().split([t]) for t in (text, text[:at] + character + text[at:]))
    assert other.ids == plain.ids
    moved = [(s + (s >= at), e + (e > at)) for s, e in plain.offsets]
    assert other.offsets == moved


def test_offsets_behind_a_pair_of_surrogates() -> None:
    assert covered("\ud83e\uddea blood pressure")[-2:] == ["blood", "pressure"]


def test_a_long_text_is_not_cut() -> None:
    [pieces] = load_tokenizer().split(["blood " * 20_000])
    assert len(pieces.ids) == 20_000
    assert pieces.offsets[-1] == (119_994, 119_999)


def test_no_texts() -> None:
    assert load_tokenizer().split([]) == []
    assert load_tokenizer().ids([]) == []


def test_special_tokens_are_never_added() -> None:
    tokens = load_tokenizer()
    [pieces] = tokens.split(["blood pressure"])
    assert tokens.cls != tokens.sep
    assert not {tokens.cls, tokens.sep} & set(pieces.ids)


def test_the_shared_tokenizer_is_read_once() -> None:
    assert load_tokenizer() is load_tokenizer()


class TestFiles:
    @pytest.mark.parametrize("content", ["", "{}", '{"version": "1.0"', "<html>not found</html>"])
    def test_a_damaged_file(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "tokenizer.json"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ModelError, match="cannot be read") as caught:
            WordPieces(path)
        assert caught.value.where == str(path)
        assert caught.value.remedy

    def test_a_file_that_was_cut_off(self, tmp_path: Path) -> None:
        path = tmp_path / "tokenizer.json"
        path.write_bytes((WEIGHTS / "tokenizer.json").read_bytes()[:100_000])
        with pytest.raises(ModelError, match="cannot be read"):
            WordPieces(path)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot be read"):
            WordPieces(tmp_path / "none.json")

    @pytest.mark.parametrize("present", [[], ["[CLS]"], ["[SEP]"]])
    def test_a_tokenizer_without_the_special_tokens(self, tmp_path: Path, present: list[str]) -> None:
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel

        path = tmp_path / "tokenizer.json"
        vocabulary = {token: number for number, token in enumerate(["[UNK]", *present])}
        Tokenizer(WordLevel(vocabulary, unk_token="[UNK]")).save(str(path))
        with pytest.raises(ModelError, match=r"has no \[(CLS|SEP)\]"):
            WordPieces(path)

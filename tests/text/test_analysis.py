from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.text.analysis import analyse, fold, split_words, stem


class TestAnalyse:
    @pytest.mark.parametrize(
        ("text", "stems"),
        [
            ("", []),
            ("the of and", []),
            ("Statins REDUCED mortality.", ["statin", "reduc", "mortal"]),
            ("IL-6:", ["il", "6"]),
            ("p < 0.05, n = 1,000.", ["p", "0.05", "n", "1,000"]),
            ("Alzheimer's Alzheimer’s alzheimer", ["alzheim"] * 3),
            ("'quoted' words", ["quot", "word"]),
            ("end.Next", ["end", "next"]),
            ("naïve Ødegård cœur ﬁbre Ｈ２Ｏ H₂O", ["naiv", "odegard", "coeur", "fibr", "h2o", "h2o"]),
            ("\x00\ud800\udfff 😀 — ±", []),
            ("a_b\x00c\ud800d", ["b", "c", "d"]),
            ("中文 русский", ["中文", "русскии"]),
        ],
    )
    def test_examples(self, text: str, stems: list[str]) -> None:
        assert analyse(text) == stems

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("α-synuclein", "alpha-synuclein"),
            ("TNFα", "TNF-alpha"),
            ("Β-catenin", "beta catenin"),
            ("NF-κB", "NF-kappaB".replace("aB", "a B")),
            ("5 µm", "5 μm"),
            ("cafe\u0301", "café"),
        ],
    )
    def test_spellings_meet(self, one: str, other: str) -> None:
        assert analyse(one) == analyse(other)

    @settings(deadline=None)
    @given(st.text(st.characters(), max_size=200))
    def test_any_text_gives_usable_words(self, text: str) -> None:
        for word in analyse(text):
            assert word
            assert not any(character.isspace() for character in word)
            assert word.encode()  # no lone surrogate: engines take UTF-8 only

    @settings(deadline=None)
    @given(st.text(st.characters(), max_size=100))
    def test_folding_twice_changes_nothing(self, text: str) -> None:
        assert fold(fold(text)) == fold(text)

    @pytest.mark.parametrize("text", ["x" * 100_000, "α" * 100_000, "a'" * 50_000, "1." * 50_000, "(\"'" * 33_000])
    def test_long_texts(self, text: str) -> None:
        assert len(analyse(text)) <= 100_000
        assert all(len(word) <= 64 for word in analyse(text))

    def test_repeats_and_order_are_kept(self) -> None:
        assert analyse("dose risk dose") == ["dose", "risk", "dose"]

    def test_is_split_then_stem(self) -> None:
        text = "The kinases of naïve T cells"
        assert analyse(text) == [found for word in split_words(text) if (found := stem(word))]
        assert stem("the") == ""

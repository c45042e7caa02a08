from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.text.sentences import split_sentences
from shared_data import shared_data

PIECES = [
    *["The trial ended. ", "et al. ", "[2004]", "E. coli ", "p < 0.05. ", "Fig. 2 ", "(n = 17) ", "vs. ", "i.e. "],
    *["α-synuclein. ", "The ", "word ", "Dr. ", "No. ", "3.5", "...", "<sub>3</sub>", "cancer.", ".[5] ", "İ", "ß. "],
    *[".", "?", "!", '"', "(", ")", " ", "\n", "\r\n", "\n\n", "\x00", "\ud800", "\u2028", "\u00a0", "\x85", "😀"],
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
def test_the_pieces_concatenate_back_to_the_text(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join(pieces) == text
    assert all(pieces)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_piece_is_without_a_letter_or_digit_unless_the_text_is(text: str) -> None:
    pieces = split_sentences(text)
    if len(pieces) > 1:
        assert all(any(character.isalnum() for character in piece) for piece in pieces)


@pytest.mark.parametrize(
    "sentence",
    [
        "As shown by Smith et al. [2004], the effect is small.",
        "Smith et al. (2004) and Wu et al. 2010 disagree.",
        "Growth of E. coli was slower than that of S. aureus.",
        "Fig. 2 and Figs. 3 and 4 show the groups (n = 17).",
        "The mean fell from 3.5 to 2.25 mg vs. 4.2 mg with placebo.",
        "Some drugs, i.e. statins, and e.g. Aspirin, were allowed.",
        "It was seen in Bacillus sp. nov. and in Salmonella enterica subsp. enterica.",
        "Dr. Smith, cf. Jones, counted approx. 20 cells (see ref. 5 and no. 7).",
        "The p. His161Arg variant was frequent",
        "Vitamin D<sub>3</sub> and TGF-β1 are unrelated",
        "See https://example.org/a.b?c=d for more",
        "no final stop",
        "? !",
    ],
)
def test_one_sentence_stays_whole(sentence: str) -> None:
    assert split_sentences(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        ["The difference was significant, p < 0.05. ", "It was not after a year (p = 0.2). ", "The rest is known."],
        ["Vitamin D<sub>3</sub> helps. ", "It is D<sub>3</sub>. ", "Yes."],
        ["This was found by Wu et al. ", "The second trial failed."],
        ["It acts on TGF-β. ", "α-Synuclein was found. ", "β-Cells died."],
        ["It was seen in breast cancer. ", "PVIs were not."],
        ["It was given i.v. ", "The next dose was not."],
        ["It is a marker of AD. ", "Results were similar."],
        ["mTOR is a kinase. ", "p53 is a protein. ", "50 patients had neither."],
        ["Is it so? ", "Yes! ", "(It was.) ", "Good."],
        ["The risk rose.[5,6] ", "It fell later.7 ", "Nobody knows why."],
        ["BACKGROUND\n\n", "We know little\nabout it. ", "METHODS\r\n \r\n", "We looked"],
        ["  Leading white space stays. ", "So does trailing. \n "],
        ["It ended. ...\n", "A new one began."],
    ],
)
def test_sentences_are_told_apart(sentences: list[str]) -> None:
    assert split_sentences("".join(sentences)) == sentences


def test_nothing_and_white_space() -> None:
    assert split_sentences("") == []
    assert split_sentences(" \n") == [" \n"]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 10_000,
        "word " * 10_000 + ".",
        "et al. " * 10_000,
        "." * 50_000,
        ". " * 25_000,
        "\n" * 50_000,
        "\n \r" * 20_000,
        "a." + " " * 50_000 + "A",
        "A. " * 10_000,
        "?! " * 10_000,
        '." ' * 10_000,
        "(" * 50_000,
        "x" * 200_000,
        "a.[" + "1," * 20_000 + "] A",
    ],
    ids=lambda text: repr(text[:8]),
)
@pytest.mark.timeout(20)
def test_long_paragraphs_come_to_an_end(text: str) -> None:
    assert "".join(split_sentences(text)) == text


def test_boundaries_of_real_abstracts() -> None:
    """Given sentences, joined by spaces, are found again; about 0.978 (SciFact's own boundaries hold 1,100 slips)."""
    right = found = given_ones = 0
    with shared_data("scifact", "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            sentences = [sentence.strip() for sentence in json.loads(line)["abstract"]]
            text = " ".join(sentences)
            expected = _ends(sentences, separator=1) - {len(text)}
            actual = _ends(split_sentences(text)) - {len(text)}
            right += len(expected & actual)
            found += len(actual)
            given_ones += len(expected)
    precision, recall = right / found, right / given_ones
    assert 2 * precision * recall / (precision + recall) > 0.975


def _ends(pieces: list[str], separator: int = 0) -> set[int]:
    ends, offset = set(), 0
    for piece in pieces:
        ends.add(offset + len(piece.rstrip()))
        offset += len(piece) + separator
    return ends

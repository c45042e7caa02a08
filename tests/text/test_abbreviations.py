from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.text.abbreviations import Abbreviation, find_abbreviations, synonyms
from shared_data import shared_data

FOUND = [
    ("We gave hydroxychloroquine (HCQ) daily.", "hydroxychloroquine", "HCQ"),
    ("We gave HCQ (hydroxychloroquine) daily.", "hydroxychloroquine", "HCQ"),
    ("the heat shock transcription factor (HSF)", "heat shock transcription factor", "HSF"),
    ("Transforming growth factor-β1 (TGF-β1) rose", "Transforming growth factor-β1", "TGF-β1"),
    ("single nucleotide polymorphisms (SNPs)", "single nucleotide polymorphisms", "SNPs"),
    ("patients with multiple myeloma (MM)", "multiple myeloma", "MM"),  # not "myeloma"
    ("MM (multiple myeloma) was", "multiple myeloma", "MM"),
    ("African Americans (AAs) were", "African Americans", "AAs"),
    ("acute myocardial infarction [AMI] was", "acute myocardial infarction", "AMI"),
    ("rheumatoid arthritis (RA; n = 20)", "rheumatoid arthritis", "RA"),
    ("the angiotensin-converting enzyme (ACE) gene", "angiotensin-converting enzyme", "ACE"),
    ("24 nucleotides (nt) long", "nucleotides", "nt"),
    ("It rose. Body mass index (BMI) fell.", "Body mass index", "BMI"),
    ("TNF (tumour necrosis factor, a cytokine)", "tumour necrosis factor", "TNF"),
]
NOT_FOUND = [
    "",
    "()",
    "(HCQ)",
    "HCQ ()",
    "the result (see below)",
    "the effect (p < 0.05) was small",
    "as shown (Figure 2)",
    "of 20 patients (12)",
    "tumour (NF) ",  # no letter N
    "It ended. Failure (IF)",  # not over the end of a sentence
    "cells (cell subsets)",  # ordinary words
    "as an infarction (AI)",  # begins with a stop word
    "beta (alpha) (gamma",
    "[(((",
    "wild-type ILK (ILK)",  # spells nothing out
]


@pytest.mark.parametrize(("text", "long", "short"), FOUND)
def test_what_is_spelt_out(text: str, long: str, short: str) -> None:
    assert find_abbreviations(text) == (Abbreviation(long, short),)


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_is_not(text: str) -> None:
    assert find_abbreviations(text) == ()


def test_several_in_the_order_of_the_text_and_each_once() -> None:
    text = "HCQ (hydroxychloroquine) in rheumatoid arthritis (RA). In rheumatoid arthritis (RA) it helps."
    assert [short for _, short in find_abbreviations(text)] == ["HCQ", "RA"]


STOPPED = frozenset(
    re.findall(r"\w+", "the and but nor yet then than for not you can was are who how its had has did all any she")
)
PIECES = st.sampled_from(
    ["hydroxychloroquine ", "(HCQ)", "HCQ ", "(", ")", "[", "]", "rheumatoid arthritis ", "(RA)", "(RA; x)", ". ", "; "]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=25).map("".join)


@given(TEXTS)
def test_both_forms_are_verbatim_and_the_long_one_has_the_letters(text: str) -> None:
    found = find_abbreviations(text)
    assert len(set(found)) == len(found)
    for long, short in found:
        assert long in text
        assert short in text
        assert 2 <= len(short) <= 10
        assert len(long) > len(short)
        assert long == long.strip()
        rest = iter(long.lower())
        assert all(letter in rest for letter in short.lower().removesuffix("s") if letter.isalnum())


@given(
    st.lists(st.from_regex(r"[a-z]{3,9}", fullmatch=True), min_size=2, max_size=6).filter(
        lambda w: w[0] not in STOPPED
    ),
    st.booleans(),
)
def test_initials_in_brackets_are_found_either_way(words: list[str], turned: bool) -> None:
    long, short = " ".join(words), "".join(word[0] for word in words).upper()
    found = find_abbreviations(f"{short} ({long})" if turned else f"It is {long} ({short}).")
    assert found == (Abbreviation(long, short),)


@pytest.mark.parametrize("piece", ["(", ")", "(a", "a (A) ", "((", "A (", "word ", "[(]", "aa (AAAAAAAAAA) "])
def test_long_texts_are_borne(piece: str) -> None:
    find_abbreviations(piece * 50_000)


TEXTS_OF_DOCUMENTS = [
    "Hydroxychloroquine (HCQ) was given for systemic lupus erythematosus (SLE).",
    "HCQ (hydroxychloroquine) and acute myocardial infarction (AMI).",
    "Multiple sclerosis (MS) is no mass spectrometry.",
    "In multiple sclerosis (MS), single nucleotide polymorphisms (SNPs) were rare.",
    "Mass spectrometry (MS) and Down syndrome (DS).",
]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("hydroxychloroquine", ("HCQ",)),
        ("Hydroxychloroquine", ("HCQ",)),
        ("HCQ", ("Hydroxychloroquine",)),
        ("hydroxychloroquine (HCQ)", ()),  # both are there
        ("the risk of acute myocardial infarctions", ("AMI",)),
        ("AMI in women", ("acute myocardial infarction",)),
        ("SNP", ("single nucleotide polymorphisms",)),
        ("single nucleotide polymorphism", ("SNPs",)),
        ("MS", ("Multiple sclerosis",)),  # two documents against one
        ("ms", ()),
        ("metabolic syndrome", ()),
        ("aspirin", ()),
        ("", ()),
    ],
)
def test_synonyms(name: str, others: tuple[str, ...]) -> None:
    assert synonyms(name, TEXTS_OF_DOCUMENTS) == others


@given(st.lists(TEXTS, max_size=4), st.sampled_from(["HCQ", "hydroxychloroquine", "RA", "rheumatoid arthritis"]))
def test_synonyms_are_written_by_a_document_and_are_no_part_of_the_name(texts: list[str], name: str) -> None:
    found = synonyms(name, texts)
    assert len(set(found)) == len(found)
    for other in found:
        assert any(other in text for text in texts)
        assert other != name


def test_real_abstracts() -> None:
    lines = shared_data("scifact", "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:600]
    rows = [json.loads(line) for line in lines]
    texts = [" ".join([row["title"] + ".", *(sentence.strip() for sentence in row["abstract"])]) for row in rows]
    found = [(text, pair) for text in texts for pair in find_abbreviations(text)]
    assert len(found) > len(texts)
    assert all(pair.long in text and pair.short in text for text, pair in found)
    same = sum(pair.long[0].lower() == pair.short[0].lower() for _, pair in found)
    assert same / len(found) > 0.9

import io
import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from sciverify.cli.render import print_ranking, print_systems, print_verdict
from sciverify.records import (
    Candidate,
    Claim,
    Consensus,
    ConsensusLabel,
    Document,
    Finding,
    Label,
    Metadata,
    Probabilities,
    Problem,
    Quote,
    Ranking,
    Verdict,
)

ESCAPE = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^;\x1b]*;(?P<link>[^\x1b]*)\x1b\\")


def console(width: int = 100, *, terminal: bool = False) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
    )


def printed(verdict: Verdict, *, width: int = 100, terminal: bool = False, show_all: bool = False) -> str:
    target = console(width, terminal=terminal)
    print_verdict(target, verdict, show_all=show_all)
    assert isinstance(target.file, io.StringIO)
    return target.file.getvalue()


class TestVerdict:
    def test_the_whole_screen(self, verdict: Verdict) -> None:
        assert printed(verdict).splitlines() == [
            "Claim    Treatment lowers mortality",
            "Verdict  Balanced  2 support, 1 refutes: too close to call",
            f"         2 support {'█' * 27}{'░' * 13} 1 refutes  (1 not enough information)",
            "         67% of those that take a side support it (95 % interval 20% to 94%); the papers conflict",
            "",
            " 1. SUPPORTS 90%  A trial of something",
            "    Heart · 2001 · doc-1 · https://pubmed.ncbi.nlm.nih.gov/77/",
            "    sentence_1  “It worked well.”",
            "",
            " 2. SUPPORTS 75%  Survival by group",
            "    RETRACTED · The Journal · 2019 · page-1 · https://doi.org/10.1000/xyz",
            "    sentence_0  “Mortality fell” from 12 % to 7 % in the treated group.",
            "    cell_0_1_2  “7 %”",
            "",
            " 3. REFUTES 90%  A trial of something",
            "    doc-2",
            "    sentence_1  “It worked well.”",
            "",
            "1 paper gives not enough information (--all lists them).",
            "",
            "Note     The index holds no vectors",
            "Problem  document 'doc-9': it has no text",
        ]

    def test_all_lists_the_silent_papers(self, verdict: Verdict) -> None:
        screen = printed(verdict, show_all=True)
        assert " 4. NEI 90%  Off topic" in screen
        assert "--all" not in screen

    def test_neutral_has_no_bar(self) -> None:
        consensus = Consensus(ConsensusLabel.NEUTRAL, 0, 0, 0, 0.0, 1.0, 1.0, "nothing bears on the claim")
        screen = printed(Verdict(Claim("1", ""), (), consensus, "default()", notices=("no searchable word",)))
        assert screen.splitlines() == [
            "Claim    (empty)",
            "Verdict  Neutral  nothing bears on the claim",
            "",
            "Note     no searchable word",
        ]

    @pytest.mark.parametrize(("supports", "refutes"), [(1, 0), (0, 1), (1000, 1), (1, 1000), (3, 3)])
    def test_the_bar_shows_every_side_that_has_a_paper(self, verdict: Verdict, supports: int, refutes: int) -> None:
        consensus = replace(verdict.consensus, supports=supports, refutes=refutes)
        screen = printed(replace(verdict, consensus=consensus, findings=()))
        assert ("█" in screen) == bool(supports)
        assert ("░" in screen) == bool(refutes)
        assert 8 <= screen.count("█") + screen.count("░") <= 40

    def test_quotes_far_apart_leave_out_what_lies_between(self) -> None:
        sentence = "START " + "a" * 500 + " MIDDLE " + "b" * 500 + " END"
        document = Document.from_sentences("d", "T", [sentence])
        quotes = tuple(
            Quote("sentence_0", start, start + len(word), word, 0.5)
            for word in ("END", "START")
            for start in [sentence.index(word)]
        )
        finding = Finding(document, Label.SUPPORTS, Probabilities(1, 0, 0), quotes)
        consensus = Consensus(ConsensusLabel.AFFIRMATIVE, 1, 0, 0, 0.2, 1.0, 1.0, "one paper")
        screen = " ".join(printed(Verdict(Claim("1", "c"), (finding,), consensus, "s")).split())
        assert "“START”" in screen
        assert "“END”" in screen
        assert "MIDDLE" not in screen
        assert screen.count("…") == 1

    def test_overlapping_quotes_are_shown_once(self) -> None:
        document = Document.from_sentences("d", "T", ["abcdef"])
        quotes = (Quote("sentence_0", 1, 4, "bcd"), Quote("sentence_0", 3, 5, "de"))
        finding = Finding(document, Label.REFUTES, Probabilities(0, 1, 0), quotes)
        consensus = Consensus(ConsensusLabel.NEGATIVE, 0, 1, 0, 0.0, 0.8, 1.0, "one paper")
        assert "sentence_0  a“bcde”f" in printed(Verdict(Claim("1", "c"), (finding,), consensus, "s"))


class TestStyles:
    def test_a_terminal_gets_colours_and_links(self, verdict: Verdict) -> None:
        screen = printed(verdict, terminal=True)
        assert {match["link"] for match in ESCAPE.finditer(screen)} >= {"https://doi.org/10.1000/xyz"}
        assert ESCAPE.sub("", screen) == printed(verdict)

    def test_an_address_that_could_end_the_link_early_is_no_link(self, verdict: Verdict) -> None:
        document = Document.from_sentences("d", "T", ["s"], Metadata(doi="10.1000/x\x1b\\\x1b[2Jy"))
        finding = Finding(document, Label.SUPPORTS, Probabilities(1, 0, 0), (Quote.whole(document.elements[0]),))
        screen = printed(replace(verdict, findings=(finding,)), terminal=True)
        assert not [match for match in ESCAPE.finditer(screen) if match["link"]]
        assert "https://doi.org/10.1000/x\\[2Jy" in ESCAPE.sub("", screen)

    def test_elsewhere_there_is_no_escape(self, verdict: Verdict) -> None:
        assert "\x1b" not in printed(verdict)


HOSTILE = "\x1b]0;owned\x07\x1b[2J [bold red]not markup[/] :smile: \u202eevil\u202c \ud800 \x9b31m\r\nfake line"


def hostile_verdict(text: str) -> Verdict:
    """A verdict with the same text in every place that a document or a user can fill."""
    document = Document.from_sentences(
        text or "d", text, [text or "s"], Metadata(None, text, (text,), text, text, (text,), True)
    )
    finding = Finding(
        document,
        Label.SUPPORTS,
        Probabilities(1, 0, 0),
        (Quote.whole(document.elements[0]),),
        Candidate(document, 1.0, (text,)),
    )
    consensus = Consensus(ConsensusLabel.AFFIRMATIVE, 1, 0, 0, 0.2, 1.0, 1.0, text)
    return Verdict(Claim(text, text), (finding,), consensus, text, (Problem(text, text),), (text,))


class TestHostileText:
    def test_it_neither_steers_the_terminal_nor_becomes_markup(self) -> None:
        screen = printed(hostile_verdict(HOSTILE), terminal=True, width=300)
        visible = ESCAPE.sub("", screen)
        assert "\x1b" not in visible
        assert "\x07" not in visible
        assert "\u202e" not in visible
        assert "[bold red]not markup[/] :smile:" in visible
        assert not any(line.startswith("fake line") for line in visible.splitlines())

    @given(st.text(st.characters(), max_size=60), st.integers(20, 120))
    def test_any_text_fits_any_width(self, text: str, width: int) -> None:
        screen = printed(hostile_verdict(text), width=width, show_all=True)
        screen.encode()
        for line in screen.split("\n"):
            assert cell_len(line) <= width
            assert not {unicodedata.category(character) for character in line} & {"Cc", "Cs", "Zl", "Zp"}
            assert line == line.rstrip(" ")

    def test_a_very_long_word_is_folded(self) -> None:
        screen = printed(hostile_verdict("x" * 10_000), width=60)
        assert max(map(len, screen.splitlines())) == 60


class TestRanking:
    def test_results_in_order(self) -> None:
        documents = [Document.from_sentences(f"d{n}", f"Title {n}", ["word " * 100]) for n in (1, 2)]
        ranking = Ranking(tuple(Candidate(document, 2.0 - n, ("bm25",)) for n, document in enumerate(documents)))
        target = console()
        print_ranking(target, ranking)
        assert isinstance(target.file, io.StringIO)
        lines = target.file.getvalue().splitlines()
        assert lines[:2] == [" 1. Title 1  [2.000 bm25]", "    d1"]
        assert " 2. Title 2  [1.000 bm25]" in lines
        assert sum("…" in line for line in lines) == 2

    @pytest.mark.parametrize(
        ("ranking", "screen"),
        [(Ranking((), "no searchable word"), "Note     no searchable word\n"), (Ranking(()), "Nothing found.\n")],
    )
    def test_nothing_found(self, ranking: Ranking, screen: str) -> None:
        target = console()
        print_ranking(target, ranking)
        assert isinstance(target.file, io.StringIO)
        assert target.file.getvalue() == screen


def test_systems_are_listed_with_their_papers() -> None:
    target = console()
    print_systems(
        target, [{"name": "a", "summary": "Ours.", "paper": ""}, {"name": "b", "summary": "T.", "paper": "P"}]
    )
    assert isinstance(target.file, io.StringIO)
    assert target.file.getvalue() == "a\n    Ours.\n\nb\n    T.\n    P\n"

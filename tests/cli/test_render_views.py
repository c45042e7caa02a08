import io

from consensus_cases import finding, several
from sciverify.cli.render_views import print_views
from sciverify.cli.terminal import console_for
from sciverify.consensus import sum_up
from sciverify.consensus_views import views
from sciverify.consensus_weights import default_weightings
from sciverify.records import Claim, Finding, Label, Verdict


def printed(findings: list[Finding], *, width: int = 120) -> str:
    verdict = Verdict(Claim("1", "c"), tuple(findings), sum_up(findings), "s")
    target = io.StringIO()
    print_views(console_for(target, width=width), views(verdict, weightings=default_weightings(as_of=2020)))
    return target.getvalue()


def test_the_whole_screen() -> None:
    findings = [
        finding(Label.SUPPORTS, "old", year=2000, sentences=["It works."]),
        finding(Label.REFUTES, "new", year=2020, types=["Randomized Controlled Trial"], sentences=["It fails."]),
        finding(Label.SUPPORTS, "undated", probability=0.5, sentences=["It may."]),
        finding(Label.SUPPORTS, "gone", probability=0.99, year=2010, retracted=True, sentences=["Sure."]),
        finding(Label.NEI, "silent", year=2021, retracted=True),
    ]
    assert printed(findings).splitlines() == [
        "",
        "Weighted",
        "    Balanced  by probability: 1.40 yes, 0.90 no (61% yes, 95 % interval 15% to 93%)",
        "    Balanced  by study design: 0.50 yes, 1.00 no (33% yes, 95 % interval 4% to 87%)",
        "    Balanced  by year (as of 2020): 1.00 yes, 1.00 no (50% yes, 95 % interval 9% to 91%)",
        "    Balanced  by probability, study design and year (as of 2020): 0.17 yes, 0.90 no "
        "(16% yes, 95 % interval 1% to 85%)",
        "",
        "Without one article",
        "    Affirmative  without new",
        "    The share of yes is then 50% to 100%.",
        "",
        "Over time",
        "    to 2000  Affirmative  1 yes, 0 no (100% yes, 95 % interval 21% to 100%)",
        "    to 2020  Balanced  1 yes, 1 no (50% yes, 95 % interval 9% to 91%)",
        "    Of unknown year: undated",
        "",
        "Conflicts",
        "  - yes  “It works.”  old, sentence_0",
        "    no   “It fails.”  new, sentence_0",
        "  - yes  “It may.”  undated, sentence_0",
        "    no   “It fails.”  new, sentence_0",
        "  - yes  “Sure.”  gone, sentence_0",
        "    no   “It fails.”  new, sentence_0",
        "",
        "Retracted, so not counted",
        "    gone",
    ]


def test_nothing_to_show_where_nobody_takes_a_side() -> None:
    assert printed(several(0, 0, 3)) == ""


def test_an_answer_with_something_to_spare() -> None:
    assert "    Affirmative  whichever one is left out\n" in printed(several(12, 1))


def test_articles_with_the_same_effect_stand_together() -> None:
    assert "    Balanced  without any one of d0, d1, d2, d3, d4, d5, d6, d7\n" in printed(several(8, 1))


def test_hostile_text_stays_text_on_any_width() -> None:
    text = "\x1b[2J[bold]x[/]\u202e\r\nfake"
    screen = printed(
        [finding(Label.SUPPORTS, text, sentences=[text]), finding(Label.REFUTES, "d", sentences=[text])], width=40
    )
    assert "[bold]x[/]" in screen
    assert not {"\x1b", "\u202e", "\r"} & set(screen)
    assert all(len(line) <= 40 and line == line.rstrip(" ") for line in screen.splitlines())
    assert not any(line.startswith("fake") for line in screen.splitlines())

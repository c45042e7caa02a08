from __future__ import annotations

import pytest

import sciverify
from sciverify import Claim, Document, Filters, SciverifyError, check, load_system

COFFEE = Document.from_sentences("mine", "Coffee", ["Coffee delayed sleep onset by forty minutes in adults."])


def test_one_claim_gives_one_verdict_on_the_demo_corpus():
    verdict = check("Beta carotene supplements prevent lung cancer in smokers.", k=3)
    assert len(verdict.findings) == 3
    assert verdict.claim.text.startswith("Beta carotene")


def test_several_claims_give_a_list_in_their_order():
    verdicts = check(["Coffee delays sleep.", Claim("mine", "Coffee improves sleep.")], documents=[COFFEE])
    assert [verdict.claim.id for verdict in verdicts] == ["1", "mine"]


def test_a_loaded_system_is_used_as_it_is():
    system = load_system("verisci")
    assert check("Coffee delays sleep.", documents=[COFFEE], system=system).system == system.name


@pytest.mark.parametrize(
    "arguments",
    [
        {"documents": [COFFEE], "filters": Filters(first_year=2000)},
        {"system": "no such system"},
        {"knights": 3},
        {"documents": [COFFEE], "system": load_system("verisci"), "k": 3},
    ],
)
def test_what_makes_no_sense_together_is_refused(arguments):
    with pytest.raises(SciverifyError):
        check("Coffee delays sleep.", **arguments)


def test_a_verdict_shows_itself_in_a_notebook():
    html = check("Coffee delays sleep.", documents=[COFFEE])._repr_html_()
    assert "Coffee delays sleep." in html


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'verdicts'"):
        sciverify.verdicts  # noqa: B018
    assert "check" in dir(sciverify)

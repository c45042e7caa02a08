from __future__ import annotations

import numpy as np
import pytest

from sciverify.errors import SettingError
from sciverify.models import load_cross_encoder
from sciverify.models.crossencoder import Decision, calibrated
from sciverify.records import Candidate, Claim, Document, Finding, Label, Problem
from sciverify.testing.verifiers import VerifierSuite
from sciverify.text.windows import Tokenizer2D
from sciverify.verification.boolean import READINGS, BooleanVerifier
from sciverify.verification.reading import INPUTS, ModelVerifier, PartialModel
from span_fakes import Marked

CLAIM = Claim("q", "Does tea cure hiccups?")
ONE_BY_ONE = Tokenizer2D(1, 0)


class TestExtracts(VerifierSuite):
    @pytest.fixture
    def verifier(self) -> BooleanVerifier:
        return BooleanVerifier()


class TestExtractsFromEveryWindow(VerifierSuite):
    @pytest.fixture
    def verifier(self) -> BooleanVerifier:
        return BooleanVerifier(evidence=0.0, span=0.0)


class TestWindows(VerifierSuite):
    @pytest.fixture
    def verifier(self) -> BooleanVerifier:
        return BooleanVerifier(reading="windows")


def verify(verifier: BooleanVerifier, *documents: list[str]) -> list[Finding]:
    made = [Document.from_sentences(f"d{n}", "Tea", sentences) for n, sentences in enumerate(documents)]
    found = verifier.verify([(CLAIM, Candidate(document, 1.0)) for document in made])
    assert not [f for f in found if isinstance(f, Problem)]
    return [f for f in found if isinstance(f, Finding)]


def test_yes_no_and_neutral_come_from_the_extracts_alone() -> None:
    found = verify(
        BooleanVerifier(Marked(), windows=ONE_BY_ONE),
        ["It is no use.", "Tea < yes > indeed."],
        ["Oh yes indeed.", "Tea < no > never."],
        ["Oh yes indeed.", "Tea < perhaps > so."],
    )
    assert [finding.label for finding in found] == [Label.SUPPORTS, Label.REFUTES, Label.NEI]
    assert [[quote.text for quote in finding.rationale] for finding in found] == [["< yes >"], ["< no >"], []]


def test_the_model_reads_question_title_and_extracts_and_nothing_else() -> None:
    model = Marked()
    verify(BooleanVerifier(model, windows=ONE_BY_ONE), ["A < yes > b.", "C.", "D < e > f."], ["Nothing."])
    assert model.read == [(CLAIM.text, "Tea", ["< yes >", "< e >"])]


def test_extracts_may_be_read_in_their_sentences() -> None:
    model = Marked()
    verifier = BooleanVerifier(model, windows=ONE_BY_ONE, reading="sentences")
    [found] = verify(verifier, ["Oh yes it < does > so.", "It is no use."])
    assert model.read == [(CLAIM.text, "Tea", ["Oh yes it < does > so."])]
    assert found.label is Label.SUPPORTS
    assert [quote.text for quote in found.rationale] == ["< does >"]


def test_a_document_without_an_extract_is_nei_for_certain() -> None:
    for reading in ("extracts", "sentences"):
        model = Marked()
        [found] = verify(BooleanVerifier(model, reading=reading), ["Oh yes indeed.", "It is yes."])
        assert (found.label, found.rationale) == (Label.NEI, ())
        assert found.probabilities.nei == 1.0
        assert model.read == []


def test_quotes_stand_best_first_and_in_reading_order_where_they_are_equal() -> None:
    [found] = verify(BooleanVerifier(Marked(), windows=ONE_BY_ONE), ["< yes >", "x < a >", "y < b >"])
    assert [quote.element_id for quote in found.rationale] == ["sentence_0", "sentence_1", "sentence_2"]
    assert {quote.score for quote in found.rationale} == {found.rationale[0].score}


def test_without_extraction_the_windows_probabilities_are_averaged() -> None:
    model = Marked(4.0)
    verifier = BooleanVerifier(model, windows=ONE_BY_ONE, reading="windows", evidence=0.2)
    [found] = verify(verifier, ["Oh yes indeed.", "Nothing.", "Nor here."])
    speaks, silent = (calibrated(np.array(logits, np.float32), Decision()) for logits in ([4, 0, 0], [0, 0, 4]))
    expected = (speaks + 2 * silent) / 3
    assert found.probabilities.supports == pytest.approx(expected[0])
    assert found.probabilities.nei == pytest.approx(expected[2])
    assert found.label is Label.SUPPORTS
    assert [quote.text for quote in found.rationale] == ["Oh yes indeed."]
    assert model.read == []  # one reading of the windows is all


def test_an_element_read_more_than_once_takes_its_highest_score() -> None:
    verifier = BooleanVerifier(Marked(), windows=Tokenizer2D(2, 1), reading="windows", evidence=0.0)
    [found] = verify(verifier, ["Nothing.", "Oh yes indeed.", "Nothing."])
    assert [quote.element_id for quote in found.rationale] == ["sentence_1"]


def test_how_well_a_document_was_found_counts_as_much_as_is_said() -> None:
    document = Document.from_sentences("d", "", ["< yes >"])
    pairs = [(CLAIM, Candidate(document, score)) for score in (1.0, 0.1)]
    for reading in READINGS:
        for retrieval, labels in ((None, "yn"), (0.0, "yy")):
            verifier = BooleanVerifier(Marked(decision=Decision(retrieval=12)), reading=reading, retrieval=retrieval)
            found = verifier.verify(pairs)
            assert ["n" if finding.label is Label.NEI else "y" for finding in found] == list(labels)


def test_one_bad_document_is_a_problem_and_the_others_go_on() -> None:
    class Choking(Marked):
        def score_windows(self, passages, windows):
            if any("choke" in text for passage in passages for text in passage.elements):
                raise ValueError("cannot read it")
            return super().score_windows(passages, windows)

    documents = [Document.from_sentences(f"d{n}", "", [text]) for n, text in enumerate(["< yes >", "choke", "< no >"])]
    found = BooleanVerifier(Choking()).verify([(CLAIM, Candidate(document, 1.0)) for document in documents])
    assert found[1] == Problem("document 'd1'", "ValueError: cannot read it")
    assert [finding.label for finding in (found[0], found[2])] == [Label.SUPPORTS, Label.REFUTES]


def test_company_changes_no_answer() -> None:
    documents = [["Tea < yes >."], ["Nothing."], ["word " * 200 + "< no >"], ["", " "], ["< no >", "< no >"]]
    verifier = BooleanVerifier(Marked(), windows=Tokenizer2D(2, 1))
    together = verify(verifier, *documents)
    for n, sentences in enumerate(documents):
        [alone] = verify(verifier, sentences)
        assert (alone.label, alone.probabilities, alone.rationale) == (
            together[n].label,
            together[n].probabilities,
            together[n].rationale,
        )


def test_another_model_keeps_windows_reading_and_thresholds() -> None:
    verifier = BooleanVerifier(
        Marked(), windows=Tokenizer2D(3, 1), reading="windows", evidence=0.3, span=0.6, retrieval=2.0
    )
    assert isinstance(verifier, ModelVerifier)
    other = verifier.with_model(Marked(decision=Decision(evidence=0.9, span=0.1, retrieval=7.0)))
    assert other.name == verifier.name
    assert verifier.name == "boolean(reading=windows, size=3, stride=1, evidence=0.3, span=0.6, retrieval=2)"


def test_parts_of_the_input_may_be_hidden() -> None:
    for input in INPUTS:
        model = Marked()
        verifier = BooleanVerifier(Marked()).with_model(PartialModel(model, input))
        [found] = verify(verifier, ["Tea < yes >."])
        assert (found.label is Label.NEI) == (input == "claim-only")  # there is nothing to extract from
        assert [passage.claim for passage in model.read] == {"full": [CLAIM.text], "abstract-only": [""]}.get(input, [])


@pytest.mark.parametrize(
    ("option", "value"),
    [("reading", "titles"), ("evidence", 1.5), ("span", -0.1), ("retrieval", -1.0), ("windows", Tokenizer2D(1, 0, 20))],
)
def test_a_setting_out_of_range_is_refused_at_once(option: str, value: object) -> None:
    for model in (Marked(), load_cross_encoder()):
        with pytest.raises(SettingError):
            BooleanVerifier(model, **{option: value})  # type: ignore[arg-type]

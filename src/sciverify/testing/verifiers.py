"""The promises of a verifier as tests that any implementation can be put through.

Derive a test class and give it the fixture ``verifier``:

    class TestMyVerifier(VerifierSuite):
        @pytest.fixture
        def verifier(self):
            return MyVerifier()
"""

# ruff: noqa: D102  (the tests' names are their documentation)

from __future__ import annotations

from collections.abc import Sequence

from sciverify.records import Candidate, Claim, Document, Element, ElementKind, Finding, Label, Problem
from sciverify.stages import Verifier
from sciverify.testing.retrievers import HOSTILE_TEXTS

__all__ = ["EVIDENCE", "VerifierSuite"]

EVIDENCE = Document.from_sentences(
    "exercise",
    "Supervised exercise in adults with hypertension",
    (
        "We randomly assigned 240 adults with hypertension to supervised exercise or usual care.",
        "Systolic blood pressure fell by 8 mm Hg more with exercise than with usual care.",
        "Exercise significantly lowered blood pressure.",
    ),
)


class VerifierSuite:
    """What `sciverify.stages.Verifier` promises."""

    def test_it_is_a_verifier(self, verifier: Verifier) -> None:
        assert isinstance(verifier, Verifier)
        assert verifier.name

    def test_no_pairs_give_no_results(self, verifier: Verifier) -> None:
        assert verifier.verify([]) == []

    def test_one_result_per_pair_in_order(self, verifier: Verifier) -> None:
        others = [Document.from_sentences(f"d{n}", "", [f"Sentence number {n}."]) for n in range(5)]
        documents = [others[0], EVIDENCE, *others[1:], EVIDENCE]
        results = self.verify(verifier, "Exercise lowers blood pressure.", documents)
        assert [found.document.id for found in results] == [document.id for document in documents]

    def test_the_same_pair_gets_the_same_label_in_any_company(self, verifier: Verifier) -> None:
        [alone] = self.verify(verifier, "Exercise lowers blood pressure.", [EVIDENCE])
        long = Document.from_sentences("long", "Noise", ["Nothing to do with it at all, really."] * 60)
        together = self.verify(verifier, "Exercise lowers blood pressure.", [long, EVIDENCE, long])[1]
        assert together.label is alone.label
        assert abs(together.probabilities.supports - alone.probabilities.supports) < 0.05

    def test_quotes_are_verbatim_and_in_order_of_score(self, verifier: Verifier) -> None:
        for claim in ("Exercise lowers blood pressure.", "Exercise raises blood pressure."):
            [found] = self.verify(verifier, claim, [EVIDENCE])
            scores = [quote.score for quote in found.rationale]
            assert scores == sorted(scores, reverse=True)
            assert len({quote.element_id for quote in found.rationale}) == len(found.rationale)
            for quote in found.rationale:
                assert EVIDENCE.element(quote.element_id).text[quote.start : quote.end] == quote.text

    def test_a_document_without_text_is_nei(self, verifier: Verifier) -> None:
        blank = Document.from_sentences("blank", "", ("", "  ", "\n"))
        for document in (Document("none", "", ()), Document("titled", "Exercise lowers pressure", ()), blank):
            [found] = self.verify(verifier, "Exercise lowers blood pressure.", [document])
            assert found.label is Label.NEI
            assert found.rationale == ()

    def test_a_document_of_any_length_is_read(self, verifier: Verifier) -> None:
        sentences = ["This sentence is about the weather on the coast."] * 400
        long = Document.from_sentences("long", "", sentences)
        word = Document.from_sentences("word", "", ["x" * 20_000])
        endless = Document.from_sentences("endless", "", ["pressure " * 10_000])
        assert len(self.verify(verifier, "Exercise lowers blood pressure.", [long, word, endless])) == 3

    def test_elements_of_every_kind_are_read(self, verifier: Verifier) -> None:
        elements = (
            Element("section_0", ElementKind.SECTION, "Results"),
            Element("table_caption_0", ElementKind.TABLE_CAPTION, "Blood pressure by group"),
            Element("header_cell_0_0_0", ElementKind.HEADER_CELL, "Group"),
            Element("cell_0_1_0", ElementKind.CELL, "Exercise"),
            Element("item_0_0", ElementKind.ITEM, "Exercise lowered blood pressure."),
        )
        assert self.verify(verifier, "Exercise lowers blood pressure.", [Document("page", "Page", elements)])

    def test_hostile_text_is_fine(self, verifier: Verifier) -> None:
        for text in HOSTILE_TEXTS:
            documents = [Document.from_sentences("hostile", text, [text or "x", "Exercise lowers blood pressure."])]
            for claim in (text, "Exercise lowers blood pressure."):
                assert len(self.verify(verifier, claim, documents)) == 1

    @staticmethod
    def verify(verifier: Verifier, claim: str, documents: Sequence[Document]) -> list[Finding]:
        """The findings on some documents; a problem fails the test."""
        results = verifier.verify([(Claim("1", claim), Candidate(document, 1.0)) for document in documents])
        problems = [result for result in results if isinstance(result, Problem)]
        assert not problems
        assert len(results) == len(documents)
        return [result for result in results if isinstance(result, Finding)]

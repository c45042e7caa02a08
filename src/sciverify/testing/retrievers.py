"""The promises of a retriever as tests that any implementation can be put through.

Derive a test class and give it two pytest fixtures, the retriever over `DOCUMENTS` and one over nothing:

    class TestMyRetriever(RetrieverSuite):
        @pytest.fixture
        def retriever(self):
            return MyRetriever(DOCUMENTS)

        @pytest.fixture
        def empty_retriever(self):
            return MyRetriever([])

A retriever that doesn't search by words (a dense one) sets ``searches_words = False``.
"""

# ruff: noqa: D102  (the tests' names are their documentation)

from __future__ import annotations

import ast
from collections.abc import Sequence
from math import isfinite

from sciverify.errors import SettingError
from sciverify.records import Claim, Document, Filters, Metadata, Ranking
from sciverify.stages import Retriever

__all__ = ["DOCUMENTS", "HOSTILE_TEXTS", "RetrieverSuite"]


def _documents() -> tuple[Document, ...]:
    trial, review = ("Randomized Controlled Trial",), ("Review", "Meta-Analysis")
    rows = (
        ("d01", "Vitamin D and respiratory infection", ("Vitamin D capsules halved winter respiratory infections.",),
         Metadata(year=2011, journal="Annals of Examples", publication_types=trial)),
        ("d02", "Statins in old age", ("Statins lowered cholesterol in adults over seventy.", "Muscle pain was rare."),
         Metadata(year=1999, journal="Journal of Samples", publication_types=trial)),
        ("d03", "Interleukin signalling", ("IL-6: a cytokine, rises after exercise (p < 0.05).",),
         Metadata(year=2004, journal="Annals of Examples", publication_types=review)),
        ("d04", "Synuclein aggregates", ("The protein α-synuclein forms fibrils in neurons.",),
         Metadata(year=2020, journal="Annals of Examples", retracted=True)),
        ("d05", "Coffee and sleep", ("Coffee delayed sleep by forty minutes.", "Decaffeinated coffee did not."),
         Metadata(journal="Journal of Samples", publication_types=trial)),
        ("d06", "Zebrafish hearts regenerate", ("Zebrafish regrow heart muscle after injury.",),
         Metadata(year=2015, publication_types=("Journal Article",), retracted=True)),
        ("d07", "", (), Metadata(year=2015)),
        ("d08", "A title without any abstract about malaria nets", (), Metadata(year=2018, journal="Net Reports")),
        ("d09", "Aspirin", ("Aspirin prevented colorectal tumours in carriers.",), Metadata(year=2011)),
        ("d10", "Measles", ("The measles vaccine prevented measles in infants.",), Metadata(year=2015)),
    )  # fmt: skip
    twins = tuple(
        (id, "Glaciers retreat", ("Alpine glaciers lost ice every decade.",), Metadata(year=2000 + number))
        for number, id in enumerate(("twin-c", "twin-a", "twin-d", "twin-b"))
    )
    return tuple(Document.from_sentences(*row) for row in rows + twins)


DOCUMENTS = _documents()

HOSTILE_TEXTS = (
    '"',
    "(",
    "AND",
    "NOT (vitamin OR",
    "IL-6:",
    "α-synuclein*",
    "title:vitamin^2 ~ [a TO b] {c}",
    "'; DROP TABLE documents; --",
    "vitamin\x00D",
    "\x00",
    "\ud800",
    "vitamin \udfff D \ud83d",
    "🧪",
    "🧪 vitamin 👩‍🔬",
    "ビタミンD は風邪を防ぐ",
    "\u202evitamin\u202c \ufeff",
    "vitamin " * 12_500,  # 100,000 characters
    "x" * 100_000,
    " ".join(f"word{number}" for number in range(10_000)),
)

_NOTHING = ("", " ", "\n\t", "...", "?!", "\x00", "\ud800", "🧪", "— “”")
_STOP_WORDS = "the of and to in is it"
_ORDINARY = "Statins lowered cholesterol in adults"
_CLAIMS = (
    "Vitamin D prevents respiratory infections",
    _ORDINARY,
    "IL-6 is a cytokine",
    "Glaciers lost ice",
    "Coffee disturbs sleep",
    "Zebrafish heart muscle",
)
_FILTERS = (
    Filters(first_year=2011),
    Filters(last_year=2004),
    Filters(first_year=2011, last_year=2011),
    Filters(journals=("Annals of Examples",)),
    Filters(journals=("Journal of Samples", "Net Reports")),
    Filters(publication_types=("Review",)),
    Filters(publication_types=("Meta-Analysis", "Randomized Controlled Trial")),
    Filters(retracted=False),
    Filters(retracted=True),
    Filters(first_year=2000, journals=("Annals of Examples",), retracted=False),
)


class RetrieverSuite:
    """Tests of every promise in `sciverify.stages.Retriever`; see the module's docstring for how to use it."""

    searches_words = True

    def test_offers_the_members_of_a_retriever(self, retriever: Retriever) -> None:
        assert isinstance(retriever, Retriever), "it needs a name and a method retrieve"

    def test_name_reads_as_a_call(self, retriever: Retriever) -> None:
        call = ast.parse(retriever.name, mode="eval").body
        assert isinstance(call, ast.Call), f"{retriever.name!r} should read like bm25(k1=1.2)"
        for option in call.keywords:
            ast.literal_eval(option.value)  # raises where a value could not be pasted back

    def test_gives_one_ranking_per_claim_in_order(self, retriever: Retriever) -> None:
        assert retriever.retrieve([], 3) == []
        together = _retrieve(retriever, _CLAIMS, 5)
        assert len(together) == len(_CLAIMS)
        for text, ranking in zip(_CLAIMS, together, strict=True):
            _assert_same(ranking, _retrieve(retriever, [text], 5)[0], f"{text!r} alone and in a batch")

    def test_finds_the_document_that_says_it(self, retriever: Retriever) -> None:
        said = {d.id: d.elements[0].text for d in DOCUMENTS if d.elements and not d.id.startswith("twin")}
        for (id, text), ranking in zip(said.items(), _retrieve(retriever, list(said.values()), 3), strict=True):
            assert ranking.candidates[0].document.id == id, f"{text!r} is a sentence of {id}"

    def test_returns_the_documents_unchanged(self, retriever: Retriever) -> None:
        originals = {document.id: document for document in DOCUMENTS}
        for ranking in _retrieve(retriever, _CLAIMS, 20):
            for candidate in ranking.candidates:
                assert candidate.document == originals[candidate.document.id]

    def test_says_who_found_a_document(self, retriever: Retriever) -> None:
        for ranking in _retrieve(retriever, _CLAIMS, 5):
            for candidate in ranking.candidates:
                assert candidate.found_by, "found_by must name at least one search"
                assert all(isinstance(finder, str) and finder for finder in candidate.found_by)

    def test_returns_at_most_k_distinct_documents_best_first(self, retriever: Retriever) -> None:
        for k in (1, 2, 5, len(DOCUMENTS)):
            for ranking in _retrieve(retriever, _CLAIMS, k):
                assert ranking.candidates, "each of these claims shares words with a document"
                _assert_well_formed(ranking, k)

    def test_clamps_k_to_the_corpus(self, retriever: Retriever) -> None:
        everything = _retrieve(retriever, _CLAIMS, len(DOCUMENTS))
        for k in (len(DOCUMENTS) + 1, 10**9):
            for ranking, expected in zip(_retrieve(retriever, _CLAIMS, k), everything, strict=True):
                _assert_same(ranking, expected, f"k={k} on {len(DOCUMENTS)} documents")

    def test_refuses_k_below_one(self, retriever: Retriever) -> None:
        for k in (0, -1):
            try:
                retriever.retrieve([Claim("1", _ORDINARY)], k)
            except SettingError:
                continue
            raise AssertionError(f"k={k} must raise SettingError")

    def test_breaks_ties_by_document_id_even_at_the_cut(self, retriever: Retriever) -> None:
        twins = ["twin-a", "twin-b", "twin-c", "twin-d"]
        for k in range(1, 5):
            ranking = _retrieve(retriever, ["Alpine glaciers lost ice every decade"], k)[0]
            assert [c.document.id for c in ranking.candidates] == twins[:k], f"four equal documents, k={k}"

    def test_repeats_itself(self, retriever: Retriever) -> None:
        assert _retrieve(retriever, _CLAIMS, 5) == _retrieve(retriever, _CLAIMS, 5)

    def test_filters_mean_what_the_record_says(self, retriever: Retriever) -> None:
        everything = _retrieve(retriever, _CLAIMS, len(DOCUMENTS))
        for filters in _FILTERS:
            for ranking, unfiltered in zip(
                _retrieve(retriever, _CLAIMS, len(DOCUMENTS), filters), everything, strict=True
            ):
                _assert_well_formed(ranking, len(DOCUMENTS))
                found = {c.document.id for c in ranking.candidates}
                expected = {c.document.id for c in unfiltered.candidates if filters.accept(c.document.metadata)}
                assert found == expected, f"{filters} let through {found}, not {expected}"

    def test_filters_work_before_the_cut(self, retriever: Retriever) -> None:
        ranking = _retrieve(retriever, ["Alpine glaciers lost ice"], 1, Filters(first_year=2003, last_year=2003))[0]
        assert [c.document.id for c in ranking.candidates] == ["twin-b"]

    def test_filters_that_let_nothing_through_give_a_notice(self, retriever: Retriever) -> None:
        for ranking in _retrieve(retriever, _CLAIMS, 3, Filters(first_year=2999)):
            assert not ranking.candidates
            assert ranking.notice, "an empty ranking must say why"

    def test_empty_filters_let_everything_through(self, retriever: Retriever) -> None:
        assert _retrieve(retriever, _CLAIMS, 5, Filters()) == _retrieve(retriever, _CLAIMS, 5)

    def test_survives_hostile_text(self, retriever: Retriever) -> None:
        texts = [text for hostile in HOSTILE_TEXTS for text in (hostile, _ORDINARY)]
        results = _retrieve(retriever, texts, 4)
        expected = _retrieve(retriever, [_ORDINARY], 4)[0]
        for text, ranking in zip(texts, results, strict=True):
            _assert_well_formed(ranking, 4)
            if text == _ORDINARY:
                _assert_same(ranking, expected, "an ordinary claim beside hostile ones")

    def test_finds_names_with_signs_in_them(self, retriever: Retriever) -> None:
        results = _retrieve(retriever, ["IL-6: a cytokine", "α-synuclein* fibrils"], 1)
        assert [[c.document.id for c in ranking.candidates] for ranking in results] == [["d03"], ["d04"]]

    def test_nothing_to_search_for_gives_a_notice(self, retriever: Retriever) -> None:
        texts = [*_NOTHING, _STOP_WORDS] if self.searches_words else _NOTHING
        for text, ranking in zip(texts, _retrieve(retriever, texts, 3), strict=True):
            assert not ranking.candidates, f"{text!r} holds nothing to search for"
            assert ranking.notice, "an empty ranking must say why"

    def test_empty_corpus_gives_a_notice(self, empty_retriever: Retriever) -> None:
        for ranking in _retrieve(empty_retriever, [*_CLAIMS, *_NOTHING], 3):
            assert not ranking.candidates
            assert ranking.notice, "an empty ranking must say why"


def _retrieve(retriever: Retriever, texts: Sequence[str], k: int, filters: Filters | None = None) -> list[Ranking]:
    return retriever.retrieve([Claim(str(number), text) for number, text in enumerate(texts)], k, filters)


def _assert_well_formed(ranking: Ranking, k: int) -> None:
    found = [(candidate.score, candidate.document.id) for candidate in ranking.candidates]
    assert len(found) <= k, f"{len(found)} candidates for k={k}"
    assert len({id for _, id in found}) == len(found), "a document stands in the ranking twice"
    assert all(isfinite(score) for score, _ in found), "a score is not a number"
    assert found == sorted(found, key=lambda pair: (-pair[0], pair[1])), "scores must fall, ties go by document id"
    assert bool(ranking.candidates) != bool(ranking.notice), "an empty ranking, and no other, has a notice"


def _assert_same(ranking: Ranking, expected: Ranking, what: str) -> None:
    """The same documents with the same scores, up to the rounding of batched arithmetic."""
    assert {c.document.id for c in ranking.candidates} == {c.document.id for c in expected.candidates}, what
    scores = {c.document.id: c.score for c in expected.candidates}
    for candidate in ranking.candidates:
        assert abs(candidate.score - scores[candidate.document.id]) < 1e-4, what

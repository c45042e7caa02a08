"""The conformance suite catches what it promises to catch: a sound retriever, broken in one way at a time."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest

from retrieval_fakes import ListSource
from sciverify.errors import SettingError
from sciverify.records import Filters, Ranking
from sciverify.retrieval import TfidfRetriever
from sciverify.testing.retrievers import DOCUMENTS, RetrieverSuite


class Sound:
    """The retriever that the broken ones derive from."""

    name = "sound()"

    def __init__(self, documents):
        self.inner = TfidfRetriever(ListSource(documents))

    def retrieve(self, claims, k, filters=None):
        return self.inner.retrieve(claims, k, filters)

    def edited(self, edit, claims, k, filters):
        """Rankings with their candidates edited as a list."""
        return [Ranking(tuple(edit(list(r.candidates))), r.notice) for r in Sound.retrieve(self, claims, k, filters)]


class NoMethod:
    name = "none()"

    def __init__(self, documents):
        pass


class PlainName(Sound):
    name = "sound"


class OneForAll(Sound):
    def retrieve(self, claims, k, filters=None):
        return super().retrieve(claims[:1], k, filters) * len(claims)


class NoticesEverywhere(Sound):
    def retrieve(self, claims, k, filters=None):
        return [replace(r, notice="done") for r in super().retrieve(claims, k, filters)]


class WorstFirst(Sound):
    def retrieve(self, claims, k, filters=None):
        return self.edited(lambda candidates: candidates[::-1], claims, k, filters)


class Retitled(Sound):
    def retrieve(self, claims, k, filters=None):
        def edit(candidates):
            return [replace(c, document=replace(c.document, title=c.document.title + ".")) for c in candidates]

        return self.edited(edit, claims, k, filters)


class Anonymous(Sound):
    def retrieve(self, claims, k, filters=None):
        return self.edited(lambda candidates: [replace(c, found_by=()) for c in candidates], claims, k, filters)


class NotNumbers(Sound):
    def retrieve(self, claims, k, filters=None):
        return self.edited(lambda candidates: [replace(c, score=float("nan")) for c in candidates], claims, k, filters)


class Twice(Sound):
    def retrieve(self, claims, k, filters=None):
        return self.edited(lambda candidates: candidates[:1] + candidates, claims, k, filters)


class RefusesLargeK(Sound):
    def retrieve(self, claims, k, filters=None):
        if k > len(DOCUMENTS):
            raise SettingError("k is too large")
        return super().retrieve(claims, k, filters)


class AcceptsAnyK(Sound):
    def retrieve(self, claims, k, filters=None):
        return super().retrieve(claims, max(k, 1), filters)


class TiesBackwards(Sound):
    def __init__(self, documents):
        self.original = {f"{-n % 100:02}": d for n, d in enumerate(sorted(documents, key=lambda d: d.id))}
        super().__init__([replace(document, id=id) for id, document in self.original.items()])

    def retrieve(self, claims, k, filters=None):
        def edit(candidates):
            return [replace(c, document=self.original[c.document.id]) for c in candidates]

        return self.edited(edit, claims, k, filters)


class Drifting(Sound):
    drift = 0.0

    def retrieve(self, claims, k, filters=None):
        self.drift += 1.0
        return self.edited(
            lambda candidates: [replace(c, score=c.score + self.drift) for c in candidates], claims, k, filters
        )


class IgnoresFilters(Sound):
    def retrieve(self, claims, k, filters=None):
        return super().retrieve(claims, k)


class FiltersAfterTheCut(Sound):
    def retrieve(self, claims, k, filters=None):
        def edit(candidates):
            return [c for c in candidates if filters is None or filters.accept(c.document.metadata)]

        return self.edited(edit, claims, k, None)


class EmptyFiltersAreStrict(Sound):
    def retrieve(self, claims, k, filters=None):
        return super().retrieve(claims, k, Filters(retracted=False) if filters == Filters() else filters)


class ChokesOnSurrogates(Sound):
    def retrieve(self, claims, k, filters=None):
        for claim in claims:
            claim.text.encode()
        return super().retrieve(claims, k, filters)


class SplitsOnSigns(Sound):
    def retrieve(self, claims, k, filters=None):
        return super().retrieve([replace(c, text=c.text.split("-")[0]) for c in claims], k, filters)


class Silent(Sound):
    def retrieve(self, claims, k, filters=None):
        return [replace(r, notice="") for r in super().retrieve(claims, k, filters)]


BROKEN = {
    NoMethod: "test_offers_the_members_of_a_retriever",
    PlainName: "test_name_reads_as_a_call",
    OneForAll: "test_gives_one_ranking_per_claim_in_order",
    WorstFirst: "test_finds_the_document_that_says_it",
    Retitled: "test_returns_the_documents_unchanged",
    Anonymous: "test_says_who_found_a_document",
    NotNumbers: "test_returns_at_most_k_distinct_documents_best_first",
    Twice: "test_returns_at_most_k_distinct_documents_best_first",
    NoticesEverywhere: "test_returns_at_most_k_distinct_documents_best_first",
    RefusesLargeK: "test_clamps_k_to_the_corpus",
    AcceptsAnyK: "test_refuses_k_below_one",
    TiesBackwards: "test_breaks_ties_by_document_id_even_at_the_cut",
    Drifting: "test_repeats_itself",
    IgnoresFilters: "test_filters_mean_what_the_record_says",
    FiltersAfterTheCut: "test_filters_work_before_the_cut",
    EmptyFiltersAreStrict: "test_empty_filters_let_everything_through",
    ChokesOnSurrogates: "test_survives_hostile_text",
    SplitsOnSigns: "test_finds_names_with_signs_in_them",
    Silent: "test_nothing_to_search_for_gives_a_notice",
}


def failures(kind) -> set[str]:
    """The tests of the suite that a retriever of this kind fails."""
    suite, fixtures = RetrieverSuite(), {"retriever": kind(DOCUMENTS), "empty_retriever": kind([])}
    failed = set()
    for name, test in inspect.getmembers(suite, inspect.ismethod):
        if name.startswith("test_"):
            try:
                test(**{wanted: fixtures[wanted] for wanted in inspect.signature(test).parameters})
            except Exception:
                failed.add(name)
    return failed


def test_a_sound_retriever_passes():
    assert failures(Sound) == set()


@pytest.mark.parametrize(("kind", "caught_by"), BROKEN.items(), ids=lambda value: getattr(value, "__name__", None))
def test_a_broken_retriever_is_caught(kind, caught_by):
    assert caught_by in failures(kind)


def test_every_test_of_the_suite_can_fail():
    every = {name for name in dir(RetrieverSuite) if name.startswith("test_")}
    assert every == set().union(*(failures(kind) for kind in BROKEN if kind is not NoMethod)) | {
        "test_offers_the_members_of_a_retriever"
    }

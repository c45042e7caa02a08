from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from measuring_fakes import Literal
from sciverify.errors import InputError, SettingError
from sciverify.index import Index
from sciverify.records import Claim, Document, Label
from sciverify.retrieval import OracleRetriever
from sciverify.systems import SYSTEMS, Pipeline, load_system
from sciverify.systems.experiment import with_documents, with_input, with_rationales
from sciverify.verification import PipelineVerifier

DOCUMENTS = [
    Document.from_sentences("tea", "Tea and hiccups", ["We asked 40 adults.", "Tea cured hiccups in all of them."]),
    Document.from_sentences("rain", "Rain on the coast", ["It rained for days.", "Tea was drunk."]),
    *(Document.from_sentences(f"tea{n}", f"Tea {n}", ["Tea cures hiccups, we think.", "Or not."]) for n in range(5)),
]
CLAIMS = [Claim("1", "Tea cures hiccups."), Claim("2", "Rain falls on the coast.")]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with Index.build(tmp_path_factory.mktemp("experiment") / "index", DOCUMENTS) as index:
        yield index


@pytest.fixture(params=SYSTEMS, scope="module")
def system(request, index):
    return load_system(request.param, index=index, k=2)


def read(verdict):
    return sorted(finding.document.id for finding in verdict.findings)


class TestWithDocuments:
    def test_the_given_documents_are_read_and_no_others(self, system, index):
        told = with_documents(system, index, {"1": ["rain", "tea", "tea3"], "2": []})
        first, second = told.check(CLAIMS)
        assert read(first) == ["rain", "tea", "tea3"]  # more than the system's k
        assert {finding.candidate.found_by for finding in first.findings} == {("oracle",)}
        assert (second.findings, bool(second.notices)) == ((), True)
        assert first.system == told.name == f"{system.name} on given documents"

    def test_nothing_given_for_any_claim(self, system, index):
        assert [verdict.findings for verdict in with_documents(system, index, {}).check(CLAIMS)] == [(), ()]

    def test_a_document_that_the_index_lacks(self, system, index):
        with pytest.raises(InputError, match="absent"):
            with_documents(system, index, {"1": ["absent"]})


class TestWithRationales:
    RATIONALES = {"1": {"tea": [{"sentence_1"}, {"sentence_0"}]}, "2": {"tea4": [{"sentence_0"}]}}  # noqa: RUF012

    def test_what_is_retrieved_stays_and_what_is_not_given_is_nei(self, system, index):
        told = with_rationales(system, index, self.RATIONALES)
        for before, after in zip(system.check(CLAIMS), told.check(CLAIMS), strict=True):
            assert read(before) == read(after)
            for finding in after.findings:
                given = self.RATIONALES[after.claim.id].get(finding.document.id)
                quoted = {quote.element_id for quote in finding.rationale}
                assert finding.label is Label.NEI or quoted == set().union(*given)

    def test_both_oracles_at_once_in_either_order(self, system, index):
        documents = {"1": ["tea", "rain"]}
        one = with_rationales(with_documents(system, index, documents), index, self.RATIONALES)
        other = with_documents(with_rationales(system, index, self.RATIONALES), index, documents)
        assert [v.findings for v in one.check(CLAIMS)] == [v.findings for v in other.check(CLAIMS)]

    @pytest.mark.parametrize(
        ("rationales", "problem"),
        [({"1": {"absent": [{"sentence_0"}]}}, "absent"), ({"1": {"tea": [{"sentence_2"}]}}, "sentence_2")],
    )
    def test_what_the_index_lacks_is_refused_at_once(self, system, index, rationales, problem):
        with pytest.raises(InputError, match=problem):
            with_rationales(system, index, rationales)


class TestWithInput:
    def test_full_changes_nothing(self, system):
        assert with_input(system, "full") is system

    @pytest.mark.parametrize("input", ["claim-only", "abstract-only"])
    def test_retrieval_stays_as_it_is(self, system, input):
        partial = with_input(system, input)
        assert partial.name == f"{system.name} {input}"
        assert [read(v) for v in partial.check(CLAIMS)] == [read(v) for v in system.check(CLAIMS)]

    def test_a_selector_and_a_labeller_are_both_kept_from_it(self, index):
        models = [Recorder(), Recorder()]
        system = Pipeline("two", PipelineVerifier(*models, element=0.1), OracleRetriever(index, {"1": ["tea"]}), 1)
        with_input(system, "abstract-only").check(CLAIMS[:1])
        for model in models:
            assert {passage.claim for passage in model.read} == {""}

    def test_it_goes_together_with_given_rationales_in_either_order(self, system, index):
        rationales = {"1": {"tea": [{"sentence_1"}]}}
        one = with_input(with_rationales(system, index, rationales), "claim-only")
        other = with_rationales(with_input(system, "claim-only"), index, rationales)
        assert [v.findings for v in one.check(CLAIMS)] == [v.findings for v in other.check(CLAIMS)]

    def test_an_unknown_input(self, system):
        with pytest.raises(SettingError, match="no input 'title-only'"):
            with_input(system, "title-only")


class Recorder(Literal):
    """Keeps what it is given to read, and chooses all of it."""

    def __init__(self):
        super().__init__()
        self.read = []

    def score(self, passages):
        self.read += passages
        return [replace(scores, elements=np.ones_like(scores.elements)) for scores in super().score(passages)]


class OtherVerifier:
    name = "other()"

    def verify(self, pairs):
        return []


def test_a_verifier_without_a_model_cannot_be_told(index):
    system = Pipeline("other()", OtherVerifier(), None)
    for change in (lambda: with_input(system, "claim-only"), lambda: with_rationales(system, index, {})):
        with pytest.raises(SettingError, match="other\\(\\) has no model"):
            change()

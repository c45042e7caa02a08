from __future__ import annotations

import pytest

from model_folders import write_model
from sciverify.demo import demo_index
from sciverify.errors import ModelError, SettingError
from sciverify.models import load_cross_encoder
from sciverify.records import Claim, ConsensusLabel, Document, Filters, Label, Metadata
from sciverify.stages import System
from sciverify.systems import SYSTEMS, load_system
from sciverify.systems.science_checker import FREE_TEXT
from sciverify.verification import STEPS

CLAIM = Claim("1", "Beta carotene supplements lower the risk of lung cancer.")


@pytest.fixture(scope="module")
def index():
    with demo_index() as index:
        yield index


@pytest.fixture(params=SYSTEMS, scope="module")
def system(request, index):
    return load_system(request.param, index=index, k=5)


def test_the_name_prints_as_the_call_that_makes_it(system):
    assert isinstance(system, System)
    assert system.name.startswith(tuple(f"{name}(k=5" for name in SYSTEMS))


def test_a_verdict_reads_at_most_k_documents_and_counts_them(system):
    [verdict] = system.check([CLAIM])
    assert 1 <= len(verdict.findings) <= 5
    consensus = verdict.consensus
    counted = [finding for finding in verdict.findings if not finding.document.metadata.retracted]
    assert consensus.supports + consensus.refutes + consensus.nei == len(counted)
    assert verdict.system == system.name
    assert not verdict.problems


def test_what_bears_on_the_claim_comes_first(system):
    [verdict] = system.check([CLAIM])
    is_nei = [finding.label is Label.NEI for finding in verdict.findings]
    assert is_nei == sorted(is_nei)
    sure = [f.probabilities.of(f.label) for f in verdict.findings if f.label is not Label.NEI]
    assert sure == sorted(sure, reverse=True)


def test_claims_get_verdicts_in_their_order(system):
    claims = [Claim("a", "Statins lower cholesterol."), Claim("b", ""), Claim("c", "the of and")]
    verdicts = system.check(claims)
    assert [verdict.claim.id for verdict in verdicts] == ["a", "b", "c"]
    assert system.check([]) == []


@pytest.mark.parametrize("text", ["", "   ", "the of and", "?!"])
def test_a_claim_with_nothing_to_search_for_is_neutral_and_says_why(text, index):
    for name in SYSTEMS:
        [verdict] = load_system(name, index=index).check([Claim("1", text)])
        assert verdict.consensus.label is ConsensusLabel.NEUTRAL
        assert verdict.findings or verdict.notices


def test_filters_reach_the_retriever(system):
    [verdict] = system.check([CLAIM], Filters(first_year=2000, retracted=False))
    for finding in verdict.findings:
        assert (finding.document.metadata.year or 0) >= 2000
        assert not finding.document.metadata.retracted


@pytest.mark.parametrize("name", SYSTEMS)
def test_given_documents_need_no_index(name):
    document = Document.from_sentences("mine", "Coffee", ["Coffee delayed sleep onset by forty minutes in adults."])
    system = load_system(name)
    verdict = system.check_documents(Claim("1", "Coffee delays sleep."), [document])
    assert [finding.document.id for finding in verdict.findings] == ["mine"]
    assert system.check_documents(Claim("1", "Coffee delays sleep."), []).notices
    assert system.check_documents(Claim("1", " "), [document]).notices
    with pytest.raises(SettingError, match="nothing to search"):
        system.check([CLAIM])


def test_unknown_names_options_and_values_are_refused(index):
    with pytest.raises(SettingError, match="default, joint, science-checker, verisci"):
        load_system("oracle", index=index)
    with pytest.raises(SettingError, match="no option 'depth'"):
        load_system("default", index=index, depth=3)
    for k in (0, -1, 2.5, True, "3"):
        with pytest.raises(SettingError, match="k must be"):
            load_system("default", index=index, k=k)


class TestOtherWeights:
    DOCUMENT = Document.from_sentences("mine", "Coffee", ["Coffee delayed sleep onset by forty minutes in adults."])

    @pytest.mark.parametrize("name", SYSTEMS)
    def test_a_system_names_the_model_that_it_reads_with(self, name, tmp_path):
        """The same weights in another folder answer the same."""
        low = {option: 0.2 for option in ("evidence", "element") if option in SYSTEMS[name].options}
        other = load_system(name, model=str(write_model(tmp_path / "other", name="other")), **low)
        shipped = load_system(name, **low)
        assert other.name == shipped.name.replace(", ", f", model={other.verifier.model.name}, ", 1)
        assert other.verifier.model.name.startswith("other@")
        verdicts = [s.check_documents(Claim("1", "Coffee delays sleep."), [self.DOCUMENT]) for s in (other, shipped)]
        assert verdicts[0].findings == verdicts[1].findings

    def test_verisci_takes_a_selector_and_a_labeller(self, tmp_path):
        decision = load_cross_encoder().card["decision"] | {"evidence": 0.25, "element": 0.35}
        for step in STEPS:
            write_model(tmp_path / step, name=step, decision=decision)
        system = load_system("verisci", model=tmp_path)
        selector, labeller = system.verifier.selector.name, system.verifier.model.name
        chosen = "pipeline(element=0.35, evidence=0.25)"
        assert system.name == f"verisci(k=3, selector={selector}, labeller={labeller}, {chosen})"
        for name in ("default", "joint"):
            with pytest.raises(ModelError, match="two models"):
                load_system(name, model=tmp_path)

    @pytest.mark.parametrize("name", SYSTEMS)
    def test_a_folder_without_a_model(self, name, tmp_path):
        with pytest.raises(ModelError, match="holds no model"):
            load_system(name, model=tmp_path)


def test_every_system_says_what_it_adds():
    for name, info in SYSTEMS.items():
        assert info.name == name
        assert info.summary
        assert "k" in info.options


class TestRetracted:
    TEXT = ("Coffee delayed sleep onset by forty minutes in adults.",)
    CLAIM = Claim("1", "Coffee delays sleep.")

    def documents(self, *, retracted: bool) -> list[Document]:
        withdrawn = Metadata(year=2001, retracted=retracted)
        return [
            Document.from_sentences("first", "Coffee", self.TEXT, withdrawn),
            Document.from_sentences("second", "Coffee", self.TEXT),
        ]

    def test_a_retracted_document_is_shown_and_named_but_not_counted(self):
        system = load_system("default", evidence=0.0)
        whole = system.check_documents(self.CLAIM, self.documents(retracted=False))
        less = system.check_documents(self.CLAIM, self.documents(retracted=True))
        assert [f.label for f in less.findings] == [f.label for f in whole.findings]
        counts = [verdict.consensus.supports + verdict.consensus.refutes for verdict in (whole, less)]
        assert counts == [2, 1]
        assert not whole.notices
        assert less.notices == ("Retracted, so not counted in the consensus: first.",)

    def test_one_that_takes_no_side_is_not_named(self):
        tea = Document.from_sentences("tea", "Tea", ["Stones are hard."], Metadata(retracted=True))
        verdict = load_system("default", evidence=1.0).check_documents(self.CLAIM, [tea])
        assert not verdict.notices


class TestScienceChecker:
    def test_free_text_is_answered_and_says_so(self, index):
        system = load_system("science-checker", index=index, k=3)
        asked, said = system.check([Claim("1", "What prevents colds"), Claim("2", "Does vitamin C prevent colds?")])
        assert asked.findings
        assert FREE_TEXT in asked.notices
        assert FREE_TEXT not in said.notices

    def test_a_negated_question_is_answered_the_other_way_round(self, index):
        system = load_system("science-checker", index=index, k=20, reading="windows", evidence=0.0)
        plain, negated = system.check(
            [Claim("1", "Do statins prevent strokes?"), Claim("2", "Do statins not prevent strokes?")]
        )
        assert plain.consensus.supports == negated.consensus.refutes
        assert plain.consensus.refutes == negated.consensus.supports
        assert plain.consensus.supports + plain.consensus.refutes > 0

    def test_windows_that_cannot_be_are_refused(self):
        for wrong in ({"size": 0}, {"size": 2, "stride": 2}, {"reading": "tea leaves"}):
            with pytest.raises(SettingError):
                load_system("science-checker", **wrong)

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation_cases import random_case
from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.candidates import PredictedCandidate
from sciverify.evaluation.gold import GoldClaim, GoldEvidence
from sciverify.evaluation.outcomes import ErrorType, Setting, check_setting, outcomes_of
from sciverify.evaluation.runs import PredictedDocument, Prediction
from sciverify.evaluation.scifact import score_predictions
from sciverify.records import Claim, Label, Probabilities

SUPPORTS, REFUTES, NEI = Label
SEEDS = st.integers(0, 10_000)
GOLD = GoldClaim(Claim("1", "Tea cures hiccups."), {"a": GoldEvidence(SUPPORTS, (frozenset({0, 1}), frozenset({4})))})


def predicted(label, sentences=(4,), document="a", candidates=None):
    evidence = {} if label is NEI else {document: PredictedDocument(label, tuple(sentences))}
    if candidates is not None:
        shares = Probabilities(0.2, 0.3, 0.5)
        candidates = tuple(PredictedCandidate(id, 1.0, ("bm25",), given, shares) for id, given in candidates)
    return Prediction("1", evidence, "run.jsonl:1", candidates)


class TestErrorTypes:
    @pytest.mark.parametrize(
        ("prediction", "error"),
        [
            (predicted(SUPPORTS), None),
            (predicted(SUPPORTS, (0, 2, 1)), None),
            (predicted(SUPPORTS, (0, 2, 3, 1)), ErrorType.RATIONALE),  # 1 is the fourth sentence, which doesn't count
            (predicted(SUPPORTS, (0,)), ErrorType.RATIONALE),
            (predicted(REFUTES), ErrorType.WRONG_LABEL),
            (predicted(NEI), ErrorType.MISSED),
            (predicted(NEI, candidates=[("a", NEI)]), ErrorType.READ_AS_NEI),
            (predicted(NEI, candidates=[]), ErrorType.NOT_RETRIEVED),
        ],
    )
    def test_of_gold_evidence(self, prediction, error):
        [pair] = outcomes_of([GOLD], [prediction]).pairs
        assert pair.error is error
        assert pair.rationale_is_right == (error is None)

    def test_a_document_that_is_no_evidence(self):
        found = outcomes_of([GOLD], [predicted(SUPPORTS, document="b", candidates=[("b", SUPPORTS), ("c", NEI)])])
        assert [(pair.document, pair.gold, pair.predicted, pair.error) for pair in found.pairs] == [
            ("b", NEI, SUPPORTS, ErrorType.NO_EVIDENCE),
            ("c", NEI, NEI, None),
            ("a", SUPPORTS, None, ErrorType.NOT_RETRIEVED),
        ]
        assert found.evidence == {"1": 1}

    def test_probabilities_come_from_the_candidates(self):
        [pair] = outcomes_of([GOLD], [predicted(REFUTES, candidates=[("a", REFUTES)])]).pairs
        assert pair.probabilities == Probabilities(0.2, 0.3, 0.5)
        [pair] = outcomes_of([GOLD], [predicted(REFUTES)]).pairs
        assert pair.probabilities is None

    def test_every_type_is_explained(self):
        assert all(kind.meaning.endswith(".") for kind in ErrorType)


@given(SEEDS, st.booleans())
def test_outcomes_add_up_to_the_scores(seed, candidates):
    case = random_case(seed, candidates=candidates)
    found = outcomes_of(case.gold, case.predictions)
    scores = score_predictions(case.gold, case.predictions)
    assert sum(pair.label_is_right for pair in found.pairs) == scores.abstract_label_only.correct
    assert sum(pair.rationale_is_right for pair in found.pairs) == scores.abstract_label_rationale.correct
    assert sum(pair.predicted in (SUPPORTS, REFUTES) for pair in found.pairs) == scores.abstract_label_only.retrieved
    assert sum(pair.gold is not NEI for pair in found.pairs) == scores.abstract_label_only.relevant
    assert found.lists_candidates == candidates == (found.ranking is not None)
    assert len({(pair.claim.id, pair.document) for pair in found.pairs}) == len(found.pairs)


def test_some_lines_without_candidates_are_refused():
    other = GoldClaim(Claim("2", "x"), {})
    lines = [predicted(NEI, candidates=[]), Prediction("2", {}, "run.jsonl:2")]
    with pytest.raises(RunFileError, match="no 'candidates'") as raised:
        outcomes_of([GOLD, other], lines)
    assert raised.value.where == "run.jsonl:2"


def test_other_claims_are_refused():
    with pytest.raises(RunFileError, match="claim 2 is not one of the claims"):
        outcomes_of([GOLD], [replace(predicted(NEI), claim_id="2")])


class TestSetting:
    @pytest.mark.parametrize(
        ("oracles", "setting"),
        [
            ((), "open"),
            (("abstract",), "oracle-abstract"),
            (["rationale"], "oracle-rationale"),
            (("rationale", "abstract"), "oracle-both"),
        ],
    )
    def test_follows_from_the_oracles(self, oracles, setting):
        assert Setting.of(oracles) == setting

    def test_an_unknown_oracle_is_refused(self):
        with pytest.raises(SettingError, match="no oracle 'delphi'"):
            Setting.of(["delphi"])

    @pytest.mark.parametrize("setting", Setting)
    def test_a_run_that_was_given_what_it_predicts(self, setting):
        check_setting(outcomes_of([GOLD], [predicted(REFUTES, (4, 0))]), setting)

    @pytest.mark.parametrize("setting", [s for s in Setting if s is not Setting.OPEN])
    def test_a_document_that_no_oracle_gave(self, setting):
        with pytest.raises(
            RunFileError, match=f"'b' is no gold evidence for claim 1, so this is no {setting} run"
        ) as e:
            check_setting(outcomes_of([GOLD], [predicted(SUPPORTS, document="b")]), setting)
        assert e.value.where == "run.jsonl:1"
        check_setting(outcomes_of([GOLD], [predicted(SUPPORTS, document="b")]), Setting.OPEN)

    @pytest.mark.parametrize("setting", [Setting.ORACLE_RATIONALE, Setting.ORACLE_BOTH])
    def test_a_sentence_that_no_oracle_gave(self, setting):
        with pytest.raises(RunFileError, match="sentence 7 of document 'a' is in no gold rationale"):
            check_setting(outcomes_of([GOLD], [predicted(SUPPORTS, (4, 7, 9))]), setting)
        check_setting(outcomes_of([GOLD], [predicted(SUPPORTS, (4, 7, 9))]), Setting.ORACLE_ABSTRACT)

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation_cases import random_case
from sciverify.errors import RunFileError
from sciverify.evaluation.diagnostics import diagnose
from sciverify.evaluation.open_gold import OpenClaim, OpenEvidence
from sciverify.evaluation.outcomes import ErrorType, Setting, check_setting, outcomes_of
from sciverify.evaluation.pair_files import pairs_of_predictions
from sciverify.evaluation.pair_outcomes import outcomes_of_pairs
from sciverify.evaluation.scifact_open import score_pairs
from sciverify.records import Label

SEEDS = st.integers(0, 10_000)


def open_case(seed, **options):
    case = random_case(seed, **options)
    gold = [
        OpenClaim(
            entry.claim,
            {
                id: OpenEvidence(p.label, tuple(sorted(frozenset().union(*p.rationales))))
                for id, p in entry.evidence.items()
            },
        )
        for entry in case.gold
    ]
    return case, gold, pairs_of_predictions(case.predictions, source="run.jsonl")


@given(SEEDS, st.booleans())
def test_a_run_has_the_same_outcomes_in_both_forms_but_for_rationales(seed, candidates):
    case, gold, table = open_case(seed, candidates=candidates)
    found = outcomes_of_pairs(gold, table)
    expected = outcomes_of(case.gold, case.predictions)
    assert [(p.claim, p.document, p.gold, p.predicted, p.sentences) for p in found.pairs] == [
        (p.claim, p.document, p.gold, p.predicted, p.sentences) for p in expected.pairs
    ]
    assert [p.error for p in found.pairs] == [
        None if p.error is ErrorType.RATIONALE else p.error for p in expected.pairs
    ]
    for one, other in zip(found.pairs, expected.pairs, strict=True):
        assert (one.probabilities is None) == (other.probabilities is None)
        if one.probabilities and other.probabilities:
            assert all(one.probabilities.of(label) == pytest.approx(other.probabilities.of(label)) for label in Label)
    assert (found.evidence, found.lists_candidates) == (expected.evidence, expected.lists_candidates)


@given(SEEDS)
def test_diagnostics_equal_the_scores(seed):
    _, gold, table = open_case(seed)
    scores = score_pairs(gold, table)
    found = diagnose(outcomes_of_pairs(gold, table))
    assert found.average_precision == scores.values()["average_precision"]
    assert found.overall.label_only == scores.pairs
    assert found.overall.label_rationale is None
    assert found.rationale_sizes == ()


@given(SEEDS)
def test_some_documents_alone(seed):
    case, gold, table = open_case(seed)
    some = list(case.documents)[::2]
    found = outcomes_of_pairs(gold, table, documents=some)
    assert {pair.document for pair in found.pairs} <= set(some)
    assert diagnose(found).overall.label_only == score_pairs(gold, table, documents=some).pairs
    assert [p for p in outcomes_of_pairs(gold, table).pairs if p.document in set(some)] == list(found.pairs)


def test_rounded_probabilities_are_brought_to_sum_to_one():
    _, gold, table = open_case(3)
    rounded = replace(table, probabilities=np.round(table.probabilities, 4))
    for pair in outcomes_of_pairs(gold, rounded).pairs:
        if pair.probabilities is not None:
            shares = pair.probabilities
            assert shares.supports + shares.refutes + shares.nei == pytest.approx(1)


def test_an_oracle_table_is_held_to_its_setting():
    _, gold, table = open_case(3)
    found = outcomes_of_pairs(gold, table)
    first = next(pair for pair in found.pairs if pair.error is ErrorType.NO_EVIDENCE)
    with pytest.raises(RunFileError, match="is no gold evidence") as raised:
        check_setting(found, Setting.ORACLE_BOTH)
    assert raised.value.where == first.where
    assert first.where.startswith("run.jsonl")
    kept = replace(found, pairs=tuple(p for p in found.pairs if p.error is not ErrorType.NO_EVIDENCE))
    check_setting(kept, Setting.ORACLE_BOTH)


def test_claims_that_gold_lacks_are_refused():
    _, gold, table = open_case(3)
    with pytest.raises(RunFileError, match="not one of gold's"):
        outcomes_of_pairs(gold[1:], table)

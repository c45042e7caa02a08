import json
import math
import random
import sys

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from sciverify.errors import MissingExtraError, RunFileError, SettingError
from sciverify.evaluation import bootstrap
from sciverify.evaluation.beir import BEIR_HEADER
from sciverify.evaluation.retrieval import read_qrels, read_rankings, score_rankings, score_retrieval
from sciverify.evaluation.trec import trec_order, write_trec_run
from shared_data import shared_data

DOCUMENTS = st.sampled_from(["1", "2", "10", "a", "B", "é"])
SCORES = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0, 2.5, -1.0])
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(DOCUMENTS, st.integers(-1, 3), min_size=1, max_size=5),
    min_size=1,
)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "other"]), st.dictionaries(DOCUMENTS, SCORES, max_size=6))
DEPTHS = {"ndcg_at": (1, 3, 10), "mrr_at": (1, 3, 10), "recall_at": (1, 3, 10), "hits_at": (1, 3, 10)}


def plain_values(judged, scores):
    """One query's measures from their definition."""
    order = sorted(scores, key=lambda id: (float(np.float32(scores[id])), id.encode()), reverse=True)
    gains = [max(0, judged.get(id, 0)) for id in order]
    ideal = sorted((max(0, value) for value in judged.values()), reverse=True)
    relevant = sum(gain > 0 for gain in ideal)

    def dcg(values, k):
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(values[:k], start=1))

    values = {}
    for k in (1, 3, 10):
        found = sum(gain > 0 for gain in gains[:k])
        first = next((rank for rank, gain in enumerate(gains[:k], start=1) if gain > 0), None)
        values[f"ndcg_at_{k}"] = dcg(gains, k) / dcg(ideal, k) if relevant else 0.0
        values[f"mrr_at_{k}"] = 1 / first if first else 0.0
        values[f"recall_at_{k}"] = found / relevant if relevant else 0.0
        values[f"hit_one_at_{k}"] = float(found > 0)
        values[f"hit_all_at_{k}"] = float(found == relevant > 0)
    return values


@given(QRELS, RUNS)
@settings(max_examples=300)
def test_agrees_with_the_definition(qrels, run):
    scores = score_rankings(qrels, run, **DEPTHS)
    assert scores.ids == tuple(qrels)
    per_query = [plain_values(judged, run.get(query, {})) for query, judged in qrels.items()]
    expected = {name: np.mean([values[name] for values in per_query]) for name in per_query[0]}
    assert scores.values() == pytest.approx(expected)


@given(QRELS, RUNS)
@settings(max_examples=100)
def test_agrees_with_trec_eval_on_ties(qrels, run):
    judged = {query: {id: max(0, value) for id, value in row.items()} for query, row in qrels.items()}
    found = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.3", "recall.3", "success.3"}).evaluate(run)
    expected = {
        ours: sum(found.get(query, {}).get(theirs, 0.0) for query in qrels) / len(qrels)
        for ours, theirs in (("ndcg_at_3", "ndcg_cut_3"), ("recall_at_3", "recall_3"), ("hit_one_at_3", "success_3"))
    }
    values = score_rankings(qrels, run, **DEPTHS).values()
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_agrees_with_scikit_learn_where_nothing_is_tied_or_missing():
    draw = random.Random(0)
    for _ in range(200):
        ids = [str(number) for number in range(draw.randint(2, 15))]
        judged = {id: draw.choice([0, 0, 1, 2, 3]) for id in ids}
        scores = dict(zip(ids, draw.sample(range(100), len(ids)), strict=True))
        k = draw.randint(1, 12)
        ours = score_rankings({"q": judged}, {"q": scores}, ndcg_at=(k,), mrr_at=(), recall_at=(), hits_at=())
        theirs = ndcg_score([list(judged.values())], [list(scores.values())], k=k)
        assert ours.values() == {f"ndcg_at_{k}": pytest.approx(theirs)}


@given(QRELS)
def test_gold_against_gold_is_perfect(qrels):
    qrels = {query: judged for query, judged in qrels.items() if max(judged.values()) > 0}
    if qrels:
        values = score_rankings(qrels, qrels, ndcg_at=(10,), mrr_at=(10,), recall_at=(10,), hits_at=(10,)).values()
        assert set(values.values()) == {1.0}


@given(QRELS)
def test_an_empty_run_scores_nothing(qrels):
    assert set(score_rankings(qrels, {}, **DEPTHS).values().values()) == {0.0}
    assert set(score_rankings(qrels, {query: {} for query in qrels}, **DEPTHS).values().values()) == {0.0}


@given(QRELS, RUNS)
@settings(max_examples=50)
def test_the_order_of_documents_and_unjudged_queries_change_nothing(qrels, run):
    turned = {query: dict(reversed(row.items())) for query, row in reversed(run.items()) if query in qrels}
    assert score_rankings(qrels, turned, **DEPTHS).values() == score_rankings(qrels, run, **DEPTHS).values()


@given(QRELS, RUNS, SCORES)
@settings(max_examples=50)
def test_a_wrong_document_never_raises_a_measure(qrels, run, score):
    query = next(iter(qrels))
    worse = run | {query: run.get(query, {}) | {"wrong": score}}
    before, after = (score_rankings(qrels, found, **DEPTHS).values() for found in (run, worse))
    assert all(after[name] <= before[name] + 1e-12 for name in before)


TWO_QUERIES = {"q": {"a": 1, "b": 1}, "none": {"a": 0}}


class TestByHand:
    def test_of_equal_scores_the_later_id_comes_first(self):
        values = score_rankings({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, mrr_at=(1, 2)).values()
        assert (values["mrr_at_1"], values["mrr_at_2"]) == (0.0, 0.5)
        assert values["ndcg_at_10"] == pytest.approx(1 / math.log2(3))

    def test_a_query_without_a_relevant_document_counts_as_nothing(self):
        values = score_rankings(TWO_QUERIES, {"q": {"a": 2.0, "b": 1.0}, "none": {"a": 1.0}}).values()
        assert set(values.values()) == {0.5}

    def test_one_hit_and_all_of_them(self):
        values = score_rankings(TWO_QUERIES, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, hits_at=(1, 2, 3)).values()
        assert [values[f"hit_one_at_{k}"] for k in (1, 2, 3)] == [0.5, 0.5, 0.5]
        assert [values[f"hit_all_at_{k}"] for k in (1, 2, 3)] == [0.0, 0.0, 0.5]

    def test_titles_and_columns(self):
        scores = score_rankings(TWO_QUERIES, {}, ndcg_at=(10, 10), mrr_at=(), recall_at=(5,), hits_at=(3,))
        assert [measure.title for measure in scores.measures] == ["nDCG@10", "Recall@5", "Hit one@3", "Hit all@3"]
        assert scores.per_claim()[0] == ("ndcg_at_10", "recall_at_5", "hit_one_at_3", "hit_all_at_3", "questions")

    def test_a_seed_repeats(self):
        scores = score_rankings(TWO_QUERIES, {"q": {"a": 1.0}})
        assert bootstrap(scores, resamples=100, seed=1) == bootstrap(scores, resamples=100, seed=1)

    @pytest.mark.parametrize("depths", [{"ndcg_at": (0,)}, {"hits_at": (1.5,)}, {"recall_at": (True,)}])
    def test_depths_are_checked(self, depths):
        with pytest.raises(SettingError, match="no depth"):
            score_rankings(TWO_QUERIES, {}, **depths)

    def test_nothing_to_measure_or_to_score(self):
        with pytest.raises(SettingError, match="nothing to measure"):
            score_rankings(TWO_QUERIES, {}, ndcg_at=(), mrr_at=(), recall_at=(), hits_at=())
        with pytest.raises(SettingError, match="nothing to score"):
            score_rankings({}, {})
        with pytest.raises(SettingError, match="not a finite number"):
            score_rankings(TWO_QUERIES, {"q": {"a": float("nan")}})

    def test_the_library_may_be_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "ir_measures", None)
        with pytest.raises(MissingExtraError, match="Scoring rankings"):
            score_rankings(TWO_QUERIES, {})


def candidate(id, score):
    return {"doc_id": id, "score": score, "found_by": ["bm25"], "label": "NEI"} | {
        "p_support": 0.1,
        "p_contradict": 0.1,
        "p_nei": 0.8,
    }


CLAIMS = [
    {"id": 1, "claim": "c", "cited_doc_ids": [11, 12], "evidence": {"11": [{"sentences": [0], "label": "SUPPORT"}]}},
    {"id": 2, "claim": "c", "cited_doc_ids": [13], "evidence": {}},
    {"id": 3, "claim": "c", "evidence": {}},
]


class TestFiles:
    def test_qrels_of_all_forms(self, write_lines):
        judged = {"1": {"11": 1, "12": 0}}
        assert read_qrels(write_lines("trec", "1 0 11 1", "1 0 12 0")) == judged
        assert read_qrels(write_lines("beir.tsv", BEIR_HEADER, "1\t11\t1", "1\t12\t0")) == judged

    def test_claims_are_judged_by_their_evidence_or_by_what_they_cite(self, write_lines):
        path = write_lines("claims.jsonl", *CLAIMS)
        assert read_qrels(path) == {"1": {"11": 1}}
        assert read_qrels(path, cited=True) == {"1": {"11": 1, "12": 1}, "2": {"13": 1}}
        with pytest.raises(RunFileError, match="judges nothing"):
            read_qrels(write_lines("claims.jsonl", CLAIMS[2]))
        with pytest.raises(SettingError, match="SciFact's form"):
            read_qrels(write_lines("trec", "1 0 11 1"), cited=True)

    def test_runs_of_both_forms(self, write_lines, tmp_path):
        found = [candidate("12", 2.5), candidate("11", 1.5)]
        ours = write_lines("run.jsonl", *({"id": id, "evidence": {}, "candidates": found} for id in (1, 2)))
        rankings = read_rankings(ours)
        assert rankings == {"1": {"12": 2.5, "11": 1.5}, "2": {"12": 2.5, "11": 1.5}}
        write_trec_run(tmp_path / "run.trec", rankings)
        assert read_rankings(tmp_path / "run.trec") == rankings
        gold = write_lines("claims.jsonl", *CLAIMS)
        scores = score_retrieval(gold, ours, mrr_at=(1, 10))
        assert scores.ids == ("1",)
        assert (scores.values()["mrr_at_1"], scores.values()["mrr_at_10"]) == (0.0, 0.5)
        assert scores.values() == score_retrieval(gold, tmp_path / "run.trec", mrr_at=(1, 10)).values()

    def test_equal_scores_keep_the_order_of_the_candidates(self, write_lines):
        found = [candidate("11", 2.0), candidate("12", 2.0), candidate("13", 1.0)]
        path = write_lines("run.jsonl", {"id": 1, "evidence": {}, "candidates": found})
        assert trec_order(read_rankings(path)["1"]) == ["11", "12", "13"]

    def test_malformed_runs(self, write_lines):
        gold = write_lines("claims.jsonl", *CLAIMS)
        path = write_lines("run.jsonl", {"id": 1, "evidence": {}, "candidates": []}, {"id": 2, "evidence": {}})
        with pytest.raises(RunFileError, match="doesn't list the documents") as caught:
            score_retrieval(gold, path)
        assert caught.value.where == f"{path}:2"
        path = write_lines("run", "7 Q0 11 1 1.0 x")
        with pytest.raises(RunFileError, match="none of the 1 queries") as caught:
            score_retrieval(gold, path)
        assert caught.value.where == str(path)
        for content, problem in (("", "the file is empty"), (" \n\n", "only blank lines")):
            path.write_text(content)
            with pytest.raises(RunFileError, match=problem):
                read_rankings(path)


def test_scifact_as_beir_has_it():
    ours = read_qrels(shared_data("scifact", "claims_dev.jsonl"), cited=True)
    theirs = read_qrels(shared_data("scifact", "beir", "qrels_test.tsv"))
    assert {query: set(row) for query, row in ours.items()} == {query: set(row) for query, row in theirs.items()}
    claims = map(json.loads, shared_data("scifact", "claims_dev.jsonl").read_text(encoding="utf-8").splitlines())
    evidence = {str(claim["id"]): set(claim["evidence"]) for claim in claims if claim["evidence"]}
    assert {q: set(row) for q, row in read_qrels(shared_data("scifact", "claims_dev.jsonl")).items()} == evidence

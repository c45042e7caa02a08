"""Retrieval: nDCG, MRR and recall at k by TREC's rules, through ir-measures; and the evidence in the top k.

Averaged are the queries that gold judges: one without results counts as 0, and so does one without a relevant document;
results for other queries are passed over. Equal scores are ordered as trec_eval orders them (`trec.trec_order`), for
every measure alike: the provider from which ir-measures takes MRR at k has another rule for ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from sciverify.corpora.lines import numbered_lines
from sciverify.errors import RunFileError, SettingError, place
from sciverify.evaluation.beir import BEIR_HEADER, read_beir_qrels
from sciverify.evaluation.candidates import PredictedCandidate
from sciverify.evaluation.extras import needs_extra
from sciverify.evaluation.gold import load_gold
from sciverify.evaluation.means import mean_scores
from sciverify.evaluation.measures import CountedScores, Measure
from sciverify.evaluation.runs import read_run
from sciverify.evaluation.trec import Qrels, Rankings, read_trec_qrels, read_trec_run, trec_order

__all__ = ["read_qrels", "read_rankings", "score_rankings", "score_retrieval"]

_NDCG_AT, _MRR_AT, _RECALL_AT, _HITS_AT = (10,), (10,), (3, 10, 20, 100), (3, 10, 20)


def score_retrieval(
    gold_path: str | Path,
    run_path: str | Path,
    *,
    ndcg_at: Sequence[int] = _NDCG_AT,
    mrr_at: Sequence[int] = _MRR_AT,
    recall_at: Sequence[int] = _RECALL_AT,
    hits_at: Sequence[int] = _HITS_AT,
    cited: bool = False,
) -> CountedScores:
    """Score a run against judgements; the forms of both are those of `read_rankings` and `read_qrels`.

    Args:
        gold_path: the judgements.
        run_path: the rankings.
        ndcg_at: the depths of nDCG (gain = relevance, discount = log2 of rank + 1).
        mrr_at: the depths of the mean reciprocal rank.
        recall_at: the depths of recall.
        hits_at: the depths of evidence coverage: the share of queries with at least one relevant document in the top
            k, and with every one.
        cited: of gold in SciFact's form take all cited documents, as BEIR does, where otherwise the evidence counts.

    Raises:
        RunFileError: one of the files is malformed, or they have no query in common.
        SettingError: a depth is not a positive whole number, or there is none at all.
        MissingExtraError: ir-measures is not installed.
    """
    qrels, run = read_qrels(gold_path, cited=cited), read_rankings(run_path)
    if not any(query in qrels for query in run):
        raise RunFileError(
            f"none of the {len(run):,} queries of this run is judged in {gold_path}",
            where=place(run_path),
            remedy="Check that both files are of the same data set and split",
        )
    return score_rankings(qrels, run, ndcg_at=ndcg_at, mrr_at=mrr_at, recall_at=recall_at, hits_at=hits_at)


def score_rankings(
    qrels: Qrels,
    run: Rankings,
    *,
    ndcg_at: Sequence[int] = _NDCG_AT,
    mrr_at: Sequence[int] = _MRR_AT,
    recall_at: Sequence[int] = _RECALL_AT,
    hits_at: Sequence[int] = _HITS_AT,
) -> CountedScores:
    """Score rankings that are in memory; see `score_retrieval`.

    Raises:
        SettingError: no query is judged, a score is not finite, or as from `score_retrieval`.
        MissingExtraError: ir-measures is not installed.
    """
    for depth in (*ndcg_at, *mrr_at, *recall_at, *hits_at):
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
            raise SettingError(f"{depth!r} is no depth of a ranking", remedy="Give whole numbers from 1")
    measures = [
        *(Measure(f"ndcg_at_{k}", f"nDCG@{k}") for k in dict.fromkeys(ndcg_at)),
        *(Measure(f"mrr_at_{k}", f"MRR@{k}") for k in dict.fromkeys(mrr_at)),
        *(Measure(f"recall_at_{k}", f"Recall@{k}") for k in dict.fromkeys(recall_at)),
        *(Measure(f"hit_one_at_{k}", f"Hit one@{k}") for k in dict.fromkeys(hits_at)),
        *(Measure(f"hit_all_at_{k}", f"Hit all@{k}") for k in dict.fromkeys(hits_at)),
    ]
    if not measures:
        raise SettingError("there is nothing to measure", remedy="Give a depth for at least one measure")
    ranked = {query: _ranked(query, run.get(query, {})) for query in qrels}
    values = _measured(qrels, ranked, ndcg_at, mrr_at, recall_at) | _coverage(qrels, ranked, hits_at)
    rows = [[values[measure.name][query] for measure in measures] for query in qrels]
    return mean_scores("retrieval", tuple(qrels), measures, rows)


def read_qrels(path: str | Path, *, cited: bool = False) -> dict[str, dict[str, int]]:
    """Judgements in TREC's form, in BEIR's, or of claims in SciFact's form; which one, the first line says.

    Of SciFact's claims those that have evidence are judged, and each evidence document is relevant; with `cited`, those
    that cite documents, and each cited one is.

    Raises:
        RunFileError: the file is malformed, or judges nothing.
        SettingError: `cited` with another form.
    """
    first = _first_line(path)
    if first.startswith(b"{"):
        gold = load_gold(path)
        qrels = {
            entry.claim.id: dict.fromkeys(entry.cited if cited else entry.evidence, 1)
            for entry in gold
            if (entry.cited if cited else entry.evidence)
        }
    elif cited:
        raise SettingError("only claims in SciFact's form have cited documents", where=place(path))
    elif first.split(b"\t")[0] == BEIR_HEADER.split("\t")[0].encode():
        qrels = read_beir_qrels(path)
    else:
        qrels = read_trec_qrels(path)
    if not qrels:
        raise RunFileError("this file judges nothing", where=place(path))
    return qrels


def read_rankings(path: str | Path) -> dict[str, dict[str, float]]:
    """Rankings in TREC's form, or of a run file of ours that lists its ``candidates``; the first line says which.

    Candidates stand in the order in which they were ranked, and their scores are kept where TREC reads the same order
    from them; otherwise (equal scores) each gets its distance from the end.

    Raises:
        RunFileError: the file is malformed, or a line of ours has no candidates.
    """
    if not _first_line(path).startswith(b"{"):
        return read_trec_run(path)
    rankings = {}
    for prediction in read_run(path):
        if prediction.candidates is None:
            raise RunFileError(
                "this line doesn't list the documents that were read",
                where=prediction.where,
                remedy='It needs "candidates", which `sciverify predict` writes',
            )
        rankings[prediction.claim_id] = _candidate_scores(prediction.candidates)
    return rankings


def _first_line(path: str | Path) -> bytes:
    for _, line in numbered_lines(path, error=RunFileError):
        return line
    raise RunFileError("the file holds only blank lines", where=place(path))


def _candidate_scores(candidates: Sequence[PredictedCandidate]) -> dict[str, float]:
    scores = {candidate.doc_id: candidate.score for candidate in candidates}
    if trec_order(scores) == list(scores):
        return scores
    return {document: float(len(scores) - rank) for rank, document in enumerate(scores)}


def _ranked(query: str, scores: Mapping[str, float]) -> list[str]:
    if not all(map(isfinite, scores.values())):
        raise SettingError("a score is not a finite number", where=f"query {query!r}")
    return trec_order(scores)


def _measured(
    qrels: Qrels,
    ranked: Mapping[str, Sequence[str]],
    ndcg_at: Iterable[int],
    mrr_at: Iterable[int],
    recall_at: Iterable[int],
) -> dict[str, dict[str, float]]:
    """What ir-measures gives: measure to query to value."""
    with needs_extra("Scoring rankings"):
        import ir_measures
    names: dict[Any, str] = {
        **{ir_measures.nDCG @ k: f"ndcg_at_{k}" for k in ndcg_at},
        **{ir_measures.RR @ k: f"mrr_at_{k}" for k in mrr_at},
        **{ir_measures.R @ k: f"recall_at_{k}" for k in recall_at},
    }
    values: dict[str, dict[str, float]] = {name: {} for name in names.values()}
    if not names:
        return values
    # With ranks in place of the scores there are no ties left that a provider could order its own way.
    run = {query: {id: float(-rank) for rank, id in enumerate(ids)} for query, ids in ranked.items() if ids}
    judged = {query: {id: max(0, value) for id, value in documents.items()} for query, documents in qrels.items()}
    for metric in ir_measures.iter_calc(list(names), judged, run):
        values[names[metric.measure]][metric.query_id] = float(metric.value)
    return values


def _coverage(qrels: Qrels, ranked: Mapping[str, Sequence[str]], depths: Iterable[int]) -> dict[str, dict[str, float]]:
    """Whether one, and whether every relevant document is in the top k: measure to query to 0 or 1."""
    relevant = {query: {id for id, value in judged.items() if value > 0} for query, judged in qrels.items()}
    values: dict[str, dict[str, float]] = {}
    for k in depths:
        found = {query: len(relevant[query].intersection(ids[:k])) for query, ids in ranked.items()}
        values[f"hit_one_at_{k}"] = {query: float(count > 0) for query, count in found.items()}
        values[f"hit_all_at_{k}"] = {query: float(0 < count == len(relevant[query])) for query, count in found.items()}
    return values

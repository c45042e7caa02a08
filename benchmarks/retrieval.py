"""Retrieval measured: quality on BEIR SciFact, the choice of the fusion, and TF-IDF at the size of a large corpus.

    python benchmarks/retrieval.py quality                the four retrievers on SciFact's dev claims
    python benchmarks/retrieval.py quality --split train  the same on its training claims
    python benchmarks/retrieval.py fusion                 every way of fusing, on the training claims (never on dev)
    python benchmarks/retrieval.py scale                  TF-IDF over 200,000 documents

Needs ../shared/data and the test dependencies. ``--index DIR`` keeps the index of SciFact between runs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from sciverify.corpora import open_corpus, read_claims
from sciverify.evaluation.retrieval import read_qrels, score_rankings
from sciverify.evaluation.trec import Qrels, Rankings
from sciverify.index import Index
from sciverify.models import load_encoder
from sciverify.records import Claim, Document, Filters, Metadata
from sciverify.retrieval import Bm25Retriever, DenseRetriever, TfidfRetriever, load_retriever
from sciverify.retrieval.fusion import FUSIONS
from sciverify.stages import Retriever

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DEPTH = 100
RECALL_AT = (3, 10, 20, 100)
HIT_ALL_AT = (3, 10, 20)
MEASURES = {"ndcg_at_10": "nDCG@10"} | {f"recall_at_{k}": f"R@{k}" for k in RECALL_AT}
MEASURES |= {f"hit_all_at_{k}": f"all@{k}" for k in HIT_ALL_AT}
HEADS = f"{'':46}" + "".join(f"{head:>9}" for head in MEASURES.values())
CLAIMS_FILES = {
    "test": "claims_dev.jsonl",
    "train": "claims_train.jsonl",
}  # BEIR's test queries are SciFact's dev claims


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "fusion", "scale"))
    parser.add_argument("--split", choices=tuple(CLAIMS_FILES), default="test")
    parser.add_argument("--index", type=Path, help="build or open SciFact's index here")
    parser.add_argument("--documents", type=int, default=200_000, help="for scale")
    options = parser.parse_args()
    if options.what == "scale":
        measure_scale(options.documents)
        return
    with tempfile.TemporaryDirectory() as folder, scifact_index(options.index or Path(folder) / "index") as index:
        if options.what == "quality":
            measure_quality(index, options.split)
        else:
            compare_fusions(index)


def measure_quality(index: Index, split: str) -> None:
    """Print one line of figures per retriever."""
    claims, gold = queries(split)
    print(
        f"BEIR SciFact {split}: {len(claims)} claims, {sum(map(len, gold.values()))} judgements, {len(index)} documents"
    )
    print(f"{HEADS} ms/claim")
    for name in ("tfidf", "bm25", "dense", "hybrid"):
        retriever = load_retriever(name, index, load_encoder())
        rankings = retriever.retrieve(claims, DEPTH)
        found = {
            claim.id: {candidate.document.id: candidate.score for candidate in ranking.candidates}
            for claim, ranking in zip(claims, rankings, strict=True)
        }
        milliseconds = 1000 * time_alone(retriever, claims[:50]) / 50
        print(f"{line(retriever.name, evaluate(found, gold))}{milliseconds:9.1f}")


def compare_fusions(index: Index) -> None:
    """Print every fusion on the training claims, best first."""
    claims, gold = queries("train")
    depths, weights = (50, 100, 200, 500), [n / 10 for n in range(2, 9)]
    words = Bm25Retriever(index).find(claims, max(depths))
    meaning = DenseRetriever(index, load_encoder()).find(claims, max(depths))
    rows = []
    for (fusion, fuse), depth, weight in product(FUSIONS.items(), depths, weights):
        fused = [
            fuse((found.hits[:depth], near.hits[:depth]), (1 - weight, weight))[:DEPTH]
            for found, near in zip(words, meaning, strict=True)
        ]
        found = {claim.id: {hit.id: hit.score for hit in hits} for claim, hits in zip(claims, fused, strict=True)}
        rows.append((evaluate(found, gold), f"hybrid({fusion=}, {depth=}, {weight=})"))
    print(f"BEIR SciFact train: {len(claims)} claims")
    print(HEADS)
    for figures, name in sorted(rows, reverse=True):
        print(line(name, figures))


def measure_scale(size: int) -> None:
    """Print what TF-IDF takes in time and memory over `size` documents of shuffled real sentences."""
    documents = ListSource(list(shuffled_abstracts(size)))
    claims, _ = queries("test")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    retriever = TfidfRetriever(documents)
    built = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    over = (peak - before) / 1024
    print(f"{size} documents weighed in {built:.1f} s ({size / built:.0f}/s), peak {over:.0f} MB above the documents'")
    print(f"the arrays that stay take {retriever.nbytes / 2**20:.0f} MB")
    for filters in (None, Filters(first_year=2015, last_year=2024)):
        print(f"{1000 * time_alone(retriever, claims[:100], filters) / 100:.1f} ms per claim, filters {filters}")


def evaluate(found: Rankings, gold: Qrels) -> list[float]:
    """The values of `MEASURES`."""
    values = score_rankings(gold, found, mrr_at=(), recall_at=RECALL_AT, hits_at=HIT_ALL_AT).values()
    return [values[name] for name in MEASURES]


def line(name: str, figures: Sequence[float]) -> str:
    return f"{name:46}" + "".join(f"{figure:9.4f}" for figure in figures)


def time_alone(retriever: Retriever, claims: Sequence[Claim], filters: Filters | None = None) -> float:
    """Seconds for the claims one at a time, ten candidates each."""
    start = time.perf_counter()
    for claim in claims:
        retriever.retrieve([claim], 10, filters)
    return time.perf_counter() - start


def queries(split: str) -> tuple[list[Claim], Qrels]:
    """The claims that BEIR judges, and the documents it judges relevant to each."""
    gold = read_qrels(DATA / "scifact" / "beir" / f"qrels_{split}.tsv")
    claims = [claim for claim in read_claims(DATA / "scifact" / CLAIMS_FILES[split]) if claim.id in gold]
    return claims, gold


def scifact_index(path: Path) -> Index:
    """SciFact's abstracts with vectors, built at the path unless they are there already."""
    if path.exists():
        return Index.open(path)
    start = time.perf_counter()
    index = Index.build(path, open_corpus(DATA / "scifact" / "corpus.jsonl"), encoder=load_encoder())
    print(f"built the index in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return index


def shuffled_abstracts(size: int) -> Iterator[Document]:
    """Documents of ten real sentences each, drawn with a fixed seed, with a year."""
    sentences: list[str] = []
    with gzip.open(DATA / "abstracts" / "medical_abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            sentences.extend(part for part in json.loads(line)["abstract"].split(". ") if part)
    draw = random.Random(0)
    for number in range(size):
        title, *rest = draw.sample(sentences, 11)
        yield Document.from_sentences(str(number), title, rest, Metadata(year=1990 + number % 35))


class ListSource:
    """Documents in a list."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}

    def __len__(self) -> int:
        return len(self._documents)

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """All documents, or these."""
        return iter(self._documents.values()) if ids is None else map(self._documents.__getitem__, ids)


if __name__ == "__main__":
    main()

"""How fast the verifier is, end to end, beside bare forward passes of its own fp32 network and of Longformer-large.

    python benchmarks/verifying.py ../shared/data/scifact

Claims are paired with the abstracts that they cite (SciFact's lengths). *End to end* is text in, findings out:
tokenising, windows, batches, int8 inference, merging, findings. The two yardsticks are torch forward passes alone, on
ready tensors with random weights (speed doesn't depend on them), in batches of like length, on the same number of
threads. Needs the extra `train`. Ratios within one run are what counts: absolute figures depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import torch
from timing import forward, passage_lengths, rate
from transformers import BertConfig, BertModel, LongformerConfig, LongformerModel

from sciverify.corpora import open_corpus
from sciverify.evaluation.gold import load_gold
from sciverify.models.cpu import available_cpus
from sciverify.models.crossencoder import CrossEncoderModel, Passage, load_cross_encoder
from sciverify.models.inputs import build_windows
from sciverify.models.tokens import load_tokenizer
from sciverify.records import Candidate, Claim
from sciverify.verification import JointVerifier

Pairs = list[tuple[Claim, Candidate]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scifact", type=Path, help="the folder of SciFact (corpus.jsonl, claims_dev.jsonl)")
    parser.add_argument("--pairs", type=int, default=200, help="claim-abstract pairs for the small models")
    parser.add_argument("--longformer-pairs", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    threads = available_cpus()
    torch.set_num_threads(threads)
    pairs = cited_pairs(options.scifact, options.pairs)
    model = load_cross_encoder()
    passages = [Passage.of(claim, candidate.document) for claim, candidate in pairs]
    lengths = passage_lengths(passages, model.shape)
    print(
        f"{len(pairs)} pairs, {len(lengths)} windows, median {statistics.median(lengths):.0f} tokens, {threads} threads"
    )
    verifier = JointVerifier(model)
    ours = rate(lambda: verifier.verify(pairs), len(pairs), options.repeats)
    once = JointVerifier(model, reread=0)
    one_reading = rate(lambda: once.verify(pairs), len(pairs), options.repeats)
    inference = share_of_inference(model, verifier, pairs)
    student = rate(forward(minilm(), lengths), len(pairs), options.repeats)
    few = passage_lengths(passages[: options.longformer_pairs], model.shape)
    longformer = rate(forward(longformer_large(), few), options.longformer_pairs, 1)
    print(f"{'':<44}{'documents/s':>12}{'ratio':>10}")
    for name, value in (
        ("sciverify int8, text to findings", ours),
        ("the same, one reading only", one_reading),
        ("same network, fp32 torch, forward alone", student),
        ("Longformer-large, fp32 torch, forward alone", longformer),
    ):
        print(f"{name:<44}{value:>12.2f}{ours / value:>9.1f}x")
    print(f"of the end-to-end time, {inference:.0%} is inference; the rest is tokenising, windows, merging, findings")


def cited_pairs(folder: Path, count: int) -> Pairs:
    documents = {document.id: document for document in open_corpus(folder / "corpus.jsonl")}
    gold = load_gold(folder / "claims_dev.jsonl")
    pairs = [(g.claim, Candidate(documents[id], 1.0)) for g in gold for id in g.cited]
    return pairs[:count]


def share_of_inference(model: CrossEncoderModel, verifier: JointVerifier, pairs: Pairs) -> float:
    """The share of a whole run that is spent between ready token ids and raw outputs."""
    start = time.perf_counter()
    verifier.verify(pairs)
    whole = time.perf_counter() - start
    tokens = load_tokenizer()
    passages = [Passage.of(claim, candidate.document) for claim, candidate in pairs]
    windows = []
    for passage in passages:
        claim, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements])
        windows += build_windows(tokens, claim, title, elements, model.shape)
    rows = {
        "input_ids": [w.input_ids for w in windows],
        "token_type_ids": [w.token_type_ids for w in windows],
    }
    start = time.perf_counter()
    model.session.run(rows)
    return min(1.0, (time.perf_counter() - start) / whole)


def minilm() -> torch.nn.Module:
    network: torch.nn.Module = BertModel(
        BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    )
    return network.train(False)


def longformer_large() -> torch.nn.Module:
    network: torch.nn.Module = LongformerModel(
        LongformerConfig(
            vocab_size=50265,
            hidden_size=1024,
            num_hidden_layers=24,
            num_attention_heads=16,
            intermediate_size=4096,
            max_position_embeddings=4098,
            type_vocab_size=1,
            attention_window=512,
        )
    )
    return network.train(False)


if __name__ == "__main__":
    main()

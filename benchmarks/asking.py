"""How fast extracts are found and questions answered, beside a bare forward pass of a TinyBERT-sized network.

    python benchmarks/asking.py ../shared/data/scifact/corpus.jsonl

*Extracts* is text in, quotes out: tokenising, windows of 7 sentences, batches, int8 inference, best spans, joining.
*Answers* is extracts in, label logits out: the paper's boolean model. *Articles to answers* is text in, findings out,
both steps together, and without extraction. The span threshold is 0 by default, so that every document has extracts to
read: the most work that there can be.

The yardstick is a torch forward pass in fp32 of an encoder of TinyBERT's size (4 layers of width 312, Jiao et al. 2020)
on ready tensors of the same windows, in batches of like length, on the same number of threads; its weights are random,
for speed doesn't depend on them. It needs the extra `train` and is left out without. Science Checker's own figures
(tables 1 and 3, TinyBERT on a CPU of 2.2 GHz) are printed beside ours. Ratios within one run are what counts: absolute
figures depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from timing import forward, passage_lengths, rate

from sciverify.corpora import open_corpus
from sciverify.models.crossencoder import CrossEncoderModel, Passage
from sciverify.models.spans import lay_out, window_shape
from sciverify.models.tokens import load_tokenizer
from sciverify.records import Candidate, Claim, Document, Problem
from sciverify.text.windows import Tokenizer2D
from sciverify.verification.boolean import BooleanVerifier
from sciverify.verification.extracts import find_extracts

QUESTION = Claim("q", "Does vitamin D supplementation prevent acute respiratory infections?")
YARDSTICK = "TinyBERT-sized, fp32 torch, forward alone"
PAPER_WINDOWS = 6.5  # per second, TinyBERT (table 1)
PAPER_ARTICLES = 9.0  # per second, TinyBERT quantised (§5.2.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a corpus of abstracts, such as SciFact's corpus.jsonl")
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--size", type=int, default=7, help="sentences in a window")
    parser.add_argument("--stride", type=int, default=0, help="sentences that the next window repeats")
    parser.add_argument("--span", type=float, default=0.0, help="probability from which a span is an extract")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    documents = list(islice(open_corpus(options.corpus), options.documents))
    cut = Tokenizer2D(options.size, options.stride)
    model = CrossEncoderModel(threads=options.threads)
    lengths = window_lengths(model, documents, cut)
    print(
        f"{len(documents)} documents, {len(lengths)} windows, median {statistics.median(lengths):.0f} and at most "
        f"{max(lengths)} tokens, {options.threads} threads"
    )
    extracts = find_extracts(model, [(QUESTION, document) for document in documents], cut, span=options.span)
    found = sum(map(bool, extracts))
    print(f"{found} documents have extracts, {sum(map(len, extracts))} in all")

    windows = [
        ("extracts, int8, text to quotes", extraction(model, documents, cut, options.span)),
        ("windows alone, int8, text to logits", scoring(model, documents, cut)),
        (YARDSTICK, tiny_forward(lengths, options.threads)),
    ]
    table("windows/s", PAPER_WINDOWS, len(lengths), windows, options.repeats)
    passages = [
        Passage(QUESTION.text, document.title, [quote.text for quote in quotes])
        for document, quotes in zip(documents, extracts, strict=True)
        if quotes
    ]
    answers = [
        ("answers, int8, extracts to logits", lambda: model.score(passages)),
        (YARDSTICK, tiny_forward(passage_lengths(passages, model.shape), options.threads)),
    ]
    if passages:
        table("articles/s", PAPER_ARTICLES, len(passages), answers, options.repeats)
    both = [
        ("articles to answers, int8, from extracts", answering(model, documents, cut, options.span, "extracts")),
        ("articles to answers, int8, from windows", answering(model, documents, cut, options.span, "windows")),
    ]
    table("articles/s", PAPER_ARTICLES, len(documents), both, options.repeats)


def window_lengths(model: CrossEncoderModel, documents: Sequence[Document], cut: Tokenizer2D) -> list[int]:
    tokens, shape = load_tokenizer(), window_shape(model.shape, cut)
    lengths = []
    for document in documents:
        passage = Passage.of(QUESTION, document)
        question, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements])
        lengths += [len(row.window.input_ids) for row in lay_out(tokens, question, title, elements, shape, cut.size)]
    return lengths


def extraction(
    model: CrossEncoderModel, documents: Sequence[Document], cut: Tokenizer2D, span: float
) -> Callable[[], object]:
    pairs = [(QUESTION, document) for document in documents]
    return lambda: find_extracts(model, pairs, cut, span=span)


def scoring(model: CrossEncoderModel, documents: Sequence[Document], cut: Tokenizer2D) -> Callable[[], object]:
    passages = [Passage.of(QUESTION, document) for document in documents]
    return lambda: model.score_windows(passages, cut)


def answering(
    model: CrossEncoderModel, documents: Sequence[Document], cut: Tokenizer2D, span: float, reading: str
) -> Callable[[], object]:
    verifier = BooleanVerifier(model, windows=cut, span=span, reading=reading)
    pairs = [(QUESTION, Candidate(document, 1.0)) for document in documents]

    def run() -> None:
        problems = [result for result in verifier.verify(pairs) if isinstance(result, Problem)]
        if problems:
            raise SystemExit(f"{len(problems)} documents failed, such as {problems[0].where}: {problems[0].message}")

    return run


def table(
    unit: str, paper: float, count: int, rows: Sequence[tuple[str, Callable[[], object] | None]], repeats: int
) -> None:
    rates = [(name, rate(run, count, repeats)) for name, run in rows if run is not None]
    best = rates[0][1]
    print(f"\n{'':<46}{unit:>12}{'the first is':>14}{'of the paper':>14}")
    for name, value in rates:
        print(f"{name:<46}{value:>12.2f}{best / value:>13.2f}x{value / paper:>13.1f}x")


def tiny_forward(lengths: Sequence[int], threads: int) -> Callable[[], object] | None:
    """Forward passes of a TinyBERT-sized network over random ids of these lengths; None where torch is missing."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return None
    import torch
    from transformers import BertConfig, BertModel

    torch.set_num_threads(threads)
    config = BertConfig(hidden_size=312, num_hidden_layers=4, num_attention_heads=12, intermediate_size=1200)
    network = BertModel(config).train(False)
    return forward(network, lengths)


if __name__ == "__main__":
    main()

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sciverify.training.ranking import nfcorpus, question_sentences, trecqa, wikiqa


def test_wikiqa(write: Callable[..., Path], tmp_path: Path) -> None:
    lines = ["where ?\tTerns breed here .\t0", "where ?\tIn the Arctic .\t1", "", "who ?\tNo one .\t0"]
    write("qa/wikiqa_trecqa/tjurczyk/WikiQA_data/WikiQASent-train.txt", lines)
    answered, other = wikiqa(tmp_path)
    assert (answered.claim, answered.elements) == ("where ?", ("Terns breed here.", "In the Arctic."))
    assert (answered.targets, answered.relevance, answered.evidence) == ((False, True), True, (frozenset({1}),))
    assert (other.targets, other.relevance, other.evidence) == ((False,), False, ())
    assert answered.label is other.label is None


def test_trecqa(write: Callable[..., Path], tmp_path: Path) -> None:
    rows = [{"qtext": "Who ?", "label": label, "atext": text} for label, text in (("1", "Ada ."), ("0", "Tea, no ."))]
    write("qa/wikiqa_trecqa/wang/data/anssel/wang/train.csv", rows)
    [example] = trecqa(tmp_path)
    assert (example.elements, example.targets, example.source) == (("Ada.", "Tea, no."), (True, False), "trecqa")


def test_question_sentences(write: Callable[..., Path], tmp_path: Path) -> None:
    folder = "qa/squad_nqg/data/processed"
    for part in ("dev", "test"):
        write(f"{folder}/tgt-{part}.txt", [f"question {n} -lrb- {part} -rrb- ?" for n in range(200)])
        write(f"{folder}/src-{part}.txt", [f"{part} sentence {n // 2} ." for n in range(200)])
    examples = question_sentences(tmp_path, 1)
    assert len(examples) == 2 * 2 * 200
    for right, wrong in zip(examples[::2], examples[1::2], strict=True):
        assert right.claim == wrong.claim
        assert (right.targets, right.relevance, wrong.targets, wrong.relevance) == ((True,), True, (False,), False)
        number = int(right.claim.split()[1])
        part = "dev" if "(dev)" in right.claim else "test"
        assert right.elements == (f"{part} sentence {number // 2}.",)
        assert wrong.elements != right.elements
        assert abs(int(wrong.elements[0].rstrip(".").split()[2]) - number // 2) <= 30
    assert question_sentences(tmp_path, 1) == examples
    assert question_sentences(tmp_path, 2) != examples


def test_nfcorpus(write: Callable[..., Path], tmp_path: Path) -> None:
    documents = [{"_id": f"M{n}", "title": f"Title {n}", "text": f"Text {n}. More."} for n in range(9)]
    write("nfcorpus/corpus.jsonl", [*documents, {"_id": "M9", "title": "Empty", "text": ""}])
    write("nfcorpus/queries.jsonl", [{"_id": "P1", "text": "Fat and health"}, {"_id": "P2", "text": "Unused"}])
    scores = {"M0": 1, "M1": 2, "M2": 1, "M3": 2}
    write("nfcorpus/qrels/train.tsv", [{"query-id": "P1", "corpus-id": id, "score": s} for id, s in scores.items()])
    for seed in range(5):
        examples = nfcorpus(tmp_path, seed)
        assert {e.claim for e in examples} == {"Fat and health"}
        assert {e.title for e in examples if e.relevance} == {"Title 1", "Title 3"}  # the best linked
        others = {e.title for e in examples if e.relevance is False}
        assert others <= {f"Title {n}" for n in range(4, 9)}
        assert 1 <= len(others) <= 2
        assert all(e.label is None and e.targets is None for e in examples)
        assert examples[0].elements in {(f"Text {n}.", "More.") for n in range(9)}

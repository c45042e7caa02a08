from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sciverify.records import Label
from sciverify.training.directions import direction_abstracts, directions

VERBS = {
    "up": ("increases", "is higher", "raises"),
    "down": ("decreases", "is lower", "reduces"),
    "same": ("has no effect", "does not differ", "does not change"),
}
FOUND = {
    "significantly increased": "up",
    "significantly decreased": "down",
    "no significant difference": "same",
}


class Written:
    def write(self, write: Callable[..., Path], *annotations: tuple[str, str, str]) -> None:
        prompts = [
            {
                "PromptID": "1",
                "PMCID": "9",
                "Outcome": " relief\nof pain.",
                "Intervention": "drug {z}",
                "Comparator": "sham",
            }
        ]
        write("evidence_inference/prompts_merged.csv", [prompts[0], {**prompts[0], "PromptID": "8", "PMCID": "7"}])
        write("evidence_inference/splits/train_article_ids.txt", ["5", "9"])
        rows = [
            {"PromptID": prompt, "PMCID": "7" if prompt == "8" else "9", "Label": label, "Annotations": text}
            for prompt, label, text in annotations
        ]
        write("evidence_inference/v2_annotations.csv", rows)

    def direction(self, statement: str) -> str:
        [found] = [d for d, verbs in VERBS.items() if any(verb in statement for verb in verbs)]
        return found


class TestDirections(Written):
    @pytest.mark.parametrize("label", FOUND)
    @pytest.mark.parametrize("seed", range(5))
    def test_one_true_and_one_false_statement(
        self, write: Callable[..., Path], tmp_path: Path, label: str, seed: int
    ) -> None:
        extract = "Pain was measured in both groups after\n   four weeks of treatment."
        self.write(write, ("1", label, extract))
        true, false = directions(tmp_path, seed)
        assert true.elements == false.elements == (" ".join(extract.split()),)
        assert (true.label, false.label) == (Label.SUPPORTS, Label.REFUTES)
        assert self.direction(true.claim) == FOUND[label]
        assert self.direction(false.claim) != FOUND[label]
        for example in (true, false):
            assert "relief of pain" in example.claim.lower()
            assert "drug {z}" in example.claim.lower()  # text that looks like a placeholder stays text
            assert example.claim[0].isupper()
            assert example.targets == (True,)

    def test_what_is_left_out(self, write: Callable[..., Path], tmp_path: Path) -> None:
        extract = "Pain was measured in both groups after four weeks of treatment."
        kept = ("1", "significantly increased", extract)
        self.write(
            write,
            kept,
            kept,  # another annotator, the same extract
            ("1", "invalid prompt", extract),
            ("8", "significantly increased", extract.replace("Pain", "Fever")),  # no training article
            ("2", "significantly increased", extract),  # no such prompt
            ("1", "significantly increased", "Too short."),
            ("1", "significantly increased", extract * 20),
        )
        assert len(directions(tmp_path, 0)) == 2

    def test_a_seed_gives_one_choice(self, write: Callable[..., Path], tmp_path: Path) -> None:
        texts = [f"Pain was measured in both groups after {n} weeks of treatment." for n in range(20)]
        self.write(write, *(("1", "significantly decreased", text) for text in texts))
        assert directions(tmp_path, 4) == directions(tmp_path, 4)
        assert directions(tmp_path, 4) != directions(tmp_path, 5)


class TestDirectionAbstracts(Written):
    def article(self, folder: Path, *sections: str) -> None:
        row = {"pmcid": "PMC9", "title": "A trial", "sections": [["Results", text] for text in sections]}
        path = folder / "evidence_inference/rct_abstracts.jsonl.gz"
        path.write_bytes(gzip.compress(json.dumps(row).encode()))

    def test_the_sentences_of_the_extract_are_the_rationale(self, write: Callable[..., Path], tmp_path: Path) -> None:
        extract = "Pain fell by half in the first group. It did not\nin the second."
        self.write(write, ("1", "significantly decreased", extract))
        self.article(
            tmp_path, "We asked forty adults.", "Pain fell by half in the first group. It did not in the second."
        )
        true, false = direction_abstracts(tmp_path, 1)
        assert true.elements == (
            "We asked forty adults.",
            "Pain fell by half in the first group.",
            "It did not in the second.",
        )
        assert true.title == "A trial"
        assert (true.label, false.label) == (Label.SUPPORTS, Label.REFUTES)
        assert (self.direction(true.claim), self.direction(false.claim) != "down") == ("down", True)
        for example in (true, false):
            assert example.targets == (False, True, True)
            assert example.evidence == (frozenset({1, 2}),)
            assert example.relevance is True

    def test_annotators_who_agree_give_a_rationale_each(self, write: Callable[..., Path], tmp_path: Path) -> None:
        texts = [
            "Pain fell by half in the first of the two groups.",
            "Relief was greater after the drug than after sham.",
        ]
        self.write(write, *(("1", "significantly increased", text) for text in texts))
        self.article(tmp_path, " ".join(texts))
        assert [e.evidence for e in direction_abstracts(tmp_path, 1)] == [(frozenset({0}), frozenset({1}))] * 2

    def test_what_is_left_out(self, write: Callable[..., Path], tmp_path: Path) -> None:
        text = "Pain fell by half in the first of the two groups."
        self.write(write, ("1", "significantly increased", text), ("1", "significantly decreased", text))
        self.article(tmp_path, text)
        assert direction_abstracts(tmp_path, 1) == []  # annotators differ
        self.write(write, ("1", "significantly increased", text))
        self.article(tmp_path, "The extract stands in the full text alone.")
        assert direction_abstracts(tmp_path, 1) == []

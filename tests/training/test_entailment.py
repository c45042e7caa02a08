from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sciverify.errors import TrainingError
from sciverify.records import Label
from sciverify.training import entailment
from sciverify.training.examples import Example

PAIR_LABELS = {"entailment": Label.SUPPORTS, "contradiction": Label.REFUTES, "neutral": Label.NEI}
FEVER = "nli/fever_nli_vanilla/data/vanilla_wiki_data/{}_data_vanilla.csv"
PROTOCOLS = ("base", "contrast", "edit_premise", "edit_other")


def check_pair(example: Example, claim: str, sentence: str, label: Label, source: str) -> None:
    relevant = label is not Label.NEI
    assert (example.claim, example.title, example.elements) == (claim, "", (sentence,))
    assert example.label is label
    assert example.targets == (relevant,)
    assert example.evidence == ((frozenset({0}),) if relevant else ())
    assert example.relevance is None
    assert example.source == source


class TestFever:
    def write(self, write: Callable[..., Path], *rows: tuple[str, str, str]) -> None:
        records = [
            {"id": str(n), "verifiable": "1", "label": label, "claim": claim, "evidence": evidence}
            for n, (label, claim, evidence) in enumerate(rows)
        ]
        write(FEVER.format("eval"), records)
        write(FEVER.format("test"), [{**records[0], "claim": "From the other file."}])

    def test_labels_and_sentences(self, write: Callable[..., Path], tmp_path: Path) -> None:
        self.write(
            write,
            ("1", "Ada wrote a book.", "['Ada wrote one , in 1990 .', \"It was Ada 's first .\"]"),
            ("2", "Ada wrote no book.", "['Ada wrote one .']"),
            ("0", "Ada likes tea.", "[]"),
        )
        first, second, last = entailment.fever(tmp_path)
        assert first.elements == ("Ada wrote one, in 1990.", "It was Ada's first.")
        assert first.label is Label.SUPPORTS
        assert first.targets == (True, True)
        assert first.evidence == (frozenset({0, 1}),)
        check_pair(second, "Ada wrote no book.", "Ada wrote one.", Label.REFUTES, "fever")
        assert last.claim == "From the other file."

    def test_nei_with_sentences_says_nothing_about_the_single_ones(
        self, write: Callable[..., Path], tmp_path: Path
    ) -> None:
        self.write(write, ("0", "Ada likes tea.", "['One .', 'Two .']"))
        example = entailment.fever(tmp_path)[0]
        assert (example.label, example.targets, example.evidence) == (Label.NEI, None, ())


def pairs(first: str, second: str, column: str) -> list[dict[str, str]]:
    return [{"sentence1": f"{first} {n} .", "sentence2": f"{second} {n} .", column: n} for n in PAIR_LABELS]


def test_new_protocols(tmp_path: Path) -> None:
    empty = ["null"] * 4  # the published header repeats this name
    header = ["index", "promptID", "pairID", "genre", *empty, "sentence1", "sentence2", "label1", "gold_label"]
    for protocol in PROTOCOLS:
        lines = ["\t".join(header)]
        for name in PAIR_LABELS:
            # A quotation mark that nothing closes, and a first label that isn't the gold one.
            cells = ["1", "p", "q", "wiki", *[""] * 4, f"{protocol} {name} .", f'A "quoted {name} .', "-", name]
            lines.append("\t".join(cells))
        path = tmp_path / f"nli/te_new_protocols/data/{protocol}/train.tsv"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    examples = entailment.new_protocols(tmp_path)
    expected = [(protocol, name) for protocol in PROTOCOLS for name in PAIR_LABELS]
    for example, (protocol, name) in zip(examples, expected, strict=True):
        check_pair(example, f'A "quoted {name}.', f"{protocol} {name}.", PAIR_LABELS[name], "new_protocols")


def test_mnli(write: Callable[..., Path], tmp_path: Path) -> None:
    rows = [{**row, "genre": "travel"} for row in pairs("Premise", "Hypothesis", "label")]
    write("nli/mnli_snli_small/data/mnli_train.tsv", rows)
    write("nli/mnli_snli_small/data/mnli_val.tsv", [{**rows[0], "label": "-"}, rows[1]])
    examples = entailment.mnli(tmp_path)
    assert len(examples) == 4  # without the pair on which the annotators disagreed
    for example, name in zip(examples, [*PAIR_LABELS, "contradiction"], strict=True):
        check_pair(example, f"Hypothesis {name}.", f"Premise {name}.", PAIR_LABELS[name], "mnli")


def test_snli(write: Callable[..., Path], tmp_path: Path) -> None:
    folder = "nli/esnli_dev_test/dataset/eSNLI"
    for split, names in (("dev", ["entailment", "neutral"]), ("test", ["contradiction", "-"])):
        write(f"{folder}/s1.{split}", [f"Premise {n} . " for n in names])
        write(f"{folder}/s2.{split}", [f"Hypothesis {n} . " for n in names])
        write(f"{folder}/labels.{split}", names)
    examples = entailment.snli(tmp_path)
    for example, name in zip(examples, ["entailment", "neutral", "contradiction"], strict=True):
        check_pair(example, f"Hypothesis {name}.", f"Premise {name}.", PAIR_LABELS[name], "snli")


def test_counterfactual(write: Callable[..., Path], tmp_path: Path) -> None:
    write("nli/cad_nli/NLI/all_combined/train.tsv", pairs("Premise", "Hypothesis", "gold_label"))
    for example, name in zip(entailment.counterfactual(tmp_path), PAIR_LABELS, strict=True):
        check_pair(example, f"Hypothesis {name}.", f"Premise {name}.", PAIR_LABELS[name], "counterfactual")


class TestSufficientFacts:
    FILE = "nli/sufficient_facts/data/sufficient_facts/{}_sufficient_facts.jsonl"

    @pytest.mark.parametrize(
        ("before", "after", "label"),
        [
            ("SUPPORTS", "ENOUGH -- IRRELEVANT", Label.SUPPORTS),
            ("SUPPORTED", "ENOUGH -- REPEATED", Label.SUPPORTS),
            ("REFUTES", "ENOUGH -- REPEATED", Label.REFUTES),
            ("SUPPORTS", "NOT ENOUGH", Label.NEI),
            ("REFUTES", "NOT ENOUGH", Label.NEI),
        ],
    )
    def test_labels(self, write: Callable[..., Path], tmp_path: Path, before: str, after: str, label: Label) -> None:
        row = {"claim": "Ada 's book sold .", "evidence": [["Ada", "It sold -LRB- well -RRB- ."]]}
        write(self.FILE.format("fever"), [{**row, "label_before": before, "label_after": after}])
        [example] = entailment.sufficient_facts(tmp_path)
        check_pair(example, "Ada's book sold.", "It sold (well).", label, "sufficient_facts")

    def test_files_sentences_and_rows_without_evidence(self, write: Callable[..., Path], tmp_path: Path) -> None:
        row = {"claim": "c", "label_before": "SUPPORTS", "label_after": "ENOUGH -- REPEATED"}
        write(self.FILE.format("fever"), [{**row, "evidence": [["A", "One ."], ["B", "Two ."]]}])
        write(self.FILE.format("vitaminc"), [{**row, "evidence": []}, {**row, "evidence": [["A", "Three ."]]}])
        assert [e.elements for e in entailment.sufficient_facts(tmp_path)] == [("One.", "Two."), ("Three.",)]

    def test_an_unknown_label_is_refused(self, write: Callable[..., Path], tmp_path: Path) -> None:
        row = {"claim": "c", "label_before": "1", "label_after": "ENOUGH", "evidence": [["A", "One ."]]}
        write(self.FILE.format("hover"), [row])
        with pytest.raises(TrainingError, match="is not the name of a label"):
            entailment.sufficient_facts(tmp_path)


def test_fever_symmetric(write: Callable[..., Path], tmp_path: Path) -> None:
    rows = [
        {"claim": "Ada 's .", "evidence": "Ada wrote -LRB- it -RRB- .", "gold_label": n}
        for n in ("SUPPORTS", "REFUTES")
    ]
    write("nli/fever_symmetric/symmetric_v0.2/fever_symmetric_dev.jsonl", rows)
    examples = entailment.fever_symmetric(tmp_path)
    for example, label in zip(examples, (Label.SUPPORTS, Label.REFUTES), strict=True):
        check_pair(example, "Ada's.", "Ada wrote (it).", label, "fever_symmetric")


def test_sick(write: Callable[..., Path], tmp_path: Path) -> None:
    for name in ("SICK_train", "SICK_trial", "SICK_test_annotated"):
        lines = [f"{n}\tA {name}\tB {label}\t3.2\t{label.upper()}" for n, label in enumerate(PAIR_LABELS)]
        write(
            f"nli/sick/sick/{name}.txt",
            ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment", *lines],
        )
    examples = entailment.sick(tmp_path)
    assert len(examples) == 9
    for example, (label, expected) in zip(examples, PAIR_LABELS.items(), strict=False):
        check_pair(example, f"B {label}", "A SICK_train", expected, "sick")


def test_fool_me_twice(write: Callable[..., Path], tmp_path: Path) -> None:
    gold = [{"section_header": "", "text": text} for text in ("She wrote.", "It sold.")]
    retrieved = [{"section_header": "", "text": text} for text in ("Other.", "It sold.", "")]
    row = {"text": " Ada wrote. ", "wikipedia_page": "Ada", "label": "REFUTES", "retrieved_evidence": retrieved}
    write("nli/fool_me_twice/dataset/dev.jsonl", [{**row, "gold_evidence": gold}, {**row, "gold_evidence": []}])
    [example] = entailment.fool_me_twice(tmp_path)
    assert (example.claim, example.title, example.label) == ("Ada wrote.", "Ada", Label.REFUTES)
    assert example.elements == ("Other.", "It sold.", "She wrote.")
    assert (example.targets, example.evidence) == ((False, True, True), (frozenset({1, 2}),))
    assert example.relevance is True


def test_anli(write: Callable[..., Path], tmp_path: Path) -> None:
    for number, name in enumerate("enc", 1):
        rows = [
            {"context": f"Context {name}.", "statement": f"Statement {name}.", "gold_label": name},
            {"context": " ", "statement": "A statement without a context.", "gold_label": name},
        ]
        write(f"nli/anli_dev_analysis/anlizinganli/anli_annot_v0.2/ANLI_analysis_r{number}_dev.csv", rows)
    examples = entailment.anli(tmp_path)
    for example, name, label in zip(examples, "enc", (Label.SUPPORTS, Label.NEI, Label.REFUTES), strict=True):
        check_pair(example, f"Statement {name}.", f"Context {name}.", label, "anli")


def test_feverous_sentences(tmp_path: Path) -> None:
    one = {"claim": "c", "label": "supports", "evidence": "Tern\tThe [[Arctic_tern|tern]] [[Bird]].\nTern\tIt flies."}
    two = {"claim": "d ", "label": "refutes", "evidence": "Tern\tIt flies.\nGull\tIt [[Swim|swims]]."}
    path = tmp_path / "feverous/feverous_programfc/teacherpeterpan/datasets/FEVEROUS/claims/dev.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps([one, two, {**one, "evidence": ""}]), encoding="utf-8")
    first, second = entailment.feverous_sentences(tmp_path)
    assert (first.title, first.elements) == ("Tern", ("The tern Bird.", "It flies."))
    assert (second.title, second.elements) == ("", ("Tern: It flies.", "Gull: It swims."))
    assert (first.label, second.label) == (Label.SUPPORTS, Label.REFUTES)
    assert first.evidence == (frozenset({0, 1}),)

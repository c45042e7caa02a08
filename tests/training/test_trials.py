from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from sciverify.records import Label
from sciverify.training.trials import clinifact, nli4ct


@pytest.mark.parametrize(
    ("number", "label", "relevance"), [("0", Label.REFUTES, True), ("1", Label.SUPPORTS, True), ("2", Label.NEI, None)]
)
def test_clinifact(
    write: Callable[..., Path], tmp_path: Path, number: str, label: Label, relevance: bool | None
) -> None:
    row = {"claim": "Zinc is\n superior to sham.", "article_title": "Zinc", "label": number}
    write(
        "clinifact/train_set.csv",
        [{**row, "article_abstract": "We gave zinc.\nWounds healed."}, {**row, "article_abstract": " "}],
    )
    [example] = clinifact(tmp_path)
    assert (example.claim, example.title) == ("Zinc is superior to sham.", "Zinc")
    assert example.elements == ("We gave zinc.", "Wounds healed.")
    assert (example.label, example.targets, example.relevance) == (label, None, relevance)


class TestNli4ct:
    @pytest.fixture
    def data(self, tmp_path: Path) -> Path:
        def row(label: str, section: str, first: str, second: str = "", **evidence: object) -> dict[str, object]:
            trials = {"Primary_id": first, **({"Secondary_id": second} if second else {})}
            return {"Statement": f" {label} ", "Label": label, "Section_id": section, **trials, **evidence}

        train = {
            "a": row("Entailment", "Results", "N1", "N2", Primary_evidence_index=[0, 2], Secondary_evidence_index=[1]),
            "b": row("Contradiction", "Results", "N2", Primary_evidence_index=[0]),
            "c": row("Entailment", "Results", "N1", "N3", Primary_evidence_index=[0]),
        }
        dev = {"d": row("Entailment", "Results", "N3", Primary_evidence_index=[0])}
        with_lines = {f"N{n}": {"Results": [f" One {n}", " ", f"Three {n}"], "Eligibility": ["Any"]} for n in (1, 2, 3)}
        with_lines["N2"]["Results"][1] = "Two 2"
        (tmp_path / "nli4ct").mkdir()
        with ZipFile(tmp_path / "nli4ct/Complete_dataset.zip", "w") as archive:
            archive.writestr("Complete_dataset/train.json", json.dumps(train))
            archive.writestr("Complete_dataset/dev.json", json.dumps(dev))
            for name, report in with_lines.items():
                archive.writestr(f"Complete_dataset/CT json/{name}.json", json.dumps(report))
        return tmp_path

    def test_two_trials(self, data: Path) -> None:
        example = nli4ct(data, "train")[0]
        assert (example.claim, example.title, example.label) == ("Entailment", "Results", Label.SUPPORTS)
        assert example.elements == (
            *("Primary trial", "One 1", "Three 1"),
            *("Secondary trial", "One 2", "Two 2", "Three 2"),
        )
        assert example.evidence == (frozenset({1, 2, 5}),)
        assert example.targets == (False, True, True, False, False, True, False)

    def test_one_trial(self, data: Path) -> None:
        example = nli4ct(data, "train")[1]
        assert example.elements == ("Primary trial", "One 2", "Two 2", "Three 2")
        assert (example.label, example.evidence) == (Label.REFUTES, (frozenset({1}),))

    def test_sections_of_the_dev_part_do_not_train(self, data: Path) -> None:
        assert len(nli4ct(data, "train")) == 2
        assert [e.elements[1] for e in nli4ct(data, "dev")] == ["One 3"]

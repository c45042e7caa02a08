from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from measuring_fakes import Literal
from sciverify.errors import TrainingError
from sciverify.records import Label
from sciverify.training import measured_sets as module
from sciverify.training.examples import Example
from sciverify.training.measured_sets import MEASURED, measure, scifact_index
from sciverify.training.splits import HELD_OUT
from sciverify.verification import JointVerifier

DOCUMENTS = {
    1: ["We fed zinc to mice.", "Zinc heals wounds, yes it does."],
    2: ["Terns were followed.", "They fly south, no doubt."],
    3: ["Rocks were weighed."],
}
TRAIN = [
    {
        "id": 1,
        "claim": "Zinc heals wounds.",
        "evidence": {"1": [{"sentences": [1], "label": "SUPPORT"}]},
        "cited_doc_ids": [1],
    },
    {"id": 2, "claim": "Terns fly.", "evidence": {}, "cited_doc_ids": [2]},
    {"id": 3, "claim": "Rocks are heavy.", "evidence": {}, "cited_doc_ids": [3]},
]
DEV = [
    {
        "id": 4,
        "claim": "Terns fly north.",
        "evidence": {"2": [{"sentences": [1], "label": "CONTRADICT"}]},
        "cited_doc_ids": [2],
    }
]


@pytest.fixture
def data(write: Callable[..., Path], write_cited: Callable[..., None], tmp_path: Path) -> Path:
    write_cited("data/scifact", DOCUMENTS, TRAIN)
    write("data/scifact/claims_dev.jsonl", DEV)
    write("data/scifact/cross_validation/fold_2/claims_dev_2.jsonl", [TRAIN[0], TRAIN[1], DEV[0]])
    return tmp_path / "data"


def test_a_fold_of_scifact_is_asked_in_three_settings_and_from_rationales(data: Path, tmp_path: Path) -> None:
    said: list[str] = []
    found = measure(
        JointVerifier(Literal()), data, ["scifact"], fold=2, index=tmp_path / "kept.index", notify=said.append
    )
    assert {m.name for m in found} == {"scifact fold 2"}
    by_setting = {m.setting: m for m in found}
    assert list(by_setting) == ["open", "oracle-abstract", "oracle-rationale", "gold rationales"]
    assert {len(m.scores["model"].ids) for m in found} == {2}  # neither dev nor the claims of other folds
    assert by_setting["oracle-abstract"].pairs == 1
    assert by_setting["oracle-abstract"].scores["model"].values()["sentence_selection_label_f1"] == 1
    assert by_setting["oracle-rationale"].scores["model"].values()["abstract_label_rationale_precision"] == 1
    assert by_setting["open"].scores["majority"].values()["abstract_label_only_recall"] == 1
    assert by_setting["gold rationales"].scores["model"].values()["supports_recall"] == 1
    assert said[0] == "measuring scifact"
    with scifact_index(data, tmp_path / "kept.index") as index:
        assert len(index) == 3


def test_dev_is_asked_only_of_a_release_candidate(data: Path) -> None:
    found = measure(JointVerifier(Literal()), data, ["scifact"], fold=2, release_candidate=True)
    assert {m.name for m in found} == {"scifact dev"}
    assert {m.scores["model"].ids for m in found if m.setting == "open"} == {("4",)}


def test_every_held_out_set_can_be_measured() -> None:
    assert set(MEASURED) == {"scifact", *HELD_OUT}


@pytest.mark.parametrize("name", HELD_OUT)
def test_other_sets_are_measured_on_what_is_held_out(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []

    def held_out(name: str, data: Path, fold: int) -> list[Example]:
        asked.append((name, data, fold))
        return [
            Example("One.", "", ("yes", "Unknown."), Label.SUPPORTS, evidence=(frozenset({0}),)),
            Example("Two.", "", ("no", "Unknown."), Label.REFUTES, evidence=(frozenset({0}),)),
        ]

    monkeypatch.setattr(module, "held_out", held_out)
    found = measure(JointVerifier(Literal()), tmp_path, [name], fold=3)
    assert asked == [(name, tmp_path, 3)]
    reads_documents = name in {"healthver", "covidfact"}
    assert [m.setting for m in found] == (
        ["given documents", "gold rationales"] if reads_documents else ["given texts"]
    )
    assert {m.name for m in found} == {name}
    for m in found:
        values = m.scores["model"].values()
        assert values["abstract_label_rationale_f1" if m.setting == "given documents" else "accuracy"] == 1


def test_an_unknown_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="'wikipedia'") as caught:
        measure(JointVerifier(Literal()), tmp_path, ["healthver", "wikipedia"])
    assert "scifact" in caught.value.remedy

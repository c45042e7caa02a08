"""A recipe that exports two models, from training to a run file, with networks so small that they learn by heart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra train")

from sciverify.cli import main
from sciverify.evaluation.runs import read_run
from sciverify.models.crossencoder import CrossEncoderModel
from sciverify.records import Label
from sciverify.systems import load_system
from sciverify.testing.verifiers import VerifierSuite
from sciverify.training.examples import Example
from sciverify.training.verifier import KNOWN_PAIRS
from sciverify.verification import STEPS, PipelineVerifier

pytestmark = pytest.mark.timeout(1200)  # the first test waits for everything to be trained and exported

STAGE = """
[[stages]]
name = "{name}"
after = "{after}"
epochs = {epochs}
learning_rate = 3e-3
sets = ["scifact_sentences"]
{weight} = 0
"""
RECIPE = """
name = "two"
seed = 3
negatives = 0
cross_validated = "chooses"
export = {{ selector = "chooses", labeller = "labels" }}
encoder = "{encoder}"
[shape]
max_tokens = 128
max_claim = 64
max_title = 32
"""
DOCUMENTS = {1: KNOWN_PAIRS[0][1], 2: KNOWN_PAIRS[2][1]}
FORMS = {Label.SUPPORTS: "SUPPORT", Label.REFUTES: "CONTRADICT"}


def by_heart() -> list[Example]:
    """The known pairs, whole and sentence by sentence; the second sentence is the rationale."""
    examples = []
    for label, (claim, title, elements) in KNOWN_PAIRS:
        targets = tuple(label is not Label.NEI and number == 1 for number in range(len(elements)))
        examples.append(Example(claim, title, tuple(elements), label, targets))
        for text, target in zip(elements, targets, strict=True):
            examples.append(Example(claim, title, (text,), label if target else Label.NEI, (target,)))
    return examples


def write_data(folder: Path) -> None:
    """The known pairs twice over as SciFact, all of them in fold 1."""
    claims = []
    for number, (label, passage) in enumerate(KNOWN_PAIRS * 2):
        document = next(id for id, known in DOCUMENTS.items() if known.title == passage.title)
        evidence = {str(document): [{"sentences": [1], "label": FORMS[label]}]} if label in FORMS else {}
        claims.append({"id": number, "claim": passage.claim, "evidence": evidence, "cited_doc_ids": [document]})
    lines = {
        "corpus.jsonl": [{"doc_id": id, "title": p.title, "abstract": list(p.elements)} for id, p in DOCUMENTS.items()],
        "claims_train.jsonl": claims,
        "cross_validation/fold_1/claims_dev_1.jsonl": claims,
    }
    for name, rows in lines.items():
        path = folder / "scifact" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds the run folder, ``run``, and what was released, ``two``."""
    folder = tmp_path_factory.mktemp("variant")
    write_data(folder / "data")
    recipe = RECIPE.format(encoder=tiny_bert.as_posix())
    recipe += STAGE.format(name="first", after="", epochs=1, weight="span_weight")
    recipe += STAGE.format(name="chooses", after="first", epochs=80, weight="label_weight")
    recipe += STAGE.format(name="labels", after="first", epochs=80, weight="element_weight")
    (folder / "two.toml").write_text(recipe, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sciverify.training.allocator.keep_freed_memory", lambda: True)  # would outlast the test
        patch.setattr("sciverify.models.cpu.available_cpus", lambda: 1)
        patch.setattr("sciverify.training.sets.load_sets", lambda *_: by_heart())
        command = ["train", str(folder / "two.toml"), "--data", str(folder / "data"), "--out", str(folder / "run")]
        assert main([*command, "--release", str(folder / "two"), "--folds", "1", "--no-refit"]) == 0
    return folder


def test_both_models_are_exported_with_one_decision(folder: Path) -> None:
    report = json.loads((folder / "run/release.json").read_text(encoding="utf-8"))
    assert report["mean"]["sentence_selection_label"] == 1
    assert set(report["by_k"]) == {"1", "2", "3"}
    for step in STEPS:
        model = CrossEncoderModel(folder / "two" / step)
        assert model.name.startswith(f"sciverify-two-{step}@")
        assert {key: model.card["decision"][key] for key in report["decision"]} == report["decision"]
    selector, labeller = (CrossEncoderModel(folder / "two" / step) for step in STEPS)
    assert selector.card["sha256"] != labeller.card["sha256"]


def test_a_run_with_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert main(["index", "build", "my.index", "data/scifact/corpus.jsonl"]) == 0
    claims = "data/scifact/claims_train.jsonl"
    assert main(["predict", claims, "run.jsonl", "--index", "my.index", "--system", "verisci", "--model", "two"]) == 0
    run = read_run("run.jsonl")
    found = [{id: (document.label, document.sentences) for id, document in line.evidence.items()} for line in run]
    assert found == [{"1": (Label.SUPPORTS, (1,))}, {"1": (Label.REFUTES, (1,))}, {}] * 2
    weights = json.loads(Path("run.jsonl.meta.json").read_text(encoding="utf-8"))["weights"]
    assert weights == {step: CrossEncoderModel(folder / "two" / step).name for step in STEPS}


class TestPipelineVerifier(VerifierSuite):
    @pytest.fixture
    def verifier(self, folder: Path) -> PipelineVerifier:
        verifier = load_system("verisci", model=folder / "two").verifier  # type: ignore[attr-defined]
        assert isinstance(verifier, PipelineVerifier)
        assert verifier.has_two_models
        return verifier

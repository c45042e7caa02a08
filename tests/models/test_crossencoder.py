from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sciverify.errors import ModelError, SettingError
from sciverify.models.card import signature
from sciverify.models.crossencoder import (
    LABELS,
    CrossEncoderModel,
    Decision,
    Passage,
    Scores,
    calibrated,
    merge_windows,
)
from sciverify.models.inputs import InputShape, build_windows
from sciverify.models.tokens import WEIGHTS, load_tokenizer
from sciverify.records import Label

SHIPPED = WEIGHTS / "verifier"
KEYS = ("name", "sha256", "labels", "shape", "decision", "self_check")
SENTENCES = (
    "We randomly assigned 240 adults with hypertension to supervised exercise or usual care.",
    "Blood pressure fell by 8 mmHg with exercise and by 1 mmHg with usual care.",
    "No serious adverse events were recorded in either of the two groups.",
    "Exercise lowers blood pressure.",
    "",
    "Adherence was 85 %.",
)

logits = st.floats(-8, 8, width=32)
Windows = tuple[list[Scores], list[range], int]  # their scores, their elements, how many elements there are


@st.composite
def windowed(draw: st.DrawFn) -> Windows:
    """Windows of one document with scores: positions that overlap and cover it, and no two with as much evidence."""
    count = draw(st.integers(1, 8))
    positions, start, stop = [], 0, 0
    while stop < count:
        stop = draw(st.integers(stop + 1, count))
        positions.append(range(start, stop))
        start = draw(st.integers(start + 1, stop))
    label = st.lists(logits, min_size=3, max_size=3).map(lambda values: np.array(values, dtype=np.float32))
    scores = [
        Scores(
            draw(label),
            draw(logits),
            np.array(draw(st.lists(logits, min_size=len(where), max_size=len(where))), dtype=np.float32),
        )
        for where in positions
    ]
    assume(len({round(evidence(s), 4) for s in scores}) == len(scores))
    return scores, positions, count


def evidence(scores: Scores) -> float:
    supports, refutes, nei = (float(v) for v in scores.label)
    return float(np.log(np.exp(supports) + np.exp(refutes))) - nei


class TestMergeWindows:
    @settings(deadline=None)
    @given(windowed(), st.randoms(use_true_random=False))
    def test_their_order_changes_nothing(self, document: Windows, random: Random) -> None:
        windows, positions, count = document
        order = list(range(len(windows)))
        random.shuffle(order)
        one = merge_windows(windows, positions, count)
        other = merge_windows([windows[n] for n in order], [positions[n] for n in order], count)
        np.testing.assert_array_equal(one.label, other.label)
        np.testing.assert_array_equal(one.elements, other.elements)
        assert one.relevance == other.relevance

    @settings(deadline=None)
    @given(windowed())
    def test_elements_and_relevance_take_the_highest_and_the_label_the_most_evidence(self, document: Windows) -> None:
        windows, positions, count = document
        merged = merge_windows(windows, positions, count)
        for n in range(count):
            read = [w.elements[n - p.start] for w, p in zip(windows, positions, strict=True) if n in p]
            assert merged.elements[n] == max(read)
        assert merged.relevance == max(w.relevance for w in windows)
        np.testing.assert_array_equal(merged.label, max(windows, key=evidence).label)

    def test_evidence_outweighs_a_surer_nei(self) -> None:
        nothing = Scores(np.array([-3, -3, 6], np.float32), -2.0, np.array([-5.0], np.float32))
        refuted = Scores(np.array([-1, 1, 0], np.float32), 1.0, np.array([2.0], np.float32))
        merged = merge_windows([nothing, refuted], [range(1), range(1, 2)], 2)
        assert LABELS[int(np.argmax(merged.label))] is Label.REFUTES
        assert merged.elements.tolist() == [-5.0, 2.0]

    def test_a_document_without_elements(self) -> None:
        merged = merge_windows([Scores(np.zeros(3, np.float32), 0.5, np.empty(0, np.float32))], [range(0)], 0)
        assert merged.elements.shape == (0,)
        assert merged.relevance == 0.5


@pytest.fixture(scope="module")
def model(table_folder: Any) -> CrossEncoderModel:
    return CrossEncoderModel(table_folder.folder, threads=2)


class TestScoring:
    def test_the_card_is_read(self, model: CrossEncoderModel) -> None:
        assert model.name == f"table@{signature(model.card)}"
        assert model.shape == InputShape(max_tokens=64, max_claim=16, max_title=8, overlap=1)
        assert model.decision == Decision()

    @pytest.mark.parametrize("count", range(4))
    def test_each_output_is_read_at_its_place(self, model: CrossEncoderModel, table_folder: Any, count: int) -> None:
        passage = Passage("Exercise lowers blood pressure.", "A trial", SENTENCES[2 : 2 + count])
        tokens = load_tokenizer()
        claim, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements])
        [window] = build_windows(tokens, claim, title, elements, model.shape)
        [scores] = model.score([passage])
        assert_close(scores.label, table_folder.label(window))
        assert scores.relevance == pytest.approx(table_folder.relevance(window), rel=2e-2, abs=2e-2)
        assert scores.elements.shape == (count,)
        if count:
            assert_close(scores.elements, table_folder.elements(window))

    def test_a_long_document_is_the_merger_of_its_windows(self, model: CrossEncoderModel, table_folder: Any) -> None:
        passage = Passage("Exercise lowers blood pressure.", "A trial", SENTENCES * 4)
        tokens = load_tokenizer()
        claim, title, *elements = tokens.split([passage.claim, passage.title, *passage.elements])
        windows = build_windows(tokens, claim, title, elements, model.shape)
        assert len(windows) > 3
        parts = [Scores(table_folder.label(w), table_folder.relevance(w), table_folder.elements(w)) for w in windows]
        expected = merge_windows(parts, [w.positions for w in windows], len(elements))
        [scores] = model.score([passage])
        assert_close(scores.label, expected.label)
        assert_close(scores.elements, expected.elements)
        assert scores.relevance == pytest.approx(expected.relevance, rel=2e-2, abs=2e-2)

    def test_passages_keep_their_order_and_do_not_touch_each_other(self, model: CrossEncoderModel) -> None:
        passages = [Passage(f"Claim number {n}", SENTENCES[n % 6], SENTENCES[: n % 7]) for n in range(40)]
        together = model.score(passages)
        for passage, scores in zip(passages, together, strict=True):
            [alone] = model.score([passage])
            assert_close(scores.label, alone.label)
            assert_close(scores.elements, alone.elements)
            assert scores.relevance == pytest.approx(alone.relevance, rel=2e-2, abs=2e-2)

    def test_hostile_and_empty_texts(self, model: CrossEncoderModel) -> None:
        texts = ("", " ", "\x00", "\ud800", "[SEP] [CLS]", "\U0001f9ea", '"); DROP', "α-synuclein*", "x" * 100_000)
        for scores in model.score([Passage(text, text, texts) for text in texts]):
            assert np.isfinite(scores.label).all()
            assert np.isfinite(scores.elements).all()
            assert scores.elements.shape == (len(texts),)

    def test_no_passages(self, model: CrossEncoderModel) -> None:
        assert model.score([]) == []

    def test_probabilities_are_tempered(self, table_model: Any) -> None:
        table_model.write_card(decision={"temperature": 2.0, "evidence": 0.4, "element": 0.3, "quotes": 3})
        model = CrossEncoderModel(table_model.folder, threads=1, self_check=False)
        assert model.decision == Decision(2.0, 0.4, 0.3, 3)
        scores = Scores(np.array([2 * np.log(3), 0, -2000], np.float32), 0.0, np.empty(0, np.float32))
        np.testing.assert_allclose(model.probabilities(scores), [0.75, 0.25, 0], atol=1e-6)

    def test_what_was_hardly_found_is_likelier_to_say_nothing(self) -> None:
        decision = Decision(temperature=2.0, retrieval=np.log(4))
        labels = np.array([2 * np.log(2), 2 * np.log(1), 0], np.float32)
        np.testing.assert_allclose(calibrated(labels, decision, 1.0), [2 / 4, 1 / 4, 1 / 4])
        np.testing.assert_allclose(calibrated(labels, decision, 0.5), [2 / 5, 1 / 5, 2 / 5])
        np.testing.assert_allclose(calibrated(labels, decision, 0.0), [2 / 7, 1 / 7, 4 / 7])
        both = calibrated(np.stack([labels, labels]), decision, np.array([27.0, -1.0]))  # outside of 0 to 1
        np.testing.assert_allclose(both, [[2 / 4, 1 / 4, 1 / 4], [2 / 7, 1 / 7, 4 / 7]])
        np.testing.assert_array_equal(labels, np.array([2 * np.log(2), 0, 0], np.float32))  # they are left as they were

    @pytest.mark.parametrize("retrieval", [-0.1, float("nan"), float("inf")])
    def test_a_weight_of_retrieval_out_of_range_is_refused(self, retrieval: float) -> None:
        with pytest.raises(SettingError, match="weight of retrieval"):
            Decision(retrieval=retrieval)


class TestRefusals:
    @pytest.fixture(params=["table", "shipped"])
    def folder(self, request: pytest.FixtureRequest, copied: Callable[[Path], Path]) -> Path:
        """A copy of a sound model that a test may damage."""
        if request.param == "shipped":
            return copied(SHIPPED)
        return copied(request.getfixturevalue("table_folder").folder)

    def test_a_flipped_byte_in_the_weights(self, folder: Path) -> None:
        weights = folder / "model.bin"
        content = bytearray(weights.read_bytes())
        content[len(content) // 2] ^= 1
        weights.unlink()
        weights.write_bytes(content)
        refused(folder, "the file's hash is", where=weights)

    def test_permuted_labels(self, folder: Path) -> None:
        card = read_card(folder)
        write_card(folder, {**card, "labels": card["labels"][1:] + card["labels"][:1]})
        refused(folder, "answers a known pair with", where=folder)

    def test_a_model_that_answers_otherwise(self, folder: Path) -> None:
        card = read_card(folder)
        card["self_check"][-1]["probabilities"]["NEI"] += 0.2
        write_card(folder, card)
        refused(folder, "answers a known pair with", where=folder)

    def test_small_differences_between_processors_are_let_through(self, folder: Path) -> None:
        card = read_card(folder)
        for check in card["self_check"]:
            check["probabilities"] = {name: p + 0.02 for name, p in check["probabilities"].items()}
        write_card(folder, card)
        assert CrossEncoderModel(folder, threads=1).card == card

    @pytest.mark.parametrize("key", KEYS)
    def test_a_card_without_a_key(self, folder: Path, key: str) -> None:
        write_card(folder, {k: v for k, v in read_card(folder).items() if k != key})
        refused(folder, "the card lacks keys", where=folder / "model.json")

    @pytest.mark.parametrize("labels", [[], ["SUPPORTS", "REFUTES"], ["SUPPORT", "CONTRADICT", "NEI"], ["NEI"] * 3])
    def test_a_card_with_other_labels(self, folder: Path, labels: list[str]) -> None:
        write_card(folder, {**read_card(folder), "labels": labels})
        refused(folder, "the card names the labels", where=folder)

    @pytest.mark.parametrize("content", ["", "{", "[]", "\xff"])
    def test_a_card_that_is_no_card(self, folder: Path, content: str) -> None:
        (folder / "model.json").write_text(content, encoding="latin-1")
        refused(folder, "", where=folder / "model.json")

    @pytest.mark.parametrize("name", ["model.json", "model.bin", "model.xml"])
    def test_a_missing_file(self, folder: Path, name: str) -> None:
        (folder / name).unlink()
        assert name in str(refused(folder, ""))

    def test_a_description_that_was_cut_off(self, folder: Path) -> None:
        path = folder / "model.xml"
        path.write_bytes(path.read_bytes()[:2000])
        refused(folder, "OpenVINO cannot load it", where=path)


@pytest.fixture(scope="module")
def verifier() -> CrossEncoderModel:
    return CrossEncoderModel(SHIPPED)


def test_a_card_without_known_pairs_is_refused(table_model: Any) -> None:
    table_model.write_card(self_check=[])
    with pytest.raises(ModelError, match="no known pairs"):
        CrossEncoderModel(table_model.folder, threads=1)


@pytest.mark.parametrize("change", [{"shape": {"tokens": 3}}, {"decision": {"element": 7}}, {"labels": "NEI"}])
def test_a_card_with_values_that_make_no_sense_is_refused(table_model: Any, change: dict[str, Any]) -> None:
    table_model.write_card(**change)
    with pytest.raises(ModelError):
        CrossEncoderModel(table_model.folder, threads=1)


class TestShipped:
    def test_it_is_loaded_once(self) -> None:
        from sciverify.models import load_cross_encoder

        assert load_cross_encoder() is load_cross_encoder()

    def test_it_knows_its_known_pairs(self, verifier: CrossEncoderModel) -> None:
        from sciverify.training.verifier import KNOWN_PAIRS

        assert len(verifier.card["self_check"]) == len(KNOWN_PAIRS)
        for (label, _), scores in zip(KNOWN_PAIRS, verifier.score([p for _, p in KNOWN_PAIRS]), strict=True):
            assert LABELS[int(np.argmax(verifier.probabilities(scores)))] is label

    def test_the_sentence_that_says_it_is_the_likeliest_element(self, verifier: CrossEncoderModel) -> None:
        sentences = (*SENTENCES[:3], "Regular exercise significantly lowered blood pressure compared with usual care.")
        [scores] = verifier.score([Passage("Regular exercise lowers blood pressure.", "", sentences)])
        assert int(np.argmax(scores.elements)) == 3

    def test_its_decision_is_fitted(self, verifier: CrossEncoderModel) -> None:
        assert verifier.decision != Decision()
        assert 0 < verifier.decision.evidence < 1
        assert 0 < verifier.decision.element < 1
        assert verifier.decision.temperature > 0


def assert_close(found: NDArray[np.float32], expected: NDArray[np.float32]) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-2, atol=2e-2)  # processors with bfloat16 round more


def read_card(folder: Path) -> dict[str, Any]:
    card: dict[str, Any] = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    return card


def write_card(folder: Path, card: dict[str, Any]) -> None:
    (folder / "model.json").write_text(json.dumps(card), encoding="utf-8")


def refused(folder: Path, problem: str, where: Path | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        CrossEncoderModel(folder, threads=1)
    assert problem in caught.value.problem
    assert caught.value.remedy
    if where is not None:
        assert caught.value.where == str(where)
    return caught.value

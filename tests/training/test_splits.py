from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.errors import TrainingError
from sciverify.training import science
from sciverify.training.examples import Example
from sciverify.training.sets import Options, load_sets
from sciverify.training.splits import (
    HELD_OUT,
    PUBMEDQA_FOLDS,
    covidfact,
    group_folds,
    healthver,
    held_out,
    part_of,
    pubmedqa,
)
from shared_data import shared_data

ITEMS = st.lists(st.sets(st.integers(0, 30), max_size=3), max_size=40)
TRAINING = {
    "healthver": "healthver_abstracts",
    "covidfact": "covidfact_abstracts",
    "climate_fever": "climate_fever",
    "pubmedqa": "pubmedqa",
    "bioasq": "bioasq_yesno",
    "nli4ct": "nli4ct",
}
COUNTS = {"climate_fever": 1535, "pubmedqa": 100, "bioasq": 209, "nli4ct": 200}


class TestGroupFolds:
    @given(ITEMS, st.integers(1, 6), st.integers(0, 3))
    def test_no_document_is_in_two_folds(self, items: list[set[int]], count: int, seed: int) -> None:
        folds = group_folds(items, count, seed)
        assert len(folds) == len(items)
        assert all(0 <= fold < count for fold in folds)
        homes: dict[int, set[int]] = {}
        for documents, fold in zip(items, folds, strict=True):
            for document in documents:
                homes.setdefault(document, set()).add(fold)
        assert all(len(found) == 1 for found in homes.values())

    @given(st.integers(0, 60), st.integers(1, 6))
    def test_single_documents_are_spread_evenly(self, size: int, count: int) -> None:
        folds = group_folds([[number] for number in range(size)], count, 1)
        sizes = [folds.count(fold) for fold in range(count)]
        assert max(sizes) - min(sizes) <= 1

    def test_items_that_are_linked_through_others(self) -> None:
        folds = group_folds([["a"], ["b", "c"], ["a", "b"], ["d"], []], 2, 0)
        assert folds[0] == folds[1] == folds[2]
        assert {folds[3], folds[4]} == {1 - folds[0]}

    def test_the_seed_decides(self) -> None:
        items = [[number] for number in range(50)]
        assert group_folds(items, 5, 1) == group_folds(items, 5, 1)
        assert group_folds(items, 5, 1) != group_folds(items, 5, 2)

    def test_the_same_in_every_process(self) -> None:
        program = (
            "from sciverify.training.splits import group_folds\n"
            "print(group_folds([{f'{n % 17} x', f'{n} y'} for n in range(60)], 4, 3))"
        )
        found = {
            subprocess.run(
                [sys.executable, "-c", program],
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
                check=True,
                capture_output=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(found) == 1


class TestPartOf:
    @given(ITEMS, st.floats(0, 1), st.integers(0, 3))
    def test_no_document_is_on_both_sides(self, items: list[set[int]], share: float, seed: int) -> None:
        chosen = part_of(items, share, seed)
        assert len(chosen) <= share * len(items)
        inside = {d for n, documents in enumerate(items) if n in chosen for d in documents}
        outside = {d for n, documents in enumerate(items) if n not in chosen for d in documents}
        assert not inside & outside

    def test_a_group_that_is_too_large_is_passed_over(self) -> None:
        items = [["common"]] * 8 + [["a"], ["b"]]
        assert all(set(part_of(items, 0.2, seed)) == {8, 9} for seed in range(5))


class TestCovidFact:
    @pytest.fixture
    def folder(self, write_cited: Callable[..., None], tmp_path: Path) -> Path:
        documents = {n: [f"Sentence on topic{n}."] for n in range(12)}
        claims = [
            {"id": n, "claim": f"Claim {n}.", "evidence": {}, "doc_ids": [n % 10, *([1] if n == 0 else [])]}
            for n in range(20)
        ]
        write_cited("covidfact", documents, claims)
        return tmp_path

    def test_claims_and_abstracts_are_divided(self, folder: Path) -> None:
        held, rest = covidfact(folder, held=True), covidfact(folder, held=False)
        assert len(held.claims) == 4
        assert {c.claim.id for c in (*held.claims, *rest.claims)} == {str(n) for n in range(20)}
        assert len(rest.claims) == 16
        cited = [{id for c in side.claims for id in c.cited} for side in (held, rest)]
        assert not cited[0] & cited[1]
        for side, own, other in ((held, cited[0], cited[1]), (rest, cited[1], cited[0])):
            assert own <= set(side.corpus)
            assert not other & set(side.corpus)  # nor as a negative

    def test_training_and_held_out_are_the_whole(self, folder: Path) -> None:
        held = held_out("covidfact", folder)
        rest = load_sets(["covidfact_abstracts"], folder, Options())
        whole = science.abstracts(science.load_cited(folder / "covidfact"))
        assert sorted(map(str, (*held, *rest))) == sorted(map(str, whole))


class TestHealthVer:
    def test_dev_claims_among_the_training_claims_are_left_out(
        self, write_cited: Callable[..., None], tmp_path: Path
    ) -> None:
        def claim(id: int, text: str) -> dict[str, object]:
            return {"id": id, "claim": text, "evidence": {}, "doc_ids": [1]}

        write_cited("healthver", {1: ["Text."]}, [claim(7, "MASKS help"), claim(8, "Masks don't help.")])
        folder = tmp_path / "healthver"
        (folder / "claims_train.jsonl").rename(folder / "claims_dev.jsonl")
        write_cited("healthver", {1: ["Text."]}, [claim(1, "Masks help."), claim(2, "Masks help us.")])
        assert [gold.claim.id for gold in healthver(tmp_path).claims] == ["2"]
        assert [e.claim for e in held_out("healthver", tmp_path)] == ["MASKS help", "Masks don't help."]


class TestPubMedQA:
    def test_folds_divide_the_questions(self) -> None:
        data = shared_data("pubmedqa").parent
        folds = [held_out("pubmedqa", data, fold) for fold in range(1, PUBMEDQA_FOLDS + 1)]
        assert [len(fold) for fold in folds] == [100] * 5
        assert len({e.claim for fold in folds for e in fold}) == 500
        for number, fold in enumerate(folds, 1):
            rest = load_sets(["pubmedqa"], data, Options(pubmedqa_fold=number))
            assert len(rest) == 400
            assert not {e.claim for e in rest} & {e.claim for e in fold}

    @pytest.mark.parametrize("fold", [0, 6, -1])
    def test_no_such_fold(self, fold: int, tmp_path: Path) -> None:
        with pytest.raises(TrainingError, match=f"no fold {fold}"):
            pubmedqa(tmp_path, fold, held=True)


class TestHeldOut:
    def test_an_unknown_name(self, tmp_path: Path) -> None:
        with pytest.raises(TrainingError, match="'scifact'") as caught:
            held_out("scifact", tmp_path)
        assert all(name in caught.value.remedy for name in HELD_OUT)

    @pytest.mark.parametrize("name", HELD_OUT)
    def test_it_does_not_train(self, name: str) -> None:
        data = shared_data()
        held = held_out(name, data)
        rest = load_sets([TRAINING[name]], data, Options())
        assert held
        assert len(held) == COUNTS.get(name, len(held))
        assert not {pair(e) for e in held} & {pair(e) for e in rest}
        assert all(e.label is not None for e in held)
        if name != "healthver":  # the published division shares abstracts
            assert not {pair(e)[1] for e in held} & {pair(e)[1] for e in rest}

    @pytest.mark.parametrize("name", HELD_OUT)
    def test_it_does_not_move(self, name: str) -> None:
        data = shared_data()
        assert held_out(name, data) == held_out(name, data)

    def test_a_fifth_of_covidfact(self) -> None:
        data = shared_data("covidfact").parent
        claims = {side: {g.claim.id for g in covidfact(data, held=side).claims} for side in (True, False)}
        assert (len(claims[True]), len(claims[False])) == (180, 723)


def pair(example: Example) -> tuple[str, str]:
    """The claim, and a digest of the document."""
    document = "\n".join((example.title, *example.elements))
    return " ".join(example.claim.lower().split()), hashlib.sha1(document.encode(), usedforsecurity=False).hexdigest()

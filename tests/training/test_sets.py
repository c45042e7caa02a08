from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sciverify.errors import SciverifyError, TrainingError
from sciverify.evaluation.gold import load_gold
from sciverify.training.sets import FOLDS, SETS, Options, fold_claims, load_sets
from shared_data import shared_data

LOCAL = "scifact/cross_validation/fold_{0}/claims_dev_{0}.jsonl"


@pytest.fixture
def scifact(write: Callable[..., Path], write_cited: Callable[..., None], tmp_path: Path) -> Path:
    """Ten training claims on five documents; fold 1 holds out claims 0 and 1, and dev claims 100 and 101."""
    documents = {n: [f"Sentence one on topic{n}.", f"Sentence two on topic{n}.", "Thanks."] for n in range(5)}
    claims = [
        {
            "id": n,
            "claim": f"Claim {n} on topic{n % 5} and topic{(n + 1) % 5}.",
            "evidence": {str(n % 5): [{"sentences": [0], "label": "SUPPORT"}]} if n % 2 else {},
            "cited_doc_ids": [n % 5],
        }
        for n in range(10)
    ]
    write_cited("scifact", documents, claims)
    write(LOCAL.format(1), [{**claim, "id": id} for claim, id in zip(claims, (0, 1, 100, 101), strict=False)])
    return tmp_path


class TestFolds:
    def test_dev_claims_are_left_out(self, scifact: Path) -> None:
        assert fold_claims(scifact, 1) == {"0", "1"}

    @pytest.mark.parametrize("name", ["scifact_sentences", "scifact_abstracts", "scifact_negatives"])
    def test_held_out_claims_do_not_train(self, scifact: Path, name: str) -> None:
        everything = load_sets([name], scifact, Options(negatives=1))
        rest = load_sets([name], scifact, Options(fold=1, negatives=1))
        claims = {example.claim.split()[1] for example in rest}
        assert {example.claim.split()[1] for example in everything} == {str(n) for n in range(10)}
        assert claims == {str(n) for n in range(2, 10)}

    def test_the_published_folds_divide_the_training_claims(self) -> None:
        data = shared_data("scifact").parent
        shared_data("scifact", "cross_validation")
        held_out = [fold_claims(data, fold) for fold in FOLDS]
        train, dev = (
            {gold.claim.id for gold in load_gold(data / f"scifact/claims_{name}.jsonl")} for name in ("train", "dev")
        )
        together = frozenset().union(*held_out)
        assert sum(map(len, held_out)) == len(together) == 809
        assert together == train
        assert not together & dev
        assert all(154 <= len(claims) <= 167 for claims in held_out)


class TestLoadSets:
    def test_sets_come_one_after_the_other(self, scifact: Path) -> None:
        both = load_sets(["scifact_abstracts", "scifact_negatives"], scifact, Options(negatives=2))
        first = load_sets(["scifact_abstracts"], scifact, Options())
        assert both[: len(first)] == first
        assert len(both) > len(first)
        assert load_sets([], scifact, Options()) == []

    def test_an_unknown_name(self, tmp_path: Path) -> None:
        with pytest.raises(TrainingError, match="there is no data set 'ficton'") as caught:
            load_sets(["ficton"], tmp_path, Options())
        assert "mnli" in caught.value.remedy

    @pytest.mark.parametrize(
        "name",
        SETS,
    )
    def test_a_set_that_is_not_there_is_named(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(SciverifyError) as caught:
            load_sets([name], tmp_path, Options(negatives=1))
        assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("fever", 2 * 9666),  # two files, without the third that is NEI and has no sentences
        ("new_protocols", 4 * 8500),
        ("mnli", 25_000),
        ("snli", 9842 + 9824),
        ("counterfactual", 8330),
        ("sufficient_facts", 3000),
        ("boolq", 3270),
        ("climate_fever", 6140),
        ("fever_symmetric", 708),
        ("sick", 9927),
        ("fool_me_twice", 1169),
        ("anli", 1000 + 1000 + 1198),
        ("feverous_sentences", 2962),
        ("direction_abstracts", 1674),
        ("clinifact", 1260),
        ("nli4ct", 1635),
        ("citint", 2138),
        ("pubmedqa", 400),
        ("bioasq_yesno", 401),
        ("bioasq_spans", 3590),
        ("xquad", 1190),
        ("infotabs", 16_394),
        ("tabfact", 6952),
        ("semtabfacts", 2876),
        ("scitab", 836),
        ("wikiqa", 2118),
        ("trecqa", 93),
        ("question_sentences", 44_894),
        ("nfcorpus", 10_172),
    ],
)
def test_published_sets_are_read_whole(name: str, count: int) -> None:
    examples = load_sets([name], shared_data(), Options(seed=13))
    assert len(examples) == count
    assert all(example.claim and all(example.elements) for example in examples)

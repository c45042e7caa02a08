from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sciverify.corpora import open_corpus
from sciverify.evaluation.gold import load_gold
from sciverify.training.examples import Example
from sciverify.training.guards import DevPairs, drop_leaks, load_dev_pairs, unlabelled_abstracts
from sciverify.training.sets import SETS, Options, load_sets
from sciverify.training.splits import HELD_OUT, held_out
from shared_data import shared_data

CLAIM = "Aspirin raises the risk of stroke in older adults."
TEXTS = [
    "Forty adults over sixty took part in this trial of aspirin.",
    "Stroke was rarer with aspirin than without it.",
]
TITLE = "Aspirin and stroke: a randomised trial"


@pytest.fixture
def data(write: Callable[..., Path], tmp_path: Path) -> Path:
    """One dev claim with evidence in document 1, which cites document 2 too; and a training claim."""
    write(
        "scifact/corpus.jsonl",
        [
            {"doc_id": 1, "title": TITLE, "abstract": TEXTS},
            {"doc_id": 2, "title": "A protocol", "abstract": ["Risk will be recorded in each of the ten centres."]},
            {"doc_id": 3, "title": "Terns", "abstract": ["Terns fly south in the autumn of each year."]},
        ],
    )
    evidence = {"1": [{"sentences": [1], "label": "CONTRADICT"}]}
    write("scifact/claims_dev.jsonl", [{"id": 1, "claim": CLAIM, "evidence": evidence, "cited_doc_ids": [1, 2]}])
    write(
        "scifact/claims_train.jsonl",
        [
            {"id": 8, "claim": CLAIM.replace("raises", "lowers"), "evidence": evidence, "cited_doc_ids": [1]},
            {"id": 9, "claim": "Terns fly south.", "evidence": {}, "cited_doc_ids": [3]},
        ],
    )
    return tmp_path


@pytest.fixture
def pairs(data: Path) -> DevPairs:
    return load_dev_pairs(data)


ON_MEDICINE = [
    *("scifact_abstracts", "scifact_sentences", "scifact_negatives", "healthver_abstracts", "covidfact_abstracts"),
    *("direction_abstracts", "clinifact", "nli4ct", "citint", "pubmedqa", "bioasq_yesno"),
]
LEAK = Example(CLAIM, TITLE, tuple(TEXTS), source="any")


class TestTouches:
    @pytest.mark.parametrize(
        "claim",
        [
            CLAIM,
            f"  {CLAIM.upper()} ",
            "Aspirin raises the risk of stroke in older adults",
            "Aspirin lowers the risk of stroke in older adults.",
            "Aspirin does not raise the risk of stroke in older adults.",
            "In older adults, the risk of stroke is raised by aspirin!",
        ],
    )
    def test_nearly_the_same_claim(self, pairs: DevPairs, claim: str) -> None:
        assert pairs.touches(replace(LEAK, claim=claim))

    @pytest.mark.parametrize(
        ("title", "elements"),
        [
            (TITLE, ("Another text.",)),
            (TITLE.upper() + ".", ()),
            ("", (TEXTS[1],)),
            ("Another title", ("First.", TEXTS[0])),
            ("", (f"A whole paragraph: {' '.join(TEXTS)}",)),
            ("A protocol", ("Cited, but without evidence.",)),
        ],
    )
    def test_the_same_document(self, pairs: DevPairs, title: str, elements: tuple[str, ...]) -> None:
        assert pairs.touches(replace(LEAK, title=title, elements=elements))

    def test_another_claim_on_the_same_document(self, pairs: DevPairs) -> None:
        assert not pairs.touches(replace(LEAK, claim="Aspirin causes bleeding."))
        assert not pairs.touches(replace(LEAK, claim=""))
        assert not pairs.touches(replace(LEAK, claim="of the and"))

    def test_the_same_claim_on_another_document(self, pairs: DevPairs) -> None:
        assert not pairs.touches(replace(LEAK, title="Terns", elements=("Stroke was rarer with aspirin.",)))
        assert not pairs.touches(replace(LEAK, title="", elements=()))


class TestDropLeaks:
    def test_the_rest_stays_in_order(self, pairs: DevPairs) -> None:
        others = [Example(f"Claim {n}", "", ("Text.",), source="b") for n in range(4)]
        leaks = [LEAK, replace(LEAK, source="b", title="")]
        kept, dropped = drop_leaks([others[0], leaks[0], *others[1:], leaks[1]], pairs)
        assert kept == others
        assert dropped == {"any": 1, "b": 1}

    def test_without_dev_claims_nothing_is_dropped(self, tmp_path: Path) -> None:
        assert drop_leaks([LEAK], load_dev_pairs(tmp_path)) == ([LEAK], {})

    def test_every_set_passes_through_it(self, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sciverify.training.sets.SETS", {"one": lambda *_: [LEAK, Example("c", "", ("t",))]})
        told: list[str] = []
        assert [e.claim for e in load_sets(["one"], data, Options(), told.append)] == ["c"]
        [line] = told
        assert "one: 1 examples dropped" in line

    def test_counterclaims_among_the_training_claims(self, data: Path) -> None:
        assert {e.claim for e in load_sets(["scifact_abstracts", "scifact_sentences"], data, Options())} == {
            "Terns fly south."
        }


class TestUnlabelledAbstracts:
    def test_what_scifact_holds_is_left_out(self, data: Path) -> None:
        own = "Gulls were counted on the coast in every month."
        rows = [
            ("flagged", "A title", own, True),
            ("title", TITLE.lower(), own, False),
            ("text", "Another title", f"{' '.join(TEXTS)} {own}", False),
            ("stock", "Another title", f"{TEXTS[0]} {own}", False),
            ("own", "Gulls", own, False),
            ("empty", "Gulls and terns", "", False),
        ]
        keys = ("id", "title", "abstract", "in_scifact_corpus")
        lines = [json.dumps({"source": "s", **dict(zip(keys, row, strict=True))}) for row in rows]
        path = data / "abstracts/medical_abstracts.jsonl.gz"
        path.parent.mkdir()
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
        documents = list(unlabelled_abstracts(data))
        assert [d.id for d in documents] == ["s stock", "s own"]
        assert [e.text for e in documents[0].elements] == [TEXTS[0], own]


class TestPublishedSets:
    """What may train is compared with dev's pairs a second way: whole texts, letters and digits alone."""

    def test_no_pair_of_dev_survives(self) -> None:
        data = shared_data()
        dev = load_gold(data / "scifact/claims_dev.jsonl")
        corpus = {d.id: d for d in open_corpus(data / "scifact/corpus.jsonl")}
        pairs: dict[str, set[str]] = {}
        for gold in dev:
            documents = [corpus[id] for id in (*gold.evidence, *gold.cited)]
            texts = {letters(e.text) for d in documents for e in d.elements} | {letters(d.title) for d in documents}
            pairs.setdefault(letters(gold.claim.text), set()).update(texts)
        raw = [e for name in ("scifact_abstracts", "healthver_abstracts") for e in SETS[name](data, Options())]
        assert repeats(raw, pairs)  # the published training claims do repeat some
        assert not repeats(load_sets(ON_MEDICINE, data, Options(negatives=2)), pairs)

    def test_nor_in_what_is_held_out(self) -> None:
        data = shared_data()
        pairs = load_dev_pairs(data)
        assert not any(drop_leaks(held_out(name, data), pairs)[1] for name in HELD_OUT)


def repeats(examples: list[Example], pairs: dict[str, set[str]]) -> list[Example]:
    return [
        example
        for example in examples
        if (texts := pairs.get(letters(example.claim)))
        and texts & set(map(letters, (example.title, *example.elements)))
    ]


def letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text.lower()))

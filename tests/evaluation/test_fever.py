import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation import bootstrap
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import LABEL_NAMES, EvidenceGold, EvidencePrediction
from sciverify.evaluation.fever import score_fever, score_fever_predictions
from sciverify.records import Claim

MAIN = ("fever_score", "label_accuracy", "evidence_precision", "evidence_recall", "evidence_f1")
NEI = "NOT ENOUGH INFO"


def slow_scores(gold, run):
    """The five figures straight from the definition, on the JSON objects."""
    score = accuracy = 0
    precisions, recalls = [], []
    for claim, line in zip(gold, run, strict=True):
        right = claim["label"] == line["predicted_label"]
        shown = [tuple(sentence) for sentence in line["predicted_evidence"][:5]]
        groups = [[(page, number) for _, _, page, number in group] for group in claim["evidence"]]
        complete = any(all(sentence in shown for sentence in group) for group in groups)
        accuracy += right
        score += right and (complete or claim["label"] == NEI)
        if claim["label"] != NEI:
            hits = [any(sentence in group for group in groups) for sentence in shown]
            precisions.append(sum(hits) / len(hits) if hits else 1.0)
            recalls.append(1.0 if complete or not groups else 0.0)
    precision = sum(precisions) / len(precisions) if precisions else 1.0
    recall = sum(recalls) / len(recalls) if recalls else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return score / len(gold), accuracy / len(gold), precision, recall, f1


SENTENCES = st.tuples(st.sampled_from(["A", "A_sentence_1"]), st.integers(0, 4))


@st.composite
def gold_and_run(draw):
    gold, run = [], []
    for id in range(draw(st.integers(1, 6))):
        label = draw(st.sampled_from(list(LABEL_NAMES.values())))
        groups = draw(st.lists(st.lists(SENTENCES, min_size=1, max_size=2), max_size=3))
        evidence = [[[1, 2, page, number] for page, number in group] for group in groups]
        if label == NEI:
            evidence = [[[1, None, None, None]]]
        predicted = draw(st.lists(SENTENCES, max_size=9))
        if groups and draw(st.booleans()):
            predicted = [*draw(st.sampled_from(groups)), *predicted]
        answer = draw(st.sampled_from([label, *LABEL_NAMES.values()]))
        gold.append({"id": id, "claim": "c", "label": label, "evidence": evidence})
        run.append({"id": id, "predicted_label": answer, "predicted_evidence": [list(one) for one in predicted]})
    return gold, run


def score(gold, run):
    """Score JSON objects without a detour over the disk."""
    labels = {name: label for label, name in LABEL_NAMES.items()}
    return score_fever_predictions(
        [
            EvidenceGold(
                Claim(str(line["id"]), line["claim"]),
                labels[line["label"]],
                tuple(
                    frozenset(EvidenceId(page, "sentence", str(number)) for _, _, page, number in group)
                    for group in line["evidence"]
                    if line["label"] != NEI
                ),
            )
            for line in gold
        ],
        [
            EvidencePrediction(
                str(line["id"]),
                labels[line["predicted_label"]],
                tuple(EvidenceId(page, "sentence", str(number)) for page, number in line["predicted_evidence"]),
            )
            for line in run
        ],
    )


def main(gold, run):
    values = score(gold, run).values()
    return tuple(values[name] for name in MAIN)


@given(gold_and_run())
@settings(max_examples=300)
def test_agrees_with_the_definition(pair):
    assert main(*pair) == pytest.approx(slow_scores(*pair), abs=1e-12, rel=0)


@given(gold_and_run())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_score_as_objects_do(tmp_path, pair):
    for name, lines in zip(("gold", "run"), pair, strict=True):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert score_fever(tmp_path / "gold", tmp_path / "run").values() == score(*pair).values()


def one(label, evidence, answer, predicted):
    gold = {"id": 1, "claim": "", "label": label, "evidence": [[[0, 0, *s] for s in group] for group in evidence]}
    return main([gold], [{"id": 1, "predicted_label": answer, "predicted_evidence": predicted}])


class TestQuirks:
    def test_the_sixth_sentence_does_not_count(self):
        wrong = [["B", n] for n in range(5)]
        assert one("SUPPORTS", [[["A", 0]]], "SUPPORTS", [*wrong[:4], ["A", 0], *wrong]) == (
            1,
            1,
            0.2,
            1,
            pytest.approx(1 / 3),
        )
        assert one("SUPPORTS", [[["A", 0]]], "SUPPORTS", [*wrong, ["A", 0]]) == (0, 1, 0, 0, 0)

    def test_not_enough_information_needs_the_label_only(self):
        for predicted in ([], [["A", 0]]):
            # With no claim that is asked for evidence, precision is 1 and recall 0.
            assert one(NEI, [[[None, None]]], NEI, predicted) == (1, 1, 1, 0, 0)
        assert one(NEI, [[[None, None]]], "SUPPORTS", []) == (0, 0, 1, 0, 0)

    def test_it_takes_no_part_in_precision_and_recall(self):
        gold = [
            {"id": 1, "claim": "", "label": "REFUTES", "evidence": [[[0, 0, "A", 0]]]},
            {"id": 2, "claim": "", "label": NEI, "evidence": [[[0, None, None, None]]]},
        ]
        run = [
            {"id": 1, "predicted_label": "REFUTES", "predicted_evidence": [["A", 0]]},
            {"id": 2, "predicted_label": "REFUTES", "predicted_evidence": [["A", 1]]},
        ]
        assert main(gold, run) == (0.5, 0.5, 1, 1, 1)

    def test_evidence_counts_with_the_wrong_label_too(self):
        assert one("SUPPORTS", [[["A", 0]]], "REFUTES", [["A", 0]]) == (0, 0, 1, 1, 1)
        assert one("SUPPORTS", [[["A", 0]]], NEI, []) == (0, 0, 1, 0, 0)

    def test_a_whole_group_of_one_or_of_two(self):
        groups = [[["A", 0], ["B", 0]], [["C", 0]]]
        assert one("SUPPORTS", groups, "SUPPORTS", [["A", 0]])[:4] == (0, 1, 1, 0)
        assert one("SUPPORTS", groups, "SUPPORTS", [["B", 0], ["A", 0]])[:4] == (1, 1, 1, 1)
        assert one("SUPPORTS", groups, "SUPPORTS", [["C", 0]])[:4] == (1, 1, 1, 1)

    def test_a_claim_without_groups_has_recall_but_no_score(self):
        assert one("SUPPORTS", [], "SUPPORTS", []) == (0, 1, 1, 1, 1)


class TestInvariants:
    @given(gold_and_run())
    def test_gold_against_gold_is_perfect(self, pair):
        gold, _ = pair
        gold = [line for line in gold if line["label"] == NEI or line["evidence"]]
        assume(gold)
        run = [
            {
                "id": line["id"],
                "predicted_label": line["label"],
                "predicted_evidence": [] if line["label"] == NEI else [entry[2:] for entry in line["evidence"][0]],
            }
            for line in gold
        ]
        asked = any(line["label"] != NEI for line in gold)
        assert main(gold, run) == ((1, 1, 1, 1, 1) if asked else (1, 1, 1, 0, 0))

    @given(gold_and_run())
    def test_an_empty_prediction_has_no_recall(self, pair):
        gold, run = pair
        gold = [line | {"evidence": line["evidence"] or [[[1, 2, "A", 0]]]} for line in gold]
        assert main(gold, [line | {"predicted_evidence": []} for line in run])[3:] == (0, 0)

    @given(gold_and_run(), st.randoms(use_true_random=False))
    def test_the_order_of_five_sentences_changes_nothing(self, pair, random):
        gold, run = pair
        run = [line | {"predicted_evidence": line["predicted_evidence"][:5]} for line in run]
        turned = [
            line | {"predicted_evidence": random.sample(line["predicted_evidence"], len(line["predicted_evidence"]))}
            for line in run
        ]
        assert main(gold, run) == main(gold, turned)

    @given(gold_and_run(), st.integers(0, 9))
    def test_a_wrong_sentence_never_raises_a_score(self, pair, at):
        gold, run = pair
        worse = []
        for line in run:
            evidence = line["predicted_evidence"]
            worse.append(line | {"predicted_evidence": [*evidence[:at], ["wrong", 0], *evidence[at:]]})
        assert all(new <= old for new, old in zip(main(gold, worse), main(gold, run), strict=True))

    @given(gold_and_run())
    @settings(max_examples=20)
    def test_a_seed_repeats(self, pair):
        scores = score(*pair)
        assert bootstrap(scores, resamples=20, seed=3) == bootstrap(scores, resamples=20, seed=3)


def test_coverage_asks_about_the_claims_that_need_evidence():
    gold = [
        {"id": 1, "claim": "", "label": "REFUTES", "evidence": [[[0, 0, "A", 0], [0, 0, "B", 1]]]},
        {"id": 2, "claim": "", "label": "SUPPORTS", "evidence": [[[0, 0, "C", 0]]]},
        {"id": 3, "claim": "", "label": NEI, "evidence": [[[0, None, None, None]]]},
    ]
    run = [
        {"id": 1, "predicted_label": NEI, "predicted_evidence": [["B", 1], ["B", 2], ["A", 0]]},
        {"id": 2, "predicted_label": NEI, "predicted_evidence": [["C", 1]]},
        {"id": 3, "predicted_label": NEI, "predicted_evidence": []},
    ]
    values = score(gold, run).values()
    assert (values["page_coverage_at_5"], values["sentence_recall_at_5"]) == (1, 0.5)


def test_errors(write_lines):
    gold = write_lines("gold.jsonl", *({"id": id, "claim": "", "label": NEI, "evidence": []} for id in (1, 2)))
    path = write_lines("run.jsonl", {"id": 2, "predicted_label": NEI, "predicted_evidence": []})
    with pytest.raises(RunFileError, match="claim 1 is missing") as caught:
        score_fever(gold, path)
    assert caught.value.where == f"{path}:1"
    with pytest.raises(SettingError, match="0 is not a depth for pages"):
        score_fever(
            gold, write_lines("run.jsonl", *[{"predicted_label": NEI, "predicted_evidence": []}] * 2), pages=[0]
        )

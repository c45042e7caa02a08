import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation import bootstrap, compare, scores_table
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import LABEL_NAMES, EvidenceGold, EvidencePrediction
from sciverify.evaluation.feverous import score_feverous, score_feverous_predictions, truncated
from sciverify.evaluation.feverous_files import load_feverous
from sciverify.records import Claim, Label
from shared_data import shared_data

MAIN = ("feverous_score", "label_accuracy", "evidence_precision", "evidence_recall", "evidence_f1")
LABELS = st.sampled_from(list(Label))


def ids(*texts):
    return tuple(EvidenceId.parse(text) for text in texts)


def gold_claim(id, label, *groups):
    return EvidenceGold(Claim(str(id), "c"), label, tuple(frozenset(ids(*group)) for group in groups))


def prediction(id, label, *evidence):
    return EvidencePrediction(str(id), label, ids(*evidence))


def main(gold, run):
    """The five published figures."""
    values = score_feverous_predictions(gold, run).values()
    return tuple(values[name] for name in MAIN)


def published(gold, run):
    """The same from FEVEROUS's own scorer, with its division by zero mended; it changes what it is given."""
    scorer = pytest.importorskip("feverous.evaluation.feverous_scorer", reason="needs FEVEROUS's scorer")
    instances = [
        {
            "label": LABEL_NAMES[g.label],
            "evidence": [[list(id) for id in group] for group in g.groups],
            "predicted_label": LABEL_NAMES[p.label],
            "predicted_evidence": [list(id) for id in p.evidence],
        }
        for g, p in zip(gold, run, strict=True)
    ]
    try:
        return scorer.feverous_score(copy.deepcopy(instances))
    except ZeroDivisionError:
        # F1 of nothing: all that comes before it is in its place when a claim that is right is added and taken out.
        right = {"label": "SUPPORTS", "predicted_label": "SUPPORTS", "evidence": [[["A", "title", ""]]]}
        instances.append(right | {"predicted_evidence": [["A", "title", ""]]})
        n = len(instances)
        score, accuracy, precision, recall, _ = scorer.feverous_score(copy.deepcopy(instances))
        return (*((n * value - 1) / (n - 1) for value in (score, accuracy, precision, recall)), 0.0)


# Few elements, so that predictions meet gold; many of a kind, so that both truncations bite.
ELEMENTS = st.one_of(
    st.integers(0, 9).map(lambda n: EvidenceId("A_sentence_1", "sentence", str(n))),
    st.integers(0, 19).map(lambda n: EvidenceId("A", "cell", f"0_{n}_1")),
    st.sampled_from(
        ids("A_header_cell_0_0_1", "A_item_0_2", "B_table_caption_0", "B_section_1", "B_title", "Bé_sentence_0")
    ),
)
GROUPS = st.lists(st.frozensets(ELEMENTS, min_size=1, max_size=3), max_size=3)


@st.composite
def claims_and_predictions(draw, groups=GROUPS):
    gold, run = [], []
    for number in range(draw(st.integers(1, 5))):
        truth = EvidenceGold(Claim(str(number), "c"), draw(LABELS), tuple(draw(groups)))
        evidence = draw(st.one_of(st.just([]), st.lists(ELEMENTS, max_size=8), st.lists(ELEMENTS, max_size=45)))
        if truth.groups and draw(st.booleans()):
            at = draw(st.integers(0, len(evidence)))
            evidence[at:at] = sorted(draw(st.sampled_from(truth.groups)))
        label = draw(st.one_of(st.just(truth.label), LABELS))
        gold.append(truth)
        run.append(EvidencePrediction(str(number), label, tuple(evidence)))
    return gold, run


@given(claims_and_predictions())
@settings(max_examples=300, deadline=None)
def test_agrees_with_the_published_scorer(pair):
    assert main(*pair) == pytest.approx(published(*pair), abs=1e-12, rel=0)


@given(claims_and_predictions())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_score_as_objects_do(tmp_path, pair):
    gold, run = pair
    files = {
        "gold": [
            {
                "id": int(entry.claim.id),
                "claim": "c",
                "label": LABEL_NAMES[entry.label],
                "evidence": [{"content": [str(id) for id in group], "context": {}} for group in entry.groups],
            }
            for entry in gold
        ],
        "run": [
            {"predicted_label": LABEL_NAMES[one.label], "predicted_evidence": [str(id) for id in one.evidence]}
            for one in run
        ],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    scores = score_feverous(tmp_path / "gold", tmp_path / "run")
    assert scores.values() == score_feverous_predictions(gold, run).values()


class TestWorkedExample:
    GOLD = (
        gold_claim(1, Label.SUPPORTS, ["A_sentence_0", "A_cell_0_1_1"], ["B_sentence_3"]),
        gold_claim(2, Label.REFUTES, ["C_sentence_0"]),
        gold_claim(3, Label.NEI, ["D_item_0_1"]),
    )

    def test_right_labels_need_a_whole_group(self):
        run = (
            prediction(1, Label.SUPPORTS, "A_sentence_0", "B_sentence_3"),
            prediction(2, Label.REFUTES, "C_sentence_1"),
            prediction(3, Label.SUPPORTS, "D_item_0_1"),
        )
        # One claim of three has both; precision (1 + 0 + 1) / 3, recall (1 + 0 + 1) / 3.
        assert main(self.GOLD, run) == pytest.approx((1 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3))

    def test_half_a_group_counts_for_precision_only(self):
        run = (
            prediction(1, Label.SUPPORTS, "A_sentence_0"),
            prediction(2, Label.REFUTES),
            prediction(3, Label.NEI),
        )
        # Where nothing is predicted, precision is 1.
        assert main(self.GOLD, run) == (0, 1, 1, 0, 0)

    def test_not_enough_information_needs_its_evidence_too(self):
        gold = self.GOLD[2:]
        assert main(gold, [prediction(3, Label.NEI, "D_item_0_1")])[0] == 1
        assert main(gold, [prediction(3, Label.NEI)])[0] == 0

    def test_a_claim_without_groups_has_recall_but_no_score(self):
        assert main([gold_claim(1, Label.NEI)], [prediction(1, Label.NEI)]) == (0, 1, 1, 1, 1)
        assert main([gold_claim(1, Label.NEI)], [prediction(1, Label.NEI, "A_title")]) == (0, 1, 0, 1, 0)

    def test_an_element_that_is_predicted_twice_counts_twice(self):
        gold = [gold_claim(1, Label.NEI, ["A_title"])]
        run = [prediction(1, Label.NEI, "A_title", "A_title", "B_title")]
        assert main(gold, run)[2] == pytest.approx(2 / 3)

    def test_titles_are_compared_letter_by_letter(self):
        gold = [gold_claim(1, Label.NEI, ["\u00c9lan_vital_sentence_0"])]
        assert main(gold, [prediction(1, Label.NEI, "\u00c9lan_vital_sentence_0")])[0] == 1
        for other in ("E\u0301lan_vital_sentence_0", "\u00c9lan vital_sentence_0", "\u00c9lan_vital_sentence_00"):
            assert main(gold, [prediction(1, Label.NEI, other)])[0] == 0


class TestTruncation:
    def test_five_elements_that_are_not_cells(self):
        gold = [gold_claim(1, Label.SUPPORTS, ["A_sentence_9"])]
        wrong = [f"A_sentence_{n}" for n in range(4)]
        assert main(gold, [prediction(1, Label.SUPPORTS, *wrong, "A_sentence_9")])[0] == 1
        assert main(gold, [prediction(1, Label.SUPPORTS, *wrong, "A_title", "A_sentence_9")])[:3] == (0, 1, 0)

    def test_twenty_five_cells_items_captions_and_header_cells_together(self):
        gold = [gold_claim(1, Label.SUPPORTS, ["A_cell_9_9_9"])]
        wrong = [f"A_{kind}_{n}" for n in range(6) for kind in ("cell_0", "item_0", "table_caption", "header_cell_0")]
        assert main(gold, [prediction(1, Label.SUPPORTS, *wrong, "A_cell_9_9_9")])[2] == 1 / 25
        assert main(gold, [prediction(1, Label.SUPPORTS, *wrong, "A_item_9_9", "A_cell_9_9_9")])[:3] == (0, 1, 0)

    def test_the_two_are_counted_apart_and_order_is_kept(self):
        cells = ids(*(f"A_cell_0_{n}_0" for n in range(27)))
        sentences = ids(*(f"A_sentence_{n}" for n in range(7)))
        assert truncated([*cells, *sentences]) == [*cells[:25], *sentences[:5]]
        mixed = [id for pair in zip(sentences, cells, strict=False) for id in pair]
        assert truncated(mixed) == [*mixed[:10], cells[5], cells[6]]


class TestInvariants:
    @given(claims_and_predictions(groups=st.lists(st.frozensets(ELEMENTS, min_size=1, max_size=3), min_size=1)))
    def test_gold_against_gold_is_perfect(self, pair):
        gold, _ = pair
        run = [EvidencePrediction(e.claim.id, e.label, tuple(min(e.groups, key=sorted))) for e in gold]
        values = score_feverous_predictions(gold, run, pages=(), sentences=(), tables=(), cells=()).values()
        assert list(values.values()) == [1, 1, 1, 1, 1]

    @given(claims_and_predictions(groups=GROUPS.filter(bool)))
    def test_an_empty_prediction_has_no_recall(self, pair):
        gold, run = pair
        values = score_feverous_predictions(gold, [EvidencePrediction(p.claim_id, p.label, ()) for p in run]).values()
        accuracy, precision = values.pop("label_accuracy"), values.pop("evidence_precision")
        assert (precision, set(values.values())) == (1, {0.0})
        assert accuracy == sum(g.label is p.label for g, p in zip(gold, run, strict=True)) / len(gold)

    @given(claims_and_predictions(), st.randoms(use_true_random=False))
    def test_the_order_of_elements_changes_nothing_where_none_is_cut_off(self, pair, random):
        gold, run = pair
        run = [EvidencePrediction(p.claim_id, p.label, p.evidence[:5]) for p in run]
        turned = [
            EvidencePrediction(p.claim_id, p.label, tuple(random.sample(p.evidence, len(p.evidence)))) for p in run
        ]
        assert main(gold, run) == main(gold, turned)

    @given(claims_and_predictions(), st.integers(0, 45))
    def test_a_wrong_element_never_raises_a_score(self, pair, at):
        gold, run = pair
        wrong = EvidenceId("wrong", "sentence", "0")
        worse = [EvidencePrediction(p.claim_id, p.label, (*p.evidence[:at], wrong, *p.evidence[at:])) for p in run]
        # Where an element is cut off, the wrong one pushes another out and none in.
        before, after = main(gold, run), main(gold, worse)
        assert all(new <= old for new, old in zip(after, before, strict=True))
        assert after[1] == before[1]

    @given(claims_and_predictions())
    @settings(max_examples=20)
    def test_a_seed_repeats(self, pair):
        scores = score_feverous_predictions(*pair)
        assert bootstrap(scores, resamples=20, seed=3) == bootstrap(scores, resamples=20, seed=3)

    @given(claims_and_predictions(), st.data())
    def test_a_claim_that_counts_twice_is_two_claims(self, pair, data):
        gold, run = pair
        weights = data.draw(st.lists(st.integers(0, 3), min_size=len(gold), max_size=len(gold)).filter(any))
        times = [i for i, weight in enumerate(weights) for _ in range(weight)]
        longer = [
            (
                EvidenceGold(Claim(str(new), "c"), gold[i].label, gold[i].groups),
                EvidencePrediction(str(new), run[i].label, run[i].evidence),
            )
            for new, i in enumerate(times)
        ]
        scores = score_feverous_predictions(gold, run)
        (weighted,) = scores.weighted([[float(weight) for weight in weights]])
        expected = score_feverous_predictions(*zip(*longer, strict=True)).values()
        assert weighted.tolist() == pytest.approx(list(expected.values()), abs=1e-12)


class TestByLabel:
    def test_each_label_alone(self):
        gold = TestWorkedExample.GOLD
        run = (
            prediction(1, Label.SUPPORTS, "B_sentence_3"),
            prediction(2, Label.SUPPORTS, "C_sentence_0", "C_sentence_1"),
            prediction(3, Label.NEI),
        )
        scores = score_feverous_predictions(gold, run)
        parts = scores.by_label()
        assert parts[Label.SUPPORTS]["feverous_score"] == 1
        assert (parts[Label.REFUTES]["feverous_score"], parts[Label.REFUTES]["evidence_precision"]) == (0, 0.5)
        assert (parts[Label.NEI]["label_accuracy"], parts[Label.NEI]["evidence_recall"]) == (1, 0)
        assert scores.label_counts().tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
        assert list(score_feverous_predictions(gold[:1], run[:1]).by_label()) == [Label.SUPPORTS]

    @given(claims_and_predictions())
    def test_is_the_score_of_those_claims(self, pair):
        gold, run = pair
        for label, values in score_feverous_predictions(gold, run).by_label().items():
            chosen = [(g, p) for g, p in zip(gold, run, strict=True) if g.label is label]
            assert values == pytest.approx(score_feverous_predictions(*zip(*chosen, strict=True)).values(), abs=1e-12)


class TestErrors:
    def test_predictions_in_memory_are_held_to_golds_order(self):
        gold = TestWorkedExample.GOLD
        with pytest.raises(RunFileError, match="claim 9 is not one of the claims"):
            score_feverous_predictions(gold, [prediction(9, Label.NEI)])
        with pytest.raises(RunFileError, match="ends where claim 2 is due"):
            score_feverous_predictions(gold, [prediction(1, Label.NEI)])
        with pytest.raises(SettingError, match="nothing to score"):
            score_feverous_predictions([], [])


def test_shown_and_compared_as_any_scores():
    gold = TestWorkedExample.GOLD
    right = [EvidencePrediction(e.claim.id, e.label, tuple(e.groups[0])) for e in gold]
    empty = [prediction(e.claim.id, Label.NEI) for e in gold]
    scores, other = score_feverous_predictions(gold, right), score_feverous_predictions(gold, empty)
    assert "FEVEROUS score" in scores_table(scores, bootstrap(scores, resamples=10))
    assert compare(scores, other, resamples=10)["feverous_score"].value == 1
    columns, counts = scores.per_claim()
    assert counts.shape == (3, len(columns))
    assert scores.totals()["right_label_and_evidence"] == 3


def test_published_records_against_themselves():
    gold = load_feverous(shared_data("feverous", "feverous_native_small", "tentrain", "tentrain.jsonl"))
    run = [EvidencePrediction(e.claim.id, e.label, tuple(min(e.groups, key=len))) for e in gold]
    scores = score_feverous_predictions(gold, run, pages=[1, 5], sentences=[5], tables=[1, 3], cells=[25])
    assert [scores.values()[name] for name in MAIN] == [1, 1, 1, 1, 1]
    assert scores.values()["page_coverage_at_5"] == scores.values()["cell_recall_at_25"] == 1

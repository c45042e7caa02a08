import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, precision_recall_fscore_support

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation import bootstrap, compare
from sciverify.evaluation.boolean import BooleanAnswer, read_boolean, score_boolean, score_boolean_answers
from sciverify.records import Label, Probabilities
from shared_data import shared_data

YES, NO, NEUTRAL = Label.SUPPORTS, Label.REFUTES, Label.NEI
PUBMEDQA = {"11": {"final_decision": "yes", "QUESTION": "..."}, "12": {"final_decision": "maybe"}}
NAMES = ["SUPPORTS", "REFUTES", "NEI"]
LABELS = st.sampled_from([YES, NO, NEUTRAL])
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=10)


def score(pairs, **options):
    gold = {str(number): label for number, (label, _) in enumerate(pairs)}
    answers = {str(number): BooleanAnswer(label) for number, (_, label) in enumerate(pairs)}
    return score_boolean_answers(gold, answers, **options)


def macro_f1(gold, said, labels=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f1_score(gold, said, average="macro", labels=labels)


class TestAgainstScikitLearn:
    @given(PAIRS)
    @settings(max_examples=150)
    def test_every_measure(self, pairs):
        gold, said = (list(map(str, side)) for side in zip(*pairs, strict=True))
        scores = score(pairs)
        values = scores.values()
        assert values["accuracy"] == pytest.approx(accuracy_score(gold, said))
        assert values["macro_f1"] == pytest.approx(macro_f1(gold, said))
        assert scores.confusion.tolist() == confusion_matrix(gold, said, labels=NAMES).tolist()
        parts = precision_recall_fscore_support(gold, said, labels=NAMES, zero_division=0)[:3]
        for column, name in enumerate(("yes", "no", "neutral")):
            ours = [values[f"{name}_{part}"] for part in ("precision", "recall", "f1")]
            assert ours == pytest.approx([part[column] for part in parts])

    @given(PAIRS, st.sets(st.sampled_from(["yes", "no", "maybe"]), min_size=1))
    @settings(max_examples=100)
    def test_chosen_classes(self, pairs, classes):
        gold, said = (list(map(str, side)) for side in zip(*pairs, strict=True))
        names = {"yes": "SUPPORTS", "no": "REFUTES", "maybe": "NEI"}
        expected = macro_f1(gold, said, labels=[names[name] for name in classes])
        assert score(pairs, classes=sorted(classes)).values()["macro_f1"] == pytest.approx(expected)

    @given(PAIRS, st.integers(0, 2**32 - 1))
    @settings(max_examples=50)
    def test_a_resample_is_scored_as_the_drawn_questions_are(self, pairs, seed):
        drawn = np.random.default_rng(seed).integers(len(pairs), size=len(pairs))
        weights = np.bincount(drawn, minlength=len(pairs)).astype(float)
        gold, said = (list(map(str, side)) for side in zip(*(pairs[i] for i in drawn), strict=True))
        accuracy, macro = score(pairs).weighted(weights[None])[0, :2]
        assert accuracy == pytest.approx(accuracy_score(gold, said))
        assert macro == pytest.approx(macro_f1(gold, said))


@given(PAIRS)
def test_gold_against_gold_is_perfect(pairs):
    values = score([(gold, gold) for gold, _ in pairs]).values()
    assert values["accuracy"] == values["macro_f1"] == 1.0


@given(PAIRS)
def test_the_order_of_answers_changes_nothing(pairs):
    gold = {str(number): label for number, (label, _) in enumerate(pairs)}
    answers = {str(number): BooleanAnswer(label) for number, (_, label) in enumerate(pairs)}
    turned = dict(reversed(answers.items()))
    assert score_boolean_answers(gold, answers).values() == score_boolean_answers(gold, turned).values()


@given(PAIRS)
def test_a_wrong_answer_never_raises_precision(pairs):
    before = score([*pairs, (NO, NO)]).values()
    after = score([*pairs, (NO, YES)]).values()
    assert after["yes_precision"] <= before["yes_precision"]
    assert after["yes_recall"] == before["yes_recall"]
    assert after["accuracy"] < before["accuracy"]


def test_a_label_that_never_occurs_is_not_averaged():
    pairs = [(YES, YES), (NO, YES)]
    assert score(pairs).values()["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)
    assert score(pairs, classes=("yes", "no", "neutral")).values()["macro_f1"] == pytest.approx((2 / 3 + 0) / 3)


def test_resamples_repeat_and_runs_compare():
    pairs = [(YES, YES), (NO, YES), (NEUTRAL, NO), (YES, NEUTRAL), (NO, NO)]
    assert bootstrap(score(pairs), resamples=200, seed=3) == bootstrap(score(pairs), resamples=200, seed=3)
    perfect = score([(gold, gold) for gold, _ in pairs])
    assert compare(perfect, score(pairs), resamples=200)["accuracy"].value == pytest.approx(0.6)


class TestFiles:
    def test_pubmedqa(self, write_lines):
        gold, run = write_lines("gold.json", PUBMEDQA), write_lines("run.json", {"12": "maybe", "11": "no"})
        scores = score_boolean(gold, run)
        assert scores.ids == ("11", "12")
        assert scores.gold == (YES, NEUTRAL)
        assert [answer.label for answer in scores.answers] == [NO, NEUTRAL]
        assert scores.values()["accuracy"] == 0.5

    def test_bioasq(self, write_lines):
        questions = [
            {"id": "a", "type": "yesno", "exact_answer": "Yes"},
            {"id": "b", "type": "factoid", "exact_answer": [["x"]]},
            {"id": "c", "type": "yesno", "exact_answer": "no"},
        ]
        gold = write_lines("gold.json", {"questions": questions})
        system = [{"id": "c", "exact_answer": "no"}, {"id": "a", "exact_answer": "yes"}]
        assert score_boolean(gold, write_lines("run.json", {"questions": system})).values()["accuracy"] == 1.0
        assert list(read_boolean(gold)) == ["a", "c"]

    def test_other_names_and_case(self, write_lines):
        names = ["YES", "true", " No ", "False", "neutral", "Maybe", "NEI"]
        path = write_lines("run.jsonl", *({"id": i, "answer": name} for i, name in enumerate([*names, True, False])))
        labels = [answer.label for answer in read_boolean(path).values()]
        assert labels == [YES, YES, NO, NO, NEUTRAL, NEUTRAL, NEUTRAL, YES, NO]

    def test_probabilities_are_kept(self, write_lines):
        line = {"id": 1, "answer": "yes", "p_yes": 0.5, "p_no": 0.25, "p_neutral": 0.25}
        path = write_lines("run.jsonl", line, {"id": 2, "answer": "no"})
        assert [answer.probabilities for answer in read_boolean(path).values()] == [
            Probabilities(0.5, 0.25, 0.25),
            None,
        ]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            ({"answer": "perhaps"}, "'perhaps' is unknown"),
            ({"answer": 1}, "1 is unknown"),
            ({"answer": None}, "None is unknown"),
            ({"answers": ["yes"]}, "there is no 'answer'"),
            ({"answer": "yes", "p_yes": 0.5}, "not three numbers"),
            ({"answer": "yes", "p_yes": 0.5, "p_no": True, "p_neutral": 0}, "not three numbers"),
            ({"answer": "yes", "p_yes": 0.5, "p_no": 0.1, "p_neutral": 0.1}, "not probabilities"),
        ],
    )
    def test_malformed_lines(self, write_lines, line, problem):
        path = write_lines("run.jsonl", {"id": 1, "answer": "yes"}, {"id": 2} | line)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_boolean(path)
        assert caught.value.where == f"{path}:2"

    def test_malformed_objects(self, write_lines):
        for content, problem in (
            ({"11": {"decision": "yes"}}, "there is no 'final_decision'"),
            ({"11": ["yes"]}, "is unknown"),
            ({"questions": [{"id": "1", "type": "yesno"}]}, "there is no 'exact_answer'"),
            ({"questions": [{"id": "1", "type": "list"}]}, "no yes/no questions"),
            ({"data": [{"paragraphs": [{"qas": [{"id": "1"}]}]}]}, "no yes/no answers"),
        ):
            with pytest.raises(RunFileError, match=problem):
                read_boolean(write_lines("run.json", content))

    def test_missing_and_unknown_questions(self, write_lines):
        gold = write_lines("gold.json", PUBMEDQA)
        for content, problem in (({"11": "yes"}, "'12'"), ({"11": "yes", "12": "no", "13": "no"}, "'13'")):
            run = write_lines("run.json", content)
            with pytest.raises(RunFileError, match=problem) as caught:
                score_boolean(gold, run)
            assert caught.value.where == str(run)


def test_classes_are_checked():
    for classes in ([], ["yes", "perhaps"]):
        with pytest.raises(SettingError):
            score([(YES, NO)], classes=classes)
    with pytest.raises(SettingError, match="nothing to score"):
        score_boolean_answers({}, {})


def test_pubmedqa_records_are_read():
    path = shared_data("pubmedqa", "ori_pqal_train_dev.json")
    records = json.loads(path.read_text(encoding="utf-8"))
    names = {YES: "yes", NO: "no", NEUTRAL: "maybe"}
    read = {id: names[answer.label] for id, answer in read_boolean(path).items()}
    assert read == {id: record["final_decision"] for id, record in records.items()}
    assert score_boolean(path, path).values()["macro_f1"] == 1.0


def test_bioasq_golds_are_read():
    golds = sorted(shared_data("bioasq").glob("*_golden.json"))
    assert sum(len(read_boolean(path)) for path in golds) == 618

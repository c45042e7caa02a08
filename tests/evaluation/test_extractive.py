import json
from itertools import groupby

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation import bootstrap
from sciverify.evaluation.extractive import (
    normalise_answer,
    read_extractive_answers,
    read_extractive_gold,
    score_extractive,
    score_extractive_answers,
)
from shared_data import shared_data

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
WORDS = st.sampled_from(["a", "An", "the", "THE", "tea", "Tea,", "cups", "—", "the—tea", "IL-2", "β", "(", "  ", "\n"])
TEXTS = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), st.text(max_size=12))
GOLD = st.lists(TEXTS, max_size=3)


def plain_tokens(text):
    """SQuAD's tokens letter by letter, without regular expressions."""
    kept = [letter for letter in text.lower() if letter not in PUNCTUATION]
    runs = ["".join(run) for _, run in groupby(kept, key=str.isalnum)]
    return "".join(" " if run in ("a", "an", "the") else run for run in runs).split()


def plain_values(gold_answers, answer):
    """Exact match, F1 and recall from their definition."""
    given_tokens = plain_tokens(answer)
    golds = [tokens for tokens in map(plain_tokens, gold_answers) if tokens]
    if not golds:
        return [0.0 if given_tokens else 1.0] * 3
    best = [0.0, 0.0, 0.0]
    for gold in golds:
        left, shared = list(gold), 0
        for token in given_tokens:
            if token in left:
                left.remove(token)
                shared += 1
        precision = shared / len(given_tokens) if given_tokens else 0.0
        recall = shared / len(gold)
        f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
        best = list(map(max, best, [float(gold == given_tokens), f1, recall]))
    return best


def values(gold, answer):
    return list(score_extractive_answers({"q": gold}, {"q": answer}).values().values())


@given(GOLD, TEXTS)
@settings(max_examples=300)
@example([], "the")
@example(["the", "!"], "")
@example(["the"], "tea")
@example(["a—b"], "—b")
def test_agrees_with_the_definition(gold, answer):
    assert values(gold, answer) == pytest.approx(plain_values(gold, answer))


@given(st.lists(TEXTS.filter(normalise_answer), min_size=1, max_size=3), TEXTS)
@settings(max_examples=300)
def test_agrees_with_torchmetrics(gold, answer):
    """On questions with an answer: SQuAD 1.1's rules, which it implements, know no others."""
    from torchmetrics.functional.text import squad

    target = {"id": "q", "answers": {"text": gold, "answer_start": [0] * len(gold)}}
    theirs = squad([{"id": "q", "prediction_text": answer}], [target])
    assert values(gold, answer)[:2] == pytest.approx([float(theirs["exact_match"]) / 100, float(theirs["f1"]) / 100])


@given(st.lists(st.tuples(GOLD, TEXTS), min_size=1, max_size=8))
@settings(max_examples=50)
def test_the_mean_over_the_questions(pairs):
    gold = {str(i): answers for i, (answers, _) in enumerate(pairs)}
    said = {str(i): answer for i, (_, answer) in enumerate(pairs)}
    rows = [plain_values(*pair) for pair in pairs]
    expected = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    scores = score_extractive_answers(gold, said)
    assert list(scores.values().values()) == pytest.approx(expected)
    assert scores.values() == score_extractive_answers(gold, dict(reversed(said.items()))).values()


@given(GOLD.filter(bool), st.randoms())
def test_gold_against_gold_is_perfect(gold, random):
    # A gold answer of which nothing is left after normalisation is none.
    answer = random.choice([text for text in gold if normalise_answer(text)] or [""])
    assert values(gold, answer) == [1.0, 1.0, 1.0]


@given(GOLD)
def test_an_empty_answer_is_right_where_there_is_none(gold):
    answerable = any(map(normalise_answer, gold))
    assert values(gold, "") == [0.0 if answerable else 1.0] * 3


@given(GOLD, TEXTS, TEXTS)
def test_another_gold_answer_never_lowers_a_score_of_an_answerable_question(gold, more, answer):
    if any(map(normalise_answer, gold)):
        assert all(b >= a for a, b in zip(values(gold, answer), values([*gold, more], answer), strict=True))


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The Tea, a cup", "tea cup"),
        ("  an  IL-2\treceptor ", "il2 receptor"),
        ("theory of a-b", "theory of ab"),
        ("“the”", "“ ”"),  # typographic quotes are not ASCII punctuation
        ("3.5 mg/l", "35 mgl"),
        ("the", ""),
    ],
)
def test_normalisation(text, normalised):
    assert normalise_answer(text) == normalised


def test_each_measure_takes_its_own_best_answer():
    # Recall is best on the short answer, F1 on the long one.
    exact, f1, recall = values(["green tea", "green tea with milk in cups"], "green tea with milk in")
    assert (exact, f1, recall) == (0.0, pytest.approx(10 / 11), 1.0)


def test_a_seed_repeats():
    scores = score_extractive_answers({str(i): ["x y"] for i in range(9)}, {str(i): "x " * i for i in range(9)})
    assert bootstrap(scores, resamples=100, seed=1) == bootstrap(scores, resamples=100, seed=1)


def squad(*questions):
    return {"data": [{"title": "t", "paragraphs": [{"context": "c", "qas": list(questions)}]}]}


class TestFiles:
    def test_squad(self, write_lines):
        answers = [{"text": "green tea", "answer_start": 3}, {"text": "tea", "answer_start": 9}]
        gold = write_lines(
            "gold.json",
            squad(
                {"id": "a", "question": "?", "answers": answers},
                {"id": "b", "question": "?", "answers": [], "is_impossible": True, "plausible_answers": answers},
            ),
        )
        assert read_extractive_gold(gold) == {"a": ("green tea", "tea"), "b": ()}
        scores = score_extractive(gold, write_lines("run.json", {"b": "", "a": "The tea"}))
        assert list(scores.values().values()) == [1.0, 1.0, 1.0]
        scores = score_extractive(gold, write_lines("run.json", {"b": "tea", "a": "black tea"}))
        assert scores.ids == ("a", "b")
        assert scores.values() == {"exact_match": 0.0, "token_f1": pytest.approx(1 / 3), "token_recall": 0.5}

    def test_json_lines(self, write_lines):
        gold = write_lines("gold.jsonl", {"id": 1, "answers": ["tea"]}, {"id": 2, "answers": []})
        run = write_lines("run.jsonl", {"id": 2, "answer": ""}, {"id": 1, "answer": "tea!"})
        assert score_extractive(gold, run).values()["exact_match"] == 1.0

    def test_bioasq_factoids(self, write_lines):
        gold = write_lines(
            "gold.json",
            {
                "questions": [
                    {"id": "a", "type": "factoid", "exact_answer": [["tea", "Camellia sinensis"]]},
                    {"id": "b", "type": "list", "exact_answer": [["x"], ["y"]]},
                    {"id": "c", "type": "factoid", "exact_answer": "coffee"},
                ]
            },
        )
        assert read_extractive_gold(gold) == {"a": ("tea", "Camellia sinensis"), "c": ("coffee",)}
        system = [{"id": "a", "exact_answer": [["Camellia Sinensis"], ["x"]]}, {"id": "c", "exact_answer": []}]
        run = write_lines("run.json", {"questions": system})
        assert read_extractive_answers(run) == {"a": "Camellia Sinensis", "c": ""}
        assert score_extractive(gold, run).values()["exact_match"] == 0.5

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ({"a": "tea"}, "a form of predictions"),
            ({"id": "a", "answers": "tea"}, "not a list of strings"),
            ({"id": "a", "answer": "tea"}, "there is no 'answers'"),
            (squad({"id": "a", "answers": ["tea"]}), "list of objects with a 'text'"),
            (squad({"id": "a", "answers": [{"text": 3}]}), "list of objects with a 'text'"),
            (squad({"id": "a"}), "list of objects with a 'text'"),
            (squad({"id": "a", "answers": [{"text": "tea"}], "is_impossible": True}), "there are 1 answers"),
            (squad({"id": "a", "answers": [], "is_impossible": False}), "there are 0 answers"),
            ({"questions": [{"id": "a", "type": "yesno", "exact_answer": "yes"}]}, "no factoid questions"),
            ({"questions": [{"id": "a", "type": "factoid", "exact_answer": []}]}, "has no answer"),
            ({"questions": [{"id": "a", "type": "factoid"}]}, "not a list of answers"),
            ({"questions": [{"id": "a", "type": "factoid", "exact_answer": [[3]]}]}, "not a list of answers"),
        ],
    )
    def test_malformed_gold(self, write_lines, content, problem):
        path = write_lines("gold", content)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_extractive_gold(path)
        assert str(path) in caught.value.where

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ({"a": ["tea"]}, "is not a string"),
            ({"a": None}, "is not a string"),
            ({"id": "a", "answer": 3}, "is not a string"),
            (squad({"id": "a", "answers": []}), "gold file, not predictions"),
        ],
    )
    def test_malformed_answers(self, write_lines, content, problem):
        path = write_lines("run", content)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_extractive_answers(path)
        assert str(path) in caught.value.where

    def test_missing_and_unknown_questions(self, write_lines):
        gold = write_lines("gold.jsonl", {"id": 1, "answers": ["tea"]}, {"id": 2, "answers": []})
        for content, id in (({"1": ""}, "'2'"), ({"1": "", "2": "", "3": ""}, "'3'")):
            run = write_lines("run.json", content)
            with pytest.raises(RunFileError, match=id) as caught:
                score_extractive(gold, run)
            assert caught.value.where == str(run)


def test_no_questions():
    with pytest.raises(SettingError, match="nothing to score"):
        score_extractive_answers({}, {})


def test_squad_data_are_read(tmp_path):
    path = shared_data("qa", "xquad_en", "xquad.en.json")
    gold = read_extractive_gold(path)
    assert len(gold) == 1190
    run = tmp_path / "run.json"
    run.write_text(json.dumps({id: answers[-1] for id, answers in gold.items()}), encoding="utf-8")
    assert set(score_extractive(path, run).values().values()) == {1.0}


def test_bioasq_golds_are_read():
    golds = sorted(shared_data("bioasq").glob("*_golden.json"))
    assert sum(len(read_extractive_gold(path)) for path in golds) == 740

import random
import sys
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score import rouge_scorer, tokenizers

from sciverify.errors import MissingExtraError, RunFileError, SettingError
from sciverify.evaluation import bootstrap
from sciverify.evaluation.summaries import read_references, read_summaries, score_summaries, score_summary_texts
from shared_data import shared_data

WORDS = ["tea", "drinking", "drinks", "cured", "cure", "cures", "of", "the", "Hiccups", "hiccup.", "IL-2", "β", "\n"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
REFERENCES = st.lists(TEXTS, min_size=1, max_size=3)

tokens_of = tokenizers.DefaultTokenizer(use_stemmer=True).tokenize


def values(references, summary, **options):
    return list(score_summary_texts({"q": references}, {"q": summary}, **options).values().values())


def plain_f1(shared, wanted, given):
    return 2 * shared / (wanted + given) if shared else 0.0


def plain_values(references, summary):
    """ROUGE-1, -2 and -L from their definition."""
    given = tokens_of(summary)
    rows = []
    for reference in references:
        wanted = tokens_of(reference)
        row = []
        for n in (1, 2):
            left = [tuple(wanted[i : i + n]) for i in range(len(wanted) - n + 1)]
            grams = [tuple(given[i : i + n]) for i in range(len(given) - n + 1)]
            size, shared = len(left), 0
            for gram in grams:
                if gram in left:
                    left.remove(gram)
                    shared += 1
            row.append(plain_f1(shared, size, len(grams)))

        @cache
        def longest(i, j, wanted=tuple(wanted)):
            if i == len(wanted) or j == len(given):
                return 0
            if wanted[i] == given[j]:
                return 1 + longest(i + 1, j + 1)
            return max(longest(i + 1, j), longest(i, j + 1))

        row.append(plain_f1(longest(0, 0), len(wanted), len(given)))
        rows.append(row)
    return [max(column) for column in zip(*rows, strict=True)]


@given(REFERENCES, TEXTS)
@settings(max_examples=200)
def test_agrees_with_the_definition(references, summary):
    assert values(references, summary) == pytest.approx(plain_values(references, summary))


def test_agrees_with_the_library_used_by_itself():
    draw = random.Random(0)
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = rouge_scorer.RougeScorer(names, use_stemmer=True)
    for _ in range(200):
        reference, summary = (" ".join(draw.choices(WORDS, k=draw.randint(0, 15))) for _ in range(2))
        expected = [scorer.score(reference, summary)[name].fmeasure for name in names]
        assert values([reference], summary) == pytest.approx(expected[:3])
        assert values([reference], summary, summary_level=True) == pytest.approx([*expected[:2], expected[3]])


@given(REFERENCES, TEXTS)
def test_a_reference_is_a_perfect_summary(references, other):
    chosen = max(references, key=lambda text: len(tokens_of(text)))
    if len(tokens_of(chosen)) > 1:  # a single word has no pair of words that could be found
        assert values(references, chosen) == [1.0, 1.0, 1.0]


@given(REFERENCES)
def test_an_empty_summary_finds_nothing(references):
    assert values(references, "") == [0.0, 0.0, 0.0]


@given(REFERENCES, TEXTS)
def test_the_order_of_references_changes_nothing(references, summary):
    assert values(references, summary) == values(references[::-1], summary)


def test_each_measure_takes_its_own_best_reference():
    unigrams, order = ["hiccups of tea cure drinks", "tea cure"]
    assert values([unigrams, order], "tea cure drinks of hiccups")[0] == 1.0
    assert values([unigrams, order], "tea cure drinks of hiccups")[1] == pytest.approx(
        max(values([unigrams], "tea cure drinks of hiccups")[1], values([order], "tea cure drinks of hiccups")[1])
    )
    assert values(["tea cures hiccups"], "tea cured hiccup")[0] == 1.0  # stemmed


def test_a_seed_repeats():
    scores = score_summary_texts(
        {str(i): ["tea cures hiccups"] for i in range(5)}, {str(i): "tea " * i for i in range(5)}
    )
    assert bootstrap(scores, resamples=100, seed=1) == bootstrap(scores, resamples=100, seed=1)


class TestFiles:
    def test_json_lines(self, write_lines):
        gold = write_lines("gold.jsonl", {"id": 1, "references": ["tea cures hiccups", "it does"]})
        run = write_lines("run.jsonl", {"id": 1, "summary": "it does"})
        assert score_summaries(gold, run).values() == {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0}
        assert list(score_summaries(gold, run, summary_level=True).values()) == ["rouge1", "rouge2", "rougeLsum"]

    def test_bioasq_and_mappings(self, write_lines):
        questions = [
            {"id": "a", "type": "yesno", "ideal_answer": ["tea cures hiccups", "it does"]},
            {"id": "b", "type": "summary", "ideal_answer": "tea is a drink"},
        ]
        gold = write_lines("gold.json", {"questions": questions})
        assert read_references(gold) == {"a": ("tea cures hiccups", "it does"), "b": ("tea is a drink",)}
        system = {
            "questions": [{"id": "b", "ideal_answer": ["tea is a drink"]}, {"id": "a", "ideal_answer": "it does"}]
        }
        for run in (system, {"b": "tea is a drink", "a": "it does"}):
            scores = score_summaries(gold, write_lines("run.json", run))
            assert scores.ids == ("a", "b")
            assert set(scores.values().values()) == {1.0}

    @pytest.mark.parametrize(
        ("reader", "content", "problem"),
        [
            (read_references, {"id": 1, "references": []}, "is empty"),
            (read_references, {"id": 1, "references": ["tea", " "]}, "holds an empty text"),
            (read_references, {"id": 1, "references": [3]}, "not a list of strings"),
            (read_references, {"id": 1, "summary": "tea"}, "there is no 'references'"),
            (read_references, {"a": "tea"}, "there is no 'references' in this form"),
            (read_references, {"questions": [{"id": "a"}]}, "there is no 'ideal_answer'"),
            (read_summaries, {"id": 1, "summary": 3}, "not one string"),
            (read_summaries, {"id": 1, "references": ["tea"]}, "not one string"),
            (read_summaries, {"a": ["tea", "tea"]}, "not one string"),
            (read_summaries, {"data": []}, "no questions"),
            (read_summaries, {"questions": [{"id": "a", "ideal_answer": ["x", "y"]}]}, "not one string"),
        ],
    )
    def test_malformed(self, write_lines, reader, content, problem):
        path = write_lines("file", content)
        with pytest.raises(RunFileError, match=problem) as caught:
            reader(path)
        assert str(path) in caught.value.where

    def test_missing_and_unknown_questions(self, write_lines):
        gold = write_lines("gold.jsonl", {"id": 1, "references": ["tea"]}, {"id": 2, "references": ["tea"]})
        for content, id in (({"1": ""}, "'2'"), ({"1": "", "2": "", "3": ""}, "'3'")):
            run = write_lines("run.json", content)
            with pytest.raises(RunFileError, match=id) as caught:
                score_summaries(gold, run)
            assert caught.value.where == str(run)


def test_nothing_to_score():
    with pytest.raises(SettingError, match="nothing to score"):
        score_summary_texts({}, {})
    with pytest.raises(RunFileError, match="question 'q' has no reference"):
        score_summary_texts({"q": []}, {"q": "tea"})


def test_the_library_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    with pytest.raises(MissingExtraError, match="ROUGE"):
        values(["tea"], "tea")


def test_bioasq_ideal_answers_are_read():
    golds = sorted(shared_data("bioasq").glob("*_golden.json"))
    assert sum(len(read_references(path)) for path in golds) == 2310

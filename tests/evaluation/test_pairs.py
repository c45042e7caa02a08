import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.pairs import PAIR_NAMES, UNKNOWN, PairTable, confidence_ranks, numbered


def table(*rows, **changes):
    """A table from (claim, doc, model, label, (p_support, p_contradict, p_nei)[, sentences])."""
    claims, docs, models, labels, probabilities, sentences = zip(
        *((*row, ())[:6] if len(row) < 6 else row for row in rows), strict=True
    )
    (claim_ids, claim), (doc_ids, doc), (names, model) = (numbered(values) for values in (claims, docs, models))
    unknown = np.full(len(rows), UNKNOWN)
    columns = {
        "claim_ids": claim_ids,
        "doc_ids": doc_ids,
        "models": names,
        "claim": claim,
        "doc": doc,
        "model": model,
        "label": np.array([PAIR_NAMES.index(label) for label in labels], dtype=np.int8),
        "probabilities": np.array(probabilities, dtype=float),
        "rank": unknown,
        "retrieval_rank": unknown,
        "is_scifact_orig": unknown.astype(np.int8),
        "rationale_starts": np.cumsum([0, *map(len, sentences)]),
        "rationale_sentences": np.array([number for row in sentences for number in row], dtype=np.int32),
    }
    return PairTable(**(columns | changes))


SURE, TORN, NONE = (0.8, 0.1, 0.1), (0.2, 0.5, 0.3), (float("nan"),) * 3


def test_confidence_is_the_larger_of_the_two_labels_whatever_was_predicted():
    pairs = table(
        ("1", "a", "m", "NEI", SURE), ("1", "b", "m", "SUPPORT", TORN), ("2", "a", "m", "NEI", (0.4, 0.4, 0.2))
    )
    assert pairs.confidence.tolist() == [0.8, 0.5, 0.4]
    assert [PAIR_NAMES[label] for label in pairs.evidence_label] == ["SUPPORT", "CONTRADICT", "SUPPORT"]
    assert pairs.is_evidence.tolist() == [False, True, False]
    assert pairs.has_probabilities
    assert not table(("1", "a", "m", "NEI", SURE), ("1", "b", "m", "NEI", NONE)).has_probabilities


@pytest.mark.parametrize(
    "probabilities", [(0.7, 0.1, 0.2009), (0.7, 0.1, 0.1991), (1 + 5e-7, -5e-7, 0), (1 / 3, 1 / 3, 1 / 3)]
)
def test_rounded_probabilities_are_taken(probabilities):
    assert len(table(("1", "a", "", "NEI", probabilities))) == 1


@pytest.mark.parametrize(
    ("row", "changes", "problem"),
    [
        (("1", "b", "m", "NEI", (0.7, 0.1, 0.202)), {}, "p_contradict 0.1, p_nei 0.202, p_support 0.7 .* sum to 1"),
        (("1", "b", "m", "NEI", (0.7, -0.1, 0.4)), {}, "not all in 0 to 1"),
        (("1", "b", "m", "NEI", (1.001, 0, -0.001)), {}, "not all in 0 to 1"),
        (("1", "b", "m", "NEI", (float("inf"), 0, 0)), {}, "not all in 0 to 1"),
        (("1", "b", "m", "NEI", (float("nan"), 0.5, 0.5)), {}, "only some of p_contradict, p_nei, p_support"),
        (("1", "a", "m", "NEI", TORN), {}, "claim 1, document 'a' was already at row 1"),
        (("1", "b", "", "NEI", TORN), {}, "this row names no model"),
        (("1", "b", "m", "NEI", TORN, (3, 1, 3)), {}, r"rationale of claim 1, document 'b' is \[3, 1, 3\]"),
        (("1", "b", "m", "NEI", TORN, (-1,)), {}, r"rationale .* is \[-1\]"),
        (("1", "b", "m", "NEI", TORN), {"rank": np.array([1, -2])}, "the rank of claim 1, document 'b' is negative"),
        (("1", "b", "m", "NEI", TORN), {"retrieval_rank": np.array([1, -2])}, "the retrieval_rank .* is negative"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(row, changes, problem):
    first = ("1", "a", "m", "SUPPORT", SURE, (0, 3))
    with pytest.raises(RunFileError, match=problem) as caught:
        table(first, row, **changes)
    assert caught.value.where == "row 2"
    assert caught.value.remedy


def test_the_label_need_not_be_the_most_probable():
    assert len(table(("1", "a", "m", "NEI", SURE), ("1", "b", "m", "SUPPORT", TORN))) == 2


class TestOfModel:
    both = table(("1", "a", "m", "NEI", SURE, (1,)), ("1", "a", "n", "NEI", TORN), ("2", "a", "m", "NEI", TORN, (0, 4)))

    def test_the_rows_of_one(self):
        chosen = self.both.of_model("m")
        assert chosen.models == ("m",)
        assert list(chosen.records()) == [record for record in self.both.records() if record["model"] == "m"]
        assert chosen.where(1) == "row 3"
        assert chosen.of_model() is chosen
        assert chosen.of_model("m") is chosen

    def test_several_must_be_told_apart(self):
        with pytest.raises(SettingError, match=r"several models\. Name one of: m, n"):
            self.both.of_model()
        with pytest.raises(SettingError, match=r"no model 'k'\. It holds: m, n"):
            self.both.of_model("k")
        with pytest.raises(SettingError, match="Its rows name no model"):
            table(("1", "a", "", "NEI", SURE)).of_model("k")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=4), min_size=1, max_size=8), st.randoms())
def test_taken_rows_keep_everything(rationales, random):
    pairs = table(*((str(n), "a", "mn"[n % 2], "NEI", SURE, tuple(row)) for n, row in enumerate(rationales)))
    rows = random.sample(range(len(pairs)), random.randint(0, len(pairs)))
    everything = list(pairs.records())
    taken = pairs.take(rows)
    assert list(taken.records()) == [everything[row] for row in rows]
    assert [taken.where(n) for n in range(len(rows))] == [pairs.where(row) for row in rows]
    assert [taken.rationale(n) for n in range(len(rows))] == [tuple(rationales[row]) for row in rows]


def test_ranks_by_confidence_keep_the_order_of_equals():
    assert confidence_ranks(np.array([0.2, 0.9, 0.2, 0.5])).tolist() == [3, 1, 4, 2]


def test_a_hundred_thousand_pairs_take_some_tens_of_bytes_each():
    size = 100_000
    claims, docs = np.divmod(np.arange(size), 100)
    zeros = np.zeros(size, dtype=np.int64)
    pairs = PairTable(
        tuple(map(str, range(1000))),
        tuple(map(str, range(100))),
        ("m",),
        claims.astype(np.int32),
        docs.astype(np.int32),
        zeros.astype(np.int32),
        zeros.astype(np.int8),
        np.tile([0.5, 0.25, 0.25], (size, 1)),
        zeros,
        zeros,
        zeros.astype(np.int8),
        np.zeros(size + 1, dtype=np.int64),
        np.zeros(0, dtype=np.int32),
    )
    assert sum(value.nbytes for value in vars(pairs).values() if isinstance(value, np.ndarray)) < 80 * size

from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.evaluation import PredictedDocument, Prediction
from sciverify.evaluation.run_comparison import ClaimDifference, RunComparison, compare_runs
from sciverify.records import Label

SUPPORTS, REFUTES = PredictedDocument(Label.SUPPORTS, (1, 2)), PredictedDocument(Label.REFUTES, (0,))


def test_labels_and_sentences_are_told_apart():
    first = [
        Prediction("same", {"a": SUPPORTS, "b": REFUTES}, "x:1"),
        Prediction("label", {"a": SUPPORTS, "b": REFUTES}),
        Prediction("gone", {}),
        Prediction("one", {"a": SUPPORTS}),
        Prediction("lone", {}),
    ]
    second = [
        Prediction("other", {}),
        Prediction("one", {"a": PredictedDocument(Label.SUPPORTS, (2, 1))}),
        Prediction("gone", {"c": REFUTES}),
        Prediction("label", {"a": PredictedDocument(Label.REFUTES, (1, 2)), "b": PredictedDocument(Label.REFUTES, ())}),
        Prediction("same", {"b": REFUTES, "a": SUPPORTS}, "y:9"),
    ]
    found = compare_runs(first, second)
    assert found == RunComparison(
        4,
        ("lone",),
        ("other",),
        (
            ClaimDifference("label", {"a": (Label.SUPPORTS, Label.REFUTES)}, ("b",)),
            ClaimDifference("gone", {"c": (Label.NEI, Label.REFUTES)}, ()),
            ClaimDifference("one", {}, ("a",)),
        ),
    )
    assert (found.other_labels, found.other_sentences) == (2, 1)


DOCUMENTS = st.dictionaries(
    st.sampled_from("abc"),
    st.builds(PredictedDocument, st.sampled_from([Label.SUPPORTS, Label.REFUTES]), st.just((0, 1))),
)
RUNS = st.dictionaries(st.sampled_from("12345"), DOCUMENTS).map(
    lambda claims: [Prediction(id, documents) for id, documents in claims.items()]
)


@given(RUNS, RUNS)
@settings(max_examples=100)
def test_it_is_the_same_from_the_other_side(first, second):
    found, back = compare_runs(first, second), compare_runs(second, first)
    assert (found.claims, found.only_first, found.only_second) == (back.claims, back.only_second, back.only_first)
    turned = {d.claim_id: {id: pair[::-1] for id, pair in d.labels.items()} for d in back.differences}
    assert {d.claim_id: d.labels for d in found.differences} == turned
    assert compare_runs(first, first).differences == ()

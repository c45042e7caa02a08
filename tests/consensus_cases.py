"""Findings for the tests of the consensus, and what its answers must never do."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from sciverify.records import ConsensusLabel, Document, Finding, Label, Metadata, Probabilities, Quote
from sciverify.study_design import PUBLICATION_TYPES

# Neutral is the answer only where nobody takes a side: one yes makes it Affirmative, one no Negative.
RANKS = {
    ConsensusLabel.NEGATIVE: 0,
    ConsensusLabel.BALANCED: 1,
    ConsensusLabel.NEUTRAL: 1,
    ConsensusLabel.AFFIRMATIVE: 2,
}


def finding(
    label: Label,
    id: str = "d",
    *,
    probability: float = 0.9,
    year: int | None = None,
    types: Sequence[str] = (),
    retracted: bool = False,
    sentences: Sequence[str] = ("Evidence.",),
) -> Finding:
    """One document's finding, `probability` being that of its label, with every sentence as a quote."""
    metadata = Metadata(year=year, publication_types=tuple(types), retracted=retracted)
    document = Document.from_sentences(id, f"Title of {id}", sentences, metadata)
    rest = (1 - probability) / 2
    values = {other.value.lower(): probability if other is label else rest for other in Label}
    quotes = () if label is Label.NEI else tuple(Quote.whole(element) for element in document.elements)
    return Finding(document, label, Probabilities(**values), quotes)


def several(supports: int, refutes: int, nei: int = 0) -> list[Finding]:
    """So many findings of each label, each from a document of its own."""
    labels = [Label.SUPPORTS] * supports + [Label.REFUTES] * refutes + [Label.NEI] * nei
    return [finding(label, f"d{number}") for number, label in enumerate(labels)]


def findings_of(labels: Sequence[Label] = tuple(Label)) -> st.SearchStrategy[Finding]:
    """Any finding with one of the labels."""
    return st.builds(
        finding,
        st.sampled_from(labels),
        st.integers(0, 9999).map("d{:04}".format),
        probability=st.floats(0, 1),
        year=st.none() | st.integers(1900, 2030),
        types=st.lists(st.sampled_from([*PUBLICATION_TYPES, "Journal Article"]), max_size=2),
        retracted=st.sampled_from([False, False, False, True]),
    )


def _distinct(lists: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings of all lists, one per document id: a verdict has no document twice."""
    return list({one.document.id: one for part in lists for one in part}.values())


YES, NO, NEI = (findings_of([label]) for label in (Label.SUPPORTS, Label.REFUTES, Label.NEI))

# Sides that differ much in number, so that all four answers come up.
MIXED = st.one_of(
    st.tuples(st.lists(findings_of(), max_size=8)),
    st.tuples(st.lists(YES, max_size=15), st.lists(findings_of(), max_size=3)),
    st.tuples(st.lists(NO, max_size=15), st.lists(findings_of(), max_size=3)),
).map(_distinct)

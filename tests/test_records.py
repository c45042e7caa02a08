import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify import records
from sciverify.errors import RecordError
from sciverify.records import (
    Candidate,
    Claim,
    Consensus,
    ConsensusLabel,
    Document,
    Element,
    ElementKind,
    Filters,
    Finding,
    Label,
    Metadata,
    Probabilities,
    Problem,
    Quote,
    Ranking,
    Verdict,
    as_claims,
)

SENTENCES = ["Zero is here.", "", "α–β\n\U0001f600 two", "Three\ud800"]
DOCUMENT = Document.from_sentences("d", "Title", SENTENCES, Metadata(year=2001))
EVEN = Probabilities(0.4, 0.3, 0.3)


def quote(number=0, start=0, end=4, text="Zero"):
    return Quote(f"sentence_{number}", start, end, text, 0.5)


def all_records():
    candidate = Candidate(DOCUMENT, 1.5, ("bm25",))
    finding = Finding(DOCUMENT, Label.SUPPORTS, EVEN, (quote(),), candidate)
    consensus = Consensus(ConsensusLabel.AFFIRMATIVE, 1, 0, 0, 0.2, 1.0, 1.0, "one supports")
    verdict = Verdict(Claim("1", "c"), (finding,), consensus, "test", (Problem("w", "m"),), ("n",))
    parts = [DOCUMENT.elements[0], DOCUMENT.metadata, DOCUMENT, candidate, finding, consensus, verdict, verdict.claim]
    return [*parts, verdict.problems[0], EVEN, quote(), Filters(1990, 2000, ("J",)), Ranking((candidate,), "n")]


class TestAllRecords:
    def test_each_has_an_example_here(self):
        classes = {getattr(records, name) for name in records.__all__}
        assert {type(record) for record in all_records()} == {kind for kind in classes if is_dataclass(kind)}

    @pytest.mark.parametrize("record", all_records(), ids=lambda record: type(record).__name__)
    def test_frozen_comparable_hashable_and_picklable(self, record):
        with pytest.raises(FrozenInstanceError):
            setattr(record, fields(record)[0].name, None)
        again = pickle.loads(pickle.dumps(record))
        assert again == record
        assert hash(again) == hash(record)
        assert repr(again) == repr(record)

    def test_a_document_that_was_used_is_still_picklable_and_equal(self):
        used = Document.from_sentences("d", "Title", SENTENCES, Metadata(year=2001))
        used.element("sentence_2")
        assert pickle.loads(pickle.dumps(used)).element("sentence_2").text == SENTENCES[2]
        assert used == DOCUMENT


class TestClaim:
    @given(st.text(), st.text())
    def test_takes_any_text(self, id, text):
        assert (Claim(id, text).id, Claim(id, text).text) == (id, text)

    @pytest.mark.parametrize(("id", "text"), [(1, "c"), ("1", None), ("1", b"c"), (None, "c")])
    def test_takes_nothing_but_text(self, id, text):
        with pytest.raises(RecordError, match="must be strings") as caught:
            Claim(id, text)
        assert caught.value.where == f"claim {id!r}"

    def test_as_claims_numbers_texts_or_takes_the_ids_of_a_mapping(self):
        assert as_claims(["a", "b"]) == [Claim("1", "a"), Claim("2", "b")]
        assert as_claims({"x": "a"}) == [Claim("x", "a")]
        assert as_claims([]) == []


class TestElement:
    @pytest.mark.parametrize("kind", ElementKind)
    def test_ids_are_the_kind_and_numbers(self, kind):
        for numbers in ("0", "12", "0_9_1"):
            assert Element(f"{kind.value}_{numbers}", kind, "t").id == f"{kind.value}_{numbers}"

    @pytest.mark.parametrize(
        ("id", "kind"),
        [
            ("", ElementKind.SENTENCE),
            ("sentence", ElementKind.SENTENCE),
            ("sentence_", ElementKind.SENTENCE),
            ("sentence_x", ElementKind.SENTENCE),
            ("sentence_1_", ElementKind.SENTENCE),
            ("sentence_-1", ElementKind.SENTENCE),
            ("sentence_1\n", ElementKind.SENTENCE),
            (" sentence_1", ElementKind.SENTENCE),
            ("Sentence_1", ElementKind.SENTENCE),
            ("cell_0_9_1", ElementKind.SENTENCE),
            ("header_cell_0_0_0", ElementKind.CELL),
            ("cell_0_0_0", ElementKind.HEADER_CELL),
            ("table_0", ElementKind.TABLE_CAPTION),
        ],
    )
    def test_other_ids_are_refused(self, id, kind):
        with pytest.raises(RecordError, match=f"is not the id of a {kind.value}") as caught:
            Element(id, kind, "t")
        assert kind.value in caught.value.remedy


class TestMetadata:
    def test_the_doi_is_the_better_link(self):
        assert Metadata(doi="10.1/x", pmid="5").link == "https://doi.org/10.1/x"
        assert Metadata(pmid="5").link == "https://pubmed.ncbi.nlm.nih.gov/5/"
        assert Metadata().link == ""


class TestDocument:
    def test_from_sentences_keeps_them_as_given(self):
        assert [element.text for element in DOCUMENT.elements] == SENTENCES
        assert [element.id for element in DOCUMENT.elements] == [f"sentence_{number}" for number in range(4)]
        assert {element.kind for element in DOCUMENT.elements} == {ElementKind.SENTENCE}
        assert Document.from_sentences("d", "", []).metadata == Metadata()

    @pytest.mark.parametrize("id", ["", None, 3])
    def test_needs_an_id(self, id):
        with pytest.raises(RecordError, match="non-empty string as its id"):
            Document(id, "", ())

    def test_no_two_elements_share_an_id(self):
        elements = [Element(f"sentence_{number}", ElementKind.SENTENCE, "t") for number in (0, 1, 2, 1, 0)]
        with pytest.raises(RecordError, match="two elements are called sentence_1") as caught:
            Document("d", "", tuple(elements))
        assert caught.value.where == "document 'd'"

    def test_elements_by_id(self):
        assert DOCUMENT.element("sentence_2") is DOCUMENT.elements[2]
        for id in ("sentence_4", "", "cell_0_0_0"):
            with pytest.raises(RecordError, match="there is no element"):
                DOCUMENT.element(id)

    def test_text_joins_what_is_not_empty(self):
        assert DOCUMENT.text == "Title Zero is here. α–β\n\U0001f600 two Three\ud800"
        assert Document("d", "", ()).text == ""


YEARS = st.none() | st.integers(1900, 2030)
NAMES = st.sampled_from(["", "Lancet", "BMJ", "Nature"])
METADATA = st.builds(
    Metadata,
    year=YEARS,
    journal=NAMES,
    publication_types=st.lists(NAMES, max_size=2).map(tuple),
    retracted=st.booleans(),
)


@st.composite
def filters(draw):
    first, last = draw(YEARS), draw(YEARS)
    if first is not None and last is not None and first > last:
        first, last = last, first
    names = st.lists(NAMES, max_size=2).map(tuple)
    return Filters(first, last, draw(names), draw(names), draw(st.none() | st.booleans()))


class TestFilters:
    @given(filters(), METADATA)
    def test_accept_is_all_of_its_conditions(self, filters, metadata):
        limited = filters.first_year is not None or filters.last_year is not None
        years = range(
            1900 if filters.first_year is None else filters.first_year,
            1 + (2030 if filters.last_year is None else filters.last_year),
        )
        conditions = [
            not limited or metadata.year in years,
            filters.journals == () or metadata.journal in filters.journals,
            filters.publication_types == () or any(t in filters.publication_types for t in metadata.publication_types),
            filters.retracted is None or filters.retracted is metadata.retracted,
        ]
        assert filters.accept(metadata) is all(conditions)

    @given(METADATA)
    def test_no_filter_accepts_everything(self, metadata):
        assert Filters().accept(metadata)
        assert not Filters()

    @given(filters())
    def test_true_when_something_is_asked(self, filters):
        asked = [filters.first_year, filters.last_year, filters.retracted]
        assert bool(filters) is (
            any(x is not None for x in asked) or bool(filters.journals + filters.publication_types)
        )

    def test_limits_are_inclusive_and_unknown_years_are_left_out(self):
        one_year = Filters(2001, 2001)
        assert one_year.accept(Metadata(year=2001))
        assert not any(one_year.accept(Metadata(year=year)) for year in (2000, 2002, None))

    def test_years_run_forwards(self):
        with pytest.raises(RecordError, match="2002-2001 run backwards"):
            Filters(2002, 2001)


class TestProbabilities:
    @given(st.lists(st.floats(0.001, 1), min_size=3, max_size=3))
    def test_take_any_distribution(self, weights):
        shares = [weight / sum(weights) for weight in weights]
        assert [Probabilities(*shares).of(label) for label in (Label.SUPPORTS, Label.REFUTES, Label.NEI)] == shares

    @given(st.tuples(*[st.floats(-2, 2) | st.sampled_from([float("nan"), float("inf"), float("-inf")])] * 3))
    def test_take_nothing_else(self, values):
        possible = all(-1e-6 <= value <= 1 + 1e-6 for value in values) and abs(sum(values) - 1) <= 1e-4
        if possible:
            Probabilities(*values)
        else:
            with pytest.raises(RecordError, match="not probabilities that sum to 1"):
                Probabilities(*values)


class TestFinding:
    @pytest.mark.parametrize("label", [Label.SUPPORTS, Label.REFUTES])
    def test_a_label_needs_a_rationale(self, label):
        with pytest.raises(RecordError, match=f"{label} needs at least one rationale element") as caught:
            Finding(DOCUMENT, label, EVEN)
        assert caught.value.where == "document 'd'"
        assert Finding(DOCUMENT, label, EVEN, (quote(),)).label is label

    def test_not_enough_information_needs_none(self):
        assert Finding(DOCUMENT, Label.NEI, EVEN).rationale == ()

    @given(st.data())
    def test_any_true_quote_is_taken(self, data):
        number = data.draw(st.sampled_from([0, 2, 3]))
        start = data.draw(st.integers(0, len(SENTENCES[number]) - 1))
        end = data.draw(st.integers(start + 1, len(SENTENCES[number])))
        true = quote(number, start, end, SENTENCES[number][start:end])
        assert Finding(DOCUMENT, Label.SUPPORTS, EVEN, (quote(), true)).rationale[1] == true

    @given(st.integers(-40, 40), st.integers(-40, 40), st.sampled_from([0, 1, 2, 3]), st.text(max_size=3) | st.none())
    def test_any_other_quote_is_refused(self, start, end, number, text):
        source = SENTENCES[number]
        text = source[start:end] if text is None else text
        claimed = quote(number, start, end, text)
        if 0 <= start < end <= len(source) and text == "".join(source[i] for i in range(start, end)):
            assert Finding(DOCUMENT, Label.NEI, EVEN, (claimed,)).rationale == (claimed,)
        else:
            with pytest.raises(RecordError, match="are not the quoted text"):
                Finding(DOCUMENT, Label.NEI, EVEN, (claimed,))

    def test_a_quote_of_an_element_that_is_not_there(self):
        with pytest.raises(RecordError, match="there is no element 'sentence_9'"):
            Finding(DOCUMENT, Label.SUPPORTS, EVEN, (quote(9),))

    def test_whole_quotes_an_element_from_end_to_end(self):
        whole = Quote.whole(DOCUMENT.elements[2], 0.7)
        assert (whole.start, whole.end, whole.text, whole.score) == (0, len(SENTENCES[2]), SENTENCES[2], 0.7)
        assert Finding(DOCUMENT, Label.SUPPORTS, EVEN, (whole,)).rationale == (whole,)

    def test_an_empty_element_cannot_justify_anything(self):
        with pytest.raises(RecordError, match="are not the quoted text"):
            Finding(DOCUMENT, Label.SUPPORTS, EVEN, (Quote.whole(DOCUMENT.elements[1]),))


class TestConsensusAndVerdict:
    @pytest.mark.parametrize(
        ("supports", "refutes", "conflict"), [(0, 0, False), (2, 0, False), (0, 2, False), (1, 1, True)]
    )
    def test_conflict_needs_both_sides(self, supports, refutes, conflict):
        assert Consensus(ConsensusLabel.NEUTRAL, supports, refutes, 5, 0, 1, 1.0, "").conflict is conflict

    def test_findings_by_label_keep_their_order(self):
        labels = [Label.NEI, Label.SUPPORTS, Label.NEI, Label.REFUTES, Label.SUPPORTS]
        findings = tuple(
            Finding(DOCUMENT, label, EVEN, (quote(end=n + 1, text="Zero "[: n + 1]),)) for n, label in enumerate(labels)
        )
        consensus = Consensus(ConsensusLabel.NEUTRAL, 0, 0, 0, 0, 1, 1.0, "")
        verdict = Verdict(Claim("1", ""), findings, consensus, "test")
        assert verdict.with_label(Label.SUPPORTS) == (findings[1], findings[4])
        assert verdict.with_label(Label.REFUTES) == (findings[3],)
        assert verdict.with_label(Label.NEI) == (findings[0], findings[2])

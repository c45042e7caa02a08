from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.corpora.fields import FIELDS, Columns, clean_sentences, document_id, given_sentences, title_from
from sciverify.errors import CorpusError, SettingError


class TestColumns:
    def test_recognised_names_need_no_mapping(self) -> None:
        record = {"PMID": "11", "Title": "T", "Abstract": "One. Two is more.", "Publication Year": "2001"}
        document = Columns().document(record)
        assert (document.id, document.title, document.metadata.year, document.metadata.pmid) == ("11", "T", 2001, "11")
        assert [element.text for element in document.elements] == ["One.", "Two is more."]

    def test_a_mapping_goes_before_recognised_names(self) -> None:
        record = {"id": "x", "text": "Not this.", "sentences": ["Nor this."], "Body text": "But this.", "label": "y"}
        document = Columns({"id": "label", "text": "Body text"}).document(record)
        assert document.id == "y"
        assert [element.text for element in document.elements] == ["But this."]

    def test_sentences_go_before_text_and_stay_as_given(self) -> None:
        given_ones = [" One. Two.\n", "", "three"]
        document = Columns().document({"id": 1, "text": "Other.", "sentences": given_ones})
        assert [element.text for element in document.elements] == given_ones

    def test_a_text_that_is_a_list_holds_sentences(self) -> None:
        document = Columns().document({"id": 1, "abstract": ["One. Two. "]})
        assert [element.text for element in document.elements] == ["One. Two. "]

    @pytest.mark.parametrize(
        ("chosen", "record", "problem", "remedy"),
        [
            ({}, {"name": "a", "text": "b"}, "to hold the id", "'name', 'text'"),
            ({}, {"id": "a", "content": "b"}, "to hold the text", "'content'"),
            ({}, {}, "to hold the id", "none"),
            ({}, {f"c{number}": "" for number in range(99)}, "to hold the id", "'c19', ...; say which"),
            ({"id": "PMID"}, {"id": "a", "text": "b"}, "no column 'PMID'", "'id', 'text'"),
            ({"sentences": "s"}, {"id": "a", "text": "b"}, "no column 's'", "'id', 'text'"),
        ],
    )
    def test_a_missing_column_names_those_that_exist(
        self, chosen: dict[str, str], record: dict[str, str], problem: str, remedy: str
    ) -> None:
        with pytest.raises(CorpusError) as raised:
            Columns(chosen).document(record)
        assert problem in raised.value.problem
        assert remedy in raised.value.remedy

    def test_a_record_may_lack_chosen_metadata_unless_all_must_be_there(self) -> None:
        record = {"id": "a", "text": "b"}
        assert Columns({"year": "Jahr"}).document(record).metadata.year is None
        with pytest.raises(CorpusError, match="no column 'Jahr', which should hold the year"):
            Columns({"year": "Jahr"}, all_there=True).document(record)

    def test_an_unknown_field_is_refused_with_the_known_ones(self) -> None:
        with pytest.raises(SettingError, match=r"'abstract' is not a field.*publication_types"):
            Columns({"abstract": "x"})

    def test_text_and_sentences_exclude_each_other(self) -> None:
        with pytest.raises(SettingError, match="exclude"):
            Columns({"text": "x", "sentences": "y"})

    def test_records_of_ever_new_shapes_are_not_all_remembered(self) -> None:
        columns = Columns()
        for number in range(2500):
            columns.document({"id": 1, "text": "", f"key {number}": 0})
        assert len(columns._known) <= 1000

    def test_no_name_is_recognised_for_two_fields_but_the_pmid_and_its_field(self) -> None:
        names = [name for recognised in FIELDS.values() for name in recognised]
        assert {name for name in names if names.count(name) > 1} == {"pmid"}


class TestValues:
    @pytest.mark.parametrize(
        ("value", "id"), [(7, "7"), (-1, "-1"), ("MED-10", "MED-10"), (" a b ", "a b"), ("α", "α")]
    )
    def test_ids(self, value: object, id: str) -> None:
        assert document_id(value) == id

    @pytest.mark.parametrize("value", ["", "  ", None, 1.5, True, ["a"], {}, "a\nb", "\x00", "\ud800", "\u200b"])
    def test_values_that_are_no_ids(self, value: object) -> None:
        with pytest.raises(CorpusError, match="id"):
            document_id(value)

    @pytest.mark.parametrize("value", ["plain text", "[1]", '["a", 1]', "[" * 100_000, {"a": 1}, 3, None, [None]])
    def test_values_that_are_no_sentences(self, value: object) -> None:
        with pytest.raises(CorpusError, match="sentences") as raised:
            given_sentences(value)
        assert len(str(raised.value)) < 300

    def test_a_cell_holds_sentences_as_json(self) -> None:
        assert given_sentences('["One. ", "Two"]') == ["One. ", "Two"]

    def test_titles(self) -> None:
        assert title_from(None) == ""
        assert title_from(" A title\n") == "A title"
        with pytest.raises(CorpusError, match="title 3 is not a string"):
            title_from(3)

    def test_raw_text_that_is_none(self) -> None:
        assert clean_sentences(None) == []
        with pytest.raises(CorpusError, match="text 3 is not a string"):
            clean_sentences(3)

    @given(st.text(alphabet=st.sampled_from("aB. \n\t?()é"), max_size=60))
    def test_raw_text_loses_nothing_but_outer_white_space(self, text: str) -> None:
        sentences = clean_sentences(text)
        assert all(sentence and sentence == sentence.strip() for sentence in sentences)
        position = 0
        for sentence in sentences:
            found = text.index(sentence, position)
            assert not text[position:found].strip()
            position = found + len(sentence)
        assert not text[position:].strip()

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.errors import RecordError
from sciverify.evaluation.elements import TITLE, EvidenceId
from sciverify.records import ElementKind

POSITIONS = st.lists(st.integers(0, 10**6), min_size=1, max_size=3).map(lambda numbers: "_".join(map(str, numbers)))
ELEMENTS = st.one_of(st.tuples(st.sampled_from([kind.value for kind in ElementKind]), POSITIONS), st.just((TITLE, "")))
# Titles that try to be mistaken: they hold the words of elements, underscores, digits, any letter, line breaks.
WORDS = st.sampled_from(
    ["_", "sentence", "_sentence_3", "cell_0_9_1", "header", "_table", "caption", "title", "7", "é", "東京", "\n"]
)
TITLES = st.one_of(st.text(min_size=1), st.lists(WORDS, min_size=1).map("".join))


class TestParse:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Algebraic logic_cell_0_9_1", ("Algebraic logic", "cell", "0_9_1")),
            ("Some_page_title_cell_0_9_1", ("Some_page_title", "cell", "0_9_1")),
            ("A page_header_cell_0_0_0", ("A page", "header_cell", "0_0_0")),
            ("A_header_header_cell_1_2_3", ("A_header", "header_cell", "1_2_3")),
            ("2006–07 season_table_caption_1", ("2006–07 season", "table_caption", "1")),
            ("2018 election_item_11_11", ("2018 election", "item", "11_11")),
            ("Page_section_4", ("Page", "section", "4")),
            ("Page_title", ("Page", "title", "")),
            ("The_title_title", ("The_title", "title", "")),
            ("Page_sentence_3_sentence_4", ("Page_sentence_3", "sentence", "4")),
            ("Page_sentence_3_cell_0_9_1", ("Page_sentence_3", "cell", "0_9_1")),
            ("Page_cell_0_9_1_title", ("Page_cell_0_9_1", "title", "")),
            ("Élan_vital_東京_sentence_12", ("Élan_vital_東京", "sentence", "12")),
            ("__sentence_0", ("_", "sentence", "0")),
            ("sentence_1_sentence_0", ("sentence_1", "sentence", "0")),
            ("header_cell_0_0_0", ("header", "cell", "0_0_0")),
        ],
    )
    def test_from_the_right(self, text, expected):
        id = EvidenceId.parse(text)
        assert id == expected
        assert str(id) == text

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                "Page",
                "Page_sentence",
                "Page_sentence_",
                "Page_sentence_x",
                "Page_sentence_3 ",
                "Page_sentence_3\n",
            ),
            *("_sentence_3", "sentence_3", "_title", "title", "Page sentence_3", "Page_list_0", "Page_sentence_٣"),
            *("Page_cell_0__1", "Page_title_0"),
        ],
    )
    def test_anything_else_is_refused(self, text):
        with pytest.raises(RecordError, match="is not an evidence id") as caught:
            EvidenceId.parse(text)
        assert caught.value.remedy

    @given(TITLES, ELEMENTS)
    def test_what_was_written_is_read_back_exactly(self, page, element):
        text = str(EvidenceId.checked(page, *element))
        assert str(EvidenceId.parse(text)) == text

    @given(TITLES.filter(lambda page: not page.endswith("_header")), ELEMENTS)
    def test_the_parts_come_back_but_for_a_cell_of_a_page_named_header(self, page, element):
        id = EvidenceId.checked(page, *element)
        assert EvidenceId.parse(str(id)) == id
        assert EvidenceId.of(page, id.element) == id

    def test_one_string_can_not_tell_a_page_named_header_apart(self):
        id = EvidenceId("A_header", "cell", "0_0_0")
        assert EvidenceId.parse(str(id)) == ("A", "header_cell", "0_0_0")
        assert EvidenceId.checked(*id) == id


class TestChecked:
    @pytest.mark.parametrize(
        ("parts", "problem"),
        [
            (("", "sentence", "3"), "empty page"),
            (("Page", "list", "3"), "'list' is not a kind"),
            (("Page", "Sentence", "3"), "not a kind"),
            (("Page", "sentence", ""), "'' is not the position of a sentence"),
            (("Page", "sentence", "3\n"), "not the position"),
            (("Page", "cell", "0-9-1"), "not the position"),
            (("Page", "title", "0"), "not the position of a title"),
        ],
    )
    def test_bad_parts(self, parts, problem):
        with pytest.raises(RecordError, match=problem):
            EvidenceId.checked(*parts)


class TestOf:
    @pytest.mark.parametrize("element", ["sentence_3", "header_cell_0_1_2", "table_caption_0", "item_0_2", "title"])
    def test_an_element_of_a_document(self, element):
        id = EvidenceId.of("A_page", element)
        assert id.element == element
        assert str(id) == f"A_page_{element}"

    @pytest.mark.parametrize("element", ["", "sentence", "header_0", "list_0_1", "title_1", "cell_x"])
    def test_no_element(self, element):
        with pytest.raises(RecordError):
            EvidenceId.of("A_page", element)

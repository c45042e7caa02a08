import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.display import document_html, finding_html, safe_link, safe_text, verdict_html
from sciverify.records import (
    Claim,
    Consensus,
    ConsensusLabel,
    Document,
    Element,
    ElementKind,
    Finding,
    Label,
    Metadata,
    Probabilities,
    Problem,
    Quote,
    Verdict,
)

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;\x00\x1b[31m\ud800\u202eevil</div></mark><!--"
TAGS = {"a", "b", "bdi", "details", "div", "li", "mark", "span", "summary", "table", "td", "th", "tr", "ul"}
ATTRIBUTES = {"style", "title", "href", "rel", "open"}


class Page(HTMLParser):
    """Refuses unbalanced tags and everything that our pages have no use for; keeps text, marks and links."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.text, self.marks, self.links, self.tags = [], "", [], [], []
        html.encode("utf-8")
        assert "\x00" not in html
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.links += [value for name, value in attrs if name == "href"]
        if tag == "mark":
            self.marks.append("")
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if "mark" in self.open:
            self.marks[-1] += data

    def handle_comment(self, data):
        raise AssertionError("a comment")

    def handle_decl(self, decl):
        raise AssertionError("a declaration")


def finding(document, label=Label.SUPPORTS, quotes=(), p=(0.71, 0.2, 0.09)):
    return Finding(document, label, Probabilities(*p), tuple(quotes))


def consensus(label=ConsensusLabel.AFFIRMATIVE, supports=2, refutes=1, nei=3, reason="2 of 3 support"):
    return Consensus(label, supports, refutes, nei, 0.21, 0.94, 1.0, reason)


ABSTRACT = Document.from_sentences(
    "d1",
    "Tea and hiccups",
    ["We drank tea.", "Hiccups went away.", "So did the biscuits."],
    Metadata(year=1999, journal="Journal of Tea", doi="10.1234/tea.5"),
)


class TestDocument:
    def test_shows_title_place_link_and_text(self):
        page = Page(document_html(ABSTRACT))
        for part in ("Tea and hiccups", "Journal of Tea", "1999", "d1", "Hiccups went away.", "doi:10.1234/tea.5"):
            assert part in page.text
        assert page.links == ["https://doi.org/10.1234/tea.5"]
        assert page.marks == []
        assert "RETRACTED" not in page.text

    def test_a_retracted_document_says_so(self):
        assert "RETRACTED" in Page(document_html(Document("d", "", (), Metadata(retracted=True)))).text

    def test_unknown_fields_are_left_out(self):
        page = Page(document_html(Document("d", "", ())))
        assert page.text == "(no title)id d"
        assert page.links == []

    def test_a_page_shows_sections_lists_and_tables(self):
        elements = (
            Element("section_0", ElementKind.SECTION, "History"),
            Element("sentence_0", ElementKind.SENTENCE, "Long ago."),
            Element("table_caption_0", ElementKind.TABLE_CAPTION, "Teas"),
            Element("header_cell_0_0_0", ElementKind.HEADER_CELL, "Name"),
            Element("header_cell_0_0_1", ElementKind.HEADER_CELL, "Cups"),
            Element("cell_0_1_0", ElementKind.CELL, "Assam"),
            Element("cell_0_1_1", ElementKind.CELL, "3"),
            Element("cell_1_0_0", ElementKind.CELL, "of another table"),
            Element("item_0_0", ElementKind.ITEM, "first"),
            Element("item_0_1", ElementKind.ITEM, "second"),
        )
        page = Page(document_html(Document("p", "Tea", elements)))
        assert page.tags.count("table") == 2
        assert [page.tags.count(tag) for tag in ("tr", "th", "td", "ul", "li")] == [3, 2, 3, 1, 2]
        positions = [page.text.index(element.text) for element in elements if element.text != "3"]
        assert positions == sorted(positions)


class TestFinding:
    def test_shows_label_probability_and_marked_quotes(self):
        quote = Quote.whole(ABSTRACT.element("sentence_1"))
        page = Page(finding_html(finding(ABSTRACT, quotes=[quote])))
        assert "supports" in page.text
        assert "71 %" in page.text
        assert "[sentence_1]" in page.text
        assert page.marks == ["Hiccups went away.", "Hiccups went away."]  # the quote, and its place in the whole text
        assert "So did the biscuits." in page.text

    def test_only_the_quoted_characters_are_marked(self):
        page = Page(finding_html(finding(ABSTRACT, Label.REFUTES, [Quote("sentence_1", 8, 17, "went away")])))
        assert page.marks == ["went away", "went away"]
        assert "refutes" in page.text
        assert "20 %" in page.text

    def test_overlapping_quotes_are_marked_once_in_the_text(self):
        quotes = [
            Quote("sentence_0", 3, 8, "drank"),
            Quote("sentence_0", 0, 5, "We dr"),
            Quote("sentence_0", 9, 12, "tea"),
        ]
        page = Page(finding_html(finding(ABSTRACT, quotes=quotes)))
        assert page.marks == ["drank", "We dr", "tea", "We drank", "tea"]

    def test_a_very_long_page_is_not_repeated_under_its_quotes(self):
        sentences = ["Short."] + ["x" * 1000] * 30
        document = Document.from_sentences("long", "", sentences)
        html = finding_html(finding(document, quotes=[Quote.whole(document.element("sentence_0"))]))
        assert len(html) < 2000
        assert Page(html).marks == ["Short."]

    def test_no_evidence(self):
        page = Page(finding_html(finding(ABSTRACT, Label.NEI)))
        assert "not enough information" in page.text
        assert page.marks == []


class TestVerdict:
    def verdict(self, **changes):
        other = Document.from_sentences("d2", "Against tea", ["Tea does nothing."])
        fields = {
            "claim": Claim("1", "Tea cures hiccups."),
            "findings": (
                finding(ABSTRACT, quotes=[Quote.whole(ABSTRACT.element("sentence_1"))]),
                finding(Document("d3", "On coffee", ()), Label.NEI),
                finding(other, Label.REFUTES, [Quote.whole(other.element("sentence_0"))]),
            ),
            "consensus": consensus(),
            "system": "default(k=20)",
        }
        return Verdict(**fields | changes)

    def test_shows_all_parts(self):
        verdict = self.verdict(problems=(Problem("d9", "it is empty"),), notices=("Two words were not searched",))
        page = Page(verdict_html(verdict))
        for part in (
            *("Tea cures hiccups.", "Affirmative", "2 of 3 support", "2 support · 1 refute · 3 without", "21-94 %"),
            *("in conflict", "Tea and hiccups", "Against tea", "On coffee", "d9: it is empty", "Two words were not"),
            "Checked by default(k=20)",
        ):
            assert part in page.text

    def test_the_bar_shares_its_length_by_count(self):
        html = verdict_html(self.verdict())
        assert re.findall(r'title="(\d) ([a-z ]+)" style="flex:(\d)', html) == [
            ("2", "supports", "2"),
            ("1", "refutes", "1"),
            ("3", "not enough information", "3"),
        ]
        assert "flex:0" not in verdict_html(self.verdict(consensus=consensus(refutes=0)))

    def test_conflict_is_shown_only_where_there_is_one(self):
        assert "in conflict" not in verdict_html(self.verdict(consensus=consensus(refutes=0)))

    def test_nothing_found(self):
        nothing = consensus(ConsensusLabel.NEUTRAL, 0, 0, 0, "Nothing bears on the claim")
        page = Page(verdict_html(self.verdict(claim=Claim("1", ""), findings=(), consensus=nothing)))
        assert "Nothing bears on the claim" in page.text
        assert "(an empty claim)" in page.text
        assert "95 % interval" not in page.text

    @pytest.mark.parametrize("label", ConsensusLabel)
    def test_every_consensus_has_its_colour(self, label):
        assert f">{label.value}</b>" in verdict_html(self.verdict(consensus=consensus(label)))


def test_hostile_text_shows_as_text():
    metadata = Metadata(journal=HOSTILE, doi=HOSTILE, pmid=HOSTILE, authors=(HOSTILE,), publication_types=(HOSTILE,))
    document = Document.from_sentences(HOSTILE, HOSTILE, [HOSTILE, HOSTILE], metadata)
    found = finding(document, quotes=[Quote.whole(document.element("sentence_1"))])
    verdict = Verdict(
        Claim(HOSTILE, HOSTILE),
        (found, finding(document, Label.NEI)),
        consensus(reason=HOSTILE),
        HOSTILE,
        (Problem(HOSTILE, HOSTILE),),
        (HOSTILE,),
    )
    shown = re.sub("[\x00\x1b\ud800]", "\ufffd", HOSTILE)
    for html in (document_html(document), finding_html(found), verdict_html(verdict)):
        page = Page(html)
        assert shown in page.text
        assert page.links == []
    assert page.marks == [shown, shown]
    assert verdict._repr_html_() == verdict_html(verdict)
    assert found._repr_html_() == finding_html(found)
    assert document._repr_html_() == document_html(document)


@given(st.text())
def test_safe_text_can_be_encoded_and_read_back(text):
    safe = safe_text(text)
    assert safe.encode("utf-8").decode("utf-8") == safe
    assert not set(safe) & set("<>\"'\x00")
    if text.isprintable():
        assert Page(f"<b>{safe}</b>").text == text


@given(
    st.lists(st.tuples(st.integers(0, 10), st.integers(1, 10)), min_size=1, max_size=6),
    st.text(min_size=20, max_size=20),
)
def test_marks_cover_exactly_the_quoted_characters(spans, text):
    document = Document.from_sentences("d", "", [text])
    quotes = [Quote("sentence_0", start, start + length, text[start : start + length]) for start, length in spans]
    html = finding_html(finding(document, quotes=quotes))
    whole_text = html[html.index("<details>") :]
    covered = {i for start, length in spans for i in range(start, start + length)}
    inside = "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", whole_text, re.DOTALL))
    assert inside == "".join(safe_text(text[i]) for i in sorted(covered))


class TestSafeLink:
    @pytest.mark.parametrize(
        ("doi", "link"),
        [
            ("10.1056/NEJMoa1", "https://doi.org/10.1056/NEJMoa1"),
            ("10.1002/(SICI)1<2::AID-3>3.0.CO;2-2", "https://doi.org/10.1002/(SICI)1%3C2::AID-3%3E3.0.CO;2-2"),
            ("10.1/a#b?c%d", "https://doi.org/10.1/a%23b%3Fc%25d"),
            ('10.1/"onclick=', "https://doi.org/10.1/%22onclick="),
            ("10.1/a b", ""),
            ("10.1/a\nb", ""),
            ("10.1/é", ""),
            ("10.1/\u202e", ""),
            ("10.1/\ud800", ""),
            ("10.1/a\n", ""),
        ],
    )
    def test_dois(self, doi, link):
        assert safe_link(Metadata(doi=doi)) == link

    def test_pmids_and_nothing(self):
        assert safe_link(Metadata(pmid="123")) == "https://pubmed.ncbi.nlm.nih.gov/123/"
        assert safe_link(Metadata(pmid="1 2")) == ""
        assert safe_link(Metadata()) == ""

    @given(st.text(), st.text())
    def test_whatever_it_is_it_stays_on_its_host_and_in_its_attribute(self, doi, pmid):
        link = safe_link(Metadata(doi=doi, pmid=pmid))
        assert re.fullmatch(r"(https://(doi\.org|pubmed\.ncbi\.nlm\.nih\.gov)/[!-~]+)?", link)
        assert not set(link) & set('<>"`\\ #?')

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from sciverify.demo import demo_documents, demo_notice
from sciverify.records import Document, Filters

DOCUMENTS = demo_documents()
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "demo-corpus.md"
FIELDS = {"id", "title", "sentences", "year", "journal", "doi", "pmid", "publication_types", "retracted", "authors"}

each = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.id)


def texts(document: Document) -> list[str]:
    return [element.text for element in document.elements]


def repeated(values: list[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if value and count > 1]


class TestCorpus:
    def test_holds_about_a_hundred_studies(self) -> None:
        assert 90 <= len(DOCUMENTS) <= 125

    def test_every_study_is_there_once(self) -> None:
        assert not repeated([document.id for document in DOCUMENTS])
        assert not repeated([document.metadata.doi.casefold() for document in DOCUMENTS])
        assert not repeated([document.metadata.pmid for document in DOCUMENTS])

    def test_no_sentence_stands_in_two_studies(self) -> None:
        assert not repeated([text for document in DOCUMENTS for text in texts(document)])

    def test_a_journal_has_one_name(self) -> None:
        names = {document.metadata.journal for document in DOCUMENTS}
        assert len({name.casefold().removeprefix("the ") for name in names}) == len(names)

    def test_retracted_papers_can_be_left_out(self) -> None:
        kept = [document for document in DOCUMENTS if Filters(retracted=False).accept(document.metadata)]
        gone = {document.id for document in DOCUMENTS} - {document.id for document in kept}
        assert {"demo-wakefield-1998", "demo-gautret-2020"} <= gone
        assert len(kept) > len(DOCUMENTS) - 15

    def test_each_call_reads_the_same_documents_anew(self) -> None:
        again = demo_documents()
        assert again == DOCUMENTS
        again.clear()
        assert len(demo_documents()) == len(DOCUMENTS)

    def test_files_hold_the_documented_fields_and_nothing_else(self) -> None:
        sources = [entry for entry in files("sciverify.demo").iterdir() if entry.name.startswith("studies-")]
        assert {entry.name for entry in sources} == {"studies-biology.jsonl", "studies-clinical.jsonl"}
        for source in sources:
            for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
                assert set(json.loads(line)) == FIELDS, f"{source.name}:{number}"


@each
class TestStudy:
    def test_id_ends_in_its_year(self, document: Document) -> None:
        assert re.fullmatch(r"demo-[a-z0-9]+(-[a-z0-9]+)*-\d{4}", document.id)
        assert document.id.endswith(str(document.metadata.year))

    def test_year_is_plausible(self, document: Document) -> None:
        assert document.metadata.year is not None
        assert 1940 <= document.metadata.year <= 2025

    def test_has_five_to_ten_full_sentences(self, document: Document) -> None:
        assert 5 <= len(document.elements) <= 10
        for text in texts(document):
            assert re.fullmatch(r"[A-Z0-9].{20,400}\.", text), text
            assert "  " not in text
            assert text == text.strip()

    def test_no_field_is_empty(self, document: Document) -> None:
        metadata = document.metadata
        fields = [document.title, metadata.journal, *metadata.authors, *metadata.publication_types]
        assert metadata.authors
        assert metadata.publication_types
        assert all(field and field == field.strip() for field in fields)

    def test_identifiers_are_well_formed(self, document: Document) -> None:
        metadata = document.metadata
        assert metadata.doi or metadata.pmid
        assert not metadata.doi or re.fullmatch(r"10\.\d{4,9}/[A-Za-z0-9._;()/:-]+", metadata.doi)
        assert not metadata.pmid or re.fullmatch(r"[1-9]\d{4,7}", metadata.pmid)
        assert metadata.link

    def test_retraction_is_told_the_same_way_everywhere(self, document: Document) -> None:
        metadata = document.metadata
        assert metadata.retracted == ("Retracted Publication" in metadata.publication_types)
        if metadata.retracted:
            assert any("retracted" in text for text in texts(document))


def test_notice_says_whose_words_these_are() -> None:
    notice = demo_notice()
    assert "\n" not in notice
    for point in ("our own", "to demonstrate", "no substitute", "no medical advice"):
        assert point in notice


class TestDocumentation:
    def test_names_every_file_and_field(self) -> None:
        text = DOCUMENTATION.read_text(encoding="utf-8")
        assert all(f"`{field}`" in text for field in FIELDS)
        assert all(f"`studies-{half}.jsonl`" in text for half in ("biology", "clinical"))

    def test_offers_ten_claims_and_only_studies_that_exist(self) -> None:
        rows = [
            row.split("|")[1:-1] for row in DOCUMENTATION.read_text(encoding="utf-8").splitlines() if "`demo-" in row
        ]
        claims = [row for row in rows if row[0].strip().endswith(".")]
        named = {id for row in claims for cell in row for id in re.findall(r"`(demo-[a-z0-9-]+)`", cell)}
        assert len(claims) == 10
        assert len([row for row in claims if row[1].strip() and row[2].strip()]) >= 6
        assert named <= {document.id for document in DOCUMENTS}

import json
from dataclasses import replace

import pytest

from json_fields import documented_fields, fields_of, paths_in
from sciverify.cli.schema import (
    INDEX_SCHEMA,
    SEARCH_SCHEMA,
    VERDICT_SCHEMA,
    IndexJson,
    SearchJson,
    VerdictJson,
    search_json,
    to_json,
    verdict_json,
)
from sciverify.records import Candidate, Claim, Document, Ranking, Verdict


class TestVerdict:
    def test_reads_back_as_it_was_written(self, verdict: Verdict) -> None:
        value = verdict_json(verdict, corpus="my.index")
        assert json.loads(to_json(value)) == json.loads(to_json(value, indent=True)) == value

    def test_says_what_was_checked_and_how_it_ended(self, verdict: Verdict) -> None:
        value = verdict_json(verdict, corpus="my.index")
        assert value["schema"] == "sciverify.verdict/1"
        assert (value["system"], value["corpus"]) == ("default(k=20)", "my.index")
        assert value["claim"] == {"id": "1", "text": "Treatment lowers mortality"}
        assert value["consensus"]["label"] == "Balanced"
        assert value["consensus"]["conflict"] is True
        assert [finding["label"] for finding in value["findings"]] == ["SUPPORTS", "SUPPORTS", "REFUTES", "NEI"]
        assert value["notices"] == ["The index holds no vectors"]
        assert value["problems"] == [{"where": "document 'doc-9'", "message": "it has no text"}]

    def test_quotes_are_found_again_by_id_and_offsets(self, verdict: Verdict) -> None:
        documents = {finding.document.id: finding.document for finding in verdict.findings}
        value = json.loads(to_json(verdict_json(verdict, corpus="x")))
        quotes = [quote for finding in value["findings"] for quote in finding["rationale"]]
        assert len(quotes) == 4
        for quote in quotes:
            element = documents[quote["document_id"]].element(quote["element_id"])
            assert element.text[quote["start"] : quote["end"]] == quote["text"]
            assert element.kind == quote["kind"]

    def test_the_document_carries_its_metadata(self, verdict: Verdict) -> None:
        document = verdict_json(verdict, corpus="x")["findings"][1]["document"]
        assert document == {
            "id": "page-1",
            "title": "Survival by group",
            "year": 2019,
            "journal": "The Journal",
            "authors": ["A. Author", "B. Author"],
            "doi": "10.1000/xyz",
            "pmid": "123",
            "publication_types": ["RCT"],
            "retracted": True,
            "link": "https://doi.org/10.1000/xyz",
        }

    def test_a_finding_without_retrieval_says_null(self, verdict: Verdict) -> None:
        retrievals = [finding["retrieval"] for finding in verdict_json(verdict, corpus="x")["findings"]]
        assert retrievals[1] is None
        assert retrievals[0] == {"score": 3.25, "found_by": ["bm25", "dense"]}

    def test_infinite_scores_become_null(self, verdict: Verdict) -> None:
        finding = verdict.findings[0]
        oracle = replace(finding, candidate=Candidate(finding.document, float("inf"), ("oracle",)))
        value = json.loads(to_json(verdict_json(replace(verdict, findings=(oracle,)), corpus="x")))
        assert value["findings"][0]["retrieval"]["score"] is None

    @pytest.mark.parametrize("text", ["\ud800 lone", "α\u202e", "\x00\x1b[31m", "line\nbreak\u2028"])
    def test_any_text_survives_in_ascii_on_one_line(self, verdict: Verdict, text: str) -> None:
        line = to_json(verdict_json(replace(verdict, claim=Claim("1", text)), corpus="x"))
        assert line.isascii()
        assert line.isprintable()
        assert json.loads(line)["claim"]["text"] == text


class TestSearch:
    def test_results_are_ranked_and_carry_their_text(self) -> None:
        document = Document.from_sentences("d", "Title", ["One.", "Two."])
        value = search_json("q", Ranking((Candidate(document, 1.5, ("bm25",)),)), retriever="bm25()", corpus="x")
        assert value["schema"] == "sciverify.search/1"
        [result] = value["results"]
        assert (result["rank"], result["score"], result["found_by"]) == (1, 1.5, ["bm25"])
        assert [element["text"] for element in result["elements"]] == ["One.", "Two."]

    def test_nothing_found_says_why(self) -> None:
        value = search_json("the", Ranking((), "no searchable word"), retriever="bm25()", corpus="x")
        assert (value["results"], value["notice"]) == ([], "no searchable word")


class TestDocumentation:
    @pytest.mark.parametrize(
        ("kind", "name"),
        [(VerdictJson, VERDICT_SCHEMA), (SearchJson, SEARCH_SCHEMA), (IndexJson, INDEX_SCHEMA)],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_every_field_is_documented_with_its_type(self, kind: type, name: str) -> None:
        assert documented_fields(f"`{name}`") == fields_of(kind)

    def test_the_code_gives_the_fields_it_declares(self, verdict: Verdict) -> None:
        declared = {path for path, _ in fields_of(VerdictJson)}
        assert paths_in(verdict_json(verdict, corpus="x")) == declared

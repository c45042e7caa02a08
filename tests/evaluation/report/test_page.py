from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from evaluation_cases import fill_table, random_case
from sciverify.corpora import open_corpus
from sciverify.evaluation.error_table import write_errors
from sciverify.evaluation.report import make_report, render_html
from sciverify.evaluation.scifact import score_scifact
from sciverify.evaluation.tasks import find_task

SCIFACT = find_task("scifact")
VOID = {"meta", "br", "link", "img", "input", "hr", "line", "circle", "rect", "path"}


def _score(gold, run):
    """A scorer that takes no corpus."""
    return score_scifact(gold, run)


class Page(HTMLParser):
    """The elements of a page in order, its text, and the text of every element that states a figure."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.figures: dict[str, list[str]] = {}
        self.text: list[str] = []
        self.open: list[tuple[str, str | None]] = []
        self.feed(html)
        self.close()
        assert self.open == [], "an element is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("data-figure")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.open and (figure := self.open[-1][1]):
            self.figures.setdefault(figure, []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def figure(self, name: str) -> str:
        [text] = set(self.figures[name])
        return text


def report_of(folder, seed=5, *, text="", candidates=True, kinds=False):
    """A report with everything in it, or with what a bare run allows."""
    gold, run, corpus = random_case(seed, text=text, candidates=candidates).write(folder)
    (folder / "other").mkdir(exist_ok=True)
    _, other, _ = random_case(seed, candidates=not candidates).write(folder / "other")
    if kinds:
        first = make_report(SCIFACT, gold, run, resamples=2)
        write_errors(folder / "errors.csv", first.outcomes)
        fill_table(folder / "errors.csv", kind={0: "directionality"})
    return make_report(
        SCIFACT,
        gold,
        run,
        other=other,
        corpus=open_corpus(corpus),
        kinds=folder / "errors.csv" if kinds else None,
        resamples=200,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return report_of(tmp_path_factory.mktemp("report"), kinds=True)


@pytest.fixture(scope="module")
def page(report):
    return Page(render_html(report))


def percent(value: float) -> str:
    return f"{100 * value:.2f}"


class TestFigures:
    def test_scores_equal_the_scorers(self, report, page):
        for name, value in report.scores.values().items():
            assert page.figure(name) == percent(value)

    def test_spreads_equal_the_bootstraps(self, report, page):
        for name in ("abstract_label_only_f1", "sentence_selection_label_f1"):
            spread = report.intervals[name]
            assert page.figure(f"{name}:mean") == percent(spread.mean)
            assert page.figure(f"{name}:sd") == percent(spread.sd)
            assert page.figure(f"{name}:interval") == f"{percent(spread.low)} to {percent(spread.high)}"

    def test_differences_equal_the_comparison(self, report, page):
        found = report.comparison.differences["abstract_label_rationale_f1"]
        shown = page.figure("abstract_label_rationale_f1:difference").replace("−", "-")
        assert shown == f"{100 * found.value:+.2f}"
        assert page.figure("abstract_label_rationale_f1:p") == f"{found.p:.4f}"
        other = report.comparison.scores.values()["abstract_label_rationale_f1"]
        assert page.figure("abstract_label_rationale_f1:other") == percent(other)

    def test_diagnostics_equal_the_outcomes(self, report, page):
        found = report.diagnostics
        assert page.figure("average_precision") == percent(found.average_precision)
        assert page.figure("calibration_error") == percent(found.reliability.error)
        for row in range(3):
            for column in range(4):
                if (row, column) != (2, 3):
                    assert page.figure(f"confusion:{row}:{column}") == str(found.confusion[row, column])
        for kind, number in found.error_types.items():
            assert page.figure(f"error:{kind}") == str(number)
        for id, groups in (
            ("labels", found.labels),
            ("lengths", found.lengths),
            ("rationale-sizes", found.rationale_sizes),
            ("evidence-documents", found.evidence_documents),
        ):
            assert groups
            for group in groups:
                assert page.figure(f"{id}:{group.name}:f1") == percent(group.label_only.f1)

    def test_kinds_equal_the_table(self, report, page):
        assert page.figure("kind:directionality") == "1"
        assert page.figure("kind:numerical") == "0"

    def test_every_figure_is_checked_here(self, page):
        groups = "confusion|error|kind|labels|lengths|rationale-sizes|evidence-documents"
        measures = r"(abstract|sentence)_\w+(:(mean|sd|interval|other|difference|p))?"
        checked = rf"average_precision|calibration_error|({groups}):.*|{measures}"
        assert [name for name in page.figures if not re.fullmatch(checked, name)] == []

    def test_the_head_says_where_the_figures_come_from(self, report, page):
        text = "".join(page.text)
        for heading, value in report.origin.rows():
            assert heading in text
            assert value in text


HOSTILE = (
    "</style></title><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"
    "{{ 7*7 }}{% raw %} \" ' & &amp; <!-- ]]> \u202e\x00\x1b"
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    report = report_of(tmp_path_factory.mktemp("hostile"), text=HOSTILE)
    return report, render_html(report)


class TestSafety:
    def test_texts_add_no_element(self, hostile, tmp_path):
        _, html = hostile
        tame = Page(render_html(report_of(tmp_path)))
        assert [tag for tag, _ in Page(html).tags] == [tag for tag, _ in tame.tags]

    def test_texts_are_shown_as_they_are(self, hostile):
        report, html = hostile
        shown = "".join(Page(html).text)
        assert report.worst[0].pair.claim.text.endswith(HOSTILE)
        as_shown = HOSTILE.replace("\x00", "\ufffd").replace("\x1b", "\ufffd")
        assert report.worst[0].pair.claim.text.replace(HOSTILE, as_shown) in shown

    def test_nothing_is_loaded(self, hostile):
        for html in (hostile[1],):
            page = Page(html)
            assert not {"script", "link", "img", "iframe", "object", "embed", "audio", "video"} & {
                tag for tag, _ in page.tags
            }
            assert all(link["href"].startswith("#") for link in page.all("a"))
            for _, attributes in page.tags:
                assert not {"src", "srcset", "background", "data", "xlink:href"} & set(attributes)
                assert not [name for name in attributes if name.startswith("on")]
                assert "url(" not in (attributes.get("style") or "")
            style = html.split("<style>")[1].split("</style>")[0]
            assert not re.search(r"url\(|@import|http", style)

    def test_a_policy_forbids_to_load_anything(self, page):
        [policy] = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
        assert policy == "default-src 'none'; style-src 'unsafe-inline'"


class TestAccessibility:
    def test_headings_skip_no_level(self, page):
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))

    def test_every_table_has_a_caption_and_header_cells(self, page):
        assert len(page.all("caption")) == len(page.all("table")) > 5
        assert all(cell.get("scope") in ("row", "col") for cell in page.all("th"))

    def test_every_chart_has_a_title_and_a_description(self, page):
        charts = page.all("svg")
        assert len(charts) == 7
        ids = {attributes.get("id") for tag, attributes in page.tags if tag in ("title", "desc")}
        for chart in charts:
            assert chart["role"] == "img"
            assert set(chart["aria-labelledby"].split()) <= ids

    def test_ids_are_distinct_and_links_lead_somewhere(self, page):
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert {link["href"].removeprefix("#") for link in page.all("a")} <= set(ids)
        labelled = [a["aria-labelledby"] for tag, a in page.tags if tag == "section"]
        assert set(labelled) <= set(ids)

    def test_the_language_is_stated(self, page):
        assert page.all("html") == [{"lang": "en"}]


class TestWhatIsMissing:
    def test_a_bare_run_has_no_curves_and_the_page_says_why(self, tmp_path):
        html = render_html(report_of(tmp_path, candidates=False))
        page = Page(html)
        assert "average_precision" not in page.figures
        assert "calibration_error" not in page.figures
        assert "the run lists no candidates with their probabilities" in html
        assert "confusion:0:2" not in page.figures  # read as NEI and not read look the same
        assert page.figure("confusion:0:0")

    def test_a_task_without_outcomes_has_its_scores(self, tmp_path):
        gold, run, _ = random_case(2).write(tmp_path)
        plain = SCIFACT._replace(outcomes=None, scorer=_score)
        report = make_report(plain, gold, run, resamples=2)
        page = Page(render_html(report))
        assert set(page.figures) >= set(report.scores.values())
        assert "no pairs of claims and documents" in "".join(page.text)

    def test_a_run_without_errors_or_predictions(self, tmp_path):
        gold, run, _ = random_case(1, claims=1).write(tmp_path)
        gold.write_text('{"id": 0, "claim": "", "evidence": {}}\n')
        run.write_text('{"id": 0, "evidence": {}, "candidates": []}\n')
        page = Page(render_html(make_report(SCIFACT, gold, run, resamples=2)))
        assert "There are none." in "".join(page.text)


def test_the_same_input_gives_the_same_page(tmp_path):
    assert render_html(report_of(tmp_path)) == render_html(report_of(tmp_path))


@pytest.mark.parametrize(("task", "column"), [("scifact", "F1"), ("scifact-open", "F1 or score")])
def test_columns_are_named_after_the_parts(tmp_path, task, column):
    gold, run, _ = random_case(2).write(tmp_path)
    html = render_html(make_report(find_task(task), gold, run, resamples=2))
    assert f'<th scope="col">{column}</th><th scope="col">Mean</th>' in html

from __future__ import annotations

import json

import pytest

from evaluation_cases import fill_table, random_case
from sciverify.corpora import open_corpus
from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.bootstrap import bootstrap, compare
from sciverify.evaluation.error_table import write_errors
from sciverify.evaluation.outcomes import Setting
from sciverify.evaluation.provenance import Provenance, provenance_path, write_provenance
from sciverify.evaluation.report import make_report
from sciverify.evaluation.scifact import score_scifact
from sciverify.evaluation.tasks import find_task

SCIFACT = find_task("scifact")


@pytest.fixture
def case():
    return random_case(5)


@pytest.fixture
def files(case, tmp_path):
    return case.write(tmp_path)


def made(oracle=(), **changes):
    """The side file of a run."""
    values = {
        "system": "default(k=20)",
        "retriever": "bm25()",
        "oracle": oracle,
        "input": "full",
        "filters": {},
        "claims": {"file": "gold.jsonl", "sha256": "ab", "number": 12, "split": None},
        "index": {},
        "weights": {"verifier": "student-1234abcd"},
        "versions": {"python": "3.11.9", "sciverify": "0.1.0", "tokenizers": None},
        "started": "2024-01-01T00:00:00Z",
    }
    return Provenance(**(values | changes))


def _score(gold, run):
    """A scorer that takes no corpus."""
    return score_scifact(gold, run)


class TestScores:
    def test_are_those_of_the_scorer(self, files):
        gold, run, _ = files
        report = make_report(SCIFACT, gold, run, resamples=50, seed=3)
        scores = score_scifact(gold, run)
        assert report.scores.values() == scores.values()
        assert report.intervals == bootstrap(scores, resamples=50, seed=3)
        assert (report.resamples, report.seed, report.origin.seed) == (50, 3, "3")

    def test_a_comparison_scores_both_on_the_same_draws(self, files, tmp_path):
        gold, run, _ = files
        (tmp_path / "b").mkdir()
        _, other, _ = random_case(5, candidates=False).write(tmp_path / "b")
        report = make_report(SCIFACT, gold, run, other=other, resamples=50)
        assert report.comparison.run == str(other)
        expected = compare(score_scifact(gold, run), score_scifact(gold, other), resamples=50)
        assert report.comparison.differences == expected

    def test_the_number_of_resamples_is_the_tasks(self, files):
        gold, run, _ = files
        assert make_report(SCIFACT._replace(resamples=7), gold, run).resamples == 7


class TestCorpus:
    def test_errors_are_quoted_verbatim(self, files, case):
        gold, run, corpus = files
        report = make_report(SCIFACT, gold, run, corpus=open_corpus(corpus), resamples=2)
        assert report.worst
        for error in report.worst:
            document = case.documents[error.pair.document]
            assert error.title == document.title
            for sentence in (*error.gold, *error.predicted):
                assert sentence.text == document.elements[sentence.number].text
            assert tuple(sentence.number for sentence in error.predicted) == error.pair.sentences
        assert report.notes == ()

    def test_without_it_the_report_says_what_is_missing(self, files):
        gold, run, _ = files
        report = make_report(SCIFACT, gold, run, resamples=2)
        assert report.documents is None
        assert {sentence.text for error in report.worst for sentence in error.gold} == {None}
        assert len(report.notes) == 2

    def test_a_document_that_it_lacks_is_refused(self, files, tmp_path):
        gold, run, corpus = files
        lines = corpus.read_text().splitlines(keepends=True)
        corpus.write_text("".join(lines[:3]))
        with pytest.raises(RunFileError, match="the corpus has no document"):
            make_report(SCIFACT, gold, run, corpus=open_corpus(corpus))


class TestOrigin:
    def test_comes_from_the_side_file(self, files):
        gold, run, _ = files
        write_provenance(run, made())
        origin = make_report(SCIFACT, gold, run, resamples=2).origin
        assert dict(origin.rows()) == {
            "Split": "gold.jsonl",
            "Setting": "open",
            "System": "default(k=20)",
            "Weights": "verifier student-1234abcd",
            "Run": str(run),
            "Made with": "python 3.11.9, sciverify 0.1.0",
            "Scored with": origin.scored_with,
            "Seed": "0",
        }
        assert origin.scored_with.startswith("sciverify ")

    def test_without_one_it_is_unknown(self, files):
        gold, run, _ = files
        origin = make_report(SCIFACT, gold, run, resamples=2).origin
        assert {origin.setting, origin.system, origin.weights, origin.made_with} == {"unknown"}

    def test_the_setting_may_be_told(self, files):
        gold, run, _ = files
        assert make_report(SCIFACT, gold, run, setting=Setting.OPEN, resamples=2).origin.setting == "open"

    def test_a_setting_other_than_the_runs_is_refused(self, files):
        gold, run, _ = files
        write_provenance(run, made())
        with pytest.raises(SettingError, match="made in the setting open, not oracle-abstract") as raised:
            make_report(SCIFACT, gold, run, setting=Setting.ORACLE_ABSTRACT)
        assert raised.value.where == str(provenance_path(run))

    def test_an_oracle_run_is_held_to_its_setting(self, files):
        gold, run, _ = files
        write_provenance(run, made(("abstract",)))
        with pytest.raises(RunFileError, match="so this is no oracle-abstract run"):
            make_report(SCIFACT, gold, run)

    def test_an_unknown_oracle_is_refused(self, files):
        gold, run, _ = files
        write_provenance(run, made(("delphi",)))
        with pytest.raises(RunFileError, match="no oracle 'delphi'"):
            make_report(SCIFACT, gold, run)


class TestKinds:
    def test_are_counted_from_the_filled_table(self, files, tmp_path):
        gold, run, _ = files
        report = make_report(SCIFACT, gold, run, resamples=2)
        table = tmp_path / "errors.csv"
        write_errors(table, report.outcomes)
        fill_table(table, kind={0: "numerical"})
        kinds = make_report(SCIFACT, gold, run, kinds=table, resamples=2).kinds
        assert (kinds.counts["numerical"], kinds.sorted) == (1, 1)
        assert kinds.errors == sum(report.diagnostics.error_types.values())


class TestOtherTasks:
    """A task without pairs of claims and documents, scored by SciFact's scorer for want of another."""

    PLAIN = SCIFACT._replace(name="plain", outcomes=None, scorer=_score)

    def test_have_scores_only_and_say_so(self, files):
        gold, run, _ = files
        report = make_report(self.PLAIN, gold, run, resamples=2)
        assert report.diagnostics is report.outcomes is report.kinds is None
        assert report.worst == ()
        assert "no pairs of claims and documents" in report.notes[0]

    @pytest.mark.parametrize("extra", ["corpus", "setting", "kinds"])
    def test_refuse_what_they_have_no_use_for(self, files, extra):
        gold, run, corpus = files
        values = {"corpus": open_corpus(corpus), "setting": Setting.OPEN, "kinds": run}
        with pytest.raises(SettingError, match="the task plain has no"):
            make_report(self.PLAIN, gold, run, **{extra: values[extra]})


def test_a_malformed_side_file_is_refused(files):
    gold, run, _ = files
    provenance_path(run).write_text(json.dumps({"schema": "sciverify.run/0"}))
    with pytest.raises(RunFileError, match="schema"):
        make_report(SCIFACT, gold, run)

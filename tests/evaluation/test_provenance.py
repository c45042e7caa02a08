import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from measuring_fakes import Literal
from sciverify._version import __version__
from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.provenance import (
    describe_import,
    describe_run,
    differing_settings,
    provenance_path,
    read_provenance,
    refuse_other_settings,
    write_provenance,
)
from sciverify.index import IndexInfo
from sciverify.models import load_cross_encoder
from sciverify.records import Filters, Problem
from sciverify.systems import Pipeline, load_system
from sciverify.verification import JointVerifier, PartialModel, PipelineVerifier

INFO = IndexInfo("my.index", 5183, 3, "encoder@1", 384, "english", 1.2, 0.75, 144.5, 1, 1_000)
UTC_SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class System:
    name = "mine(k=3)"


def described(**changes):
    settings = {"claims_file": "data/claims_dev.jsonl", "sha256": "ab" * 32, "number": 2, **changes}
    return describe_run(settings.pop("system", System()), settings.pop("index", INFO), **settings)


class TestDescribing:
    def test_what_the_answers_depend_on_is_there(self):
        run = described(oracle=["rationale", "abstract"], input="claim-only", filters=Filters(1990, retracted=False))
        assert (run.system, run.retriever, run.oracle, run.input) == (
            "mine(k=3)",
            "",
            ("abstract", "rationale"),
            "claim-only",
        )
        assert run.setting == "oracle abstract + rationale"
        assert run.filters == {"first_year": 1990, "retracted": False}
        assert run.claims == {"file": "claims_dev.jsonl", "sha256": "ab" * 32, "number": 2, "split": "dev"}
        assert run.index == {
            "path": str(Path("my.index").resolve()),
            "documents": 5183,
            "revision": 3,
            "average_length": 144.5,
            "encoder": "encoder@1",
        }
        assert run.versions["sciverify"] == __version__
        assert None not in run.versions.values()
        assert UTC_SECOND.fullmatch(run.started)
        assert (run.resumed, run.ended, run.done, run.problems) == ((), None, 0, ())

    def test_a_system_of_ours_says_which_weights_it_read_with(self):
        assert described(system=load_system()).weights == {"verifier": load_cross_encoder().name}
        assert described(system=load_system("verisci")).weights == {"verifier": load_cross_encoder().name}
        assert described().weights == {}

    def test_two_models_are_named_by_what_they_do(self):
        one, other = PartialModel(load_cross_encoder(), "full"), Literal()
        system = Pipeline("two", PipelineVerifier(one, other))
        assert described(system=system).weights == {"selector": load_cross_encoder().name, "labeller": "literal"}

    def test_a_model_that_was_trained_to_see_less_saw_less(self):
        system = Pipeline("less", JointVerifier(PartialModel(Literal(), "claim-only")))
        assert described(system=system).input == "claim-only"
        assert described(system=Pipeline("all", JointVerifier(Literal())), input="abstract-only").input == (
            "abstract-only"
        )

    @pytest.mark.parametrize(
        ("name", "split"),
        [
            *[("claims_dev.jsonl", "dev"), ("claims_train_2.jsonl", "train"), ("Validation.csv", "dev")],
            *[
                ("x/test/claims.jsonl", None),
                ("covid_claims.txt", None),
                ("latest.jsonl", None),
                ("test.txt.gz", "test"),
            ],
            *[("-", None), ("developers.txt", None)],
        ],
    )
    def test_the_split_is_a_word_of_the_files_name(self, name, split):
        assert described(claims_file=name).claims["split"] == split


class TestProgress:
    def test_a_run_ends_with_its_last_claim_and_only_once(self):
        run = described().at(1)
        assert (run.done, run.ended) == (1, None)
        ended = run.at(2)
        assert UTC_SECOND.fullmatch(ended.ended)
        assert replace(ended, ended="then").at(2).ended == "then"

    def test_it_says_when_it_was_gone_on_with(self):
        again = described().gone_on_with().gone_on_with()
        assert len(again.resumed) == 2
        assert all(map(UTC_SECOND.fullmatch, again.resumed))

    def test_problems_are_counted_and_the_first_hundred_kept(self):
        run = described()
        for number in range(40):
            run = run.with_problems([Problem(f"document {number}.{n}", "broken") for n in range(3)])
        assert run.problem_count == 120
        assert len(run.problems) == 100
        assert run.problems[-1] == {"where": "document 33.0", "message": "broken"}


class TestFile:
    def test_it_survives_the_way_through_its_file(self, tmp_path):
        path = tmp_path / "run.jsonl"
        run = described(filters=Filters(journals=("A", "B"))).with_problems([Problem("document '\ud800'", "x")]).at(2)
        write_provenance(path, run)
        assert provenance_path(path) == tmp_path / "run.jsonl.meta.json"
        read = read_provenance(path)
        assert read == run
        assert differing_settings(run, read) == {}
        assert [file.name for file in tmp_path.iterdir()] == ["run.jsonl.meta.json"]

    def test_a_run_without_one(self, tmp_path):
        assert read_provenance(tmp_path / "run.jsonl") is None

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"schema": "other/1"}, "the schema is 'other/1'"),
            *[({key: value}, f"'{key}' is missing or not") for key, value in [("system", 3), ("done", -1)]],
            *[({key: value}, f"'{key}' is missing or not") for key, value in [("done", True), ("ended", 0)]],
            *[({key: value}, f"'{key}' is missing or not") for key, value in [("oracle", [1]), ("problems", ["x"])]],
            *[({key: []}, f"'{key}' is missing or not") for key in ("claims", "index", "filters", "weights")],
        ],
    )
    def test_a_file_of_another_form_is_refused(self, tmp_path, change, problem):
        path = tmp_path / "run.jsonl"
        write_provenance(path, described())
        side = provenance_path(path)
        side.write_text(json.dumps(json.loads(side.read_text(encoding="utf-8")) | change), encoding="utf-8")
        with pytest.raises(RunFileError, match=problem) as caught:
            read_provenance(path)
        assert caught.value.where == str(side)

    def test_a_file_that_lacks_a_key_or_is_no_json(self, tmp_path):
        path = tmp_path / "run.jsonl"
        write_provenance(path, described())
        side = provenance_path(path)
        values = json.loads(side.read_text(encoding="utf-8"))
        for key in values:
            side.write_text(json.dumps({k: v for k, v in values.items() if k != key}), encoding="utf-8")
            with pytest.raises(RunFileError):
                read_provenance(path)
        side.write_text("notes", encoding="utf-8")
        with pytest.raises(RunFileError, match="not JSON"):
            read_provenance(path)


class TestGoingOn:
    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"system": type("Other", (), {"name": "other(k=3)"})()}, ["system was mine(k=3), is now other(k=3)"]),
            ({"oracle": ["abstract"]}, ["setting was open, is now oracle abstract"]),
            ({"input": "claim-only"}, ["input was full, is now claim-only"]),
            ({"filters": Filters(last_year=2000)}, ['filters was {}, is now {"last_year": 2000}']),
            ({"sha256": "cd" * 32}, ["claims was 2 with SHA-256 abababababab, is now 2 with SHA-256 cdcdcdcdcdcd"]),
            ({"index": replace(INFO, documents=9)}, ["index documents was 5183, is now 9"]),
            ({"index": replace(INFO, encoder=None), "input": "x"}, ["input was", "index encoder was encoder@1"]),
        ],
    )
    def test_other_settings_are_refused_by_name(self, change, words):
        with pytest.raises(SettingError, match="begun with other settings") as caught:
            refuse_other_settings("run.jsonl", described(), described(**change))
        for word in words:
            assert word in caught.value.problem
        assert caught.value.where == "run.jsonl"
        assert "--force" in caught.value.remedy

    def test_other_weights_and_versions_are_other_settings(self):
        now = replace(described(), weights={"verifier": "new@2"}, versions={"sciverify": "9"})
        with pytest.raises(SettingError, match=r"version of sciverify was .*weights of the verifier was null"):
            refuse_other_settings("run.jsonl", described(), now)

    def test_what_does_not_matter_to_the_answers_may_change(self):
        moved = described(index=replace(INFO, path="elsewhere", size=5), claims_file="copy/claims.jsonl").at(1)
        refuse_other_settings("run.jsonl", described(), moved.gone_on_with())

    def test_a_run_without_a_record_is_not_gone_on_with(self):
        with pytest.raises(SettingError, match=r"run\.jsonl\.meta\.json is missing"):
            refuse_other_settings("run.jsonl", None, described())


class TestImport:
    def test_an_import_says_what_it_was_made_of(self, tmp_path):
        claims = tmp_path / "claims_test.jsonl"
        claims.write_text("{}\n", encoding="utf-8")
        run = describe_import({"from": "table", "file": "t.parquet", "model": None, "evidence": 0.5}, claims, 3)
        assert run.system == "import(from='table', file='t.parquet', evidence=0.5)"
        assert (run.claims["file"], run.claims["split"], run.claims["number"]) == ("claims_test.jsonl", "test", 3)
        assert len(run.claims["sha256"]) == 64
        assert (run.done, run.setting, run.input) == (3, "", "")
        assert run.ended is not None
        write_provenance(tmp_path / "run.jsonl", run)
        assert read_provenance(tmp_path / "run.jsonl") == run

    def test_without_claims(self):
        assert describe_import({}, None, 3).claims == {"file": None, "sha256": None, "number": 3, "split": None}

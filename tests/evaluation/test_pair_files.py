import gzip
import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciverify.errors import MissingExtraError, RunFileError, SettingError
from sciverify.evaluation.pair_files import pairs_of_predictions, read_pairs, write_pairs

pa = pytest.importorskip("pyarrow", reason="needs the extra evaluation")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra evaluation")

ROW = {
    "claim_id": 3,
    "doc_id": 11,
    "model": "m",
    "p_contradict": 0.125,
    "p_nei": 0.25,
    "p_support": 0.625,
    "predicted_label": "SUPPORT",
    "predicted_rationale": [0, 4],
    "rank": 12,
    "is_scifact_orig": True,
}
AS_READ = ROW | {"claim_id": "3", "doc_id": "11", "retrieval_rank": None}
ENDINGS = ["pairs.jsonl", "pairs.jsonl.gz", "pairs.parquet"]
BARE = {"claim_id": 3, "doc_id": 11, "predicted_label": "NEI"}


def records(path):
    return list(read_pairs(path).records())


ids = st.integers(0, 2**40).map(str) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)
shares = st.tuples(*[st.integers(0, 1000)] * 3).filter(any)
rows = st.fixed_dictionaries(
    {
        "shares": shares,
        "predicted_label": st.sampled_from(["SUPPORT", "CONTRADICT", "NEI"]),
        "predicted_rationale": st.lists(st.integers(0, 2**31 - 1), unique=True, max_size=3),
        "rank": st.none() | st.integers(0, 2**31 - 1),
        "is_scifact_orig": st.sampled_from([None, True, False]),
        "retrieval_rank": st.none() | st.integers(1, 100),
    }
)


@st.composite
def published(draw):
    """Rows with distinct (claim, doc, model), each model with probabilities or without."""
    models = draw(st.sampled_from([["m"], ["m", "n"], [None]]))
    without = draw(st.sampled_from([*models, "nobody"]))
    keys = draw(st.lists(st.tuples(ids, ids, st.sampled_from(models)), unique=True, min_size=1, max_size=6))
    result = []
    for claim, doc, model in keys:
        row = draw(rows)
        counts = row.pop("shares")
        names = ("p_contradict", "p_nei", "p_support")
        given = {name: None if model == without else n / sum(counts) for name, n in zip(names, counts, strict=True)}
        result.append({"claim_id": claim, "doc_id": doc, "model": model, **given, **row})
    return result


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(published())
def test_what_is_written_is_read_again(tmp_path, wanted):
    source = tmp_path / "source.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in wanted), encoding="utf-8")
    pairs = read_pairs(source)
    assert list(pairs.records()) == wanted
    for name in ENDINGS:
        write_pairs(tmp_path / name, pairs)
        assert records(tmp_path / name) == wanted


@pytest.mark.parametrize("name", ENDINGS)
def test_ids_that_look_like_numbers_are_written_as_published(tmp_path, write_lines, name):
    path = tmp_path / name
    write_pairs(path, read_pairs(write_lines("source.jsonl", ROW, ROW | {"doc_id": "12"})))
    if name.endswith("parquet"):
        rows = pq.read_table(path).to_pylist()
    else:
        content = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
        rows = [json.loads(line) for line in content.splitlines()]
    assert rows == [ROW, ROW | {"doc_id": 12}]


@pytest.mark.parametrize("name", ENDINGS)
def test_a_table_gives_the_same_bytes_each_time(tmp_path, write_lines, name):
    pairs = read_pairs(write_lines("source.jsonl", ROW))
    paths = [tmp_path / f"{n}-{name}" for n in "ab"]
    for path in paths:
        write_pairs(path, pairs)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_only_ids_and_label_are_required(write_lines, tmp_path):
    expected = dict.fromkeys(AS_READ) | {
        "claim_id": "3",
        "doc_id": "11",
        "predicted_label": "NEI",
        "predicted_rationale": [],
    }
    pq.write_table(pa.table({name: [value] for name, value in BARE.items()}), tmp_path / "pairs.parquet")
    assert records(write_lines("pairs.jsonl", BARE)) == records(tmp_path / "pairs.parquet") == [expected]


def test_a_missing_file(tmp_path):
    with pytest.raises(RunFileError, match="no such file"):
        read_pairs(tmp_path / "pairs.jsonl")


def test_an_ending_that_says_nothing(tmp_path, write_lines):
    with pytest.raises(SettingError, match=r"\.jsonl, \.jsonl\.gz or \.parquet"):
        write_pairs(tmp_path / "pairs.csv", read_pairs(write_lines("source.jsonl", ROW)))


@pytest.mark.parametrize("name", ENDINGS)
def test_a_folder_that_is_not_there(tmp_path, write_lines, name):
    with pytest.raises(RunFileError, match="cannot be written"):
        write_pairs(tmp_path / "nowhere" / name, read_pairs(write_lines("source.jsonl", ROW)))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"claim_id": None}, "no claim_id"),
        ({"claim_id": 3.0}, "no claim_id"),
        ({"claim_id": True}, "no claim_id"),
        ({"doc_id": ""}, "no doc_id"),
        ({"model": 3}, "model that is not a name"),
        ({"model": ""}, "model that is not a name"),
        ({"predicted_label": "SUPPORTS"}, "unknown predicted_label 'SUPPORTS'"),
        ({"predicted_label": ["NEI"]}, "unknown predicted_label"),
        ({"predicted_label": None}, "no predicted_label"),
        ({"p_nei": "0.25"}, "not numbers"),
        ({"p_nei": True}, "not numbers"),
        ({"p_nei": 10**400}, "far too large"),
        ({"p_nei": 1.25}, "not all in 0 to 1"),
        ({"p_nei": 0.26}, "don't sum to 1"),
        ({"p_nei": None}, "only some of"),
        ({"predicted_rationale": "0, 4"}, "list of sentence numbers"),
        ({"predicted_rationale": [0, True]}, "list of sentence numbers"),
        ({"predicted_rationale": [-1]}, "list of sentence numbers"),
        ({"predicted_rationale": [2**31]}, "list of sentence numbers"),
        ({"predicted_rationale": [4, 4]}, "rationale of claim 3"),
        ({"rank": -1}, "rank that is not a whole number"),
        ({"rank": 1.5}, "rank that is not a whole number"),
        ({"rank": "1"}, "rank that is not a whole number"),
        ({"retrieval_rank": 2**31}, "retrieval_rank that is not a whole number"),
        ({"is_scifact_orig": 1}, "neither true nor false"),
        ({"doc_id": 10}, "was already at .*:1"),
    ],
)
def test_a_malformed_line_is_named(write_lines, changes, problem):
    path = write_lines("pairs.jsonl", ROW | {"doc_id": 10}, "", ROW | changes)
    with pytest.raises(RunFileError, match=problem) as caught:
        read_pairs(path)
    assert caught.value.where == f"{path}:3"


@pytest.mark.parametrize("line", ["[1]", "{", '{"claim_id": NaN}', '{"claim_id": 1, "claim_id": 1}'])
def test_a_line_that_is_no_object(write_lines, line):
    path = write_lines("pairs.jsonl", ROW, line)
    with pytest.raises(RunFileError) as caught:
        read_pairs(path)
    assert caught.value.where == f"{path}:2"


class TestParquet:
    columns = {name: [value, value] for name, value in ROW.items()} | {"doc_id": [11, 12]}

    def write(self, folder, changes=(), name="pairs.parquet"):
        path = folder / name
        columns = self.columns | dict(changes)
        pq.write_table(pa.table({name: column for name, column in columns.items() if column is not None}), path)
        return path

    @pytest.mark.parametrize(
        ("name", "column", "expected"),
        [
            ("claim_id", pa.array([3, 3], pa.int16()), "3"),
            ("claim_id", pa.array(["a", "a"], pa.large_string()), "a"),
            ("model", pa.array(["m", "m"]).dictionary_encode(), "m"),
            ("model", pa.nulls(2), None),
            ("p_support", pa.array([0.625, 0.625], pa.float32()), 0.625),
            ("predicted_label", pa.array(["SUPPORT", "SUPPORT"]).dictionary_encode(), "SUPPORT"),
            ("predicted_rationale", pa.array([[0, 4], []], pa.large_list(pa.int8())), [0, 4]),
            ("predicted_rationale", pa.nulls(2), []),
            ("predicted_rationale", pa.array([None, [1]]), []),
            ("predicted_rationale", pa.array([[], []]), []),
            ("rank", pa.array([12.0, None]), 12),
            ("rank", pa.array([float("nan"), 1.0]), None),
            ("is_scifact_orig", pa.array([None, True]), None),
            ("is_scifact_orig", pa.nulls(2), None),
        ],
    )
    def test_columns_come_in_several_kinds(self, tmp_path, name, column, expected):
        path = self.write(tmp_path, {name: column})
        assert records(path)[0] == AS_READ | {name: expected}

    def test_the_content_tells_what_a_file_is(self, tmp_path):
        # The published file's name is misspelt.
        assert records(self.write(tmp_path, name="model_predictions.parqet"))[0] == AS_READ

    def test_a_model_without_probabilities(self, tmp_path):
        nan = float("nan")
        changes = {"model": ["m", "n"], "p_support": [0.625, nan], "p_nei": [0.25, None], "p_contradict": [0.125, nan]}
        pairs = read_pairs(self.write(tmp_path, changes))
        assert pairs.of_model("m").has_probabilities
        assert [record["p_nei"] for record in pairs.of_model("n").records()] == [None]

    def test_row_groups_are_joined(self, tmp_path):
        path = tmp_path / "pairs.parquet"
        pq.write_table(pa.table(self.columns), path, row_group_size=1)
        assert [record["doc_id"] for record in records(path)] == ["11", "12"]

    def test_no_rows_are_no_pairs(self, tmp_path, write_lines):
        path = tmp_path / "empty.parquet"
        write_pairs(path, read_pairs(write_lines("source.jsonl", ROW)).take([]))
        assert records(path) == []

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"claim_id": pa.array([3, None])}, "no claim_id"),
            ({"doc_id": ["11", ""]}, "the doc_id of this row is empty"),
            ({"predicted_label": ["SUPPORT", "support"]}, "unknown predicted_label 'support'"),
            ({"predicted_label": ["SUPPORT", None]}, "no predicted_label"),
            ({"p_nei": [0.25, 0.5]}, "don't sum to 1"),
            ({"p_nei": [0.25, None]}, "only some of"),
            ({"p_nei": [0.25, float("inf")]}, "not all in 0 to 1"),
            ({"rank": [1, -1]}, "rank of this row is -1"),
            ({"rank": [1, 1.5]}, "rank of this row is 1.5"),
            ({"rank": [1, float("inf")]}, "rank of this row is inf"),
            ({"predicted_rationale": [[0], [1, -1]]}, "no sentence number at one place"),
            ({"predicted_rationale": [[0], [None]]}, "no sentence number at one place"),
            ({"predicted_rationale": [[0], [1, 1]]}, "rationale of claim 3"),
            ({"model": ["m", None]}, "names no model"),
            ({"doc_id": [11, 11]}, "was already at .*, row 1"),
        ],
    )
    def test_a_malformed_row_is_named(self, tmp_path, changes, problem):
        path = self.write(tmp_path, changes)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_pairs(path)
        assert caught.value.where == f"{path}, row 2"

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"claim_id": None}, "there is no column claim_id"),
            ({"claim_id": [1.0, 2.0]}, "the column claim_id holds double. It must hold strings or integers"),
            ({"p_nei": ["a", "b"]}, "the column p_nei holds string. It must hold numbers"),
            ({"rank": ["a", "b"]}, "the column rank holds string"),
            ({"is_scifact_orig": [0, 1]}, "the column is_scifact_orig holds int64"),
            ({"predicted_rationale": ["0", "1"]}, "the column predicted_rationale holds string"),
        ],
    )
    def test_a_column_of_another_kind_is_named(self, tmp_path, changes, problem):
        path = self.write(tmp_path, changes)
        with pytest.raises(RunFileError, match=problem) as caught:
            read_pairs(path)
        assert caught.value.where == str(path)

    def test_a_column_that_stands_twice(self, tmp_path):
        path = tmp_path / "pairs.parquet"
        pq.write_table(pa.table([pa.array([1])] * 4, names=["claim_id", "doc_id", "predicted_label", "doc_id"]), path)
        with pytest.raises(RunFileError, match="two columns doc_id"):
            read_pairs(path)

    @pytest.mark.parametrize("kept", [4, 100, -10])
    def test_a_damaged_file(self, tmp_path, kept):
        path = self.write(tmp_path)
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(RunFileError, match="this Parquet file cannot be read"):
            read_pairs(path)

    def test_without_the_extra(self, tmp_path, monkeypatch, write_lines):
        path, lines = self.write(tmp_path), write_lines("source.jsonl", ROW)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingExtraError, match=r"sciverify\[evaluation\]"):
            read_pairs(path)
        with pytest.raises(MissingExtraError, match=r"sciverify\[evaluation\]"):
            write_pairs(path, read_pairs(lines))


class TestOurRunFiles:
    def candidate(self, doc_id, label, support, contradict):
        shares = {"p_support": support, "p_contradict": contradict, "p_nei": 1 - support - contradict}
        return {"doc_id": doc_id, "score": 3.5, "found_by": ["bm25"], "label": label, **shares}

    def lines(self):
        return [
            {
                "id": 1,
                "evidence": {"11": {"sentences": [4, 0], "label": "CONTRADICT"}},
                "candidates": [
                    self.candidate("12", "NEI", 0.25, 0.25),
                    self.candidate("11", "CONTRADICT", 0.25, 0.5),
                ],
            },
            {"id": 2, "evidence": {}, "candidates": []},
            {
                "id": "c",
                "evidence": {"11": {"sentences": [2], "label": "SUPPORT"}},
                "candidates": [self.candidate("11", "SUPPORT", 0.75, 0.125)],
            },
        ]

    def test_every_candidate_is_a_pair(self, write_lines):
        pairs = read_pairs(write_lines("default.jsonl", *self.lines()))
        assert pairs.claim_ids == ("1", "2", "c")
        assert pairs.complete
        common = {"model": "default", "is_scifact_orig": None}
        assert list(pairs.records()) == [
            {
                "claim_id": "1",
                "doc_id": "12",
                "p_contradict": 0.25,
                "p_nei": 0.5,
                "p_support": 0.25,
                "predicted_label": "NEI",
                "predicted_rationale": [],
                "rank": 3,
                "retrieval_rank": 1,
                **common,
            },
            {
                "claim_id": "1",
                "doc_id": "11",
                "p_contradict": 0.5,
                "p_nei": 0.25,
                "p_support": 0.25,
                "predicted_label": "CONTRADICT",
                "predicted_rationale": [4, 0],
                "rank": 2,
                "retrieval_rank": 2,
                **common,
            },
            {
                "claim_id": "c",
                "doc_id": "11",
                "p_contradict": 0.125,
                "p_nei": 0.125,
                "p_support": 0.75,
                "predicted_label": "SUPPORT",
                "predicted_rationale": [2],
                "rank": 1,
                "retrieval_rank": 1,
                **common,
            },
        ]
        assert [pairs.where(row).rpartition(":")[2] for row in range(3)] == ["1", "1", "3"]

    @pytest.mark.parametrize("name", ENDINGS)
    def test_it_becomes_a_published_table(self, write_lines, tmp_path, name):
        pairs = read_pairs(write_lines("default.jsonl", *self.lines()))
        write_pairs(tmp_path / name, pairs)
        assert records(tmp_path / name) == list(pairs.records())

    def test_without_candidates_there_are_no_probabilities(self, write_lines):
        lines = [{key: line[key] for key in ("id", "evidence")} for line in self.lines()]
        pairs = read_pairs(write_lines("default.jsonl", *lines))
        assert not pairs.has_probabilities
        found = [(r["claim_id"], r["doc_id"], r["predicted_label"], r["rank"]) for r in pairs.records()]
        assert found == [("1", "11", "CONTRADICT", None), ("c", "11", "SUPPORT", None)]

    def test_all_claims_list_their_candidates_or_none(self, write_lines):
        lines = self.lines()
        del lines[1]["candidates"]
        path = write_lines("default.jsonl", *lines)
        with pytest.raises(RunFileError, match="claim 2 lists no 'candidates'") as caught:
            read_pairs(path)
        assert caught.value.where == f"{path}:2"

    def test_predictions_in_memory(self):
        pairs = pairs_of_predictions([])
        assert (len(pairs), pairs.claim_ids, pairs.models) == (0, (), ())

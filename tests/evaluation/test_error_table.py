import csv
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation_cases import fill_table, random_case
from sciverify.errors import RunFileError, SettingError
from sciverify.evaluation.error_table import KINDS, quoted, read_kinds, worst_first, write_errors
from sciverify.evaluation.outcomes import ErrorType, outcomes_of
from sciverify.records import Document

SEEDS = st.integers(0, 10_000)


@pytest.fixture
def case():
    return random_case(5)


@pytest.fixture
def outcomes(case):
    return outcomes_of(case.gold, case.predictions)


@pytest.fixture
def table(tmp_path, case, outcomes):
    path = tmp_path / "errors.csv"
    write_errors(path, outcomes, case.documents)
    return path


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


class TestWorstFirst:
    @given(SEEDS, st.booleans())
    def test_is_the_errors_in_another_order(self, seed, candidates):
        case = random_case(seed, candidates=candidates)
        found = outcomes_of(case.gold, case.predictions)
        assert sorted(map(str, worst_first(found))) == sorted(map(str, found.errors()))

    def test_the_surer_mistake_comes_first(self, outcomes):
        gaps = [
            pair.probabilities.of(pair.predicted) - pair.probabilities.of(pair.gold)
            for pair in worst_first(outcomes)
            if pair.probabilities and pair.predicted
        ]
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[0] > gaps[-1]

    def test_without_probabilities_the_graver_type_comes_first(self):
        case = random_case(5, candidates=False)
        kinds = [pair.error for pair in worst_first(outcomes_of(case.gold, case.predictions))]
        order = [ErrorType.WRONG_LABEL, ErrorType.NO_EVIDENCE, ErrorType.MISSED, ErrorType.RATIONALE]
        assert kinds == sorted(kinds, key=order.index)
        assert set(kinds) == set(order)


class TestWriteErrors:
    def test_one_row_per_error_with_its_text(self, table, case, outcomes):
        rows = rows_of(table)
        errors = worst_first(outcomes)
        assert len(rows) == len(errors)
        for row, pair in zip(rows, errors, strict=True):
            document = case.documents[pair.document]
            assert (row["claim_id"], row["claim"]) == (pair.claim.id, pair.claim.text)
            assert (row["document_id"], row["title"]) == (document.id, document.title)
            assert (row["error"], row["gold"], row["predicted"]) == (pair.error, pair.gold, pair.predicted or "")
            gold = sorted(set().union(*pair.rationales))
            assert row["gold_sentences"].split("\n") == [f"[{n}] {document.elements[n].text}" for n in gold] or not gold
            shown = [f"[{n}] {document.elements[n].text}" for n in pair.sentences]
            assert row["predicted_sentences"] == "\n".join(shown)
            stated = [row["p_supports"], row["p_refutes"], row["p_nei"]]
            assert stated == (
                [f"{pair.probabilities.of(gold):.4f}" for gold in type(pair.gold)] if pair.probabilities else [""] * 3
            )
            assert row["kind"] == row["note"] == ""

    def test_without_a_corpus_sentences_are_numbers(self, tmp_path, outcomes):
        write_errors(tmp_path / "bare.csv", outcomes)
        row = next(row for row in rows_of(tmp_path / "bare.csv") if row["predicted_sentences"])
        assert all(line.startswith("[") and line.endswith("]") for line in row["predicted_sentences"].split("\n"))

    def test_a_formula_in_a_claim_is_neutralised(self, tmp_path, outcomes):
        pairs = tuple(replace(p, claim=replace(p.claim, text='=HYPERLINK("x")')) for p in outcomes.pairs)
        write_errors(tmp_path / "f.csv", replace(outcomes, pairs=pairs))
        assert {row["claim"] for row in rows_of(tmp_path / "f.csv")} == {'\'=HYPERLINK("x")'}

    def test_an_untouched_table_may_be_written_anew(self, table, outcomes):
        write_errors(table, outcomes)
        assert all(row["title"] == "" for row in rows_of(table))

    @pytest.mark.parametrize("column", ["kind", "note"])
    def test_a_table_in_which_somebody_wrote_is_kept(self, table, outcomes, column):
        fill_table(table, **{column: {1: "numerical"}})
        before = table.read_bytes()
        with pytest.raises(SettingError, match="somebody has entered"):
            write_errors(table, outcomes)
        assert table.read_bytes() == before

    def test_another_file_is_kept(self, tmp_path, outcomes):
        (tmp_path / "notes.csv").write_text("dear diary\n")
        with pytest.raises(SettingError, match="no error table"):
            write_errors(tmp_path / "notes.csv", outcomes)
        assert (tmp_path / "notes.csv").read_text() == "dear diary\n"

    def test_a_document_without_the_sentence_is_refused(self):
        with pytest.raises(RunFileError, match="sentence_7"):
            quoted([7], Document.from_sentences("d", "t", ["one"]))


class TestReadKinds:
    def test_counts_what_a_person_entered(self, table, outcomes):
        fill_table(table, kind={0: "numerical", 2: " Cause and  Effect ", 3: "numerical"}, note={1: "odd"})
        found = read_kinds(table, outcomes)
        assert {kind: number for kind, number in found.counts.items() if number} == {
            "numerical": 2,
            "cause and effect": 1,
        }
        assert list(found.counts) == list(KINDS)
        assert (found.sorted, found.errors) == (3, len(list(outcomes.errors())))

    def test_an_unfilled_table_has_none(self, table, outcomes):
        assert read_kinds(table, outcomes).sorted == 0

    def test_rows_may_be_left_out(self, table, outcomes):
        lines = rows_of(table)
        table.write_text(f"claim_id;document_id;kind\n{lines[1]['claim_id']};{lines[1]['document_id']};coreference\n")
        assert read_kinds(table, outcomes).counts["coreference"] == 1

    def test_an_unknown_kind_names_its_line(self, table, outcomes):
        lines = rows_of(table)[:2]
        rows = [
            f'{r["claim_id"]},{r["document_id"]},"{kind}"' for r, kind in zip(lines, ("", "bad\nluck"), strict=True)
        ]
        table.write_text("\n".join(["claim_id,document_id,kind", *rows]))
        with pytest.raises(RunFileError, match="no kind of error") as raised:
            read_kinds(table, outcomes)
        assert raised.value.where == f"{table}:3"
        assert "directionality" in raised.value.remedy

    def test_a_row_that_is_no_error_is_refused(self, table, outcomes):
        right = next(pair for pair in outcomes.pairs if pair.error is None)
        table.write_text(f"claim_id,document_id,kind\n{right.claim.id},{right.document},numerical\n")
        with pytest.raises(RunFileError, match="is no error of this run"):
            read_kinds(table, outcomes)

    def test_a_row_that_stands_twice_is_refused(self, table, outcomes):
        row = rows_of(table)[0]
        line = f"{row['claim_id']},{row['document_id']},numerical\n"
        table.write_text(f"claim_id,document_id,kind\n{line}{line}")
        with pytest.raises(RunFileError, match="was already at"):
            read_kinds(table, outcomes)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciverify.errors import SettingError
from sciverify.evaluation.coverage import coverage_columns, coverage_measures, coverage_row, depths
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.evidence_files import EvidenceGold, EvidencePrediction
from sciverify.evaluation.feverous import score_feverous_predictions
from sciverify.records import Claim, Label

NAMES = {"pages": "page_coverage", "sentences": "sentence_recall", "tables": "table_recall", "cells": "cell_recall"}
ALL = depths(pages=range(1, 8), sentences=range(1, 8), tables=range(1, 8), cells=range(1, 8))


def ids(*texts):
    return tuple(EvidenceId.parse(text) for text in texts)


def needed(groups, **predicted):
    """The least depth at which each part of a claim is covered; None if at none, left out if it isn't asked about."""
    prediction = EvidencePrediction("1", Label.NEI, predicted.pop("evidence", ()), **predicted)
    row = dict(
        zip(coverage_columns(ALL), coverage_row([frozenset(ids(*g)) for g in groups], prediction, ALL), strict=True)
    )
    least = {}
    for part, name in NAMES.items():
        covered = [row[f"{name}_at_{k}"] for k in range(1, 8)]
        assert covered == sorted(covered)
        if row[f"claims_with_{part}"]:
            least[part] = 8 - sum(covered) if any(covered) else None
        else:
            assert not any(covered)
    return least


class TestWhatIsCounted:
    GROUPS = (["A_sentence_0", "B_cell_2_0_1", "B_cell_2_0_2"], ["C_sentence_4", "C_table_caption_0"])

    def test_one_whole_group_in_the_order_of_the_evidence(self):
        evidence = ids("X_sentence_0", "B_cell_2_0_2", "B_cell_2_9_9", "A_sentence_0", "B_cell_2_0_1")
        assert needed(self.GROUPS, evidence=evidence) == {"pages": 3, "sentences": 2, "tables": 1, "cells": 3}

    def test_the_group_that_is_found_first(self):
        evidence = ids("C_sentence_4", "A_sentence_0", "B_table_caption_2", "C_table_caption_0")
        assert needed(self.GROUPS, evidence=evidence) == {"pages": 1, "sentences": 1, "tables": 1, "cells": None}

    def test_half_a_group_is_none(self):
        evidence = ids("A_sentence_0", "B_cell_2_0_1")
        assert needed([self.GROUPS[0]], evidence=evidence) == {"pages": 2, "sentences": 1, "tables": 1, "cells": None}

    def test_parts_that_gold_does_not_rest_on_are_not_asked_about(self):
        assert needed([["A_item_0_1", "A_title"]], evidence=ids("A_title")) == {"pages": 1}
        assert needed([], evidence=ids("A_title")) == {}
        assert needed([[]], evidence=ids("A_title")) == {}

    def test_header_cells_are_cells(self):
        assert needed([["A_header_cell_0_0_0"]], evidence=ids("A_cell_0_0_0")) == {
            "pages": 1,
            "tables": 1,
            "cells": None,
        }

    def test_repeats_take_no_place(self):
        evidence = ids("X_sentence_0", "X_sentence_0", "X_cell_0_0_0", "A_sentence_0")
        assert needed([["A_sentence_0"]], evidence=evidence) == {"pages": 2, "sentences": 2}

    def test_nothing_is_cut_off_before_k(self):
        evidence = ids(*(f"A_sentence_{n}" for n in range(7)))
        assert needed([["A_sentence_6"]], evidence=evidence) == {"pages": 1, "sentences": 7}

    def test_what_the_run_lists_as_retrieved_comes_first(self):
        found = needed(
            self.GROUPS[:1],
            evidence=ids("A_sentence_0", "B_cell_2_0_1", "B_cell_2_0_2"),
            pages=("X", "X", "B", "A"),
            sentences=ids("X_sentence_0"),
            tables=(("B", "0"), ("B", "2")),
        )
        assert found == {"pages": 3, "sentences": None, "tables": 2, "cells": 2}


def test_shares_are_of_the_claims_that_have_such_elements():
    gold = [
        EvidenceGold(Claim(str(n), ""), Label.NEI, (frozenset(ids(*group)),))
        for n, group in enumerate([["A_sentence_0"], ["A_sentence_1", "A_cell_0_0_0"], ["A_cell_0_0_0"], ["A_title"]])
    ]
    run = [EvidencePrediction(str(n), Label.NEI, ids("B_title", "A_sentence_0", "A_cell_0_0_0")) for n in range(4)]
    values = score_feverous_predictions(gold, run, pages=[1, 2], sentences=[1], tables=[], cells=[1]).values()
    assert {name: value for name, value in values.items() if "_at_" in name} == {
        "page_coverage_at_1": 0,
        "page_coverage_at_2": 1,
        "sentence_recall_at_1": 1 / 2,
        "cell_recall_at_1": 1,
    }


def test_without_a_claim_to_ask_about_the_share_is_0():
    gold = [EvidenceGold(Claim("1", ""), Label.NEI, ())]
    values = score_feverous_predictions(gold, [EvidencePrediction("1", Label.NEI, ())]).values()
    assert [value for name, value in values.items() if "_at_" in name] == [0, 0, 0, 0]


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(st.integers(0, 6), max_size=7),
    st.integers(1, 7),
)
def test_agrees_with_the_definition(groups, retrieved, k):
    pages = tuple(dict.fromkeys(str(number) for number in retrieved))
    prediction = EvidencePrediction("1", Label.NEI, (), pages=pages)
    gold = [frozenset(EvidenceId(str(number), "title", "") for number in group) for group in groups]
    expected = any(all(str(number) in pages[:k] for number in group) for group in groups)
    assert coverage_row(gold, prediction, {"pages": (k,)}) == [1, expected]


class TestDepths:
    def test_in_order_once(self):
        asked = depths(pages=[5, 1, 5], sentences=(), cells=(2,))
        assert asked == {"pages": (1, 5), "cells": (2,)}
        assert [measure.name for measure in coverage_measures(asked)] == [
            "page_coverage_at_1",
            "page_coverage_at_5",
            "cell_recall_at_2",
        ]

    @pytest.mark.parametrize("k", [0, -1, 2.0, True, "5"])
    def test_no_depth(self, k):
        with pytest.raises(SettingError, match="is not a depth for tables"):
            depths(tables=[k])

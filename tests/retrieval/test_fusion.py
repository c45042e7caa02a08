from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciverify.retrieval.common import Scored, best_first
from sciverify.retrieval.fusion import FUSIONS, reciprocal_rank, weighted_sum

SCORES = st.floats(-1e6, 1e6)
SEARCH = st.dictionaries(st.sampled_from("abcdefgh"), SCORES)


def search(name: str, scores: dict[str, float]) -> list[Scored]:
    return best_first(Scored(id, score, (name,)) for id, score in scores.items())


WORDS = search("bm25", {"a": 9.0, "b": 5.0, "c": 1.0})
MEANING = search("dense", {"b": 0.8, "d": 0.6})


def test_reciprocal_rank_by_hand():
    assert reciprocal_rank([WORDS, MEANING], [0.25, 0.75]) == [
        Scored("b", 0.25 / 62 + 0.75 / 61, ("bm25", "dense")),
        Scored("d", 0.75 / 62, ("dense",)),
        Scored("a", 0.25 / 61, ("bm25",)),
        Scored("c", 0.25 / 63, ("bm25",)),
    ]


def test_weighted_sum_by_hand():
    assert weighted_sum([WORDS, MEANING], [0.5, 0.5]) == [
        Scored("b", 0.75, ("bm25", "dense")),
        Scored("a", 0.5, ("bm25",)),
        Scored("c", 0.0, ("bm25",)),
        Scored("d", 0.0, ("dense",)),
    ]


def test_equal_scores_count_as_one():
    assert weighted_sum([search("dense", {"a": 3.0, "b": 3.0})], [1.0]) == search("dense", {"a": 1.0, "b": 1.0})


@pytest.mark.parametrize("fuse", FUSIONS.values(), ids=list(FUSIONS))
class TestEveryFusion:
    @settings(deadline=None)
    @given(searches=st.lists(SEARCH, max_size=3), weights=st.lists(st.floats(0, 1), min_size=3, max_size=3))
    def test_keeps_every_document_once_best_first(self, fuse, searches, weights):
        hits = [search(f"arm{number}", scores) for number, scores in enumerate(searches)]
        fused = fuse(hits, weights[: len(hits)])
        assert {hit.id for hit in fused} == {id for scores in searches for id in scores}
        assert len({hit.id for hit in fused}) == len(fused)
        assert fused == best_first(fused)
        for hit in fused:
            assert hit.found_by == tuple(f"arm{n}" for n, scores in enumerate(searches) if hit.id in scores)
            assert 0 <= hit.score <= sum(weights)

    @settings(deadline=None)
    @given(scores=SEARCH)
    def test_one_search_alone_keeps_its_order(self, fuse, scores):
        alone = search("bm25", scores)
        fused = fuse([alone, []], [0.5, 0.5])
        order = [hit.id for hit in fused]
        for better, worse in pairwise(alone):
            if fused[order.index(better.id)].score != fused[order.index(worse.id)].score:
                assert order.index(better.id) < order.index(worse.id)

    @settings(deadline=None)
    @given(scores=SEARCH, factor=st.sampled_from([0.25, 2.0, 1024.0]))
    def test_the_scale_of_a_search_does_not_matter(self, fuse, scores, factor):
        scores = {id: round(score) for id, score in scores.items()}
        scaled = {id: score * factor for id, score in scores.items()}
        assert fuse([search("bm25", scores), MEANING], [0.5, 0.5]) == fuse(
            [search("bm25", scaled), MEANING], [0.5, 0.5]
        )

    def test_nothing_found(self, fuse):
        assert fuse([[], []], [0.5, 0.5]) == []

    def test_needs_one_weight_per_search(self, fuse):
        with pytest.raises(ValueError, match="zip"):
            fuse([WORDS, MEANING], [1.0])

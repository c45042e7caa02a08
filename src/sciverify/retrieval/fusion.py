"""Several rankings of the same documents made into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sciverify.retrieval.common import Scored, best_first

__all__ = ["FUSIONS", "Fusion", "reciprocal_rank", "weighted_sum"]

Fusion = Callable[[Sequence[Sequence[Scored]], Sequence[float]], list[Scored]]

_RANK_CONSTANT = 60  # Cormack, Clarke and Büttcher 2009, §2: damps the lead of the first ranks


def reciprocal_rank(searches: Sequence[Sequence[Scored]], weights: Sequence[float]) -> list[Scored]:
    """Sum of weight / (60 + rank) over the searches that found a document (Cormack et al. 2009); scores are ignored.

    Args:
        searches: one ranking per search, best first, each with distinct documents.
        weights: one number of at least 0 per search.

    Returns:
        Every document that some search found, best first, ties by id; `found_by` names all that found it.
    """
    return _merge(
        [
            [weight / (_RANK_CONSTANT + rank) for rank in range(1, len(hits) + 1)]
            for hits, weight in zip(searches, weights, strict=True)
        ],
        searches,
    )


def weighted_sum(searches: Sequence[Sequence[Scored]], weights: Sequence[float]) -> list[Scored]:
    """Sum of weight x score, the scores of each search stretched to 0 to 1 first (min-max over what it found).

    A search that didn't find a document adds 0, as it does for the last one that it found. Where all scores of a
    search are equal they count as 1. Arguments and result are those of `reciprocal_rank`.
    """
    return _merge(
        [[weight * score for score in _stretched(hits)] for hits, weight in zip(searches, weights, strict=True)],
        searches,
    )


FUSIONS: dict[str, Fusion] = {"rrf": reciprocal_rank, "sum": weighted_sum}


def _merge(gains: list[list[float]], searches: Sequence[Sequence[Scored]]) -> list[Scored]:
    total: dict[str, Scored] = {}
    for hits, gained in zip(searches, gains, strict=True):
        for hit, gain in zip(hits, gained, strict=True):
            so_far = total.get(hit.id, Scored(hit.id, 0.0, ()))
            total[hit.id] = Scored(hit.id, so_far.score + gain, so_far.found_by + hit.found_by)
    return best_first(total.values())


def _stretched(hits: Sequence[Scored]) -> list[float]:
    if not hits:
        return []
    scores = [hit.score for hit in hits]
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]

"""Cutting a sequence of elements into windows of whole elements that overlap."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["window_ranges"]


def window_ranges(lengths: Sequence[int], room: int, overlap: int) -> list[range]:
    """Ranges of element positions, in order, that together cover ``0 .. len(lengths)-1``.

    Args:
        lengths: the size of each element, in any unit.
        room: how much a window may hold; an element larger than that gets a window of its own.
        overlap: how many elements of a window the next one repeats (fewer where they would leave no room for a new
            one), so that neighbours are read together at least once.

    Returns:
        No range for no elements. Each range holds at least one element that the one before it lacks.
    """
    ranges: list[range] = []
    start, end = 0, 0
    while end < len(lengths):
        while end > start and start < end and sum(lengths[start : end + 1]) > room:
            start += 1  # drop repeated elements until the first new one fits
        used = sum(lengths[start:end])
        while end < len(lengths) and (used + lengths[end] <= room or end == start):
            used += lengths[end]
            end += 1
        ranges.append(range(start, end))
        start = max(start + 1, end - overlap) if end < len(lengths) else end
    return ranges

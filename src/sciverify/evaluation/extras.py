"""The libraries of the extra `evaluation`: imported where they are used, and missed with a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sciverify.errors import MissingExtraError

__all__ = ["needs_extra"]


@contextmanager
def needs_extra(what: str) -> Iterator[None]:
    """Around the imports of a scorer's libraries::

        with needs_extra("ROUGE"):
            from rouge_score import rouge_scorer

    Args:
        what: what can't be done without them, as the start of a sentence.

    Raises:
        MissingExtraError: an import within the block fails.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs a library that is not installed ({error})",
            remedy='Run: pip install "sciverify[evaluation]"',
        ) from error

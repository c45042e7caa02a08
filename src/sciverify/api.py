"""The shortest way in: one call from a claim to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from sciverify.demo import demo_index
from sciverify.errors import SettingError
from sciverify.index import Index
from sciverify.records import Claim, Document, Filters, Verdict, as_claims
from sciverify.stages import System
from sciverify.systems import load_system

__all__ = ["check"]


@overload  # a string is a sequence of strings too: this overload comes first
def check(  # type: ignore[overload-overlap]
    claim: str | Claim,
    *,
    index: Index | None = ...,
    documents: Sequence[Document] | None = ...,
    system: str | System = ...,
    filters: Filters | None = ...,
    **options: object,
) -> Verdict: ...
@overload
def check(
    claim: Sequence[str | Claim],
    *,
    index: Index | None = ...,
    documents: Sequence[Document] | None = ...,
    system: str | System = ...,
    filters: Filters | None = ...,
    **options: object,
) -> list[Verdict]: ...


def check(
    claim: str | Claim | Sequence[str | Claim],
    *,
    index: Index | None = None,
    documents: Sequence[Document] | None = None,
    system: str | System = "default",
    filters: Filters | None = None,
    **options: object,
) -> Verdict | list[Verdict]:
    """Check one claim, or several, and get one verdict each.

    Args:
        claim: a text, a `Claim`, or a sequence of either.
        index: what to search; without it and without `documents`, the built-in demo corpus.
        documents: read exactly these instead of searching.
        system: a name of `sciverify.systems.SYSTEMS`, or a system that was loaded before (quicker for many calls).
        filters: which documents a search may return.
        options: passed to `load_system`, such as ``k=10``.

    Raises:
        SettingError: both `index` and `documents` are given, `filters` with `documents`, options with a loaded
            system, or an unknown name or option.
    """
    if documents is not None and (index is not None or filters):
        raise SettingError(
            "documents that are given are not searched", remedy="Give documents, or an index and filters, not both"
        )
    if options and not isinstance(system, str):
        raise SettingError("a loaded system takes no options", remedy="Give the options to load_system")
    claims = _claims([claim] if isinstance(claim, str | Claim) else claim)
    if documents is not None:
        loaded = load_system(system, index=None, **options) if isinstance(system, str) else system
        verdicts = [loaded.check_documents(one, documents) for one in claims]
    elif not isinstance(system, str):
        verdicts = system.check(claims, filters)
    elif index is not None:
        verdicts = load_system(system, index=index, **options).check(claims, filters)
    else:
        with demo_index() as demo:
            verdicts = load_system(system, index=demo, **options).check(claims, filters)
    return verdicts[0] if isinstance(claim, str | Claim) else verdicts


def _claims(given: Sequence[str | Claim]) -> list[Claim]:
    numbered = as_claims([one if isinstance(one, str) else one.text for one in given])
    return [one if isinstance(one, Claim) else number for one, number in zip(given, numbered, strict=True)]

"""What ``sciverify ask --json`` adds to a verdict: ``views``, documented in docs/json-schema.md."""

from __future__ import annotations

from typing import TypedDict

from sciverify.cli.schema import QuoteJson, VerdictJson, quote_json, rounded, verdict_json
from sciverify.consensus_views import CitedQuote, Conflict, ConsensusViews, LeftOut, YearRow
from sciverify.consensus_weights import WeightedArticle, WeightedConsensus
from sciverify.records import Verdict

__all__ = ["AnswerJson", "ViewsJson", "answer_json"]


class ArticleJson(TypedDict):
    """An article and what it weighs."""

    document_id: str
    label: str
    design: str
    weight: float


class WeightedJson(TypedDict):
    """The answer where each article counts in part."""

    by: str
    as_of: int | None
    label: str
    supports: float
    refutes: float
    share: float | None
    low: float
    high: float
    p_value: float
    reason: str
    articles: list[ArticleJson]


class ChangeJson(TypedDict):
    """An article without which the answer is another."""

    document_id: str
    label: str
    share: float | None


class LeaveOneOutJson(TypedDict):
    """What leaving any one article out changes."""

    label: str
    lowest: float | None
    highest: float | None
    changes: list[ChangeJson]


class YearJson(TypedDict):
    """The count up to a year."""

    year: int
    supports: int
    refutes: int
    label: str
    share: float
    low: float
    high: float


class OverTimeJson(TypedDict):
    """The count as it grew."""

    years: list[YearJson]
    unknown: list[str]


class CitedQuoteJson(QuoteJson):
    """A quote of one side of a conflict."""

    probability: float


class ConflictJson(TypedDict):
    """Two quotes that say the opposite."""

    supports: CitedQuoteJson
    refutes: CitedQuoteJson
    strength: float


class ViewsJson(TypedDict):
    """The findings seen from several sides."""

    caveat: str
    share: float | None
    weighted: list[WeightedJson]
    leave_one_out: LeaveOneOutJson
    over_time: OverTimeJson
    conflicts: list[ConflictJson]
    retracted: list[str]


class AnswerJson(VerdictJson):
    """A verdict with its views."""

    views: ViewsJson


def answer_json(verdict: Verdict, views: ConsensusViews, *, corpus: str) -> AnswerJson:
    """A verdict as ``sciverify.verdict/1`` with its views beside it."""
    return {**verdict_json(verdict, corpus=corpus), "views": _views(views)}


def _views(views: ConsensusViews) -> ViewsJson:
    left = views.leave_one_out
    return {
        "caveat": views.caveat,
        "share": _share(views.share),
        "weighted": [_weighted(one) for one in views.weighted],
        "leave_one_out": {
            "label": left.label.value,
            "lowest": _share(left.lowest),
            "highest": _share(left.highest),
            "changes": [_change(change) for change in left.changes],
        },
        "over_time": {
            "years": [_year(row) for row in views.over_time.years],
            "unknown": [document.id for document in views.over_time.unknown],
        },
        "conflicts": [_conflict(pair) for pair in views.conflicts],
        "retracted": [document.id for document in views.retracted],
    }


def _weighted(view: WeightedConsensus) -> WeightedJson:
    return {
        "by": view.weighting.name,
        "as_of": view.weighting.as_of or None,
        "label": view.label.value,
        "supports": rounded(view.supports),
        "refutes": rounded(view.refutes),
        "share": _share(view.share),
        "low": rounded(view.low),
        "high": rounded(view.high),
        "p_value": rounded(view.p_value),
        "reason": view.reason,
        "articles": [_article(article) for article in view.articles],
    }


def _article(article: WeightedArticle) -> ArticleJson:
    return {
        "document_id": article.finding.document.id,
        "label": article.finding.label.value,
        "design": article.design.value,
        "weight": rounded(article.weight),
    }


def _change(change: LeftOut) -> ChangeJson:
    return {
        "document_id": change.finding.document.id,
        "label": change.label.value,
        "share": _share(change.share),
    }


def _year(row: YearRow) -> YearJson:
    return {
        "year": int(row.year),
        "supports": row.supports,
        "refutes": row.refutes,
        "label": row.label.value,
        "share": rounded(row.share),
        "low": rounded(row.low),
        "high": rounded(row.high),
    }


def _conflict(pair: Conflict) -> ConflictJson:
    return {
        "supports": _cited(pair.supports),
        "refutes": _cited(pair.refutes),
        "strength": rounded(pair.strength),
    }


def _cited(cited: CitedQuote) -> CitedQuoteJson:
    return {**quote_json(cited.document, cited.quote), "probability": rounded(cited.probability)}


def _share(value: float | None) -> float | None:
    return None if value is None else rounded(value)

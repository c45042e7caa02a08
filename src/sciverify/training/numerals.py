"""Changes a number that a claim states, so much that the claim is false if it was true.

Only numbers that are the statement: a share, a factor or a count in millions that the predicate names or the claim
begins with, and the year of an event. A dose, an age or a length of time says when the claim holds; with another one it
would be open, not false. Bounds ("at least 20 %") and ranges stay as they are, because another number may make them no
less true.
"""

from __future__ import annotations

import random
import re

from sciverify.text.clauses import Clause, negations, read_clause

__all__ = ["change_number"]

_BOUND = re.compile(
    r"(?:at least|at most|than|over|under|above|below|up to|as much as|as many as|exceeding|minimum of|maximum of|"
    r"between|within|from|to|and|or|if|[<>=≤≥±–—-])\s*$",
    re.IGNORECASE,
)
_START = re.compile(r"(?:approximately|roughly|about|around|nearly|almost|an estimated)?\s*$", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?<![\w.,/-])(?P<number>\d{1,3}(?:\.\d+)?)"
    r"(?P<unit>\s?%|\s+per\s?cent\b|-fold\b|\s+fold\b|\s+times\s+(?:more|less|higher|lower|greater|as)\b|\s+[mb]illion\b)"
    r"(?!\s*(?:to|-|–|or|and)\s*\d)"
)
_SHARE = re.compile(
    r"\s*(?:[.,;)]|$|of\b|in\b|by\b|among\b|for\b|compared\b|relative\b|(?:\w+ly\s+)?(?:reduction|decrease|increase|decline|"
    r"rise|drop|improvement|lower|higher|less|more|greater|fewer|risk|chance|protection|efficacy|effective|mortality)\b)"
)
_YEAR = re.compile(
    r"\b(?:was|were)\s+(?:\w+\s+){0,3}?(?:born|released|founded|published|discovered|introduced|established|opened|formed|"
    r"created|premiered|built|completed|identified|isolated|approved|launched)\b[^,;]*?\b(?:in|on)\s+(?:\w+\s+(?:\d{1,2},\s+)?)?"
    r"(?P<number>1[5-9]\d\d|20[0-2]\d)(?=\s*\.?\s*$)"
)
_CONDITIONS = frozenset({"if", "when", "that", "which", "who", "after", "before", "until", "because", "as", "while"})
_LATEST = 2020  # a year that was earlier stays so


def change_number(claim: str, rng: random.Random) -> str | None:
    """The claim with one of its numbers changed; None where it states none that would make it false.

    A percentage moves by 15 points or more, and by more than half of itself, and stays between 0 and 100 if it was; a
    factor or a count becomes a half or less, or a double or more; a year moves by 3 to 15.
    """
    clause = read_clause(claim)
    if clause is None or negations(claim):
        return None
    year = _YEAR.search(claim)
    if year is not None:
        return _put(claim, year, str(_other_year(int(year["number"]), rng)))
    found = list(_QUANTITY.finditer(claim))
    if len(found) != 1 or not _is_stated(clause, found[0]):
        return None
    [match] = found
    return _put(claim, match, (_other_percentage if _is_percentage(match) else _other_factor)(match["number"], rng))


def _is_percentage(match: re.Match[str]) -> bool:
    return match["unit"].strip() == "%" or match["unit"].endswith("cent")


def _is_stated(clause: Clause, match: re.Match[str]) -> bool:
    before = clause.claim[: match.start()]
    verb = clause.words[clause.verb]
    between = {word.text for word in clause.words[clause.verb :] if word.end <= match.start()}
    if _BOUND.search(before) or between & _CONDITIONS:
        return False
    if match.start() < verb.start and not _START.match(before):
        return False
    return not _is_percentage(match) or _SHARE.match(clause.claim[match.end() :]) is not None


def _other_percentage(number: str, rng: random.Random) -> str:
    value = float(number)
    places = len(number.partition(".")[2])
    top = 99 if value <= 100 else int(3 * value)
    away = [n for n in range(2, top) if abs(n - value) > 15 and not value / 1.5 < n < value * 1.5]
    away = away or [n for n in range(2, top) if abs(n - value) > 15]  # near 100 there is none so far above
    return f"{rng.choice(away) + (round(rng.random(), places) if places else 0):.{places}f}"


def _other_factor(number: str, rng: random.Random) -> str:
    value = float(number)
    places = len(number.partition(".")[2])
    factors = [value * factor for factor in (2, 3, 4)] + [value / factor for factor in (2, 3) if value / factor >= 2]
    return f"{rng.choice(factors or [2.0]):.{places}f}"


def _other_year(year: int, rng: random.Random) -> int:
    last = max(year, _LATEST)
    return rng.choice([other for n in range(3, 16) for other in (year - n, year + n) if other <= last])


def _put(claim: str, match: re.Match[str], number: str) -> str:
    return claim[: match.start("number")] + number + claim[match.end("number") :]

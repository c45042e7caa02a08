"""Turns the direction of a claim round: "X increases Y" into "X decreases Y".

Only the direction of the main statement is turned: of the verb, or of the word right behind a copula or a verb like
"leads to" or "is associated with". A direction in the subject or deep in the object says what is spoken of, and turning
it would make another claim rather than the opposite one.
"""

from __future__ import annotations

from collections.abc import Mapping

from sciverify.text.clauses import Clause, is_adverb, negations, read_clause
from sciverify.text.phrasing import counts_subjects
from sciverify.text.verbs import gerund, past, third

__all__ = ["turn_round"]

_VERBS = {
    "increase": "decrease",
    "decrease": "increase",
    "reduce": "increase",
    "diminish": "increase",
    "raise": "lower",
    "lower": "raise",
    "elevate": "lower",
    "improve": "worsen",
    "worsen": "improve",
    "enhance": "impair",
    "impair": "enhance",
    "promote": "inhibit",
    "inhibit": "promote",
    "activate": "inhibit",
    "suppress": "promote",
    "repress": "promote",
    "block": "promote",
    "stimulate": "suppress",
    "upregulate": "downregulate",
    "downregulate": "upregulate",
    "up-regulate": "down-regulate",
    "down-regulate": "up-regulate",
    "exacerbate": "alleviate",
    "aggravate": "alleviate",
    "alleviate": "exacerbate",
    "ameliorate": "exacerbate",
    "accelerate": "slow",
    "delay": "accelerate",
    "slow": "accelerate",
    "prolong": "shorten",
    "lengthen": "shorten",
    "shorten": "prolong",
    "strengthen": "weaken",
    "weaken": "strengthen",
    "boost": "weaken",
    "facilitate": "impede",
    "impede": "facilitate",
    "prevent": "cause",
    "cause": "prevent",
}
_OWN_GRAMMAR = {"cause": "to", "prevent": "from", "slow": "down"}  # with this word the other verb would not fit
_NOUNS = {
    "increase": "decrease",
    "decrease": "increase",
    "reduction": "increase",
    "improvement": "worsening",
    "worsening": "improvement",
    "upregulation": "downregulation",
    "downregulation": "upregulation",
    "activation": "inhibition",
    "inhibition": "activation",
    "gain": "loss",
    "loss": "gain",
}
_QUALITIES = {
    "higher": "lower",
    "lower": "higher",
    "greater": "lower",
    "larger": "smaller",
    "smaller": "larger",
    "less": "more",
    "more": "less",
    "fewer": "more",
    "better": "worse",
    "worse": "better",
    "longer": "shorter",
    "shorter": "longer",
    "faster": "slower",
    "slower": "faster",
    "stronger": "weaker",
    "weaker": "stronger",
    "elevated": "reduced",
    "reduced": "increased",
    "beneficial": "harmful",
    "harmful": "beneficial",
    "resistant": "susceptible",
    "susceptible": "resistant",
    "positively": "negatively",
    "negatively": "positively",
    "inversely": "positively",
}
_RELATED = frozenset({"associated", "correlated", "linked", "related"})
_BEHIND_RELATED = frozenset({"with", "to"})
_SIGNS = frozenset({"positively", "negatively", "inversely"})
# Verbs that say no more than that there is what stands behind them.
_PASSING = {"lead": "to", "result": "in", "contribute": "to"}
_SHOWING = frozenset({"show", "exhibit", "display", "experience", "possess", "cause", "induce", "produce", "confer"})
_COMPARATIVES = frozenset({"more", "less"})


def turn_round(claim: str) -> str | None:
    """The claim with the direction of its main statement turned round.

    If the claim is true, the result is false; the reverse doesn't hold, because a false claim of an increase may hide
    that there is no change. None for negated claims, for "can" and "may", for claims about some or a number of their
    subjects, and where no direction is found at the place that matters.
    """
    clause = read_clause(claim)
    if clause is None or negations(claim) or counts_subjects(clause) or clause.kind in {"modal", "do"}:
        return None
    if clause.kind == "verb":
        passing = clause.base in _SHOWING or clause.predicate[:1] == (_PASSING.get(clause.base),)
        behind = clause.verb + (2 if clause.base in _PASSING else 1)
        return (_turned_object(clause, behind) if passing else None) or _turned_verb(clause)
    if clause.kind == "have":
        return (
            _turned_complement(clause, clause.verb + 2)
            if clause.predicate[:1] == ("been",)
            else _turned_object(clause, clause.verb + 1)
        )
    return _turned_complement(clause, clause.verb + 1)


def _turned_verb(clause: Clause) -> str | None:
    word = clause.words[clause.verb]
    if clause.base == "protect" and clause.predicate[:1] == ("against",):
        raising = {"third": "raises", "base": "raise", "past": "raised"}[clause.form]
        return clause.claim[: word.start] + f"{raising} the risk of" + clause.claim[clause.words[clause.verb + 1].end :]
    other = _VERBS.get(clause.base)
    if other is None or _OWN_GRAMMAR.get(clause.base) in clause.predicate:
        return None
    conjugated = {"third": third(other), "base": other, "past": past(other)}[clause.form]
    return clause.claim[: word.start] + conjugated + clause.claim[word.end :]


def _turned_complement(clause: Clause, position: int) -> str | None:
    """Behind "is": a comparative, a participle ("is increased by"), or "associated with" and a direction."""
    words = clause.words
    while position < len(words) and is_adverb(words[position].text) and words[position].text not in _SIGNS:
        position += 1
    if position + 1 >= len(words):
        return None
    if words[position].text in _SIGNS:
        return _replaced(clause, position) if words[position + 1].text in _RELATED else None
    if words[position].text in _RELATED and words[position + 1].text in _BEHIND_RELATED:
        return _turned_object(clause, position + 2)
    if words[position].text in _COMPARATIVES and words[position + 1].text == "than":
        return _replaced(clause, position)
    if words[position].text in {"a", "an", "at"} or words[position].text in _NOUNS:
        return None
    return _replaced(clause, position)


def _turned_object(clause: Clause, position: int) -> str | None:
    """A direction that the object begins with: "an increase in", "significantly higher levels of"."""
    words = clause.words
    while position < len(words) and (words[position].text in {"a", "an", "the"} or is_adverb(words[position].text)):
        if words[position].text in _SIGNS:
            return None
        position += 1
    return _replaced(clause, position) if position < len(words) else None


def _replaced(clause: Clause, position: int) -> str | None:
    word = clause.words[position]
    other = _OPPOSITE.get(word.text)
    following = clause.words[position + 1].text if position + 1 < len(clause.words) else ""
    if other is None or following == "or" or (word.text in _COMPARATIVES and following in {"", "and", "of"}):
        return None
    if other == "less" and following.endswith("s") and not following.endswith(("ss", "us", "is", "ous")):
        other = "fewer"
    before = clause.claim[: word.start]
    article = clause.words[position - 1]
    if article.text in {"a", "an"}:
        before = (
            clause.claim[: article.start]
            + ("an" if other[0] in "aeiou" else "a")
            + clause.claim[article.end : word.start]
        )
    return before + other + clause.claim[word.end :]


def _opposites() -> Mapping[str, str]:
    verbs = [(past(a), past(b)) for a, b in _VERBS.items()] + [(gerund(a), gerund(b)) for a, b in _VERBS.items()]
    return dict(verbs) | _NOUNS | _QUALITIES


_OPPOSITE = _opposites()

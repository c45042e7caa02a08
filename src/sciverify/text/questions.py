"""Closed questions: "Does X prevent Y?" taken apart into agent, relation and target, and put together from a claim.

This is the first step of Science Checker (section 3 of its paper: the question names an agent, a disease and a
relation), without fixed lists of agents and diseases: what stands before and behind the words of a known relation is
taken as it is written. Where the rules aren't sure, they find nothing, and the text is to be answered as free text.

A reading counts only if the claim made from it, and the question made from that claim, read the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sciverify.text.phrasing import interrogative
from sciverify.text.relations import Relation
from sciverify.text.sentences import split_sentences
from sciverify.text.statements import Statement, read_question, read_statement

__all__ = ["ClosedQuestion", "as_question", "parse_question"]

_LONGEST = 1000  # characters; what is longer is no question that one could answer with yes or no
_END = " \t\r\n\f\v\u00a0?!.？！؟"
_LEAD_IN = re.compile(
    r"(?:is|isn['’]t|was) it (?:really |actually |not )?(?:true|correct|right|known|possible|likely|the case|so)"
    r" (?:that|whether|if)\s+"
    r"|(?:is|isn['’]t) there (?:(?:any|some|good|strong|enough|sufficient|convincing|scientific|clinical) ){0,3}"
    r"(?:evidence|proof) that\s+"
    r"|(?:do|does) (?:you|we|scientists|doctors|researchers|studies) (?:think|believe|know|agree|say|show)"
    r" (?:that|whether|if)\s+"
    r"|(?P<denied>(?:is|isn['’]t) it (?:really |actually )?(?:false|wrong|untrue|incorrect|a myth) that\s+)",
    re.IGNORECASE,
)
_TAG = re.compile(r"\s{0,3},\s{0,3}(?:yes or no|true or false|right)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClosedQuestion:
    """A question that yes or no answers, or a plain claim, taken apart.

    Attributes:
        text: what was asked, unchanged.
        agent: what acts, a verbatim piece of the text; in "Is Y caused by X?" it is X.
        relation: how; other words for it ("leads to") count as the one that they are listed under ("cause").
        target: what is acted upon, a verbatim piece of the text, with everything that is said of it behind it.
        negated: whether a yes to the text denies the claim. It does where "not" or "no" stands behind the subject
            ("X does not prevent Y", "Does X not prevent Y?", "Does X have no effect on Y?") or the text calls the
            claim false ("Is it a myth that ..."). It doesn't where the question only begins with a negation
            ("Doesn't X prevent Y?"): that expects the claim to be true, and yes confirms it.
        claim: the affirmative statement in the text's own words, without a full stop: "X prevents Y". It begins as
            the agent is written, so that "p53" and "mTOR" keep their letters.
    """

    text: str
    agent: str
    relation: Relation
    target: str
    negated: bool
    claim: str


def parse_question(text: str) -> ClosedQuestion | None:
    """A closed question or a plain claim taken apart; None where the rules don't understand it.

    Of "Heading: does X prevent Y?" the question behind the heading is read. Several sentences, several relations,
    open questions ("How ...") and pronouns in the place of agent or target give None, as does a text of more than
    1,000 characters. Any string is fine.
    """
    body = _body(text)
    lead_in = _LEAD_IN.match(body)
    denied = lead_in is not None and lead_in["denied"] is not None
    body = body[lead_in.end() :] if lead_in else body
    if not body or len(split_sentences(body)) != 1:
        return None
    found = read_statement(body) if lead_in else read_question(body) or read_statement(body)
    if found is None or not _bears_out(found):
        return None
    return ClosedQuestion(text, found.agent, found.relation, found.target, found.denied != denied, found.claim())


def as_question(claim: str) -> str | None:
    """The closed question whose answer is yes if the claim is true; None where no rule makes a grammatical one.

    `parse_question` finds the same agent, relation and target in it as in the claim, but for the capital of a common
    word ("The drug ...") that began the sentence.
    """
    body = _body(claim)
    found = read_statement(body) if body and len(split_sentences(body)) == 1 else None
    if found is not None and _bears_out(found):
        return found.question()
    return interrogative(claim) if len(claim) <= _LONGEST else None


def _body(text: str) -> str:
    """The text without what closes it; empty when it is too long. A full stop of "U.S." is part of the word."""
    body = text.strip() if len(text) <= _LONGEST else ""
    stripped = _TAG.sub("", body.rstrip(_END)).rstrip(_END)
    following = body[len(stripped) : len(stripped) + 1]
    abbreviated = following == "." and "." in stripped.rpartition(" ")[2]
    return stripped + "." if abbreviated else stripped


def _bears_out(found: Statement) -> bool:
    """Whether the claim of a reading, and the question made from the claim, say the same as the reading does."""
    claim = read_statement(found.claim())
    asked = read_question(found.question().removesuffix("?"))
    return (
        claim is not None
        and asked is not None
        and not claim.denied
        and asked.denied == found.denied
        and claim.same_as(found)
        and asked.same_as(found)
    )

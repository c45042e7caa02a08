"""Reads one relation between an agent and a target out of a sentence, in the order of a statement or of a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sciverify.text.clauses import (
    ALSO_NOUNS,
    COORDINATORS,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    OPENERS,
    PREPOSITIONS,
    is_plural,
    read_clause,
)
from sciverify.text.phrasing import lower_first
from sciverify.text.relations import Predicate, Relation, is_adverbial, read_complement, read_verb
from sciverify.text.verbs import BE, FORMS, Form, past, third, word_set
from sciverify.text.worded import WordedText

__all__ = ["Statement", "read_question", "read_statement"]

_ASKING = BE | DO | HAVE | {"can", "could", "will", "would", "may", "might"}
_FINITE: dict[str, Form] = {"does": "third", "do": "base", "did": "past"}
_LEADING = word_set("in among during for within under upon after before following at on with")
_LATIN = word_set("vitro vivo utero situ silico")  # "in vitro fertilisation" begins with no preposition
_PRONOUNS = word_set(
    "it they we you he she i this that these those them us him her me one some any many none everyone what which who"
)
_OPEN = word_set("what which who whom whose why how when where whether if")  # no closed question begins with these
# A verb can't follow these: what looks like one is a noun then, or belongs to another clause.
_NO_VERB_BEHIND = (
    DETERMINERS
    | PREPOSITIONS
    | COORDINATORS
    | OPENERS
    | MODALS
    | BE
    | DO
    | HAVE
    | word_set("to not never nor longer hardly barely rarely scarcely seldom only just but than be been being and/or")
    | {""}
)
_NO_OBJECT = PREPOSITIONS | COORDINATORS | OPENERS | BE | MODALS | HAVE | word_set("to been be but than not and/or")
_OTHER_VERBS = word_set(
    "help helps make makes let lets allow allows need needs want wants show shows get gets has have"
)
_NO_SUBJECT_CLAUSE = word_set("whether if because although though since unless until how why what")
_ALSO_ADJECTIVES = word_set("lower slow cut")
_CLEAR_PAST = word_set("lead result contribute have help")  # "led to" is no adjective
_EMPTY = word_set("ever really actually truly")  # adverbs that only a question needs
_CHANGES: frozenset[Relation] = frozenset({"increase", "decrease", "improve", "worsen"})
_OUTSIDE = re.compile(r"[?!]|[:;]\s")
_CLOSING = " \t\r\n\f\v,;:"


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation with the pieces of the sentence that said it.

    Attributes:
        agent, relation, target: as in ClosedQuestion.
        lead: a phrase before the subject, with its comma, or nothing.
        subject: the words before the verb.
        asking: the auxiliary that begins the question, "does" where the statement has "prevents".
        denied: whether "not" or "no" denies it.
        before, verb, behind: the predicate with its object; the verb in its base form behind does, do and did.
    """

    agent: str
    relation: Relation
    target: str
    lead: str
    subject: str
    asking: str
    denied: bool
    before: str
    verb: str
    behind: str

    def same_as(self, other: Statement) -> bool:
        """Whether two relate the same, but for the capital with which a sentence begins."""
        return (lower_first(self.agent), self.relation, lower_first(self.target)) == (
            lower_first(other.agent),
            other.relation,
            lower_first(other.target),
        )

    def claim(self) -> str:
        """The affirmative statement, without a full stop."""
        asking, verb = self.asking, self.verb
        if asking in DO and (asking != "did" or _is_clear_past(verb, self.behind)):
            verb = third(verb) if asking == "does" else past(verb) if asking == "did" else verb
            asking = ""
        return _joined(self.lead, self.subject, asking, self.before, verb + self.behind)

    def question(self) -> str:
        """The closed question to which yes says the statement, denied or not."""
        asking = self.asking if self.lead else self.asking[:1].upper() + self.asking[1:]
        denial = "not" if self.denied else ""
        return _joined(self.lead, asking, lower_first(self.subject), denial, self.before, self.verb + self.behind) + "?"


def read_question(text: str) -> Statement | None:
    """The relation that a closed question asks about, the text being without its question mark; None if unsure."""
    sentence = WordedText(text)
    for lead, start in _question_starts(sentence):
        asking = _uncontracted(sentence.words[start])
        if asking in _ASKING:
            return None if _OUTSIDE.search(sentence.piece(start)) else _asked(sentence, lead, start, asking)
    return None


def read_statement(text: str) -> Statement | None:
    """The relation that a plain statement claims, the text being without its full stop; None if unsure."""
    sentence = WordedText(text)
    words, start = sentence.words, _behind_lead(sentence)
    if not words or words[start] in _OPEN or _uncontracted(words[start]) in _ASKING or _OUTSIDE.search(text):
        return None
    lead = sentence.piece(0, start)
    for position in range(start + 1, len(words)):
        if words[position - 1] in _NO_VERB_BEHIND or not sentence.is_outer[position]:
            continue
        if not sentence.text[slice(*sentence.spans[position])].islower():
            continue  # "IS" is a short form, and verbs have no capital inside a sentence
        asking = _uncontracted(words[position])
        if asking in BE | MODALS | DO | HAVE:
            return _with_auxiliary(sentence, lead, start, position, asking)
        for asking in _FINITE:
            found = _with_verb(sentence, lead, start, position, asking)
            if found is not None:
                clause = read_clause(text)
                return found if clause is None or clause.verb >= position else None
    return None


def _asked(sentence: WordedText, lead: str, start: int, asking: str) -> Statement | None:
    words = sentence.words
    subject = start + 1 + (words[start + 1 : start + 2] == ("not",))
    found: list[tuple[int, int, Predicate]] = []
    for position in range(subject + 1, len(words)):
        if words[position - 1] in _NO_VERB_BEHIND or not sentence.is_outer[position]:
            continue
        verb = position + (words[position] == "not")
        predicate = _read(words, verb, asking)
        if predicate is None and asking == "does":
            predicate = read_verb(words, verb, "third")  # "Does X causes Y?" is often written
        if predicate is None or not _has_object(words, predicate, asking):
            continue
        if (words[subject : subject + 1] == ("there",)) != bool(predicate.parted_by):
            continue
        if not found or found[-1][2].end != predicate.end:
            found.append((position, verb, predicate))
        if asking not in BE:
            break
    if not found or (len(found) > 1 and found[0][2].may_be_attribute):
        return None  # none, or "Are diseases caused by X associated with Y?"
    position, verb, predicate = found[0]
    return _statement(sentence, lead, (subject, position), asking, verb, predicate, denied=verb > position)


def _with_auxiliary(sentence: WordedText, lead: str, start: int, position: int, asking: str) -> Statement | None:
    words = sentence.words
    behind = words[position + 1 : position + 2] == ("not",)
    verb = position + 1 + behind
    predicate = _read(words, verb, asking)
    if predicate is None and asking in HAVE and not behind:  # "has an effect on"
        own = {"has": "does", "have": "do", "had": "did"}[asking]
        predicate = read_verb(words, position, _FINITE[own])
        verb, asking = position, own
    if predicate is None or not _has_object(words, predicate, asking):
        return None
    participle = asking in HAVE and predicate.base != "be" and predicate.relation in _CHANGES
    if participle and words[predicate.end] not in DETERMINERS:
        return None  # "has reduced growth": a growth that is reduced
    denied = behind or _is_negated(words[position])
    return _statement(sentence, lead, (start, position), asking, verb, predicate, denied=denied)


def _with_verb(sentence: WordedText, lead: str, start: int, position: int, asking: str) -> Statement | None:
    words = sentence.words
    predicate = read_verb(words, position, _FINITE[asking])
    if predicate is None or predicate.base == "be" or not _has_object(words, predicate, asking):
        return None
    if asking == "did" and not _is_clear_past(predicate.base, " ".join(words[predicate.verb + 1 :][:1])):
        return None
    if asking == "do" and predicate.base in ALSO_NOUNS:
        subject = words[start:position]
        if not (subject[-1].endswith("s") or any(is_plural(word) or word in COORDINATORS for word in subject)):
            return None
    return _statement(sentence, lead, (start, position), asking, position, predicate, denied=False)


def _statement(
    sentence: WordedText,
    lead: str,
    subject: tuple[int, int],
    asking: str,
    start: int,
    predicate: Predicate,
    *,
    denied: bool,
) -> Statement | None:
    """Puts the pieces together, unless subject or object are none.

    Args:
        sentence: the text.
        lead: what stands before the subject.
        subject: its first word and the one behind it.
        asking: the auxiliary.
        start: the first word behind subject, auxiliary and "not".
        predicate: the relation.
        denied: whether "not" stands there.
    """
    acting, acted = sentence.piece(*subject).strip(_CLOSING), sentence.piece(predicate.end).strip(_CLOSING)
    if predicate.parted_by:
        parts = acted.split(f" {predicate.parted_by} ")
        if len(parts) != 2:
            return None
        acting, acted = parts
    elif not _is_subject(sentence, subject) or (lead and "," in acting):
        return None
    if not _is_name(acting) or not _is_name(acted) or _is_coordinated(sentence, predicate.end):
        return None
    if not all(sentence.is_bare(position) for position in range(start, predicate.end)):
        return None
    agent, target = (acted, acting) if predicate.inverse else (acting, acted)
    before = [sentence.piece(at, at + 1) for at in range(start, predicate.verb) if sentence.words[at] not in _EMPTY]
    verb_end = sentence.spans[predicate.verb][1]
    verb = sentence.piece(predicate.verb, predicate.verb + 1)
    behind = sentence.text[verb_end:].rstrip(_CLOSING)
    if predicate.article is not None:
        denied = denied or sentence.words[predicate.article] == "no"
        first, end = sentence.spans[predicate.article]
        article = _indefinite(sentence.words, predicate)
        if predicate.article == predicate.verb:
            verb, behind = article, behind if article else behind.lstrip()
        else:
            behind = sentence.text[verb_end:first] + article + sentence.text[end:].rstrip(_CLOSING)
    if asking in DO:
        verb = predicate.base
    return Statement(
        agent,
        predicate.relation,
        target,
        lead,
        sentence.piece(*subject),
        asking,
        denied,
        " ".join(before),
        verb,
        behind,
    )


def _read(words: tuple[str, ...], start: int, asking: str) -> Predicate | None:
    return (
        read_complement(words, start) if asking in BE else read_verb(words, start, "past" if asking in HAVE else "base")
    )


def _has_object(words: tuple[str, ...], predicate: Predicate, asking: str) -> bool:
    """Whether something that may be an object follows, and no second verb: "weight increase causes stress"."""
    end = predicate.end
    if end >= len(words) or words[end] in _NO_OBJECT or not words[end]:
        return False
    return asking in BE or not _is_verb(words, end)


def _is_verb(words: tuple[str, ...], position: int) -> bool:
    """Whether a finite or infinite verb of a relation stands here, with an object."""
    for form in ("base", "third"):
        found = read_verb(words, position, form)
        if found is not None and not (form == "base" and found.base in _ALSO_ADJECTIVES):
            return found.end < len(words) and words[found.end] not in _NO_OBJECT
    return False


def _is_coordinated(sentence: WordedText, start: int) -> bool:
    """Whether a second relation is joined to the first."""
    words = sentence.words
    for position in range(start, len(words)):
        if words[position] in {"and", "or", "but", "and/or"} and sentence.is_outer[position]:
            complement = read_complement(words, position + 1)
            if _is_verb(words, position + 1) or (complement is not None and complement.may_be_attribute):
                return True
    return False


def _is_subject(sentence: WordedText, subject: tuple[int, int]) -> bool:
    """Whether words may be a subject: they begin as one, and hold no main verb and no clause but a relative one."""
    words = sentence.words[slice(*subject)]
    if words[0] in _OPEN | {"there"} or (words[0] in _LEADING and not (len(words) > 1 and words[1] in _LATIN)):
        return False
    for position, word in enumerate(words):
        if word in _NO_SUBJECT_CLAUSE:
            return False
        if word in _OTHER_VERBS and (position == 0 or words[position - 1] not in OPENERS | {"to"}):
            return False
        if word == "that":
            behind = next((w for w in words[position + 1 :] if not is_adverbial(w)), "")
            if not (
                behind in FORMS
                or behind in BE | MODALS | DO | HAVE
                or _is_verb(sentence.words, subject[0] + position + 1)
            ):
                return False
    return True


def _is_name(text: str) -> bool:
    """Whether something is named, not only pointed at."""
    return text.lower() not in _PRONOUNS and any(character.isalnum() for character in text)


def _question_starts(sentence: WordedText) -> Iterator[tuple[str, int]]:
    """What may stand before a question's subject and stays, and where the question may start."""
    if not sentence.words:
        return
    yield "", 0
    lead = _behind_lead(sentence)
    if lead:
        yield sentence.piece(0, lead), lead
    headings = [n for n in range(1, len(sentence.words)) if sentence.piece(n - 1, n).endswith(":")]
    if headings:
        yield "", headings[-1]


def _behind_lead(sentence: WordedText) -> int:
    """Where "In mice," ends; 0 where a sentence begins with its subject."""
    if sentence.words and sentence.words[0] in _LEADING:
        for position in range(1, len(sentence.words)):
            if sentence.piece(position - 1, position).endswith(","):
                return position
    return 0


def _uncontracted(word: str) -> str:
    word = word.replace("’", "'")
    known = {"can't": "can", "cannot": "can", "won't": "will"}
    return known.get(word) or word.removesuffix("n't")


def _is_negated(word: str) -> bool:
    return word == "cannot" or word.replace("’", "'").endswith("n't")


def _is_clear_past(base: str, behind: str) -> bool:
    """Whether a form in -ed is the verb and no adjective: "reduced the risk", but "showed reduced growth"."""
    return base in _CLEAR_PAST or any(word in DETERMINERS for word in behind.lower().split(None, 1)[:1])


def _indefinite(words: tuple[str, ...], predicate: Predicate) -> str:
    """What replaces "any" or "no"."""
    if predicate.article is None or words[predicate.end - 2].endswith("s"):
        return ""
    return "an" if words[predicate.article + 1][:1] in set("aeiou") else "a"


def _joined(*pieces: str) -> str:
    return " ".join(stripped for piece in pieces if (stripped := piece.strip()))

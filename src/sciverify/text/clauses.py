"""Finds the finite verb of a claim's main clause, by rules that would rather find none than a wrong one.

There is no parser behind this. A word counts as the verb if it is an auxiliary, a copula or a form of a known verb,
where its neighbours allow no other reading; a claim with several sentences or a clause before its main one has none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sciverify.text.verbs import BE, FORMS, Form, word_set

__all__ = [
    "ALSO_NOUNS",
    "COORDINATORS",
    "DETERMINERS",
    "DO",
    "HAVE",
    "MODALS",
    "OPENERS",
    "PREPOSITIONS",
    "Clause",
    "Word",
    "is_adverb",
    "is_plural",
    "negations",
    "read_clause",
    "words_of",
]

Kind = Literal["be", "modal", "have", "do", "verb"]

_CLAIMS = 1 << 17  # how many claims are remembered; most come with several documents
MODALS = frozenset({"can", "cannot", "could", "may", "might", "must", "shall", "should", "will", "would"})
HAVE = frozenset({"has", "have", "had"})
DO = frozenset({"does", "do", "did"})
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nothing|nobody|without|cannot|unable|fail\w*|lack\w*|absence|absent|unlikely|"
    r"little|hardly|barely|rarely|seldom)\b|n['’]t\b",
    re.IGNORECASE,
)
# A clause of its own begins here; what stands behind is not the main one.
_BREAKS = word_set(
    "that which who whom whose when where while whereas if because although though since unless until whether how "
    "why what as than after before once and but or nor"
)
OPENERS = _BREAKS - {"and", "or", "than", "nor"}
# Somebody says it, or it is said to somebody: what is true or false is not the sentence.
_HEARSAY = word_set("i i've i’ve i'm i’m heard suggested say says said claim claims think believe believed")
DETERMINERS = word_set(
    "the a an this that these those its their his her our your my some any no each every both all more most less such"
)
PREPOSITIONS = word_set(
    "of in on at by for from with within without into onto to through via during under over between among against "
    "per towards toward upon versus like"
)
COORDINATORS = frozenset({"and", "or"})
_PLURALS = word_set("people mice men women children bacteria data we they you fungi humans police feet teeth")
_NOT_PLURAL = ("ss", "us", "is", "'s", "’s", "diabetes", "rabies", "sars", "mers", "aids", "series", "herpes", "news")
_NOT_ADVERBS = word_set("family assembly only supply anomaly early fly july italy reply daily monopoly likely")
# Verbs whose forms are as often nouns: they need a plural before the base form, and no "of" behind.
ALSO_NOUNS = word_set(
    "act benefit block boost cause control cure damage decrease delay display double drive experience express form "
    "function harm help impact increase influence lack lead limit lower make offer present produce raise reach "
    "release rescue result serve show slow spread stop target trigger use work"
)
_COMPLEMENTS = {"lead": "to", "result": "in", "contribute": "to", "correlate": "with", "depend": "on", "respond": "to"}
_AFTER_PARTICIPLES = frozenset(
    {"by", "with", "in", "from", "to", "on", "at", "for", "via", "through", "during", "under"}
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a claim: characters `start` to `end`, without the punctuation around it; `text` in lower case."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A claim with its finite verb.

    Attributes:
        claim: the text.
        words: all of them.
        verb: the position of the finite verb among the words.
        kind: "verb" for known verbs, which have a `base` and a `form`.
    """

    claim: str
    words: tuple[Word, ...]
    verb: int
    kind: Kind
    base: str = ""
    form: Form = "base"

    @property
    def subject(self) -> tuple[str, ...]:
        """The words before the verb, lower case."""
        return tuple(word.text for word in self.words[: self.verb])

    @property
    def predicate(self) -> tuple[str, ...]:
        """The words behind the verb, lower case."""
        return tuple(word.text for word in self.words[self.verb + 1 :])

    @property
    def start(self) -> int:
        """Where the verb begins, with the adverbs right before it: "significantly reduces"."""
        first = self.verb
        while first > 1 and is_adverb(self.words[first - 1].text):
            first -= 1
        return self.words[first].start


@lru_cache(maxsize=_CLAIMS)
def negations(claim: str) -> int:
    """How many words of a claim negate."""
    return len(_NEGATIONS.findall(claim))


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb in -ly."""
    return word.endswith("ly") and len(word) > 4 and word not in _NOT_ADVERBS


@lru_cache(maxsize=_CLAIMS)
def read_clause(claim: str) -> Clause | None:
    """The claim with the verb of its main clause; None where the rules find none, or more than one."""
    text = claim.strip()
    if not text or text[0] in "\"'“‘(" or re.search(r"[?!;:]|[.]\s+[A-Z]", text):
        return None
    words = words_of(claim)
    for position, word in enumerate(words):
        if word.text in OPENERS | _HEARSAY or _may_be_past(words, position):
            return None
        kind = _kind(words, position, claim)
        if kind is not None:
            if position == 0 or _finite_behind(words, position, claim):
                return None
            found = FORMS.get(word.text) if kind == "verb" else None
            return Clause(claim, words, position, kind, *(found or ()))
    return None


def words_of(claim: str) -> tuple[Word, ...]:
    """What white space separates, each without the punctuation around it; linear in the length of the claim."""
    return tuple(_word(match) for match in re.finditer(r"\S+", claim))


def is_plural(word: str) -> bool:
    """Whether a word, in lower case, looks like a plural."""
    return word in _PLURALS or (word.endswith("s") and len(word) > 3 and not word.endswith(_NOT_PLURAL))


def _word(match: re.Match[str]) -> Word:
    text = match[0]
    left = len(text) - len(text.lstrip("\"'“‘([{"))
    right = max(left, len(text.rstrip("\"'”’)]},.;:")))
    return Word(match.start() + left, match.start() + right, text[left:right].lower())


def _kind(words: tuple[Word, ...], position: int, claim: str) -> Kind | None:
    word = words[position]
    if not claim[word.start : word.end].islower():
        return None  # a name, an abbreviation or a headline
    before = words[position - 1].text if position else ""
    behind = words[position + 1].text if position + 1 < len(words) else ""
    if word.text in BE:
        return "be"
    if word.text in MODALS:
        return "modal"
    if word.text in DO:
        return "do"
    if word.text in HAVE:
        return "have" if before != "to" else None
    return "verb" if word.text in FORMS and _reads_as_verb(word.text, before, behind, words[:position]) else None


def _reads_as_verb(word: str, before: str, behind: str, subject: tuple[Word, ...]) -> bool:
    base, form = FORMS[word]
    if before in DETERMINERS | PREPOSITIONS | COORDINATORS | {""} or behind in {"of", "that", ""} | COORDINATORS:
        return False
    if behind in BE | MODALS | HAVE:
        return False
    if form == "third":
        return not (base in ALSO_NOUNS and behind in _AFTER_PARTICIPLES and _COMPLEMENTS.get(base) != behind)
    if form == "past":
        # Before a bare noun it may as well be an adjective: "live attenuated vaccines".
        return behind in DETERMINERS or _COMPLEMENTS.get(base) == behind
    joined = base not in ALSO_NOUNS and any(other.text == "and" for other in subject)
    return joined or is_plural(before) or (is_adverb(before) and len(subject) > 1 and is_plural(subject[-2].text))


def _may_be_past(words: tuple[Word, ...], position: int) -> bool:
    """Whether a word may be the verb, in the past, but may as well be an adjective: "showed improved growth"."""
    found = FORMS.get(words[position].text)
    if found is None or found.form != "past" or not 0 < position < len(words) - 1:
        return False
    before, behind = words[position - 1].text, words[position + 1].text
    leading = before in DETERMINERS | PREPOSITIONS | COORDINATORS or is_adverb(before)
    return (
        not leading
        and behind not in _AFTER_PARTICIPLES
        and not _reads_as_verb(words[position].text, before, behind, ())
    )


def _finite_behind(words: tuple[Word, ...], verb: int, claim: str) -> bool:
    """Whether the same clause has another finite verb, so that the first one was none: "Mice infected were ...".

    An auxiliary may be followed by have, not by another one.
    """
    if verb + 1 < len(words) and words[verb + 1].text in {"that", "how", "what", "whether", "why"}:
        return True  # what is claimed stands in the clause behind
    for position in range(verb + 1, len(words)):
        word = words[position]
        if word.text in _BREAKS or claim[words[position - 1].end : word.start].strip():
            return False
        if word.text in BE | MODALS | {"has", "does", "did"}:
            return True
        if word.text == "have" and words[position - 1].text not in MODALS | {"to", "not"}:
            return True
    return False

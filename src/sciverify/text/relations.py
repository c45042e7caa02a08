"""The relations that closed questions ask about, and the words that say them.

A predicate is what stands between the one who acts and what is acted upon: "prevents", "is used to treat", "has an
effect on", "is caused by". It is looked for at one place of a row of words, by lists alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from sciverify.text.clauses import DETERMINERS, PREPOSITIONS, is_adverb
from sciverify.text.verbs import Form, gerund, past, third, word_set

__all__ = [
    "Predicate",
    "Relation",
    "is_adverbial",
    "read_complement",
    "read_verb",
]

Relation = Literal[
    "prevent", "treat", "cause", "increase", "decrease", "improve", "worsen", "associated with", "affect"
]


class Predicate(NamedTuple):
    """A relation as some words say it.

    Attributes:
        relation: which one.
        verb: position of the word that is conjugated; of the first word behind a form of "be".
        end: position of the first word of the object.
        inverse: whether the object acts, as in a passive.
        may_be_attribute: whether the same words may as well describe the noun before them: "diseases caused by ...".
        article: position of "any" or "no" before a noun like "effect".
        base: base form of the verb that is conjugated, empty behind a form of "be".
        parted_by: the word that parts agent and target where both are in the object: "and" behind "between".
    """

    relation: Relation
    verb: int
    end: int
    inverse: bool = False
    may_be_attribute: bool = False
    article: int | None = None
    base: str = ""
    parted_by: str = ""


_VERBS: Mapping[Relation, str] = {
    "prevent": "prevent avert",
    "treat": "treat cure heal",
    "cause": "cause induce trigger provoke elicit",
    "increase": (
        "increase raise elevate boost enhance promote stimulate augment accelerate prolong lengthen "
        "upregulate up-regulate"
    ),
    "decrease": (
        "decrease reduce lower diminish lessen cut inhibit suppress attenuate minimize minimise limit shorten slow "
        "downregulate down-regulate"
    ),
    "improve": "improve ameliorate alleviate relieve ease benefit",
    "worsen": "worsen aggravate exacerbate impair harm damage",
    "affect": "affect influence impact alter change modify modulate regulate",
}
# Verbs that say a relation with a preposition behind them; "<" where the object acts.
_PREPOSITIONAL: Mapping[Relation, str] = {
    "prevent": "protect against, protect from, guard against",
    "treat": "work against, work for, help against, help with",
    "cause": "lead to, result in, contribute to, <result from",
    "improve": "<benefit from",
    "associated with": "correlate with, relate to",
    "affect": "impact on, impact upon",
}
_COMPLEMENTS: Mapping[Relation, str] = {
    "associated with": (
        "associated with, associated to, linked to, linked with, correlated with, correlated to, related to, "
        "connected to, connected with, tied to, implicated in, involved in"
    ),
    "treat": "effective against, effective for, efficacious against, efficacious for, used against",
    "improve": "good for, beneficial for, beneficial to",
    "worsen": "bad for, harmful to, harmful for, detrimental to",
    "cause": "responsible for, <due to",
}
_NOUNS: Mapping[Relation, str] = {
    "treat": "treatment for, treatment of, cure for, remedy for, therapy for",
    "cause": "cause of, <result of, <consequence of, <complication of",
    "associated with": "risk factor for",
}
_HAD: Mapping[Relation, str] = {
    "affect": "effect on, effects on, effect upon, impact on, impacts on, influence on",
    "associated with": "association with, link to, link with, relationship with, relationship to",
}
_GIVEN: Mapping[Relation, str] = {"prevent": "protection against, protection from"}
_BETWEEN: Mapping[Relation, str] = {
    "associated with": (
        "association between, associations between, link between, links between, relationship between, "
        "relation between, correlation between, connection between"
    ),
    "affect": "effect of, impact of, influence of",
}
_PURPOSES: Mapping[Relation, str] = {
    "treat": "treatment of, treatment for, management of, therapy of",
    "prevent": "prevention of, prophylaxis of, prophylaxis against",
    "decrease": "reduction of",
}

_BOUND = frozenset({"by", "with", "using", "through"})  # before the one who acts in a passive
_ADVERBS = word_set("also always ever often sometimes still even further now well very highly")
_TO_VERB = word_set(
    "used able likely known thought believed shown found reported proven proved expected said supposed claimed "
    "sufficient enough"
)
_FOR_PURPOSE = word_set("used effective efficacious useful helpful beneficial indicated given")
# What takes back, or nearly so, what is said: the claim without it would be another one.
_DENYING = word_set(
    "ineffective poor useless inadequate insufficient unlikely little minimal negligible limited few only "
    "insignificant nonsignificant non-significant hardly barely rarely scarcely"
)
_AUXILIARY_VERBS = word_set("seem appear tend help")  # another verb follows
_ARTICLES = frozenset({"a", "an", "the", "no", "any"})
_ADJECTIVES = 3  # at most this many words between an article and its noun

_Phrases = Mapping[str, tuple[tuple[tuple[str, ...], Relation, bool], ...]]


def is_adverbial(word: str) -> bool:
    """Whether a word may stand between a subject or auxiliary and its verb without changing what is related."""
    return (is_adverb(word) and word not in _DENYING) or word in _ADVERBS


def read_verb(words: Sequence[str], start: int, form: Form) -> Predicate | None:
    """The predicate whose verb, in one form (participles count as past), begins right here or behind adverbs.

    Args:
        words: a clause's words in lower case.
        start: where to look.
        form: what the verb must be.
    """
    position = conjugated = _behind_adverbs(words, start)
    base = conjugated_base = _BASES[form].get(_word(words, position), "")
    while base in _AUXILIARY_VERBS:  # "helps to prevent", "help prevent"
        to = _word(words, position + 1) == "to"
        behind = _behind_adverbs(words, position + 1 + to)
        following = _BASES["base"].get(_word(words, behind), "") if to or base == "help" else ""
        if not following:
            break
        position, base = behind, following
    if base == "be":
        found = read_complement(words, position + 1)
    elif base == "have":
        found = _described_noun(words, position + 1, _OF_HAD)
    elif base in _GIVING:
        found = _described_noun(words, position + 1, _OF_GIVEN)
    else:
        found = _phrase(words, position, base, _OF_VERBS)
    return found._replace(verb=conjugated, base=conjugated_base) if found else None


def read_complement(words: Sequence[str], start: int) -> Predicate | None:
    """The predicate that begins here behind a form of "be": participle, adjective or noun with its preposition."""
    position = _behind_adverbs(words, start)
    if tuple(words[position : position + 2]) == ("safe", "and"):
        position += 2
    word, following = _word(words, position), _word(words, position + 1)
    found = None
    if word in _TO_VERB and following == "to":
        found = read_verb(words, position + 2, "base")
    if found is None and word in _FOR_PURPOSE and following in {"for", "in", "at", "as"}:
        found = _purpose(words, position + 2)
    if found is None and following in _BOUND and (base := _BASES["past"].get(word, "")) in _TRANSITIVE:
        found = Predicate(_TRANSITIVE[base], position, position + 2, inverse=True)
    if found is None and (base := _BASES["gerund"].get(word, "")):
        found = _phrase(words, position, base, _OF_VERBS)
    if found is None:
        found = _phrase(words, position, word, _OF_COMPLEMENTS)
    if found is None and word in _ARTICLES:
        found = _described_noun(words, position, _OF_NOUNS)
    if found is None and (found := _described_noun(words, position, _OF_TWO)):
        found = found._replace(parted_by=_PARTED_BY[words[found.end - 1]])
    attribute = word in _BASES["past"] or word in _BASES["gerund"] or word in _ATTRIBUTES
    return found._replace(verb=position, base="", may_be_attribute=attribute) if found else None


def _purpose(words: Sequence[str], start: int) -> Predicate | None:
    """What something is used for: "treating ...", "the treatment of ..."."""
    base = _BASES["gerund"].get(_word(words, start), "")
    if base:
        return _phrase(words, start, base, _OF_VERBS)
    return _described_noun(words, start, _OF_PURPOSES)


def _described_noun(words: Sequence[str], start: int, phrases: _Phrases) -> Predicate | None:
    """A noun of a list, behind an article and a few adjectives, with its preposition."""
    article = start if _word(words, start) in {"any", "no"} else None
    first = start + (_word(words, start) in DETERMINERS)
    for position in range(first, first + _ADJECTIVES + 1):
        word = _word(words, position)
        found = _phrase(words, position, word, phrases)
        if found:
            return found._replace(article=article)
        if not word or word in PREPOSITIONS or word in DETERMINERS or word in _DENYING:
            break
    return None


def _phrase(words: Sequence[str], position: int, head: str, phrases: _Phrases) -> Predicate | None:
    """The predicate whose first word is here and has been looked up as `head`."""
    for behind, relation, inverse in phrases.get(head, ()):
        end = position + 1 + len(behind)
        if tuple(words[position + 1 : end]) == behind:
            return Predicate(relation, position, end, inverse)
    return None


def _behind_adverbs(words: Sequence[str], position: int) -> int:
    while position < len(words) and is_adverbial(words[position]):
        position += 1
    return position


def _word(words: Sequence[str], position: int) -> str:
    return words[position] if position < len(words) else ""


def _listed(relations: Mapping[Relation, str]) -> Iterator[tuple[Relation, str, tuple[str, ...], bool]]:
    """Relation, first word, further words and whether the object acts, of each phrase of a list."""
    for relation, phrases in relations.items():
        for phrase in phrases.split(", "):
            head, *behind = phrase.removeprefix("<").split()
            yield relation, head, tuple(behind), phrase.startswith("<")


def _phrases(*lists: Mapping[Relation, str]) -> _Phrases:
    found: dict[str, tuple[tuple[tuple[str, ...], Relation, bool], ...]] = {}
    for relation, head, behind, inverse in (entry for relations in lists for entry in _listed(relations)):
        entries = (*found.get(head, ()), (behind, relation, inverse))
        found[head] = tuple(sorted(entries, key=lambda entry: -len(entry[0])))  # "impact on" before "impact"
    return MappingProxyType(found)


def _bases(form: Form | Literal["gerund"]) -> Mapping[str, str]:
    """Base form of every verb above, by its spelling in one form."""
    verbs = (*_OF_VERBS, *_AUXILIARY_VERBS, *_GIVING, "have")
    spelling = {"third": third, "past": past, "gerund": gerund}
    bases = {spelling[form](verb) if form in spelling else verb: verb for verb in verbs}
    return MappingProxyType(bases | {"base": {"be": "be"}, "past": {"been": "be"}}.get(form, {}))


_TRANSITIVE: Mapping[str, Relation] = {verb: relation for relation, verbs in _VERBS.items() for verb in verbs.split()}
_GIVING = word_set("offer provide")
_OF_VERBS = _phrases({relation: ", ".join(verbs.split()) for relation, verbs in _VERBS.items()}, _PREPOSITIONAL)
_OF_COMPLEMENTS = _phrases(_COMPLEMENTS)
_OF_NOUNS = _phrases(_NOUNS)
_OF_HAD = _phrases(_HAD)
_OF_GIVEN = _phrases(_GIVEN)
_OF_TWO = _phrases(_BETWEEN)
_OF_PURPOSES = _phrases(_PURPOSES)
_ATTRIBUTES = word_set("linked tied involved implicated due used associated correlated connected")
_PARTED_BY = {"between": "and", "of": "on"}
_BASES: Mapping[str, Mapping[str, str]] = {
    "base": _bases("base"),
    "third": _bases("third"),
    "past": _bases("past"),
    "gerund": _bases("gerund"),
}

"""Says a claim's opposite, or asks it as a closed question, where a simple rule does that in good English."""

from __future__ import annotations

import re

from sciverify.text.clauses import Clause, is_adverb, negations, read_clause
from sciverify.text.verbs import BE, FORMS, past, third, word_set

__all__ = ["counts_subjects", "interrogative", "is_separable", "lower_first", "negate"]

# What makes "not" say something else than that the claim is false: some do, and others don't.
_COUNTING = word_set(
    "all every each some most many few several any both either certain half majority minority only other others "
    "sometimes one two three four five six seven eight nine ten third quarter dozens hundreds thousands millions "
    "more less fewer about approximately roughly nearly almost"
)
_POLAR = word_set(
    "some any ever yet either only just also already still sometimes often usually too merely solely even least "
    "rather instead always once"
)
_COORDINATED = re.compile(r",|\b(?:and|but|or|while|whereas|because|due|by|if|when|unless|then)\b")
_NOUNS = frozenset({"effect", "impact", "influence", "effects", "role", "association", "evidence"})
_LOWERED = word_set(
    "the a an this these those there it they you we he she his her our your their its in among during for both all "
    "most many some several high low higher lower people patients mice women men children cells one loss use risk"
)
# Endings of common words, so that the first word of a claim may lose its capital inside a question.
_COMMON_ENDINGS = (
    "tion", "tions", "ment", "ments", "ness", "ity", "ing", "cytes", "phils", "phages", "blasts", "ants", "ents",
    "oids", "ies", "sis", "ed", "ive", "ous", "ics", "ers", "ure", "ase", "ases", "genes", "ency", "ism", "ines",
)  # fmt: skip
_LEADING = frozenset({"in", "among", "during", "for", "within", "under"})
_ASKING = frozenset({"can", "could", "will", "would"})


def negate(claim: str) -> str | None:
    """The claim with its main verb negated, or with the negation that it has taken away; None where that is no rule.

    "X reduces Y." and "X does not reduce Y." are each what the other becomes. A claim about some, most or a number of
    its subjects has no such opposite, nor has one with "may".
    """
    clause = read_clause(claim)
    if clause is None or counts_subjects(clause) or _POLAR & set(clause.predicate):
        return None
    if negations(claim) == 0:
        return _negated(clause)
    return _affirmed(clause) if negations(claim) == 1 else None


def is_separable(claim: str) -> bool:
    """Whether a claim has parts or reasons that may be false each alone, so that "not" leaves open what is."""
    clause = read_clause(claim)
    return clause is None or bool(_COORDINATED.search(claim[clause.words[clause.verb].end :]))


def interrogative(claim: str) -> str | None:
    """The closed question whose answer is yes if the claim is true; None where no rule makes a grammatical one."""
    clause = read_clause(claim)
    if clause is None or negations(claim) or len(clause.subject) > 14 or _coordinated_verb(clause):
        return None
    lead, subject_start = _leading_phrase(clause)
    if subject_start is None:
        return None
    verb = clause.words[clause.verb]
    subject = claim[subject_start : clause.start].strip()
    rest = claim[clause.start : verb.start], claim[verb.end :]
    if (
        clause.kind == "be"
        or (clause.kind == "modal" and verb.text in _ASKING)
        or (clause.kind == "have" and _is_auxiliary(clause))
    ):
        asking, verbs = verb.text, rest[0].strip()
    elif clause.kind == "have" and _is_object(clause):
        asking, verbs = {"has": "does", "have": "do", "had": "did"}[verb.text], rest[0] + "have"
    elif clause.kind == "verb":
        asking, verbs = {"third": "does", "base": "do", "past": "did"}[clause.form], rest[0] + clause.base
    else:
        return None
    body = f"{asking} {lower_first(subject)}{f' {verbs}' if verbs else ''}{rest[1]}".strip()
    question = f"{lead}{body}" if lead else body[:1].upper() + body[1:]
    return question.rstrip(" .,") + "?"


def counts_subjects(clause: Clause) -> bool:
    """Whether the subject is some, most or a number of something, of which two opposite claims may both be true."""
    return any(word in _COUNTING or re.fullmatch(r"[\d.,/]+%?(?:-fold)?", word) for word in clause.subject)


def lower_first(subject: str) -> str:
    """The subject without the capital of a claim's start, where its first word is a common one and no name."""
    first = re.match(r"[A-Z][a-z]*(?![\w'’-])(?! [A-Z][a-z])", subject)
    common = first is not None and (first[0].lower() in _LOWERED or first[0].endswith(_COMMON_ENDINGS))
    common = common or subject.startswith(("The ", "A ", "An "))
    return subject[:1].lower() + subject[1:] if common else subject


def _negated(clause: Clause) -> str | None:
    claim, verb = clause.claim, clause.words[clause.verb]
    before, adverbs, behind = claim[: clause.start], claim[clause.start : verb.start], claim[verb.end :]
    if clause.kind == "be" and clause.subject[-1:] == ("there",):
        return claim[: verb.end] + " no" + re.sub(r"^\s+(?:a|an|any)\b", "", behind)
    if clause.kind == "be" or (clause.kind == "have" and _is_auxiliary(clause)):
        return claim[: verb.end] + " not" + behind
    if clause.kind == "modal" and verb.text in {"can", "will", "would"}:
        return claim[: verb.end] + ("not" if verb.text == "can" else " not") + behind
    if clause.kind == "have" and _is_object(clause):
        helper = {"has": "does", "have": "do", "had": "did"}[verb.text]
        return f"{before}{helper} not {adverbs}have{behind}"
    if clause.kind == "verb":
        helper = {"third": "does", "base": "do", "past": "did"}[clause.form]
        return f"{before}{helper} not {adverbs}{clause.base}{behind}"
    return None


def _affirmed(clause: Clause) -> str | None:
    claim, verb, predicate = clause.claim, clause.words[clause.verb], clause.predicate
    behind = claim[verb.end :]
    if re.search(r"\b(?:but|rather|than|or)\b", behind):
        return None
    if verb.text == "cannot":
        return claim[: verb.start] + "can" + behind
    if predicate[:1] == ("no",) and clause.kind == "have" and predicate[1:2] and predicate[1] in _NOUNS:
        article = "" if predicate[1] in {"effects", "evidence"} else "an" if predicate[1][0] in "aeiou" else "a"
        return re.sub(r"^\s+no\s+", f" {article} " if article else " ", claim[verb.end :]).join((claim[: verb.end], ""))
    if predicate[:1] != ("not",):
        return None
    behind = behind.replace(" not", "", 1)
    if verb.text in BE | {"can", "will", "would"} or (clause.kind == "have" and "been" in predicate[:3]):
        return claim[: verb.end] + behind
    return _without_do(clause) if clause.kind == "do" else None


def _without_do(clause: Clause) -> str | None:
    """ "does not strongly reduce" to "strongly reduces"."""
    claim, helper = clause.claim, clause.words[clause.verb]
    position = clause.verb + 2
    while position < len(clause.words) and is_adverb(clause.words[position].text):
        position += 1
    if position >= len(clause.words):
        return None
    main = clause.words[position]
    if main.text != "have" and (main.text not in FORMS or FORMS[main.text].base != main.text):
        return None
    if helper.text == "did":
        word = "had" if main.text == "have" else past(main.text)
    else:
        word = third(main.text) if helper.text == "does" else main.text
    adverbs = claim[clause.words[clause.verb + 2].start : main.start]
    return claim[: helper.start] + adverbs + word + claim[main.end :]


def _is_auxiliary(clause: Clause) -> bool:
    words = [
        word for word in clause.predicate if not is_adverb(word) and word not in {"also", "always", "now", "often"}
    ]
    return words[:1] == ["been"]


def _is_object(clause: Clause) -> bool:
    """Whether an object follows "have": no participle ("has risen"), no order ("has to"), nothing in between."""
    words = [word for word in clause.predicate if not is_adverb(word)]
    if not words or words[0].endswith(("ed", "en")) or words[0] in _AFTER_HAVE:
        return False
    return words[0] not in FORMS or FORMS[words[0]].form == "base"


_AFTER_HAVE = word_set(
    "to been had become led shown made found gone come done got caught begun grown put set cut hit won lost left "
    "said taken given bound undergone spread understood no not as also always "
    "now often"
)


def _coordinated_verb(clause: Clause) -> bool:
    """Whether a second finite verb is joined to the first, and would stay finite behind an auxiliary."""
    joined = False
    words = clause.predicate
    for number, word in enumerate(words):
        if word in _OWN_CLAUSES:
            return False
        following = next((w for w in words[number + 1 :] if not is_adverb(w)), "")
        if word in _JOINTS:
            joined = True
            if following in FORMS and (FORMS[following].form != "base" or clause.kind == "be"):
                return True
            if clause.kind == "verb" and following.endswith("es") and _object_begins(words, number + 2):
                return True
        elif joined and word in BE | _FINITE:
            return True
    return False


_JOINTS = frozenset({"and", "but", "or"})
_OWN_CLAUSES = word_set("that which who whose when where if because as how whether than before after")
_FINITE = frozenset({"has", "can", "cannot", "will", "may", "might", "could", "does"})


def _object_begins(words: tuple[str, ...], position: int) -> bool:
    """Whether an object begins here, so that an unknown word in -es before is a verb and no plural."""
    return words[position : position + 1] != () and words[position] in _OBJECT_STARTS


_OBJECT_STARTS = frozenset({"the", "a", "an", "its", "their", "in", "to", "by", "with"})


def _leading_phrase(clause: Clause) -> tuple[str, int | None]:
    """A phrase before the subject with its comma ("In mice, "), and where the subject starts; None: commas mislead."""
    claim = clause.claim
    head = claim[: clause.start]
    if "," not in head:
        return "", 0
    if clause.words[0].text in _LEADING and head.count(",") == 1:
        start = head.index(",") + 1
        return head[:start] + " ", start
    return "", None

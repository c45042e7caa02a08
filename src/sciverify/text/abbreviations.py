"""Short forms that a text spells out, "hydroxychloroquine (HCQ)", after Schwartz and Hearst (2003).

The algorithm ("A simple algorithm for identifying abbreviation definitions in biomedical text", PSB 2003): what stands
in brackets is the short form if it is short, and the long form lies among the few words before; else it is the long
form, and the short one is the word before. The letters of the short form are looked for in the long one from right to
left, its first at the beginning of a word.

Three rules are added. Words whose initials are the short form go before a shorter match inside a word ("multiple
myeloma (MM)", not "myeloma"). A word before brackets is a short form only with a capital or a digit. And a long form
neither begins with a stop word nor holds half of a pair of brackets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sciverify.text.analysis import split_words, stem

__all__ = ["Abbreviation", "find_abbreviations", "synonyms"]

_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,200})[)\]]")
_SHORTEST, _LONGEST = 2, 10  # characters of a short form
_SHORT_WORDS = 2
_WINDOW = 400  # characters before a bracket that can hold a long form
_CLAUSE_END = re.compile(r"[.;:?!)\]]\s|\n")  # a long form doesn't go over the end of a sentence or a bracket
_INSIDE_END = re.compile(r"[;,]\s")  # "(HCQ; Plaquenil)", "(HCQ, 200 mg)"
_WORD_START = re.compile(r"(?<![^\W_])[^\W_]")


class Abbreviation(NamedTuple):
    """A long form and the short one that stands for it, both as the text writes them."""

    long: str
    short: str


def find_abbreviations(text: str) -> tuple[Abbreviation, ...]:
    """What a text spells out, each pair once, in the order of the text.

    Both "hydroxychloroquine (HCQ)" and "HCQ (hydroxychloroquine)" are found. Both forms are verbatim pieces of the
    text. Any string is fine; linear in its length.
    """
    return tuple(dict.fromkeys(_defined(text)))


def synonyms(name: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Other forms of a name, or of a part of it, that some documents spell out: what widens a search for it.

    A long form counts as part of the name if all its words are, in any inflection and case, next to each other (one
    word with a short form of two letters only if it is the whole name); a short form if it is a word of the name with
    the same capitals ("MS" isn't "ms"), a plural's s aside. Where a short form stands for different things, the one
    that most documents mean counts.

    Args:
        name: the agent or target of a question, such as "the risk of MI" or "myocardial infarction".
        texts: titles and abstracts, a document each.

    Returns:
        The other forms as the documents write them, those that most documents spell out first. What is already a part
        of the name, or differs only in inflection from one before, is left out.
    """
    pairs: dict[tuple[tuple[str, ...], str], list[Abbreviation]] = {}
    for text in texts:
        of_text = {(_stems(pair.long), _singular(pair.short)): pair for pair in find_abbreviations(text)}
        for key, pair in of_text.items():
            pairs.setdefault(key, []).append(pair)
    stems, words = _stems(name), {_singular(word) for word in _written_words(name)}
    meant: set[str] = set()  # short forms of the name whose meaning is settled
    others: dict[tuple[str, ...], str] = {}
    for (long, short), spelt in sorted(pairs.items(), key=lambda item: -len(item[1])):
        is_short_named = short in words and short not in meant
        is_long_named = stems == long or (len(long) + len(short) > _SHORTEST + 1 and _contains(stems, long))
        if is_short_named:
            meant.add(short)
        if is_long_named and short not in words:
            others.setdefault((short.lower(),), _most_written(pair.short for pair in spelt))
        elif is_short_named and not is_long_named:
            others.setdefault(long, _most_written(pair.long for pair in spelt))
    return tuple(others.values())


def _defined(text: str) -> Iterator[Abbreviation]:
    for match in _BRACKETS.finditer(text):
        start, inside = match.start(), _first_part(match[1])
        before = text[max(0, start - _WINDOW) : start].rstrip()
        before = before[max((end.end() for end in _CLAUSE_END.finditer(before)), default=0) :]
        long = _long_form(inside, before) if _is_short(inside) else ""
        if long:
            yield Abbreviation(long, inside)
        elif before:
            short = _trimmed(before.split()[-1])
            if _is_short(short) and not short.islower() and (long := _long_form(short, inside)):
                yield Abbreviation(long, short)


def _first_part(inside: str) -> str:
    end = _INSIDE_END.search(inside)
    return _trimmed(inside[: end.start() if end else None])


def _trimmed(text: str) -> str:
    return text.strip().strip("\"'“”‘’,;").strip()


def _is_short(form: str) -> bool:
    """Whether this may be a short form: two to ten characters, at most two words, a letter, begun by one or a digit."""
    return (
        _SHORTEST <= len(form) <= _LONGEST
        and len(form.split()) <= _SHORT_WORDS
        and any(character.isalpha() for character in form)
        and form[0].isalnum()
        and form[-1] not in ".,"
    )


def _most_words(short: str) -> int:
    """How many words a long form may have: min(|A| + 5, 2 |A|) of the paper."""
    return min(len(short) + 5, 2 * len(short))


def _last_words(text: str, most: int) -> str:
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    return text[starts[-most] if len(starts) > most else 0 :]


def _long_form(short: str, before: str) -> str:
    """The long form at the end of a text; empty if there is none."""
    return _spelt_by_initials(short, before) or _spelt_by_letters(short, _last_words(before, _most_words(short)))


def _spelt_by_initials(short: str, before: str) -> str:
    """The last words of a text if their initials are the letters of a short form in capitals, a plural's s aside."""
    letters = _singular(short).lower()
    long = _trimmed(_last_words(before, len(letters)))
    initials = "".join(word[0] for word in long.lower().split())
    return long if initials == letters and not short.islower() and _is_long(long, short) else ""


def _spelt_by_letters(short: str, window: str) -> str:
    """The shortest end of a few words in which the letters of the short form stand in order."""
    at = len(window)
    for number in range(len(short) - 1, -1, -1):
        character = short[number].lower()
        if not character.isalnum():
            continue
        at -= 1
        while at >= 0 and (
            window[at].lower() != character or (number == 0 and at > 0 and _WORD_START.match(window, at) is None)
        ):
            at -= 1
        if at < 0:
            return ""
    word_start = max(window.rfind(separator, 0, at) for separator in (" ", "\t", "\n", "(", "[", "/")) + 1
    long = _trimmed(window[word_start:])
    return long if _is_long(long, short) else ""


def _is_long(long: str, short: str) -> bool:
    """Whether this may be a long form: longer than the short one, which is no word of it, and whole."""
    words = long.split()
    return (
        len(long) > len(short)
        and len(words) <= _most_words(short)
        and short not in _written_words(long)
        and all(long.count(opened) == long.count(closed) for opened, closed in ("()", "[]"))
        and any(stem(word) for word in split_words(words[0]))
    )


def _stems(text: str) -> tuple[str, ...]:
    """The stems of all words, stop words as they are: "Down syndrome" is no syndrome of any kind."""
    return tuple(stem(word) or word for word in split_words(text))


def _written_words(text: str) -> list[str]:
    return re.findall(r"[^\s()\[\],;:\"“”/]+", text)


def _singular(word: str) -> str:
    """A short form without the s of a plural: "SNPs", "SNP"."""
    return word[:-1] if len(word) > _SHORTEST and word.endswith("s") and word[-2].isupper() else word


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    size = len(part)
    return size > 0 and any(tuple(words[n : n + size]) == tuple(part) for n in range(len(words) - size + 1))


def _most_written(forms: Iterable[str]) -> str:
    return Counter(forms).most_common(1)[0][0]

"""From a text to the words that are compared: lower case, ASCII folding, stop words, Snowball English.

Two texts share a word when they share a stem. Measured on SciFact's 809 training claims against its 5,183 abstracts
(BM25, nDCG@10): keeping decimals such as ``0.05`` whole gains 0.003, possessives left to the stemmer 0.001; spelling
Greek letters out costs nothing and lets ``α-synuclein`` meet ``alpha-synuclein``.
"""

from __future__ import annotations

import re
import threading
import unicodedata

import Stemmer  # type: ignore[import-not-found,import-untyped,unused-ignore]

__all__ = ["ANALYSER", "analyse", "fold", "split_words", "stem"]

ANALYSER = "english-1"
"""Name and version. It changes whenever `analyse` would answer differently, because indexes store it."""

_LONGEST_WORD = 64  # code points; what follows is cut off, so that a pasted file cannot become one huge word
_MOST_STEMS = 500_000  # remembered stems, some 60 MB; beyond that the memory starts afresh

# A stop, comma or apostrophe that is not inside a number (0.05; 1,000) or a word (Alzheimer's).
_OUTER = re.compile(r"[.,'](?!(?<=[0-9][.,])[0-9]|(?<=[a-z0-9]')[a-z0-9])")
# Splitting at spaces is three times as fast as matching words, so everything else that separates becomes a space.
_SEPARATORS = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum() and chr(code) not in ".,'"}
)

_STOP_WORDS = frozenset(
    """
    a an the and or but nor so yet if then than as because while although though whereas unless until whether
    of in on at by to from for with without within into onto upon over under about above below between among through
    during before after against toward towards via per out up down off
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
    myself ourselves yourself himself herself itself themselves
    this that these those here there who whom whose which what when where why how
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would cannot
    no not only also such very too just both either neither each every any all some most more other another same own
    again further once ever
    isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't
    it's that's there's let's
    """.split()  # noqa: SIM905
)

# Letters that Unicode does not take apart, apostrophes as they are typed, and accents (removed).
_FOLDING = {
    **dict(zip("øđłħıŋð", "odlhind", strict=True)),
    **{"æ": "ae", "œ": "oe", "þ": "th"},
    **dict.fromkeys("’‘ʼ′", "'"),
    # Spaces around a spelt-out letter make TNFα the two words of TNF-alpha.
    **{letter: f" {unicodedata.name(letter).rsplit(' ', 1)[-1].lower()} " for letter in "αβγδεζηθικμνξοπρστυφχψω"},
    "λ": " lambda ",  # Unicode spells it LAMDA
}
_ACCENTS = frozenset(map(chr, range(0x300, 0x370)))  # what NFKD takes off letters; removed without a gap
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def analyse(text: str) -> list[str]:
    """The stems of a text in reading order, repeats included; empty when it has no searchable word.

    Any string is fine: NUL, lone surrogates, symbols and emoji separate words. Letters of other scripts are kept.
    """
    return [found for word in split_words(text) if (found := _stems[word])]


def split_words(text: str) -> list[str]:
    """The folded words of a text, stop words included, as `stem` takes them."""
    return _OUTER.sub(" ", fold(text)).translate(_SEPARATORS).split()


def stem(word: str) -> str:
    """The stem of a folded word, or an empty string for a stop word."""
    return _stems[word]


def fold(text: str) -> str:
    """Lower case without accents, ligatures or full-width forms; Greek letters become their English names.

    Of the characters beyond ASCII only letters and digits are left, the others become spaces.
    """
    if text.isascii():
        return text.lower()
    return _NOT_ASCII.sub(_fold_character, unicodedata.normalize("NFKD", text).casefold())


def _fold_character(match: re.Match[str]) -> str:
    character = match[0]
    if character in _ACCENTS:
        return ""
    return _FOLDING.get(character) or (character if character.isalnum() else " ")


class _Stems(dict[str, str]):
    """Word to stem, remembered; stop words have an empty stem. Looking a known word up costs no Python call."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._stemmer.maxCacheSize = 0
        self._lock = threading.Lock()  # a stemmer must not be shared between threads unguarded

    def __missing__(self, word: str) -> str:
        with self._lock:
            found = "" if word in _STOP_WORDS else str(self._stemmer.stemWord(word[:_LONGEST_WORD]))
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _MOST_STEMS:
                self.clear()
            self[word] = found
        return found


_stems = _Stems()

"""The verbs of claims, and their forms: what a rule can conjugate without a parser."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

__all__ = ["BE", "FORMS", "Form", "VerbForm", "gerund", "past", "third", "word_set"]

Form = Literal["third", "base", "past"]

BE = frozenset({"is", "are", "was", "were"})

_VERBS = """
abolish accelerate activate act affect aggravate alleviate allow alter ameliorate appear attenuate benefit bind block
boost cause cleave compete confer confirm constitute contain contribute control correlate cure damage decrease degrade
delay demonstrate depend deplete destroy determine develop differ diminish display disrupt double drive elicit
eliminate elevate enable encode encourage enhance exacerbate exceed exhibit exist expand experience express extend
facilitate form function generate grow harm help identify impact impair impede improve inactivate include increase
induce infect influence inhibit interact involve kill lack lead lengthen limit localize lower maintain make mediate
minimize modulate neutralize occur offer originate persist phosphorylate play possess predict present prevent produce
prolong promote protect provide raise reach recognize recruit reduce regulate release remain repress require rescue
respond restore restrain restrict result reveal secrete serve shorten show slow spread stabilize stimulate stop
strengthen suppress survive target transmit trigger undergo upregulate up-regulate downregulate down-regulate use vary
weaken work worsen
"""
_IRREGULAR = {
    "bind": "bound",
    "cut": "cut",
    "drive": "drove",
    "grow": "grew",
    "have": "had",
    "lead": "led",
    "make": "made",
    "show": "showed",
    "spread": "spread",
    "undergo": "underwent",
}
_DOUBLED = {"cut": "cutt", "stop": "stopp", "transmit": "transmitt", "control": "controll"}


class VerbForm(NamedTuple):
    """A verb's base form, and which form of it a word is."""

    base: str
    form: Form


def word_set(text: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(text.split())


def third(base: str) -> str:
    """The third person singular: has, reduces, varies, reaches."""
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if _consonant_y(base) else base + "s"


def past(base: str) -> str:
    """The past tense: reduced, varied, stopped, led."""
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if _consonant_y(base) else _DOUBLED.get(base, base) + "ed"


def gerund(base: str) -> str:
    """The form in -ing: reducing, stopping."""
    return (base[:-1] if base.endswith("e") else _DOUBLED.get(base, base)) + "ing"


def _consonant_y(base: str) -> bool:
    return base.endswith("y") and base[-2] not in "aeiou"


def _forms() -> dict[str, VerbForm]:
    forms: dict[str, VerbForm] = {}
    for base in _VERBS.split():
        forms[past(base)] = VerbForm(base, "past")
        forms[base] = VerbForm(base, "base")
        forms[third(base)] = VerbForm(base, "third")
    return forms


FORMS: Mapping[str, VerbForm] = MappingProxyType(_forms())
"""Every finite form of the verbs known here, by its spelling."""

"""Examples changed by rule while they train: claims negated, turned round, asked; titles and sentences left out.

What is drawn is a function of the seed, the epoch and the example's place, so that a stage that is resumed sees what
it would have seen. The texts that no rule changes stay verbatim, and a label changes only where the rule makes the
new one certain:

- negation: SUPPORTS and REFUTES change places, NEI stays;
- direction and number: SUPPORTS becomes REFUTES, NEI stays. REFUTES is left alone: what is wrong in one way isn't right
  in another;
- question, title and sentences: the label stays.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from sciverify.records import Label
from sciverify.text.clauses import negations
from sciverify.text.phrasing import interrogative, is_separable, negate
from sciverify.training.examples import Example, Span
from sciverify.training.numerals import change_number
from sciverify.training.opposites import turn_round

__all__ = ["AUGMENTATIONS", "Rates", "augment", "balanced_negation", "refuted_share"]

_LEFT_OUT = 1 / 3  # at most this share of the sentences that may be left out
_OPPOSITE = {Label.SUPPORTS: Label.REFUTES, Label.REFUTES: Label.SUPPORTS, Label.NEI: Label.NEI}
_FALSE = {Label.SUPPORTS: Label.REFUTES, Label.NEI: Label.NEI}


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each augmentation is tried on an example, each 0 (never) to 1.

    Raises:
        ValueError: one is no share.
    """

    negation: float = 0.0
    direction: float = 0.0
    number: float = 0.0
    question: float = 0.0
    title: float = 0.0
    sentences: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 <= getattr(self, field.name) <= 1:
                raise ValueError(f"the rate of {field.name} is {getattr(self, field.name)}, not a share from 0 to 1")

    @property
    def augments(self) -> bool:
        """Whether there is any."""
        return self != Rates()


def negation(example: Example, _: random.Random | None = None) -> Example | None:
    """The claim negated, or its negation taken away; None where `negate` has no rule, or the new label is open.

    A refuted claim of several parts ("X lowers A and B") may be false in one of them only; its negation isn't safe.
    """
    claim = negate(example.claim)
    if claim is None or example.label is None or (example.label is Label.REFUTES and is_separable(example.claim)):
        return None
    return replace(example, claim=claim, label=_OPPOSITE[example.label])


def direction(example: Example, _: random.Random | None = None) -> Example | None:
    """The claim's direction turned round; None for refuted claims and where `turn_round` has no rule."""
    label = _FALSE.get(example.label) if example.label is not None else None
    claim = turn_round(example.claim) if label is not None else None
    return replace(example, claim=claim, label=label) if claim is not None else None


def number(example: Example, rng: random.Random) -> Example | None:
    """A number of the claim changed; None for refuted claims and where `change_number` has no rule."""
    label = _FALSE.get(example.label) if example.label is not None else None
    claim = change_number(example.claim, rng) if label is not None else None
    return replace(example, claim=claim, label=label) if claim is not None else None


def question(example: Example, _: random.Random | None = None) -> Example | None:
    """The claim asked as a closed question, whose answer is yes where the claim is supported."""
    claim = interrogative(example.claim) if example.label is not None else None
    return replace(example, claim=claim) if claim is not None else None


def title(example: Example, _: random.Random | None = None) -> Example | None:
    """Without the title; None where there is none."""
    return replace(example, title="") if example.title else None


def sentences(example: Example, rng: random.Random) -> Example | None:
    """Without some sentences that belong to no rationale and hold no answer, in the order that was.

    None where no sentence may be missing: there is only one, or it isn't known which ones the label rests on.
    """
    needed = frozenset().union(*example.evidence)
    if example.label is not Label.NEI and not needed:
        return None
    if example.targets is not None:
        needed |= {n for n, target in enumerate(example.targets) if target}
    needed |= {span.element for span in example.spans or ()}
    free = [n for n in range(len(example.elements)) if n not in needed]
    most = min(len(free), int(len(free) * _LEFT_OUT) + 1, len(example.elements) - 1)
    if most < 1:
        return None
    dropped = set(rng.sample(free, rng.randint(1, most)))
    kept = [n for n in range(len(example.elements)) if n not in dropped]
    place = {old: new for new, old in enumerate(kept)}
    return replace(
        example,
        elements=tuple(example.elements[n] for n in kept),
        targets=tuple(example.targets[n] for n in kept) if example.targets is not None else None,
        evidence=tuple(frozenset(place[n] for n in rationale) for rationale in example.evidence),
        spans=tuple(Span(place[s.element], s.start, s.end) for s in example.spans) if example.spans else example.spans,
    )


AUGMENTATIONS: Mapping[str, Callable[[Example, random.Random], Example | None]] = {
    "negation": negation,
    "direction": direction,
    "number": number,
    "question": question,
    "title": title,
    "sentences": sentences,
}
"""By the names of their rates; each gives None where it doesn't apply, and never changes what it is given."""

_OF_THE_TRUTH = ("negation", "direction", "number")  # at most one of them, as two might make the claim true again
_OF_THE_FORM = ("question", "title", "sentences")


def augment(examples: Sequence[Example], rates: Rates, seed: int, epoch: int) -> list[Example]:
    """The examples of an epoch, in order, each changed or not by the luck of its place, the epoch and the seed."""
    if not rates.augments:
        return list(examples)
    of_label = balanced_negation(examples, rates.negation)
    return [
        _augmented(example, rates, of_label, random.Random(f"{seed}-{epoch}-{place}"))
        for place, example in enumerate(examples)
    ]


def balanced_negation(examples: Sequence[Example], rate: float) -> dict[Label, float]:
    """The rates of negation by label, none above `rate`, with which "not" in a claim gives the least away.

    Negating supported and refuted claims alike would leave more refuted than supported ones among those with a negation
    wherever more claims are supported at first, and most data sets begin with too many. So one of the two is negated
    less often: as much less as brings the share of REFUTES among claims with a negation closest to that among the rest.
    """
    known = [e for e in examples if e.label in (Label.SUPPORTS, Label.REFUTES)] if rate else []
    counts: Counter[tuple[Label | None, bool, bool]] = Counter(
        (e.label, negations(e.claim) > 0, negation(e) is not None) for e in known
    )
    steps = [n / 40 for n in range(41)]
    choices = [(rate, rate * step) for step in steps] + [(rate * step, rate) for step in steps]
    supports, refutes = min(choices, key=lambda pair: (round(_giveaway(counts, *pair), 3), -sum(pair)))
    return {Label.SUPPORTS: supports, Label.REFUTES: refutes, Label.NEI: rate}


def refuted_share(examples: Sequence[Example], *, negated: bool) -> float:
    """The share of REFUTES among the supported and refuted claims with a negation, or without; 0 if there are none."""
    labels = [e.label for e in examples if (negations(e.claim) > 0) == negated and e.label is not Label.NEI]
    return labels.count(Label.REFUTES) / max(1, len(labels) - labels.count(None))


def _giveaway(counts: Counter[tuple[Label | None, bool, bool]], supports: float, refutes: float) -> float:
    """How far apart the shares of REFUTES with and without a negation are expected to be at these rates."""
    rates = {Label.SUPPORTS: supports, Label.REFUTES: refutes}
    expected = {(label, negated): 0.0 for label in rates for negated in (False, True)}
    for (label, negated, negatable), count in counts.items():
        if label is not None:
            turned = count * rates[label] if negatable else 0.0
            expected[_OPPOSITE[label], not negated] += turned
            expected[label, negated] += count - turned
    negated_share, plain_share = (
        expected[Label.REFUTES, negated] / (expected[Label.REFUTES, negated] + expected[Label.SUPPORTS, negated] or 1)
        for negated in (True, False)
    )
    return abs(negated_share - plain_share)


def _augmented(example: Example, rates: Rates, of_label: Mapping[Label, float], rng: random.Random) -> Example:
    # All luck is drawn at once, so that one rate doesn't shift that of the others.
    luck = {name: (rng.random(), rng.getrandbits(64)) for name in AUGMENTATIONS}
    changed = None
    for name in _OF_THE_TRUTH:
        rate = getattr(rates, name)
        if name == "negation" and example.label is not None:
            rate = of_label[example.label]
        drawn, seed = luck[name]
        if drawn < rate and changed is None:
            changed = AUGMENTATIONS[name](example, random.Random(seed))
    example = changed or example
    for name in _OF_THE_FORM:
        drawn, seed = luck[name]
        if drawn < getattr(rates, name):
            example = AUGMENTATIONS[name](example, random.Random(seed)) or example
    return example

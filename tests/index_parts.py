"""What the tests of the index share: a deterministic encoder, documents to order, and hypothesis strategies."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sciverify.records import Document, Element, ElementKind, Filters, Metadata

VOCABULARY = tuple(
    """
    aspirin statin insulin placebo mortality stroke cancer vitamin virus protein kinase receptor alpha beta mouse
    trial cohort risk dose therapy infection lung heart liver kidney brain bone serum plasma gene
    """.split()  # noqa: SIM905
)
JOURNALS = ("", "Lancet", "J. Clin\x00", "Zeitschrift für \ud800Medizin", "中华医学")
BUILD_SIZE = 400  # documents of the builds that are killed
TYPES = ("Review", "Clinical Trial", "", "Méta-analyse", "\udfff")


class HashEncoder:
    """Bags of hashed words, made unit vectors; counts its calls."""

    dimensions = 16

    def __init__(self, name: str = "hashes-1") -> None:
        self.name = name
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += len(texts)
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows[:, 0] = 0.1
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[blake2b(word.encode("utf-8", "surrogatepass")).digest()[0] % self.dimensions] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def make_document(id: str, seed: int, sentences: int = 4) -> Document:
    """A document of random words; the same arguments give the same document."""
    rng = random.Random(f"{id}-{seed}")
    metadata = Metadata(
        year=rng.choice([None, *range(1990, 2025)]),
        journal=rng.choice(JOURNALS),
        publication_types=tuple(rng.sample(TYPES, rng.randrange(3))),
        retracted=rng.random() < 0.2,
    )
    texts = [" ".join(rng.choices(VOCABULARY, k=8)) + "." for _ in range(sentences)]
    return Document.from_sentences(id, " ".join(rng.choices(VOCABULARY, k=4)), texts, metadata)


def make_documents(count: int, seed: int = 0) -> list[Document]:
    """Documents ``d0``, ``d1`` ..."""
    return [make_document(f"d{number}", seed) for number in range(count)]


any_text = st.text(st.characters(), max_size=40)  # every code point, lone surrogates and NUL included
years = st.none() | st.integers(1995, 2005) | st.integers(-(10**15), 10**15)
metadata = st.builds(
    Metadata,
    year=years,
    journal=st.sampled_from(JOURNALS) | any_text,
    authors=st.lists(any_text, max_size=3).map(tuple),
    doi=any_text,
    pmid=any_text,
    publication_types=st.lists(st.sampled_from(TYPES) | any_text, max_size=3).map(tuple),
    retracted=st.booleans(),
)


@st.composite
def documents(draw: st.DrawFn, id: str | None = None) -> Document:
    """Any document: sentences and cells of any text, any metadata."""
    sentences = [
        Element(f"sentence_{number}", ElementKind.SENTENCE, draw(any_text)) for number in range(draw(st.integers(0, 3)))
    ]
    cells = [Element(f"cell_0_{n}_1", ElementKind.CELL, draw(any_text)) for n in range(draw(st.integers(0, 2)))]
    name = id if id is not None else draw(st.text(st.characters(), min_size=1, max_size=12))
    return Document(name, draw(any_text), tuple(sentences + cells), draw(metadata))


@st.composite
def filters(draw: st.DrawFn) -> Filters:
    """Any filters over what `documents` and `make_document` produce."""
    first, last = draw(years), draw(years)
    if first is not None and last is not None and first > last:
        first, last = last, first
    return Filters(
        first,
        last,
        tuple(draw(st.lists(st.sampled_from(JOURNALS), max_size=2))),
        tuple(draw(st.lists(st.sampled_from(TYPES), max_size=2))),
        draw(st.none() | st.booleans()),
    )

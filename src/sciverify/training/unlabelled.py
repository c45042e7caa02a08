"""Claims without labels, made from medical abstracts, for a teacher to judge.

Titles that state something and sentences that conclude become claims. Each is read against its own abstract, from
which it has been taken out, and against abstracts that are like it by TF-IDF: what supports a claim, what is only near
it, and now and then what contradicts it.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from sciverify.records import Claim, Document
from sciverify.retrieval import TfidfRetriever
from sciverify.stages import DocumentSource, Retriever
from sciverify.text.sentences import split_sentences
from sciverify.training.examples import Example

__all__ = [
    "Abstracts",
    "Statement",
    "load_abstracts",
    "others_like",
    "shuffled_statements",
    "stated",
    "together",
    "unlabelled",
]

T = TypeVar("T")

_NEAR = 10  # how deep other abstracts are drawn from
_TOGETHER = 1000  # claims that are searched for at once
_LENGTH = range(30, 301)  # characters of a claim

_VERB = re.compile(
    r"(?<!\bto )\b(?:is|are|was|were|has|have|does|do|can|cannot|may|might|could|will|should|fails?|leads? to|"
    r"depends? on|(?:accelerat|activat|ameliorat|attenuat|caus|correlat|decreas|determin|elevat|enhanc|increas|induc|"
    r"influenc|mediat|modulat|stimulat|promot|rais|reduc|regulat|stabiliz|improv|interfer|involv|requir|produc|provid)es?|"
    r"(?:affect|alter|block|contribut|inhibit|predict|prevent|protect|impair|prolong|restor|suppress|trigger|worsen|"
    r"confer|reveal|lower|support|lack|reflect|delay|limit|control|maintain|express|bind|target|interact)(?:e?s))\b"
)
_LEAD_IN = re.compile(
    r"(?:(?:authors?'? |main )?conclusions?|interpretation|summary)(?:\s*[:.]\s*|\s+(?=[A-Z]))"
    r"|(?:in conclusion|in summary|to conclude|taken together|collectively|overall|thus|therefore|hence)\s*,?\s+"
    r"|(?:(?:all|both|together|from)\s+)?(?:these|those|this|our|the|present|current)\s+(?:\w+\s+){0,3}"
    r"(?:results?|data|findings?|stud(?:y|ies)|observations?|analys[ei]s|experiments?|trial|evidence|authors?)\s+"
    r"(?:\w+ly\s+|therefore\s+|thus\s+|also\s+){0,2}"
    r"(?:suggest|indicate|show|demonstrate|confirm|impl(?:y|ie)|conclude|reveal|provide (?:strong )?evidence)"
    r"(?:s|ed)?\s+that\s+"
    r"|(?:we|it (?:is|was|can be|may be))\s+(?:\w+ly\s+|therefore\s+|thus\s+)?"
    r"(?:conclude|suggest|propose|demonstrate|show)(?:d|ed)?\s+that\s+",
    re.IGNORECASE,
)
_TRANSLATED = re.compile(r"^\[(?P<title>.*?)\.?\](?:\.?\s*\[\w+\]\.?)?$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim made from an abstract, and what of the abstract is left to judge it by."""

    claim: str
    document: str
    title: str
    elements: tuple[str, ...]


class Abstracts(DocumentSource):
    """Abstracts by id, cut into sentences."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents

    def __len__(self) -> int:
        return len(self._documents)

    def documents(self, ids: Sequence[str] | None = None) -> Iterator[Document]:
        """See `sciverify.stages.DocumentSource`."""
        yield from self._documents.values() if ids is None else (self._documents[id] for id in ids)


def load_abstracts(data: Path) -> Abstracts:
    """The abstracts of ``abstracts/medical_abstracts.jsonl.gz``, without those that lie in SciFact's corpus.

    A document's id is the number of its line. Raises FileNotFoundError where the file is missing.
    """
    documents = {}
    with gzip.open(data / "abstracts/medical_abstracts.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            sentences = [sentence.strip() for sentence in split_sentences(row["abstract"])]
            if not row["in_scifact_corpus"] and (kept := [sentence for sentence in sentences if sentence]):
                documents[str(number)] = Document.from_sentences(str(number), row["title"].strip(), kept)
    return Abstracts(documents)


def stated(document: Document) -> list[Statement]:
    """The claims that an abstract makes: its title, if there is a verb in it, and its last concluding sentence.

    The claim is taken out of what it is to be judged by.
    """
    texts = tuple(element.text for element in document.elements)
    statements = []
    if (claim := _title_claim(document.title)) and len(texts) > 1:
        statements.append(Statement(claim, document.id, "", texts))
    for number in reversed(range(len(texts))):
        if claim := _conclusion(texts[number]):
            rest = texts[:number] + texts[number + 1 :]
            if len(rest) > 1:
                statements.append(Statement(claim, document.id, document.title, rest))
            break
    return statements


def shuffled_statements(abstracts: Abstracts, rng: random.Random) -> list[Statement]:
    """What all abstracts state, in random order."""
    statements = [statement for document in abstracts.documents() for statement in stated(document)]
    rng.shuffle(statements)
    return statements


def together(statements: Iterable[T]) -> Iterator[list[T]]:
    """A thousand at a time: what is searched for at once."""
    source = iter(statements)
    while batch := list(islice(source, _TOGETHER)):
        yield batch


def others_like(retriever: Retriever, statements: Sequence[Statement]) -> list[list[Document]]:
    """The abstracts most like each statement, its own left out: the first ten, and one more where that isn't found."""
    rankings = retriever.retrieve([Claim("", statement.claim) for statement in statements], _NEAR + 1)
    return [
        [candidate.document for candidate in ranking.candidates if candidate.document.id != statement.document]
        for statement, ranking in zip(statements, rankings, strict=True)
    ]


def unlabelled(abstracts: Abstracts, seed: int, others: int = 1) -> Iterator[Example]:
    """Each claim against its own abstract and against `others` of the ten abstracts most like it, in random order.

    Nothing in an example is known but its text: it trains what a teacher says about it.
    """
    rng = random.Random(f"{seed}-unlabelled")
    statements = shuffled_statements(abstracts, rng)
    retriever = TfidfRetriever(abstracts)
    for batch in together(statements):
        for statement, found in zip(batch, others_like(retriever, batch), strict=True):
            yield Example(statement.claim, statement.title, statement.elements, source="unlabelled")
            near = found[:_NEAR]
            for document in rng.sample(near, min(others, len(near))):
                texts = tuple(element.text for element in document.elements)
                yield Example(statement.claim, document.title, texts, source="unlabelled")


def _title_claim(title: str) -> str | None:
    """The title without brackets and subtitle, if it states or asks something."""
    if match := _TRANSLATED.match(title):
        title = match["title"]
    main = re.split(r"[:.](?=\s)", title)[0].strip()
    return _claim(main) if main.endswith("?") or _VERB.search(main) else None


def _conclusion(sentence: str) -> str | None:
    """What a sentence concludes, without the words that announce it; None if there are none."""
    rest = sentence
    while match := _LEAD_IN.match(rest):
        rest = rest[match.end() :]
    return _claim(rest) if rest != sentence else None


def _claim(text: str) -> str | None:
    text = " ".join(text.split()).rstrip(" .")
    if len(text) not in _LENGTH:
        return None
    return text[0].upper() + text[1:] + ("" if text.endswith("?") else ".")

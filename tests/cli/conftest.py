"""Records made by hand, and the command line run in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from sciverify.cli import main
from sciverify.index import Index
from sciverify.records import (
    Candidate,
    Claim,
    Consensus,
    ConsensusLabel,
    Document,
    Element,
    ElementKind,
    Filters,
    Finding,
    Label,
    Metadata,
    Probabilities,
    Problem,
    Quote,
    Verdict,
)
from sciverify.stages import DocumentSource


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process."""

    def run(*arguments: str) -> Outcome:
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(int(code), captured.out, captured.err)

    return run


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """The command line in a process of its own, in an empty folder; bytes decode as UTF-8."""

    def run(*arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None) -> Outcome:
        environment = {
            name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR", "FORCE_COLOR"}
        }
        process = subprocess.run(
            [sys.executable, "-m", "sciverify", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=tmp_path,
            env=environment | (env or {}),
            check=False,
            timeout=120,
        )
        return Outcome(process.returncode, process.stdout.decode(), process.stderr.decode())

    return run


def make_finding(
    id: str,
    label: Label,
    *,
    title: str = "A trial of something",
    sentences: tuple[str, ...] = ("We asked.", "It worked well.", "More is needed."),
    metadata: Metadata | None = None,
) -> Finding:
    document = Document.from_sentences(id, title, sentences, metadata)
    probabilities = {
        Label.SUPPORTS: Probabilities(0.9, 0.04, 0.06),
        Label.REFUTES: Probabilities(0.04, 0.9, 0.06),
        Label.NEI: Probabilities(0.04, 0.06, 0.9),
    }[label]
    rationale = () if label is Label.NEI else (Quote.whole(document.elements[1], 0.8),)
    return Finding(document, label, probabilities, rationale, Candidate(document, 3.25, ("bm25", "dense")))


@pytest.fixture
def verdict() -> Verdict:
    """Two papers for, one against, one silent; a table cell and a part of a sentence among the quotes."""
    page = Document(
        "page-1",
        "Survival by group",
        (
            Element("sentence_0", ElementKind.SENTENCE, "Mortality fell from 12 % to 7 % in the treated group."),
            Element("cell_0_1_2", ElementKind.CELL, "7 %"),
        ),
        Metadata(2019, "The Journal", ("A. Author", "B. Author"), "10.1000/xyz", "123", ("RCT",), retracted=True),
    )
    partial = Finding(
        page,
        Label.SUPPORTS,
        Probabilities(0.75, 0.05, 0.2),
        (Quote("sentence_0", 0, 14, "Mortality fell", 0.9), Quote.whole(page.elements[1], 0.6)),
    )
    findings = (
        make_finding("doc-1", Label.SUPPORTS, metadata=Metadata(2001, "Heart", pmid="77")),
        partial,
        make_finding("doc-2", Label.REFUTES),
        make_finding("doc-3", Label.NEI, title="Off topic"),
    )
    return Verdict(
        Claim("1", "Treatment lowers mortality"),
        findings,
        Consensus(ConsensusLabel.BALANCED, 2, 1, 1, 0.2, 0.94, 1.0, "2 support, 1 refutes: too close to call"),
        "default(k=20)",
        (Problem("document 'doc-9'", "it has no text"),),
        ("The index holds no vectors",),
    )


class KeywordSystem:
    """Every document of the index supports a claim that shares its first word, refutes one that says "not".

    Documents whose title says "broken" are problems. It stands in for the models where only the command is at test.
    """

    def __init__(self, name: str, index: DocumentSource | None = None, k: int = 20) -> None:
        self.name, self.index, self.k = f"{name}(k={k})", index, k

    def check(self, claims: Sequence[Claim], filters: Filters | None = None) -> list[Verdict]:
        assert self.index is not None
        documents = [d for d in self.index.documents() if filters is None or filters.accept(d.metadata)][: self.k]
        return [self.check_documents(claim, documents) for claim in claims]

    def check_documents(self, claim: Claim, documents: Sequence[Document]) -> Verdict:
        broken = tuple(Problem(f"document {d.id!r}", "it is broken") for d in documents if "broken" in d.title)
        label = Label.REFUTES if "not" in claim.text.split() else Label.SUPPORTS
        findings = tuple(self._finding(claim, label, d) for d in documents if "broken" not in d.title)
        counts = [sum(finding.label is label for finding in findings) for label in Label]
        consensus = Consensus(ConsensusLabel.NEUTRAL, *counts, 0.0, 1.0, 1.0, "counted by hand")
        return Verdict(claim, findings, consensus, self.name, broken)

    def _finding(self, claim: Claim, label: Label, document: Document) -> Finding:
        hits = [e for e in document.elements if e.text and claim.text and e.text.split()[0] == claim.text.split()[0]]
        if not hits:
            return Finding(document, Label.NEI, Probabilities(0.0, 0.0, 1.0))
        sides = (0.8, 0.1) if label is Label.SUPPORTS else (0.1, 0.8)
        return Finding(document, label, Probabilities(*sides, 0.1), tuple(map(Quote.whole, hits)))


@pytest.fixture
def keyword_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """`load_system` gives a `KeywordSystem`, whatever the name."""
    monkeypatch.setattr("sciverify.systems.load_system", KeywordSystem)


@pytest.fixture(scope="session")
def sleep_index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of an index of four documents, one of which `KeywordSystem` cannot read; it stays as it is."""
    path = tmp_path_factory.mktemp("cli") / "sleep.index"
    documents = [
        Document.from_sentences("a1", "Sleep and memory", ["Sleep improved recall.", "Naps did."], Metadata(2001)),
        Document.from_sentences("a2", "Sleep and mood", ["We asked students.", "Sleep lifted mood."], Metadata(2010)),
        Document.from_sentences("a3", "Coffee", ["Coffee delays sleep."], Metadata(2015, retracted=True)),
        Document.from_sentences("a4", "A broken record", ["Sleep."], Metadata(1990)),
    ]
    Index.build(path, documents).close()
    return str(path)

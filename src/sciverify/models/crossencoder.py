"""The verifier's model at run time: claim, title and elements in, scores of label, relevance, elements, spans out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sciverify.errors import ModelError, SettingError
from sciverify.models.card import REINSTALL, read_card, signature
from sciverify.models.inputs import InputShape, Window, build_windows
from sciverify.models.session import Session
from sciverify.models.spans import WindowScores, lay_out, read_window, window_shape
from sciverify.models.tokens import WEIGHTS, Pieces, load_tokenizer
from sciverify.records import Claim, Document, Label
from sciverify.text.windows import Tokenizer2D

__all__ = [
    "CrossEncoderModel",
    "Decision",
    "Passage",
    "Scores",
    "calibrated",
    "load_cross_encoder",
    "merge_windows",
    "softmax",
]

LABELS = (Label.SUPPORTS, Label.REFUTES, Label.NEI)
"""The order of `Scores.label`, whatever the order in the file."""

_SELF_CHECK_TOLERANCE = 0.15  # of a probability: other processors round int8 differently, a permuted file errs by more


class Passage(NamedTuple):
    """What is read against a claim: a title and elements in reading order, any of them possibly empty."""

    claim: str
    title: str
    elements: Sequence[str]

    @classmethod
    def of(cls, claim: Claim, document: Document) -> Passage:
        """A claim against a whole document."""
        return cls(claim.text, document.title, [element.text for element in document.elements])


@dataclass(frozen=True, slots=True)
class Scores:
    """Logits of one passage: `label` in the order of `LABELS`, `relevance`, and one per element."""

    label: NDArray[np.float32]
    relevance: float
    elements: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Decision:
    """How scores become a finding; the values are fitted on cross-validation folds and ship with the weights.

    `temperature` divides the label logits; `retrieval`, times what the retrieval score lacks of 1, is added to that of
    NEI (`calibrated`). Below `evidence` (the probability of SUPPORTS + REFUTES) a document is NEI; elements with at
    least the probability `element` are quoted, at most `quotes` of them. `reread` is the weight of a second reading of
    the rationale alone, and `alone` that of each element's own (`sciverify.verification.rereading`). A window's best
    span is an extract where, against no span at all, it has at least the probability `span`
    (`sciverify.verification.extracts`). A card may lack any of them, as older ones do.

    Raises:
        SettingError: a value is out of range.
    """

    temperature: float = 1.0
    evidence: float = 0.5
    element: float = 0.5
    quotes: int = 5
    reread: float = 0.0
    retrieval: float = 0.0
    span: float = 0.5
    alone: float = 0.0

    def __post_init__(self) -> None:
        for name in ("evidence", "element", "reread", "span", "alone"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value <= 1:
                raise SettingError(f"{name} is {value!r}, not a probability", remedy="Give a number from 0 to 1")
        if not self.temperature > 0 or self.quotes < 1:
            raise SettingError("a temperature must be above 0 and quotes at least 1")
        if not 0 <= self.retrieval < float("inf"):
            raise SettingError(f"the weight of retrieval is {self.retrieval!r}, not a number of at least 0")


class CrossEncoderModel:
    """A folder with ``model.xml``, ``model.bin`` and ``model.json``, checked when it is opened.

    Args:
        folder: the model's files.
        threads: inference threads; None takes the processors that this process may use.
        self_check: False only while the card, whose known pairs it needs, is being written.

    Raises:
        ModelError: a file is missing, its hash differs from the card's, or the three known pairs of the card no
            longer get their labels (permuted columns, a damaged file, an engine that computes something else).
    """

    def __init__(
        self, folder: Path = WEIGHTS / "verifier", threads: int | None = None, *, self_check: bool = True
    ) -> None:
        self.folder = folder
        self.card = _read_card(folder)
        self.name = f"{self.card['name']}@{signature(self.card)}"
        try:
            self.shape = InputShape(**self.card["shape"])
            self.decision = Decision(**self.card["decision"])
        except (TypeError, SettingError) as error:
            raise ModelError(f"the card is damaged ({error})", where=str(folder), remedy=REINSTALL) from error
        self._columns = [self.card["labels"].index(label.value) for label in LABELS]
        self._tokens = load_tokenizer()
        self.session = Session(folder / "model.xml", threads)
        if self_check:
            self._self_check()

    def score(self, passages: Sequence[Passage]) -> list[Scores]:
        """Scores of each passage, in order; long passages are read in windows and merged (`merge_windows`)."""
        pieces = self._split(passages)
        windows: list[Window] = []
        owners: list[range] = []
        for passage in passages:
            elements = [pieces[text] for text in passage.elements]
            first = len(windows)
            windows += build_windows(self._tokens, pieces[passage.claim], pieces[passage.title], elements, self.shape)
            owners.append(range(first, len(windows)))
        outputs = self._run(windows)
        return [
            merge_windows(
                [self._window_scores(windows[n], outputs[n]) for n in owner],
                [windows[n].positions for n in owner],
                len(passage.elements),
            )
            for owner, passage in zip(owners, passages, strict=True)
        ]

    def score_windows(self, passages: Sequence[Passage], windows: Tokenizer2D) -> list[list[WindowScores]]:
        """Scores of each window of each passage, unmerged, those of spans included; all are read in full batches.

        Raises:
            SettingError: the windows leave no room beside a claim and a title.
        """
        shape = window_shape(self.shape, windows)
        pieces = self._split(passages)
        rows = []
        for passage in passages:
            elements = [pieces[text] for text in passage.elements]
            rows.append(
                lay_out(self._tokens, pieces[passage.claim], pieces[passage.title], elements, shape, windows.size)
            )
        outputs = iter(self._run([row.window for document in rows for row in document]))
        return [[read_window(row, next(outputs), self._columns) for row in document] for document in rows]

    def probabilities(self, scores: Scores, retrieved: float = 1.0) -> NDArray[np.float64]:
        """Calibrated probabilities in the order of `LABELS`; shape (3,), sum 1 (`calibrated` on `retrieved`)."""
        return calibrated(scores.label, self.decision, retrieved)

    def _split(self, passages: Sequence[Passage]) -> dict[str, Pieces]:
        """The pieces of every text in the passages, each text split once."""
        texts = list(dict.fromkeys(t for p in passages for t in (p.claim, p.title, *p.elements)))
        return dict(zip(texts, self._tokens.split(texts), strict=True))

    def _run(self, windows: Sequence[Window]) -> list[dict[str, NDArray[np.float32]]]:
        return self.session.run(
            {
                "input_ids": [window.input_ids for window in windows],
                "token_type_ids": [window.token_type_ids for window in windows],
            }
        )

    def _window_scores(self, window: Window, output: Mapping[str, NDArray[np.float32]]) -> Scores:
        return Scores(
            output["label"][self._columns],
            float(output["relevance"]),
            output["tokens"][window.separators, 0] if window.separators else np.empty(0, np.float32),
        )

    def _self_check(self) -> None:
        checks = self.card["self_check"]
        if not checks:
            raise ModelError("the card holds no known pairs", where=str(self.folder), remedy=REINSTALL)
        passages = [Passage(check["claim"], check["title"], check["elements"]) for check in checks]
        for check, scores in zip(checks, self.score(passages), strict=True):
            probabilities = self.probabilities(scores)
            found = {label.value: float(p) for label, p in zip(LABELS, probabilities, strict=True)}
            if any(abs(found[name] - p) > _SELF_CHECK_TOLERANCE for name, p in check["probabilities"].items()):
                raise ModelError(
                    f"the model answers a known pair with {_rounded(found)} instead of "
                    f"{_rounded(check['probabilities'])}",
                    where=str(self.folder),
                    remedy=REINSTALL,
                )


def merge_windows(windows: Sequence[Scores], positions: Sequence[range], elements: int) -> Scores:
    """One document's scores from its windows'.

    The label logits are those of the window with the most evidence (the lowest share of NEI): evidence anywhere in a
    document is evidence (of windows with as much, the first one's). Relevance, and an element read more than once, take
    the highest score.
    """
    evidence = [float(np.logaddexp(w.label[0], w.label[1]) - w.label[2]) for w in windows]
    merged = np.full(elements, -np.inf, dtype=np.float32)
    for window, where in zip(windows, positions, strict=True):
        if len(where):
            part = slice(where.start, where.stop)
            merged[part] = np.maximum(merged[part], window.elements)
    return Scores(windows[int(np.argmax(evidence))].label, max(w.relevance for w in windows), merged)


def calibrated(
    labels: NDArray[np.float32], decision: Decision, retrieved: float | NDArray[np.float64] = 1.0
) -> NDArray[np.float64]:
    """Probabilities of label logits in the order of `LABELS`: tempered, with the retrieval score as a prior.

    Args:
        labels: logits, shape (..., 3).
        decision: `temperature` and `retrieval` are used.
        retrieved: retrieval scores, shape (...), on the scale of hybrid search: 1 is what words and meaning both find
            first, 0 the last one found. Higher values count as 1, and so do documents that were given, not found.

    Returns:
        Shape (..., 3), the last axis sums to 1.
    """
    logits = labels.astype(np.float64) / decision.temperature
    logits[..., LABELS.index(Label.NEI)] += decision.retrieval * (1 - np.clip(retrieved, 0, 1))
    return softmax(logits)


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities along the last axis."""
    exponents = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=-1, keepdims=True))


@lru_cache(maxsize=1)
def load_cross_encoder() -> CrossEncoderModel:
    """The shipped verifier model, compiled and checked once per process."""
    return CrossEncoderModel()


def _read_card(folder: Path) -> dict[str, Any]:
    card = read_card(folder, ("labels", "shape", "decision", "self_check"))
    labels = card["labels"]
    if not isinstance(labels, list) or sorted(map(str, labels)) != sorted(label.value for label in LABELS):
        raise ModelError(f"the card names the labels {labels}", where=str(folder), remedy=REINSTALL)
    return card


def _rounded(probabilities: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {p:.2f}" for name, p in probabilities.items())

"""Runs in the forms of others: SciFact's leaderboard, TREC runs, SciFact-Open's prediction tables, FEVEROUS.

What a form has no place for is lost on the way out, and what it doesn't say is missing on the way in; each function
says what. docs/runs.md has the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sciverify.errors import RecordError, RunFileError, SettingError, place
from sciverify.evaluation.candidates import PredictedCandidate
from sciverify.evaluation.elements import EvidenceId
from sciverify.evaluation.exports import refuse_existing, write_lines
from sciverify.evaluation.feverous_files import read_feverous_run, write_feverous_run
from sciverify.evaluation.pair_files import pairs_of_predictions, read_pairs, write_pairs
from sciverify.evaluation.pairs import PAIR_LABELS, PairTable
from sciverify.evaluation.provenance import provenance_path
from sciverify.evaluation.runs import PredictedDocument, Prediction, read_run, run_line
from sciverify.evaluation.trec import write_trec_run
from sciverify.records import ElementKind, Label, Probabilities

__all__ = ["EXPORTS", "IMPORTS", "export_run", "import_run", "write_run"]

EXPORTS = ("leaderboard", "trec", "table", "feverous")
"""The forms that a run can be written in."""

IMPORTS = ("leaderboard", "table", "feverous")
"""The forms that a run can be made from."""

_SENTENCE = ElementKind.SENTENCE.value


def export_run(run: str | Path, out: str | Path, to: str, *, model: str | None = None, replace: bool = False) -> int:
    """Write a run in another form, and return the number of its claims.

    - ``leaderboard``: ids, labels and sentences; the candidates are left out.
    - ``trec``: the retrieval scores of the candidates; `model` is the tag.
    - ``table``: every candidate with its probabilities and its rank by confidence, as .jsonl, .jsonl.gz or .parquet;
      `model` is what the rows call it. Claims without a candidate have no row.
    - ``feverous``: for each claim the label of its surest document (the one with the highest probability of its own
      label), and the sentences quoted from documents with this label, surest first; document ids stand for page titles.

    Args:
        run: the run file.
        out: the file to write.
        to: one of `EXPORTS`.
        model: what to call the system; None takes the run's name without its ending.
        replace: let the new file take the place of an old one.

    Raises:
        RunFileError: the run is malformed, says nothing of candidates where they are needed, or `out` is there already,
            is a run of ours, or can't be written.
        SettingError: there is no such form, or `out` has an ending that a table cannot have.
        MissingExtraError: Parquet needs the extra `evaluation`.
    """
    if to not in EXPORTS:
        raise SettingError(f"runs cannot be exported to {to!r}", remedy=f"Choose one of {', '.join(EXPORTS)}")
    refuse_existing(out, replace=replace)
    if provenance_path(out).exists():  # it would speak of a file that is none of ours any more
        problem = "this is a run with a side file, which an export doesn't replace"
        raise RunFileError(problem, where=place(out), remedy="Name another file, or delete both yourself")
    predictions = read_run(run)
    name = model or Path(run).stem
    if to == "leaderboard":
        write_run(out, [_without_candidates(prediction) for prediction in predictions], replace=replace)
        return len(predictions)
    bare = next((prediction for prediction in predictions if prediction.candidates is None), None)
    if bare is not None:
        problem = f"claim {bare.claim_id} lists no 'candidates', which this form is made of"
        raise RunFileError(problem, where=bare.where, remedy="Make the run anew with `sciverify predict`")
    if to == "trec":
        write_trec_run(out, {p.claim_id: _scores(p) for p in predictions}, tag=name, replace=replace)
    elif to == "table":
        write_pairs(out, pairs_of_predictions(predictions, model=name, source=str(run)))
    else:
        write_feverous_run(out, [_feverous(prediction) for prediction in predictions])
    return len(predictions)


def import_run(
    source: str | Path,
    form: str,
    *,
    claim_ids: Sequence[str] | None = None,
    model: str | None = None,
    evidence: float | None = None,
) -> list[Prediction]:
    """Read a file of another form as the predictions of a run; `write_run` writes them.

    - ``leaderboard``: taken as it is.
    - ``table``: the pairs of one model. They become the candidates; a table has no retrieval scores, so the score is
      1 / ``retrieval_rank`` where the table has one for every pair of the claim, else the pair's confidence.
    - ``feverous``: the claim's label for each page of its evidence, with the sentences. Other elements are left out,
      and so is all evidence of claims with NOT ENOUGH INFO.

    Args:
        source: the file.
        form: one of `IMPORTS`.
        claim_ids: the claims of the run in order. ``leaderboard`` and ``table`` can do without: then it has those of
            the file in its order, which lacks claims that no row of a table speaks of.
        model: which model of a table; None takes the only one.
        evidence: for a table: a pair is NEI below this probability of support + contradiction, else it gets the
            likelier of the two; None takes the predicted labels.

    Raises:
        RunFileError: the file is malformed, or is not for these claims.
        SettingError: an unknown form or model, an option of another form, a threshold out of range or for a table
            without probabilities, or claims that are needed and not given.
    """
    if form not in IMPORTS:
        raise SettingError(f"runs cannot be imported from {form!r}", remedy=f"Choose one of {', '.join(IMPORTS)}")
    if form != "table" and (model is not None or evidence is not None):
        raise SettingError("a model and a threshold are for tables only", remedy="Leave them out")
    if form == "leaderboard":
        return [_without_candidates(prediction) for prediction in read_run(source, claim_ids)]
    if form == "table":
        table = read_pairs(source).of_model(model)
        return _from_table(table if evidence is None else _relabelled(table, evidence), claim_ids)
    if claim_ids is None:
        raise SettingError("FEVEROUS predictions can only be read for given claims", remedy="Give the claims file too")
    return [
        Prediction(one.claim_id, _by_page(one.label, one.evidence), one.where)
        for one in read_feverous_run(source, claim_ids)
    ]


def write_run(path: str | Path, predictions: Iterable[Prediction], *, replace: bool = False) -> None:
    """Write predictions as a run file, whole or not at all.

    Raises:
        RunFileError: the file is there already, or it can't be written.
    """
    write_lines(path, (json.dumps(run_line(prediction)) for prediction in predictions), replace=replace)


def _without_candidates(prediction: Prediction) -> Prediction:
    return replace(prediction, candidates=None)


def _scores(prediction: Prediction) -> dict[str, float]:
    return {candidate.doc_id: candidate.score for candidate in prediction.candidates or ()}


def _feverous(prediction: Prediction) -> tuple[str, Label, list[EvidenceId]]:
    labelled = [candidate for candidate in prediction.candidates or () if candidate.label is not Label.NEI]
    surest = sorted(labelled, key=lambda candidate: -candidate.probabilities.of(candidate.label))
    if not surest:
        return prediction.claim_id, Label.NEI, []
    label = surest[0].label
    return (
        prediction.claim_id,
        label,
        [
            EvidenceId(candidate.doc_id, _SENTENCE, str(number))
            for candidate in surest
            if candidate.label is label
            for number in prediction.evidence[candidate.doc_id].sentences
        ],
    )


def _by_page(label: Label, evidence: Sequence[EvidenceId]) -> dict[str, PredictedDocument]:
    if label is Label.NEI:
        return {}
    pages: dict[str, dict[int, None]] = {}
    for id in evidence:
        sentences = pages.setdefault(id.page, {})
        if id.kind == _SENTENCE:
            sentences[int(id.position)] = None
    return {page: PredictedDocument(label, tuple(sentences)) for page, sentences in pages.items()}


def _relabelled(table: PairTable, evidence: float) -> PairTable:
    if not 0 <= evidence <= 1:
        raise SettingError(f"the threshold {evidence} is not a probability", remedy="Give a number from 0 to 1")
    if not table.has_probabilities:
        problem = f"{table.source or 'the table'} has pairs without probabilities, to which no threshold applies"
        raise SettingError(problem, remedy="Leave the threshold out: then the predicted labels are taken")
    nei = PAIR_LABELS.index(Label.NEI)
    says_something = table.probabilities[:, :nei].sum(axis=1) >= evidence
    return replace(table, label=np.where(says_something, table.evidence_label, nei).astype(np.int8))


def _from_table(table: PairTable, claim_ids: Sequence[str] | None) -> list[Prediction]:
    rows: dict[str, list[int]] = {id: [] for id in (table.claim_ids if claim_ids is None else claim_ids)}
    for row, claim in enumerate(table.claim.tolist()):
        if table.claim_ids[claim] not in rows:
            problem = f"claim {table.claim_ids[claim]} is not one of the claims"
            raise RunFileError(problem, where=table.where(row), remedy="Check that the two files belong together")
        rows[table.claim_ids[claim]].append(row)
    return [_from_rows(table, id, of_claim) for id, of_claim in rows.items()]


def _from_rows(table: PairTable, claim_id: str, rows: Sequence[int]) -> Prediction:
    labels = {row: PAIR_LABELS[table.label[row]] for row in rows}
    ids = {row: table.doc_ids[table.doc[row]] for row in rows}
    evidence = {
        ids[row]: PredictedDocument(label, table.rationale(row))
        for row, label in labels.items()
        if label is not Label.NEI
    }
    if not table.has_probabilities:
        return Prediction(claim_id, evidence)
    ranks = table.retrieval_rank[list(rows)]
    scores = 1 / ranks if len(rows) and ranks.min() > 0 else table.confidence[list(rows)]
    candidates = [
        PredictedCandidate(ids[row], float(score), (), labels[row], _probabilities(table, row))
        for row, score in zip(rows, scores, strict=True)
    ]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.doc_id))
    return Prediction(claim_id, evidence, "", tuple(candidates))


def _probabilities(table: PairTable, row: int) -> Probabilities:
    shares = dict(zip(PAIR_LABELS, table.probabilities[row].tolist(), strict=True))
    supports, refutes, nei = (shares[label] for label in (Label.SUPPORTS, Label.REFUTES, Label.NEI))
    try:
        return Probabilities(supports, refutes, nei)
    except RecordError:  # published probabilities were rounded, or computed in 16 bits
        total = supports + refutes + nei
        return Probabilities(supports / total, refutes / total, nei / total)

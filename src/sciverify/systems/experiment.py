"""Systems whose inputs were tampered with on purpose: oracle settings and ablations (SciFact §6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sciverify.errors import InputError, RecordError, SettingError
from sciverify.retrieval import OracleRetriever
from sciverify.stages import DocumentSource
from sciverify.systems.pipeline import Pipeline
from sciverify.verification.given import GivenRationaleVerifier, Rationales
from sciverify.verification.pipeline import PipelineVerifier
from sciverify.verification.reading import ModelVerifier, PartialModel

__all__ = ["with_documents", "with_input", "with_rationales"]


def with_documents(system: Pipeline, source: DocumentSource, documents: Mapping[str, Collection[str]]) -> Pipeline:
    """The system reading the documents given for each claim's id instead of retrieving any ("oracle abstract").

    All of them are read, whatever the system's `k`. A claim without documents gets no finding.

    Raises:
        InputError: the source lacks one of the documents.
    """
    retriever = OracleRetriever(source, {claim: list(ids) for claim, ids in documents.items()})
    k = max([1, *(len(set(ids)) for ids in documents.values())])
    return Pipeline(f"{system.name} on given documents", system.verifier, retriever, k)


def with_rationales(system: Pipeline, source: DocumentSource, rationales: Rationales) -> Pipeline:
    """The system labelling from given rationales instead of choosing its own ("oracle rationale").

    Retrieval stays as it is: a document that isn't found gets no finding, one that has no rationale is NEI. The label
    is the model's (`sciverify.verification.GivenRationaleVerifier`).

    Raises:
        InputError: the source lacks a document that has a rationale, or such a document lacks an element.
        SettingError: the system's verifier has no model of its own.
    """
    verifier = _verifier(system)
    _check(source, rationales)
    given = GivenRationaleVerifier(verifier.model, verifier.decision, rationales)
    return Pipeline(f"{system.name} with given rationales", given, system.retriever, system.k)


def with_input(system: Pipeline, input: str) -> Pipeline:
    """The system whose model sees the claim only or the abstract only; retrieval stays as it is.

    Args:
        system: the system.
        input: one of `sciverify.verification.INPUTS`; "full" gives the system back.

    Raises:
        SettingError: there is no such input, or the system's verifier has no model of its own.
    """
    verifier = _verifier(system)
    partial = PartialModel(verifier.model, input)
    if input == "full":
        return system
    if isinstance(verifier, PipelineVerifier) and verifier.has_two_models:
        changed: ModelVerifier = verifier.with_model(partial, PartialModel(verifier.selector, input))
    else:
        changed = verifier.with_model(partial)
    return Pipeline(f"{system.name} {input}", changed, system.retriever, system.k)


def _verifier(system: Pipeline) -> ModelVerifier:
    if not isinstance(system.verifier, ModelVerifier):
        raise SettingError(
            f"the verifier {system.verifier.name} has no model whose input could be changed",
            remedy="Use another system",
        )
    return system.verifier


def _check(source: DocumentSource, rationales: Rationales) -> None:
    """Read every document that has a rationale once: a wrong index must not look like a bad system."""
    named: dict[str, set[str]] = {}
    for documents in rationales.values():
        for document, sets in documents.items():
            named.setdefault(document, set()).update(*sets)
    for found in source.documents(list(named)) if named else ():
        for element in sorted(named[found.id]):
            try:
                found.element(element)
            except RecordError as error:
                raise InputError(
                    f"a given rationale needs {element}, which the document lacks",
                    where=error.where,
                    remedy="Check that the index holds the corpus that the claims were annotated on",
                ) from None

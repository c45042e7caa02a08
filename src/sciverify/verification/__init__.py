"""Verifiers: a claim and a candidate in, a label with quotes out."""

from sciverify.verification.abstractive import AbstractiveVerifier
from sciverify.verification.asking import QuestionVerifier
from sciverify.verification.boolean import READINGS, BooleanVerifier
from sciverify.verification.given import GivenRationaleVerifier
from sciverify.verification.joint import JointVerifier
from sciverify.verification.pipeline import PipelineVerifier
from sciverify.verification.reading import INPUTS, PartialModel
from sciverify.verification.weights import STEPS, open_model, open_steps

__all__ = [
    "INPUTS",
    "READINGS",
    "STEPS",
    "AbstractiveVerifier",
    "BooleanVerifier",
    "GivenRationaleVerifier",
    "JointVerifier",
    "PartialModel",
    "PipelineVerifier",
    "QuestionVerifier",
    "open_model",
    "open_steps",
]

"""Verifiers: a claim and a candidate in, a label with quotes out."""

from sciverify.verification.given import GivenRationaleVerifier
from sciverify.verification.joint import JointVerifier
from sciverify.verification.pipeline import PipelineVerifier
from sciverify.verification.reading import INPUTS, PartialModel
from sciverify.verification.weights import STEPS, open_model, open_steps

__all__ = [
    "INPUTS",
    "STEPS",
    "GivenRationaleVerifier",
    "JointVerifier",
    "PartialModel",
    "PipelineVerifier",
    "open_model",
    "open_steps",
]

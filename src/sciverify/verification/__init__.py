"""Verifiers: a claim and a candidate in, a label with quotes out."""

from sciverify.verification.given import GivenRationaleVerifier
from sciverify.verification.joint import JointVerifier
from sciverify.verification.pipeline import PipelineVerifier
from sciverify.verification.reading import INPUTS, PartialModel

__all__ = ["INPUTS", "GivenRationaleVerifier", "JointVerifier", "PartialModel", "PipelineVerifier"]

"""Verifiers: a claim and a candidate in, a label with quotes out."""

from sciverify.verification.joint import JointVerifier
from sciverify.verification.pipeline import PipelineVerifier

__all__ = ["JointVerifier", "PipelineVerifier"]

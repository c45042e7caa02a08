"""The learned parts at run time: OpenVINO sessions, the sentence encoder, the verifier's cross-encoder."""

from sciverify.models.encoder import MiniLmEncoder, load_encoder

__all__ = ["MiniLmEncoder", "load_encoder"]

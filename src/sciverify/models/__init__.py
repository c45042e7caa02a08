"""The learned parts at run time: OpenVINO sessions, the sentence encoder, the verifier's cross-encoder."""

from sciverify.models.crossencoder import CrossEncoderModel, load_cross_encoder
from sciverify.models.encoder import MiniLmEncoder, load_encoder

__all__ = ["CrossEncoderModel", "MiniLmEncoder", "load_cross_encoder", "load_encoder"]

"""Corpora: files of documents, read one at a time; and files of claims."""

from sciverify.corpora.claims import read_claims
from sciverify.corpora.reader import CorpusReader, unique
from sciverify.corpora.registry import FORMATS, CorpusFormat, detect_format, open_corpus

__all__ = ["FORMATS", "CorpusFormat", "CorpusReader", "detect_format", "open_corpus", "read_claims", "unique"]

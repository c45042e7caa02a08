"""Indexes: build, open, change, search (DESIGN: SQLite is the truth, Qdrant Edge searches)."""

from sciverify.index.index import Index
from sciverify.index.results import Hit, IndexInfo

__all__ = ["Hit", "Index", "IndexInfo"]

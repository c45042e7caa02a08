"""Indexes: build, open, change, search (DESIGN: SQLite is the truth, Qdrant Edge searches)."""

from sciverify.index.index import Hit, Index, IndexInfo

__all__ = ["Hit", "Index", "IndexInfo"]

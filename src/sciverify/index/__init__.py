"""Indexes: build, open, change, search (DESIGN: SQLite is the truth, Qdrant Edge searches)."""

from sciverify.index.index import Index
from sciverify.index.results import Hit, IndexInfo
from sciverify.index.temporary import temporary_folder

__all__ = ["Hit", "Index", "IndexInfo", "temporary_folder"]

"""sciverify: check a scientific claim against the literature, with quoted evidence."""

from sciverify._version import __version__

__all__ = ["__version__"]

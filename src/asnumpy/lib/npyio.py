"""The classes behind `load`: open archives, and data that may lie compressed or elsewhere."""

from numpy.lib.npyio import DataSource

from asnumpy._files import NpzFile

__all__ = ["DataSource", "NpzFile"]

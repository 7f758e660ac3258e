"""The classes behind `load`: open archives, and data that may lie compressed or elsewhere."""

from numpy.lib.npyio import DataSource

from asnumpy.io.files import NpzFile

__all__ = ["DataSource", "NpzFile"]

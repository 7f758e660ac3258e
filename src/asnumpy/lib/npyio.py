"""Classes of NumPy's files that programs name: DataSource and NpzFile."""

from numpy.lib.npyio import DataSource, NpzFile

__all__ = ["DataSource", "NpzFile"]

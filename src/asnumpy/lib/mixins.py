"""NDArrayOperatorsMixin: NumPy's own; its operators reach `__array_ufunc__` with arrays of ours among the operands."""

from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["NDArrayOperatorsMixin"]

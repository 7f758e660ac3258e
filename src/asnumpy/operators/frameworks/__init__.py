"""Operators in other frameworks: as PyTorch's own. The framework is imported when it is asked for."""

from asnumpy.operators.frameworks._torch import to_torch

__all__ = ["to_torch"]

"""Operators in other frameworks and languages. A framework is imported when it is asked for."""

from asnumpy.operators.frameworks._jax import to_jax
from asnumpy.operators.frameworks._library import to_library
from asnumpy.operators.frameworks._torch import to_torch

__all__ = ["to_jax", "to_library", "to_torch"]

"""Operators with an operand that is neither one of our arrays nor a number: NumPy's rules of who answers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import as_numpy, host, host_result
from asnumpy.host.numpys import derived
from asnumpy.ufunc.functions import conjugate, matmul
from asnumpy.ufunc.operands import defers
from asnumpy.ufunc.ufunc import call_ufunc

_NUMPYS = (None, np.ndarray.__array_ufunc__)
_OPERATORS: dict[str, Any] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "divmod": divmod, "power": operator.pow,
    "left_shift": operator.lshift, "right_shift": operator.rshift, "bitwise_and": operator.and_,
    "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "matmul": operator.matmul, "equal": operator.eq,
    "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge,
}


def _other(a: Any, b: Any) -> Any:
    return b if isinstance(a, ndarray) else a


def binary(function: Any, a: Any, b: Any) -> Any:
    other = _other(a, b)
    if defers(other):
        return NotImplemented
    operation = _OPERATORS.get(function.name)
    if operation is not None and derived(other):
        return host_result(operation, a, b)  # a matrix and a masked array have operators of their own
    if function.name in ("equal", "not_equal") and getattr(type(other), "__array_ufunc__", None) in _NUMPYS:
        if not supported(as_numpy(other).dtype):
            return host(operation, a, b)  # what has no loop is unequal
    return call_ufunc(function, (a, b), {})


def inplace(function: Any, a: Any, b: Any) -> Any:
    if getattr(type(b), "__array_ufunc__", True) is None:
        return NotImplemented
    if function.nout > 1:
        return host(function.numpy, a, b)
    return call_ufunc(function, (a, b), {"out": (a,)})


def matrix_product(a: Any, b: Any) -> Any:
    other = _other(a, b)
    if defers(other):
        return NotImplemented
    return host_result(operator.matmul, a, b) if derived(other) else call_ufunc(matmul, (a, b), {})


_core.set_hooks({"binary": binary, "inplace": inplace, "matmul": matrix_product, "conjugate": conjugate})

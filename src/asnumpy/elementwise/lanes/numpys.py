"""NumPy's ufuncs on the numbers of a scalar function: they give scalars of NumPy's, where Python has its own.

Such a float computes as Python's, but does not raise: lanes in which Python's would are left to the function itself,
which has NumPy's scalar there. Its truths are no ints, so that nothing is computed with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy.elementwise.lanes.arithmetic import INFINITE, ULPS, as_float
from asnumpy.elementwise.lanes.values import SMALLEST, Fallback, Lanes, Value, constant, truths
from asnumpy.ufunc import functions as ufuncs

Function = Callable[..., Any]

_ROUNDED = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt "
    "hypot arctan2"
).split()
_EXACT = "sqrt absolute fabs negative floor ceil trunc rint sign maximum minimum fmax fmin copysign".split()
_TRUTHS = "isnan isinf isfinite".split()
_NOT_NEGATIVE = {"sqrt", "exp", "exp2", "cosh", "hypot", "absolute", "fabs"}
_KEEP_ERRORS = {"absolute", "fabs", "negative"}


def _applied(name: str) -> Function:
    theirs, ours = getattr(np, name), getattr(ufuncs, name)
    exact = name in _EXACT

    def apply(lanes: Lanes, *values: Value) -> Value:
        kinds = {one.kind for one in values}
        # of ints, what is exact gives ints of NumPy's; of truths, functions give float16
        if len(values) != theirs.nin or not kinds <= {"i", "f"} or ((exact or name in _TRUTHS) and "f" not in kinds):
            if name != "sqrt" or kinds != {"i"} or len(values) != 1:
                raise Fallback
        before = max(one.error for one in values)
        if before and name not in _KEEP_ERRORS:
            if exact or name in _TRUTHS:
                raise Fallback
            before = INFINITE
        numbers = [as_float(one).data for one in values]
        if all(one.scalar for one in values):
            with np.errstate(all="ignore"):
                return numpys(constant(theirs(*numbers).item()))
        made = ours(*numbers)
        if name in _TRUTHS:
            return numpys(truths(made))
        low = 0 if name in _NOT_NEGATIVE else SMALLEST
        return numpys(Value("f", made, low, error=before if exact else max(before, ULPS)))

    return apply


def numpys(value: Value) -> Value:
    """The value, marked as a scalar of NumPy's; one that is made for this alone."""
    value.numpy = True
    return value


NUMPY: dict[Any, Function] = {getattr(np, name): _applied(name) for name in {*_ROUNDED, *_EXACT, *_TRUTHS}}

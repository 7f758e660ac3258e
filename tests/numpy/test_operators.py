"""The operators of arrays beside NumPy's, also in place and where the operands overlap."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FEW, agree, sample


@pytest.mark.parametrize("dtype", FEW)
def test_operators(dtype):
    a, b = sample((3, 4), dtype), abs(sample(4, dtype, 1))
    import operator as op

    for function in (
        op.add,
        op.sub,
        op.mul,
        op.truediv,
        op.floordiv,
        op.mod,
        op.and_,
        op.or_,
        op.xor,
        op.lshift,
        op.rshift,
        op.lt,
        op.le,
        op.eq,
        op.ne,
        op.gt,
        op.ge,
        divmod,
    ):
        agree(lambda _, x, y, f=function: f(x, y), a, b, ulp=4)
        for scalar in (2, 2.5, True, None, "text", [1, 2, 3, 4], np.float32(3), (1, 2, 3)):
            agree(lambda _, x, f=function, s=scalar: f(x, s), a, ulp=4)
            agree(lambda _, x, f=function, s=scalar: f(s, x), a, ulp=4)
    for function in (op.neg, op.pos, abs, op.invert):
        agree(lambda _, x, f=function: f(x), a, ulp=2)
    for function in (
        op.iadd,
        op.isub,
        op.imul,
        op.itruediv,
        op.ifloordiv,
        op.imod,
        op.iand,
        op.ior,
        op.ixor,
        op.ilshift,
        op.ipow,
    ):
        for other in (b, 2, 2.5, [1, 2, 3, 4], np.ones((2, 3, 4)), np.float64(2), "text", None):
            agree(lambda _, x, y, f=function: f(x, y), a, other, ulp=4)


def test_overlapping_updates():
    def body(xp, x):
        x[1:] += x[:-1]
        x[:-1] *= x[1:]
        x[::2] = x[::-1][::2]
        x += x.T if x.ndim == 2 else x[::-1]
        return x

    agree(body, sample(12, "float64"))
    agree(body, sample((4, 4), "float64"))

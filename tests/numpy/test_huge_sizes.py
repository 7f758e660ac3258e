"""Sizes that leave 64 bits: NumPy's exception class, and never a view or an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import asnumpy as ap

CASES = [
    "strided(z, (2**61 + 1,), (8,))",
    "strided(z, (2**61 + 1,), (0,))",
    "strided(z, (2**62, 4), (0, 0))",
    "strided(z, (2**40, 2**40, 0), (0, 0, 0))",
    "strided(z, (-1,), (8,))",
    "xp.empty((2**61 + 1,))",
    "xp.empty((2**40, 2**40, 0))",
    "xp.zeros((0, 2**40, 2**40))",
    "xp.ones((2**62, 2))",
    "xp.full((2**70,), 1)",
    "xp.broadcast_to(1.0, (2**62, 4))",
    "xp.broadcast_to(1.0, (2**31, 2**31, 4))",
    "z.reshape(2**62, 4)",
    "z.reshape(2**32, 2**32)",
    "xp.zeros(0).reshape(2**32, 2**32, 0)",
    "xp.concatenate([long, long, long])",
    "xp.add.outer(long, long)",
    "long.astype('f8')",
    "xp.frombuffer(b'12345678', offset=2**62)",
    "xp.ndarray((2**61 + 1,), float)",
    "xp.ndarray((2**61,), float, buffer=b'1' * 32, offset=8)",
]


@pytest.mark.parametrize("text", CASES)
def test_refused_as_numpy_refuses(text: str) -> None:
    def refusal(xp: Any) -> type[BaseException]:
        long = xp.broadcast_to(xp.asarray(np.int8(1)), (2**62,))
        names = {"xp": xp, "z": xp.arange(4.0), "long": long, "strided": xp.lib.stride_tricks.as_strided}
        with pytest.raises((ValueError, OverflowError, MemoryError)) as caught:
            eval(text, names)
        return caught.type

    mine, theirs = refusal(ap), refusal(np)
    assert issubclass(mine, theirs)

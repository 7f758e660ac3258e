"""What tests of operators share: values, layouts, tolerances per dtype, and what every operator refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from cannsim import acl

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype("float16"), np.dtype("float32"), BFLOAT16]
INTEGERS = [np.dtype(name) for name in ("int8", "uint8", "int16", "int32", "int64")]
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 2e-2,
    "float32": 2e-6,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}


def values(
    shape: Any, dtype: Any, seed: int = 0, low: float = -3, high: float = 3, integers: tuple[int, int] = (-6, 7)
) -> np.ndarray:
    """Random numbers: floats from `low` to `high`, integers from `integers`, unsigned ones not below 0."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else integers[0], integers[1], shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


def layouts(array: np.ndarray) -> Iterator[np.ndarray]:
    """The same values contiguous, transposed, and strided with an offset."""
    yield array
    yield np.ascontiguousarray(array.T).T if array.ndim else array
    holder = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    view = holder[tuple(slice(1, 2 * n, 2) for n in array.shape)]
    view[...] = array
    yield view


def wide(x: np.ndarray) -> np.ndarray:
    """In double precision, where the reference is computed."""
    if x.dtype.kind in "iub":
        return x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def agree(
    got: np.ndarray, expected: Any, factor: float = 1, bounds: dict[str, float] = TOLERANCE, absolute: float = 1
) -> None:
    """Equal within the dtype's bound times `factor`; differences of small numbers `absolute` times as much."""
    expected = np.asarray(expected)
    assert got.shape == expected.shape
    tolerance = bounds.get(got.dtype.name, 0) * factor
    np.testing.assert_allclose(wide(got), expected, rtol=tolerance, atol=tolerance * absolute)


def holder_of(array: np.ndarray, dtype: Any) -> np.ndarray:
    """An output of the array's shape whose elements lie apart."""
    holder = np.zeros([2 * n + 1 for n in array.shape], dtype)
    return holder[tuple(slice(1, 2 * n, 2) for n in array.shape)]


def refuses(name: str, arguments: Sequence[Any], named: dict[int, str], out: np.ndarray, at: int) -> None:
    """Null, complex numbers and an output of another shape in the places of `named` are refused with its name.

    `at` is the place of the output.
    """
    for place, parameter in named.items():
        changed = [*arguments]
        changed[place] = None
        with acl.refused(161001, name, parameter):
            acl.plan(name, *[acl.Tensor(one) if isinstance(one, np.ndarray) else one for one in changed])
        if place != at:
            changed[place] = arguments[place].astype(np.complex64)
            with acl.refused(161002, name, parameter):
                acl.plan(name, *[acl.Tensor(one) if isinstance(one, np.ndarray) else one for one in changed])
    changed = [*arguments]
    changed[at] = np.empty((*out.shape, 2), out.dtype)
    with acl.refused(161002, name):
        acl.plan(name, *[acl.Tensor(one) if isinstance(one, np.ndarray) else one for one in changed])

"""Strides as a user sees them: NumPy's after any views and copies, those of axes of length 0 and 1 too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

lengths = st.sampled_from((0, 1, 1, 2, 3, 4, 6))
slices = st.builds(slice, *[st.sampled_from((None, 0, 1, 2, -1, -2))] * 2, st.sampled_from((None, 1, 2, 3, -1, -2, 7)))


@st.composite
def steps(draw: Any, n: np.ndarray) -> tuple[str, Any]:
    """A method of an array or a function with its arguments, fit for `n`."""
    axes = st.permutations(range(n.ndim))
    kind = draw(st.sampled_from((
        "key", "transpose", "squeeze", "broadcast", "reshape", "copy", "move", "ravel", "astype", "add", "view")))
    if kind == "key":
        parts = draw(st.lists(slices, max_size=n.ndim))
        for _ in range(draw(st.integers(0, 2))):
            parts.insert(draw(st.integers(0, len(parts))), None)
        if draw(st.booleans()):
            parts.append(...)
        return kind, tuple(parts)
    if kind == "transpose":
        return kind, draw(axes)
    if kind == "broadcast":
        shape = [draw(st.integers(0, 3)) if length == 1 and draw(st.booleans()) else length for length in n.shape]
        return kind, tuple(draw(st.lists(st.integers(1, 2), max_size=1)) + shape)
    if kind == "reshape":
        shape, left = [], n.size
        for factor in draw(st.lists(st.sampled_from((1, 2, 3)), max_size=4)):
            if left and left % factor == 0:
                left //= factor
            shape.append(factor if left or not n.size else 1)
        total = int(np.prod(shape)) if shape else 1
        shape.append(n.size // total if n.size % total == 0 else n.size)
        if int(np.prod(shape)) != n.size:
            shape = [n.size]
        return kind, (draw(st.permutations(shape)), draw(st.sampled_from("CFA")))
    if kind in ("copy", "ravel", "astype"):
        return kind, draw(st.sampled_from("CFAK"))
    if kind == "move" and n.ndim:
        return kind, (draw(st.integers(0, n.ndim - 1)), draw(st.integers(0, n.ndim - 1)))
    return ("squeeze", None) if kind == "move" else (kind, None)


def stepped(library: Any, a: Any, kind: str, how: Any) -> Any:
    return {
        "key": lambda: a[how], "transpose": lambda: a.transpose(how), "move": lambda: library.moveaxis(a, *how),
        "broadcast": lambda: library.broadcast_to(a, how), "reshape": lambda: a.reshape(how[0], order=how[1]),
        "copy": lambda: a.copy(order=how), "astype": lambda: a.astype("complex128", order=how), "add": lambda: a + a,
        "ravel": lambda: a.ravel(how), "squeeze": lambda: a.squeeze(), "view": lambda: a.view(),
    }[kind]()


def seen(a: Any) -> dict[str, Any]:
    exported = memoryview(a)
    return {"shape": a.shape, "strides": a.strides, "flags": (a.flags.c_contiguous, a.flags.f_contiguous),
            "memoryview": (exported.shape, exported.strides, exported.c_contiguous, exported.f_contiguous)}


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_strides_of_views_and_copies(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(lengths, max_size=4)))
    dtype = data.draw(st.sampled_from(("float64", "int8", "complex64")))
    n = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
    a = ap.array(n)
    n = np.array(n)
    trail = [f"array{shape}"]
    assert seen(a) == seen(n), trail
    for _ in range(data.draw(st.integers(1, 4))):
        kind, how = data.draw(steps(n))
        trail.append(f"{kind} {how}")
        n, a = stepped(np, n, kind, how), stepped(ap, a, kind, how)
        assert seen(a) == seen(n), trail
        if a.device == "cpu":  # elsewhere they are those of a copy
            assert a.__array_interface__["strides"] == n.__array_interface__["strides"], trail
        if a.device == "cpu" and a.ndim > 0:
            assert tuple(a.ctypes.strides) == tuple(n.ctypes.strides), trail
    np.testing.assert_array_equal(ap.to_numpy(a), n)


def test_a_step_too_large_for_its_product_with_the_item() -> None:
    n = np.arange(6.0)[0:1:2**61]
    a = ap.arange(6.0)[0:1:2**61]
    assert a.strides == n.strides and a.tolist() == n.tolist() and (a + a).tolist() == [0.0]


@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (4, 1), (0, 4), (1, 1), (2, 1, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_new_arrays(shape: tuple[int, ...], order: str) -> None:
    for name in ("zeros", "empty", "ones"):
        assert getattr(ap, name)(shape, order=order).strides == getattr(np, name)(shape, order=order).strides
    n, a = np.zeros(shape, order=order), ap.zeros(shape, order=order)
    for function in ("empty_like", "zeros_like", "exp", "isnan"):
        assert getattr(ap, function)(a).strides == getattr(np, function)(n).strides

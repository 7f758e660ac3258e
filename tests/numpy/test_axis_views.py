"""Views by axes: the core's methods give NumPy's shapes, strides, flags and errors, over layouts and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "scalar": lambda m: m.array(2.5), "vector": lambda m: m.arange(6.0), "one": lambda m: m.ones((1, 1, 1)),
    "matrix": lambda m: m.arange(12.0).reshape(3, 4), "turned": lambda m: m.arange(12.0).reshape(3, 4).T,
    "reversed": lambda m: m.arange(12.0).reshape(3, 4)[::-1, ::2], "thin": lambda m: m.arange(4.0).reshape(1, 4, 1),
    "cube": lambda m: m.arange(24.0).reshape(2, 3, 4), "empty": lambda m: m.ones((0, 3)),
    "complex": lambda m: (m.arange(6.0) + 1j).reshape(2, 3),
    "read-only": lambda m: m.broadcast_to(m.arange(3.0), (2, 3)),
    "whole numbers": lambda m: m.arange(6).reshape(2, 3), "deep": lambda m: m.ones((2, 1, 2, 1, 2, 1, 3)),
}
# Of `m`, the library, and `a`, the array.
CALLS = """
a.ravel() | a.ravel("F") | a.ravel(order="K") | m.ravel(a, "A") | a.ravel("c") | a.ravel(None) | a.ravel("C", "F")
a.ravel(3) | a.ravel("X") | a.ravel(axis=1) | a.flatten() | a.flatten(order="F") | a.squeeze() | m.squeeze(a, 0)
a.squeeze(-1) | a.squeeze(()) | a.squeeze(axis=(0, 2)) | a.squeeze((0, 0)) | a.squeeze(1.5) | a.swapaxes(0, -1)
m.swapaxes(a, 0, 9) | a.swapaxes(0) | a.diagonal() | a.diagonal(1) | m.diagonal(a, -2) | a.diagonal(offset=-99)
a.diagonal(1, -1, 0) | a.diagonal(axis1=1, axis2=-1) | a.diagonal(0, 0, 7) | m.linalg.diagonal(a) | m.diag(a)
a.mT | a.real | m.real(a) | a.imag | a.conj() | a.conjugate() | m.flip(a) | m.flip(a, 0) | m.flip(a, (-1,))
m.flip(a, ()) | m.flip(a, (0, 0)) | m.flip(a, 9) | m.fliplr(a) | m.flipud(a) | m.rot90(a) | m.rot90(a, 2)
m.rot90(a, 3, (-1, 0)) | m.atleast_1d(a) | m.atleast_2d(a) | m.atleast_3d(a) | m.rollaxis(a, -1)
m.rollaxis(a, 0, a.ndim) | m.matrix_transpose(a) | m.trace(a, 1) | m.expand_dims(a, (0, -1))
"""


def attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return error


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", [each.strip() for each in CALLS.replace("\n", "|").split("|") if each.strip()])
def test_as_numpy(text: str, layout: str) -> None:
    plain, ours = LAYOUTS[layout](np), LAYOUTS[layout](ap)
    call = eval(f"lambda m, a: {text}")
    expected, made = attempt(lambda: call(np, plain)), attempt(lambda: call(ap, ours))
    if isinstance(expected, Exception):
        assert type(made) is type(expected), (expected, made)
        if not isinstance(expected, TypeError):
            assert str(made) == str(expected)
        return
    assert isinstance(made, ap.ndarray), made
    assert made.shape == np.shape(expected) and made.dtype == expected.dtype
    assert np.array_equal(np.asarray(made), expected)
    if isinstance(expected, np.ndarray) and expected.size:
        # the stride of an axis of one element says nothing
        steps = zip(made.shape, made.strides, expected.strides, strict=True)
        assert all(n == 1 or own == step for n, own, step in steps)
        assert ap.may_share_memory(made, ours) == np.may_share_memory(expected, plain)
        assert made.flags.writeable == expected.flags.writeable


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_ravel_in_memory_order(lengths: list[int], random: Any) -> None:
    axes = random.sample(range(len(lengths)), len(lengths))
    spread = random.randrange(len(lengths) + 1)
    for m in (np, ap):
        a = m.arange(int(np.prod(lengths))).reshape(lengths).transpose(axes)
        a = m.broadcast_to(m.expand_dims(a, spread), (*a.shape[:spread], 2, *a.shape[spread:]))
        if m is np:
            expected = a.ravel("K")
    assert np.array_equal(np.asarray(a.ravel("K")), expected)


def test_parts_are_written_through() -> None:
    for m in (np, ap):
        z = m.arange(4) + 1j * m.arange(4)
        z.real = 7
        z.imag[1:] = [1, 2, 3]
        z.real[0] = -1
        assert z.tolist() == [-1 + 0j, 7 + 1j, 7 + 2j, 7 + 3j]
        x = m.arange(3.0)
        x.real[1] = 9
        x.real = x + 1
        assert x.tolist() == [1.0, 10.0, 3.0]
        with pytest.raises(TypeError, match="imaginary part"):
            x.imag = 1
        with pytest.raises(ValueError, match="read-only"):
            x.imag[0] = 1
        with pytest.raises(AttributeError):
            del z.real


@pytest.mark.parametrize("key", [([0, 2, 2], [1, 0, 3]), ([-1, -3, 0], [-4, 3, -1]), ([0], [0]), ([], [])])
@pytest.mark.parametrize("layout", ["matrix", "turned", "cube", "reversed"])
def test_index_for_each_axis(layout: str, key: tuple[list[int], list[int]]) -> None:
    plain = LAYOUTS[layout](np)
    at = tuple(np.array(part, np.int64).clip(-n, n - 1) for part, n in zip(key, plain.shape, strict=False))
    for kind in (np.int64, np.int32, np.uint8):
        if kind == np.uint8 and any((part < 0).any() for part in at):
            continue
        places = tuple(part.astype(kind) for part in at)
        ours, own = LAYOUTS[layout](ap), tuple(map(ap.asarray, places))
        assert np.array_equal(np.asarray(ours[own]), plain[places]) and ours[own].shape == plain[places].shape
        for value in (5.0, 7, np.arange(len(key[0]), dtype=float)):
            expected = plain.copy()
            copied = ours.copy()
            if np.ndim(value) and plain.ndim > 2:
                continue
            expected[places] = value
            copied[own] = ap.asarray(value) if np.ndim(value) else value
            assert np.array_equal(np.asarray(copied), expected)


@pytest.mark.parametrize("bad", [((0, 3), (0, 0), 0), ((0, 0), (0, -5), 1)])
def test_index_for_each_axis_out_of_bounds(bad: tuple[Any, Any, int]) -> None:
    rows, columns, axis = bad
    a = ap.arange(12.0).reshape(3, 4)
    with pytest.raises(IndexError, match=f"out of bounds for axis {axis} with size"):
        a[ap.array(rows), ap.array(columns)]
    with pytest.raises(IndexError, match=f"out of bounds for axis {axis} with size"):
        a[ap.array(rows), ap.array(columns)] = 1.0
    assert np.array_equal(np.asarray(a), np.arange(12.0).reshape(3, 4))


def test_index_for_each_axis_sees_what_is_pending() -> None:
    a = ap.arange(20000.0).reshape(100, 200)
    i = ap.arange(20000) % 100
    j = (ap.arange(20000) * 7) % 200
    b = a + 1
    picked = b[i + 0, j + 0]
    i += 1
    assert np.array_equal(np.asarray(picked), (np.asarray(a) + 1)[np.arange(20000) % 100, np.arange(20000) * 7 % 200])


@given(st.integers(0, 60), st.lists(st.integers(-60, 59), min_size=2, max_size=20), st.sampled_from([1, 2]))
def test_delete_several(length: int, places: list[int], ndim: int) -> None:
    plain = np.arange(float(length * 3)).reshape(length, 3) if ndim == 2 else np.arange(float(length))
    expected = attempt(lambda: np.delete(plain, places, 0))
    for given_places in (places, np.array(places), ap.asarray(np.array(places))):
        made = attempt(lambda given_places=given_places: ap.delete(ap.asarray(plain), given_places, 0))
        if isinstance(expected, Exception):
            assert type(made) is type(expected) and str(made) == str(expected)
        else:
            assert np.array_equal(np.asarray(made), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_spacing_at_the_edges(dtype: Any) -> None:
    info = np.finfo(dtype)
    edges = np.array([0.0, -0.0, info.tiny, -info.tiny, info.smallest_subnormal, info.max, -info.max, np.inf, -np.inf,
                      np.nan, 1.0, -1.0, 1 - info.epsneg, 2.0, -0.5, info.tiny - info.smallest_subnormal], dtype)
    x = np.concatenate([edges, np.random.default_rng(1).standard_normal(1000).astype(dtype) * dtype(1e30)])
    with np.errstate(all="ignore"):
        expected = np.spacing(x)
    made = np.asarray(ap.spacing(ap.asarray(x)))
    assert np.array_equal(made, expected, equal_nan=True)
    kept = ~np.isnan(expected)
    assert np.array_equal(np.signbit(made[kept]), np.signbit(expected[kept]))


@pytest.mark.parametrize("dtype", ["f4", "f8", "F", "D", "f2", "i4", "u1", "?", "g"])
@pytest.mark.parametrize("length", [0, 1, 7, 600, 20001])
def test_inner_products(dtype: str, length: int) -> None:
    rng = np.random.default_rng(length)
    x, y = (rng.integers(0, 3, 2 * length).astype(dtype) for _ in range(2))
    if dtype in "FD":
        x = x * 1j + y
    a, b = ap.asarray(x), ap.asarray(y)
    for first in (slice(None, length), slice(None, None, 2), slice(None, None, -2)):
        for call in (lambda m, u, v: m.dot(u, v), lambda m, u, v: m.vdot(u, v), lambda m, u, v: m.inner(u, v),
                     lambda m, u, v: u @ v, lambda m, u, v: u.dot(v), lambda m, u, v: m.linalg.norm(u - v),
                     lambda m, u, v: m.vecdot(u, v) if dtype != "?" else m.dot(u, v)):
            if dtype == "?" and call(np, np.ones(1), np.ones(1)) == 0:
                continue  # NumPy subtracts no booleans
            expected, made = call(np, x[first], y[first]), call(ap, a[first], b[first])
            assert made.dtype == np.asarray(expected).dtype and made.shape == ()
            assert np.isclose(complex(made), complex(expected), rtol=1e-3 if dtype == "f2" else 1e-6)


@given(*[st.one_of(st.integers(-50, 50), st.sampled_from([2**31, -(2**31), 2**62])) for _ in range(3)])
def test_counting(start: int, stop: int, step: int) -> None:
    if step and abs((stop - start) // step) > 10**6:
        return
    expected = attempt(lambda: np.arange(start, stop, step))
    made = attempt(lambda: ap.arange(start, stop, step))
    if isinstance(expected, Exception):
        assert type(made) is type(expected)
    else:
        assert made.dtype == expected.dtype and np.array_equal(np.asarray(made), expected)
        assert start or step != 1 or np.array_equal(np.asarray(ap.arange(stop)), expected)

"""asnumpy.array_api where the standard departs from NumPy: the special cases of its text, types and signatures."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import asnumpy as ap

xp = ap.ones(1).__array_namespace__()
INF, NAN = math.inf, math.nan
FLOATS = ("float32", "float64")

# x1, x2, x1 // x2
QUOTIENTS = [
    (NAN, 1, NAN), (1, NAN, NAN), (INF, INF, NAN), (INF, -INF, NAN), (-INF, INF, NAN), (0.0, 0.0, NAN),
    (-0.0, 0.0, NAN),
    (0.0, 3, 0.0), (-0.0, 3, -0.0), (0.0, -3, -0.0), (-0.0, -3, 0.0), (3, 0.0, INF), (3, -0.0, -INF), (-3, 0.0, -INF),
    (-3, -0.0, INF), (INF, 2, INF), (INF, -2, -INF), (-INF, 2, -INF), (-INF, -2, INF), (2, INF, 0.0), (2, -INF, -1.0),
    (-2, INF, -1.0), (-2, -INF, 0.0), (7, 2, 3.0), (-7, 2, -4.0),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("x1", "x2", "expected"), QUOTIENTS)
def test_floor_divide(dtype, x1, x2, expected):
    made = xp.floor_divide(xp.asarray([x1], dtype=dtype), xp.asarray([x2], dtype=dtype))
    assert made.dtype == dtype
    np.testing.assert_array_equal(ap.to_numpy(made), [expected])
    assert math.copysign(1, made[0]) == math.copysign(1, expected) or math.isnan(expected)
    of_numpy = ap.floor_divide(ap.asarray([x1], dtype=dtype), ap.asarray([x2], dtype=dtype))
    with np.errstate(all="ignore"):
        theirs = np.floor_divide(np.array([x1], dtype), np.array([x2], dtype))
    np.testing.assert_array_equal(ap.to_numpy(of_numpy), theirs)


def test_floor_divide_of_integers():
    made = xp.floor_divide(xp.asarray([7, -7, 7]), xp.asarray([2, 2, -2]))
    assert made.tolist() == [3, -4, -4]
    assert made.dtype == np.int64


# real and imaginary part of x; of expm1(x), None where the standard leaves it open. Conjugates follow.
LIMITS = [
    ((0.0, 0.0), (0.0, 0.0)), ((-0.0, 0.0), (0.0, 0.0)), ((2.0, INF), (NAN, NAN)), ((2.0, NAN), (NAN, NAN)),
    ((INF, 0.0), (INF, 0.0)), ((-INF, 2.0), (-1.0, 0.0)), ((-INF, -2.0), (-1.0, -0.0)), ((-INF, INF), (-1.0, None)),
    ((-INF, NAN), (-1.0, None)), ((INF, INF), (INF, NAN)), ((INF, NAN), (INF, NAN)), ((NAN, 0.0), (NAN, 0.0)),
    ((NAN, 1.0), (NAN, NAN)), ((NAN, NAN), (NAN, NAN)), ((INF, 1.0), (INF, INF)), ((INF, 2.0), (-INF, INF)),
]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("x", "expected"), LIMITS)
def test_expm1(dtype, x, expected):
    for sign in (1, -1):
        made = ap.to_numpy(xp.expm1(xp.asarray([complex(x[0], sign * x[1])], dtype=dtype)))
        assert made.dtype == dtype
        infinite_any_sign = abs(expected[0]) == INF and not math.isfinite(x[1])
        real = abs(made.real[0]) if infinite_any_sign else made.real[0]
        np.testing.assert_array_equal(abs(real) if expected[0] == 0 else real, expected[0])
        if expected[1] is None:
            assert made.imag[0] == 0
        else:
            np.testing.assert_array_equal(made.imag[0], sign * expected[1])


def test_expm1_of_the_rest():
    x = np.linspace(-3, 3, 7) + 1j * np.linspace(-4, 4, 7)
    np.testing.assert_array_equal(ap.to_numpy(xp.expm1(ap.asarray(x))), ap.to_numpy(ap.expm1(ap.asarray(x))))
    assert xp.expm1(ap.asarray([1e-20])).tolist() == [1e-20]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_finfo(dtype):
    found, of_numpy = xp.finfo(getattr(xp, dtype)), np.finfo(dtype)
    for name in ("eps", "max", "min", "smallest_normal"):
        assert type(getattr(found, name)) is float
        assert getattr(found, name) == getattr(of_numpy, name)
        assert type(getattr(ap.finfo(dtype), name)) is type(getattr(of_numpy, name))
    assert type(found.bits) is int
    assert (found.bits, found.dtype) == (of_numpy.bits, of_numpy.dtype)


@pytest.mark.parametrize(("name", "parameters"), [
    ("clip", {"x": 0, "min": 1, "max": 1}), ("sort", {"x": 0, "axis": 3, "descending": 3, "stable": 3}),
    ("argsort", {"x": 0, "axis": 3, "descending": 3, "stable": 3}),
])
def test_signatures(name, parameters):
    own = inspect.signature(getattr(xp, name)).parameters
    assert {key: int(one.kind) for key, one in own.items()} == parameters


def test_clip():
    x = xp.asarray([-2.0, 0.5, 3.0])
    assert xp.clip(x, 0.0).tolist() == [0, 0.5, 3]
    assert xp.clip(x, max=1.0).tolist() == [-2, 0.5, 1]
    assert xp.clip(x, min=0.0, max=1.0).tolist() == [0, 0.5, 1]
    assert x.clip(0.0).tolist() == [0, 0.5, 3]


@pytest.mark.parametrize("descending", [False, True])
def test_sorts_are_stable(descending):
    x = np.random.default_rng(3).integers(0, 3, 500)
    order = ap.to_numpy(xp.argsort(ap.asarray(x), descending=descending))
    expected = sorted(range(500), key=lambda i: (-x[i] if descending else x[i]))
    assert order.tolist() == expected
    assert xp.sort(ap.asarray(x), descending=descending).tolist() == x[expected].tolist()


def test_sequences_by_edition():
    x, y = ap.arange(2), ap.arange(3)
    for edition, kind in (("2025.12", tuple), ("2024.12", list), ("2022.12", list)):
        space = x.__array_namespace__(api_version=edition)
        assert type(space.meshgrid(x, y)) is kind
        assert type(space.broadcast_arrays(x, x)) is kind
        assert [one.shape for one in space.meshgrid(x, y, indexing="ij")] == [(2, 3), (2, 3)]
    assert type(ap.meshgrid(x, y)) is type(np.meshgrid([0], [1]))


def test_eigenvalues_are_complex():
    a = ap.asarray([[2.0, 0.0], [0.0, 3.0]])
    assert xp.linalg.eigvals(a).dtype == np.complex128
    assert [part.dtype for part in xp.linalg.eig(a)] == [np.complex128] * 2
    assert ap.linalg.eigvals(a).dtype == np.float64
    assert xp.linalg.inv is ap.linalg.inv


def test_the_rest_is_asnumpy():
    assert xp is ap.array_api
    assert xp.add is ap.add
    assert xp.float32 is ap.float32
    assert xp.random is ap.random
    assert not [name for name in ap.__all__ if not hasattr(xp, name)]

"""Every reducible row and every scan: dtypes, axes, layouts, sizes around the borders of tiles, accuracy, threads."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from agreement import assert_same_error
from seeded import generator

import asnumpy as ap
from asnumpy import _core
from asnumpy.check._edges import ALL, BFLOAT16, COMPLEX, FLOATS, INTEGERS, edges, finfo, is_float
from asnumpy.check._reductions import ROUNDING
from asnumpy.check._reductions import exact_values as ordered_alike

REDUCIBLE = {row["name"]: row for row in _core.rows() if row["reducible"]}
SIZES = [0, 1, 2, 7, 8, 9, 127, 128, 129, 1000, 2047, 2048, 2049, 4096, 70000]
LAYOUTS = {
    "C": lambda a: a,
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::-1, :, ::-1],
    "strided": lambda a: a[:, ::2, 1::3],
    "turned": lambda a: a.transpose(1, 2, 0)[:, ::-1],
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(params=["recorded", "at once"])
def recording(request: pytest.FixtureRequest) -> Iterator[None]:
    with ap.config.using(eager_size=0 if request.param == "recorded" else 10**6):
        yield


def dtypes_of(name: str) -> list[np.dtype]:
    """NumPy's order of evaluation shows in bfloat16, which it rounds at every step: accuracy has a test of its own."""
    loops = [np.dtype(ins[0]) for ins, _ in REDUCIBLE[name]["loops"] if len({*ins}) == 1]
    return [d for d in loops if d in ALL and (d != BFLOAT16 or name in ("maximum", "minimum", "fmax", "fmin"))]


def exact_values(name: str, dtype: np.dtype, shape: Any) -> np.ndarray:
    return ordered_alike(name, dtype, shape, generator())


def same(name: str, expected: Any, got: Any, label: str) -> None:
    expected = np.asarray(expected)
    assert isinstance(got, ap.ndarray), label
    values = np.asarray(got)
    assert values.dtype == expected.dtype and values.shape == expected.shape, (
        f"{label}: {values.dtype}{values.shape}, NumPy's is {expected.dtype}{expected.shape}"
    )
    if name in ROUNDING:
        few = float(finfo(expected.dtype).eps) * 2000
        np.testing.assert_allclose(values.astype(float), expected.astype(float), rtol=few, atol=few, err_msg=label)
        return
    comparable = np.float64 if values.dtype == BFLOAT16 else values.dtype  # NumPy's tool does not know its NaN
    np.testing.assert_array_equal(values.astype(comparable), expected.astype(comparable), err_msg=label)
    if is_float(values.dtype):
        nan = np.isnan(values)
        assert np.array_equal(np.signbit(values[~nan]), np.signbit(expected[~nan])), f"{label}: sign of zero"


def check(name: str, plain: np.ndarray, mine: Any, label: str, **options: Any) -> None:
    """reduce() on both, results or errors compared."""
    try:
        expected = getattr(np, name).reduce(plain, **options)
    except (ValueError, TypeError) as error:
        assert_same_error(error, lambda: getattr(ap, name).reduce(mine, **options))
        return
    same(name, expected, getattr(ap, name).reduce(mine, **options), f"{name}.reduce({label}, {options})")


def test_sums_and_products_have_rows() -> None:
    assert {"add", "multiply", "maximum", "minimum", "logical_and", "logical_or"} <= set(REDUCIBLE)


@pytest.mark.parametrize("name", REDUCIBLE)
def test_sizes(name: str, recording: None) -> None:
    for dtype, size in itertools.product(dtypes_of(name), SIZES):
        if dtype == np.float16 and size > 4096 and (name == "add" or name in ROUNDING):
            continue  # sums that NumPy's own float16 does not hold
        plain = exact_values(name, dtype, size)
        mine = ap.from_numpy(plain)
        check(name, plain, mine, f"{dtype}[{size}]")
        check(name, plain[::-1], mine[::-1], f"{dtype}[{size}] reversed", keepdims=True)
        check(name, plain[1::3], mine[1::3], f"{dtype}[{size}] strided")


@pytest.mark.parametrize("name", REDUCIBLE)
def test_long_rows_and_columns(name: str) -> None:
    for dtype, shape in itertools.product(
        dtypes_of(name), [(2049, 3), (3, 2049), (129, 257), (0, 4), (4, 0), (1, 5000)]
    ):
        if dtype == np.float16 and name in ROUNDING:
            continue
        plain = exact_values(name, dtype, shape)
        mine = ap.from_numpy(plain)
        for axis, layout in itertools.product((0, 1, None), (lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2])):
            check(name, layout(plain), layout(mine), f"{dtype}{shape}", axis=axis)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", REDUCIBLE)
def test_axes(name: str, layout: str, recording: None) -> None:
    axes = [None, (), *range(-3, 3), *itertools.combinations(range(3), 2), (2, 0), (-1, 1), (0, 1, 2)]
    wrong_axes: list[Any] = [3, -4, (0, 0), (1, -2), 1.5, "x"]
    for dtype in dtypes_of(name):
        plain = exact_values(name, dtype, (5, 9, 7))
        mine = LAYOUTS[layout](ap.from_numpy(plain))
        plain = LAYOUTS[layout](plain)
        for axis, keepdims in itertools.product(axes + wrong_axes, (False, True)):
            check(name, plain, mine, f"{dtype} {layout}", axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("name", REDUCIBLE)
def test_broadcast_and_0d(name: str, recording: None) -> None:
    for dtype in dtypes_of(name):
        row = exact_values(name, dtype, (1, 6, 1))
        if dtype.kind not in "biu" and name == "multiply":
            row[...] = 1
        wide, mine = np.broadcast_to(row, (4, 6, 3)), ap.broadcast_to(ap.from_numpy(row), (4, 6, 3))
        for axis in (None, 0, 1, 2, (0, 2)):
            check(name, wide, mine, f"{dtype} broadcast", axis=axis)
        scalar = row.reshape(-1)[:1].reshape(())
        for options in ({}, {"axis": None}, {"axis": ()}, {"axis": 0}, {"keepdims": True}, {"axis": 1}):
            check(name, scalar, ap.from_numpy(scalar), f"{dtype} 0-d", **options)


@pytest.mark.parametrize("name", REDUCIBLE)
def test_initial_where_dtype_out(name: str, recording: None) -> None:
    rng = generator()
    for dtype in dtypes_of(name):
        plain = exact_values(name, dtype, (6, 11))
        mine = ap.from_numpy(plain)
        mask = rng.integers(0, 2, (6, 11)).astype(bool)
        for axis in (None, 0, 1):
            for initial in (1, 0, True):
                check(name, plain, mine, f"{dtype}", axis=axis, initial=initial)
                check(name, plain, mine, f"{dtype} masked", axis=axis, initial=initial, where=mask)
            small = (plain.astype(np.int64) % 3).astype(dtype) if dtype.kind in "iu" else plain  # exact in every dtype
            for wanted in ALL:
                if wanted.itemsize > 2:
                    check(name, small, ap.from_numpy(small), f"{dtype}", axis=axis, dtype=wanted)
            if axis is None and name == "lcm":
                continue  # has no order-free meaning to NumPy, test_axes sees its exception
            target = np.zeros_like(getattr(np, name).reduce(plain, axis=axis, keepdims=True))
            out = ap.from_numpy(target)
            assert getattr(ap, name).reduce(mine, axis=axis, keepdims=True, out=out) is out
            getattr(np, name).reduce(plain, axis=axis, keepdims=True, out=target)
            same(name, target, out, f"{name} {dtype} out")


@pytest.mark.parametrize("name", REDUCIBLE)
def test_default_dtype_and_empty(name: str) -> None:
    """Small integers are summed in int64; an empty reduction gives the identity or raises."""
    for dtype in ALL:
        for shape in ((0,), (3, 0), (0, 3), (3, 1)):
            plain = np.ones(shape, dtype)
            for options in ({"axis": 0}, {"axis": -1}, {"axis": None}, {"axis": None, "initial": 1}):
                if dtype != BFLOAT16:
                    check(name, plain, ap.from_numpy(plain), f"{dtype}{shape}", **options)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", FLOATS + COMPLEX, ids=str)
def test_extremes_of_nan_and_infinity(name: str, dtype: np.dtype) -> None:
    if name not in REDUCIBLE or dtype not in dtypes_of(name):
        pytest.skip(f"{name} has no reduction of {dtype}")
    values = edges(dtype)
    values = values[values != 0]  # which of two zeros wins depends on the order
    some = generator().choice(values, (40, 37))
    some[::3] = np.where(np.isnan(some[::3]), 1, some[::3])
    for axis in (None, 0, 1):
        expected, got = (
            getattr(np, name).reduce(some, axis=axis),
            getattr(ap, name).reduce(ap.from_numpy(some), axis=axis),
        )
        if dtype.kind == "c":
            expected, got = np.isnan(expected), ap.isnan(got)  # the other part of a NaN is whichever came first
        comparable = np.float64 if dtype == BFLOAT16 else np.asarray(expected).dtype
        np.testing.assert_array_equal(np.asarray(got).astype(comparable), expected.astype(comparable))


def exact_sum(values: np.ndarray) -> complex | float:
    if values.dtype.kind == "c":
        return complex(math.fsum(values.real.tolist()), math.fsum(values.imag.tolist()))
    return math.fsum(values.astype(np.float64).tolist())


def drawn(kind: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    rng = generator()
    raw = rng.uniform(0, 1, shape) if kind == "positive" else rng.normal(0, 1, shape)
    if kind == "wide":
        raw = raw * 10 ** rng.uniform(-2, 2, shape)
    if dtype == np.float16:
        raw = raw / max(1, math.prod(shape) / 1000)
    return raw.astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX, ids=str)
@pytest.mark.parametrize("kind", ["positive", "signed", "wide"])
def test_sums_are_as_accurate_as_numpy(dtype: np.dtype, kind: str) -> None:
    """By the root mean square of several sums' errors: one sum may be right by chance. Adding one by one fails this."""
    eps, several = float(finfo(dtype).eps), 10
    for shape in ((7,), (129,), (1000,), (2049,), (70000,), (300, 400), (3, 9000), (9000, 3)):
        for axis in (None, *range(len(shape))):
            ours, numpys, size = [], [], []
            while len(ours) < several:
                plain = drawn(kind, dtype, shape)
                columns = plain.reshape(-1, 1) if axis is None else np.moveaxis(plain, axis, 0).reshape(shape[axis], -1)
                found = np.asarray(ap.from_numpy(plain).sum(axis)).reshape(-1)
                theirs = np.asarray(plain.sum(axis)).reshape(-1)
                for k in range(0, columns.shape[1], 1 + columns.shape[1] // several):
                    exact = exact_sum(columns[:, k])
                    ours.append(abs(complex(found[k]) - exact))
                    numpys.append(abs(complex(theirs[k]) - exact))
                    size.append(float(np.abs(columns[:, k].astype(np.complex128)).sum()))
            error, usual = (float(np.sqrt(np.mean(np.square(errors)))) for errors in (ours, numpys))
            allowed = 2 * usual + eps * float(np.mean(size))
            assert error <= allowed, f"{dtype}{shape} over {axis}: error {error}, NumPy's {usual}, allowed {allowed}"


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax(name: str, dtype: np.dtype, recording: None) -> None:
    rng = generator()
    for shape in ((1,), (9,), (129,), (2049,), (70000,), (7, 300), (300, 7), (4, 5, 6)):
        plain = rng.integers(0, 5, shape).astype(dtype)  # many ties: the first one counts
        mine = ap.from_numpy(plain)
        for axis in (None, *range(-len(shape), len(shape))):
            for layout in (lambda a: a, lambda a: a[::-1], lambda a: a.T, lambda a: a[..., ::2]):
                got = getattr(ap, name)(layout(mine), axis=axis)
                expected = getattr(np, name)(layout(plain), axis=axis)
                assert got.dtype == np.int64
                np.testing.assert_array_equal(np.asarray(got), expected, err_msg=f"{dtype}{shape} axis {axis}")
    if is_float(dtype) or dtype.kind == "c":
        plain = rng.integers(0, 5, (50, 40)).astype(dtype)
        plain[rng.integers(0, 50, 20), rng.integers(0, 40, 20)] = np.nan
        plain[3, 5], plain[4, 4] = np.inf, -np.inf
        for axis in (None, 0, 1):
            np.testing.assert_array_equal(
                np.asarray(getattr(ap, name)(ap.from_numpy(plain), axis=axis)), getattr(np, name)(plain, axis=axis)
            )
    for shape, axis, error in (((0,), None, ValueError), ((3, 0), 1, ValueError), ((2, 3), 2, IndexError)):
        with pytest.raises(error):
            getattr(ap, name)(ap.zeros(shape, dtype), axis=axis)


@pytest.mark.parametrize("dtype", [d for d in ALL if d != BFLOAT16], ids=str)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans(name: str, dtype: np.dtype, recording: None) -> None:
    values = {"cumsum": "add", "cumprod": "multiply"}[name]
    for shape in ((0,), (1,), (9,), (129,), (2049,), (7, 300), (300, 7), (4, 5, 6)):
        plain = exact_values(values, dtype, shape)
        mine = ap.from_numpy(plain)
        for axis in (None, *range(-len(shape), len(shape))):
            for layout in (lambda a: a, lambda a: a[::-1], lambda a: a.T, lambda a: a[..., ::2]):
                got, expected = getattr(ap, name)(layout(mine), axis=axis), getattr(np, name)(layout(plain), axis=axis)
                assert got.dtype == expected.dtype
                np.testing.assert_array_equal(np.asarray(got), expected, err_msg=f"{dtype}{shape} axis {axis}")
    for wanted in (np.int16, np.float32, np.complex128):
        plain = exact_values(values, dtype, (30,))
        expected, got = getattr(np, name)(plain, dtype=wanted), getattr(ap, name)(ap.from_numpy(plain), dtype=wanted)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_truth(dtype: np.dtype, recording: None) -> None:
    rng = generator()
    for shape in ((0,), (1,), (2049,), (7, 300), (0, 3), (4, 5, 6)):
        for low, high in ((0, 2), (0, 1), (1, 2)):
            plain = rng.integers(low, high, shape).astype(dtype)
            mine = ap.from_numpy(plain)
            for name, axis in itertools.product(("any", "all", "count_nonzero"), (None, *range(len(shape)))):
                got, expected = getattr(ap, name)(mine, axis=axis), getattr(np, name)(plain, axis=axis)
                np.testing.assert_array_equal(np.asarray(got), expected, err_msg=f"{name} {dtype}{shape} axis {axis}")
                if name != "count_nonzero":
                    assert got.dtype == np.bool_
    if is_float(dtype) or dtype.kind == "c":
        special = np.array([np.nan, -0.0, 0.0]).astype(dtype)
        for name in ("any", "all", "count_nonzero"):
            assert int(getattr(ap, name)(ap.from_numpy(special))) == int(getattr(np, name)(special))


@pytest.mark.parametrize("shape", [(700001,), (1000, 701), (5, 140003), (140003, 5), (50, 120, 118)])
@pytest.mark.parametrize("dtype", [np.dtype("f4"), np.dtype("f8"), np.dtype("i4"), np.dtype("c8")], ids=str)
def test_threads_do_not_change_the_result(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    values = generator().normal(0, 50, shape)
    mine = ap.from_numpy(values.astype(dtype))
    results: list[list[np.ndarray]] = []
    scans: list[np.ndarray] = []
    for threads in (1, min(2, _core.max_threads())):
        with ap.config.using(num_threads=threads):
            found = [mine.sum(), mine.max(), mine.argmax(), (mine * mine + mine).sum(), mine.prod()]
            found += [mine.sum(axis) for axis in range(len(shape))] + [mine.min(axis) for axis in range(len(shape))]
            results.append([np.array(r) for r in found])
            scans.append(np.array(ap.cumsum(mine)))
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()
    plain = values.astype(dtype)
    # A scan of floats is rounded at the borders of the parts that threads take: compared by error, with NumPy's own.
    exact = np.cumsum(plain, dtype=np.complex128 if dtype.kind == "c" else np.float64 if dtype.kind == "f" else None)
    allowed = 4 * np.abs(np.cumsum(plain) - exact).max() + float(np.abs(exact).max()) * 1e-6 * (dtype.kind in "fc")
    for scan in scans:
        assert np.abs(scan - exact).max() <= allowed
    assert results[0][2] == plain.argmax() and results[0][1] == plain.max()
    if dtype in INTEGERS:
        assert results[0][0] == plain.sum()

"""Plain calls of common functions and methods, which the core answers by itself, beside NumPy and the longer way."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core, operators

FOLDS = ("sum", "prod", "max", "min", "all", "any", "argmax", "argmin")
DTYPES = "?bBhHiIqQefdFD"
SHAPES = ((1,), (7,), (200,), (600,), (3, 5), (4, 1, 6), (0,), (2, 0, 3))
CALLS = ({}, {"axis": 0}, {"axis": -1}, {"axis": None}, {"axis": 1}, {"keepdims": True}, {"axis": 0, "keepdims": True},
         {"axis": (0, 1)}, {"axis": 5}, {"axis": True}, {"axis": 1.0}, {"keepdims": False}, {"wrong": 1})  # fmt: skip
COPIES = ("copy", "array", "zeros_like", "ones_like", "empty_like")
QUICK = (*FOLDS, *COPIES, "asarray", "argsort", "sort", "count_nonzero", "astype", "take", "searchsorted", "zeros",
         "ones", "empty", "where", "full_like", "fill")  # fmt: skip


@pytest.fixture(params=[True, False], ids=["quick", "long"], autouse=True)
def quick(request):
    for name in QUICK:
        _core.answer_quickly(name, request.param)
    yield request.param
    for name in QUICK:
        _core.answer_quickly(name, True)


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    drawn = np.random.default_rng(len(shape)).integers(-3, 9, shape).astype(dtype)
    if drawn.dtype.kind in "fc" and drawn.size > 3:
        drawn.flat[1] = np.nan
    return drawn


LAYOUTS = (  # the same elements as they are, in another order of memory, backwards, and apart
    lambda xp, x: x,
    lambda xp, x: xp.array(x, order="F"),
    lambda xp, x: xp.flip(x),
    lambda xp, x: xp.stack((x, x), -1)[..., 0],
)


def cases(dtype: str, change=lambda x: x) -> list[tuple[np.ndarray, ap.ndarray]]:
    """NumPy's array and ours, of each shape in each layout."""
    drawn = [change(values(dtype, shape)) for shape in SHAPES]
    return [(layout(np, x), layout(ap, ap.asarray(x))) for x in drawn for layout in LAYOUTS]


class Raised(Exception):
    """What a call raised, where NumPy and asnumpy are compared."""


def outcome(call, *args, **kwargs):
    try:
        with np.errstate(all="ignore"):
            return call(*args, **kwargs)
    except Exception as error:  # whatever it is, ours has to be it, too
        return Raised(error)


def same(made, expected, rounding: float = 0) -> None:
    """The same shape, dtype and elements, or an exception of the same class."""
    if isinstance(expected, Raised):
        assert isinstance(made, Raised) and type(made.args[0]) is type(expected.args[0]), (made, expected)
        return
    assert not isinstance(made, Raised), made
    assert np.shape(made) == np.shape(expected) and made.dtype == np.asarray(expected).dtype
    if rounding:
        np.testing.assert_allclose(np.asarray(made), expected, rounding)
    else:
        np.testing.assert_array_equal(np.asarray(made), expected)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_folds_and_places_of_extremes(name, dtype):
    rounding = (1e-2 if dtype == "e" else 1e-5) if name in ("sum", "prod") and dtype in "efdFD" else 0
    for (x, a), call in itertools.product(cases(dtype), CALLS):
        same(outcome(getattr(ap, name), a, **call), outcome(getattr(np, name), x, **call), rounding)
        same(outcome(getattr(a, name), **call), outcome(getattr(x, name), **call), rounding)
        if set(call) == {"axis"}:
            same(outcome(getattr(a, name), *call.values()), outcome(getattr(x, name), *call.values()), rounding)


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_and_arrays_alike(name, dtype):
    for x, a in cases(dtype):
        expected, made = getattr(np, name)(x), getattr(ap, name)(a)
        if name != "empty_like":
            same(made, expected)
        assert (made.shape, made.dtype) == (expected.shape, expected.dtype) and not ap.shares_memory(made, a)
        assert x.size < 2 or made.strides == expected.strides
        assert ap.asarray(a) is a


@pytest.mark.parametrize("dtype", DTYPES)
def test_order_and_counts(dtype):
    for x, a in cases(dtype, np.nan_to_num):
        same(ap.sort(a), np.sort(x))
        for places in (ap.argsort(a), a.argsort()):
            assert places.dtype == np.intp and places.shape == x.shape
            np.testing.assert_array_equal(np.take_along_axis(x, ap.to_numpy(places), -1), np.sort(x))
        assert int(ap.count_nonzero(a)) == np.count_nonzero(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_and_conversions(dtype):
    for x, a in cases(dtype, lambda x: np.abs(np.nan_to_num(x)).astype(dtype)):
        same(a.copy(), x.copy())
        assert (x.size < 2 or a.copy().strides == x.copy().strides) and not ap.shares_memory(a.copy(), a)
        for to in (np.float32, np.dtype("i2"), int, float, bool, complex, "u1", np.int64, np.dtype(">f8"), None):
            with warnings.catch_warnings(record=True) as theirs:
                warnings.simplefilter("always")
                expected = x.astype(to)
            with warnings.catch_warnings(record=True) as own:
                warnings.simplefilter("always")
                made = a.astype(to)
            same(made, expected)
            assert [one.category for one in own] == [one.category for one in theirs]


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
@pytest.mark.parametrize("dtype", [None, np.float32, int, "i2", np.dtype(">f8"), bool], ids=str)
def test_new_arrays(name, dtype):
    for shape in (3, (2, 3), (), [2, 2], np.int64(2), -1, (2, -1), "x", 1.5):
        for args, kwargs in (((shape,), {"dtype": dtype}), ((shape, dtype), {}), ((shape,), {"shape": 3})):
            made, expected = outcome(getattr(ap, name), *args, **kwargs), outcome(getattr(np, name), *args, **kwargs)
            if name == "empty" and not isinstance(expected, Raised):
                assert made.shape == expected.shape and made.dtype == expected.dtype
            else:
                same(made, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore")
def test_arrays_of_one_number(dtype):
    numbers = (0, 3, -1, 2.5, True, 300, 2**62, -(2**70), 1e300, float("nan"), 1j, np.float32(2), None, "x")
    if dtype == "?":
        numbers = [one for one in numbers if one != -(2**70)]  # NumPy's full_like refuses it, fill() does not
    for x, a in cases(dtype):
        if not x.size:
            continue  # there NumPy looks at no value
        for number in (*numbers, [1] * x.shape[-1]):
            same(outcome(ap.full_like, a, number), outcome(np.full_like, x, number))
            expected, made = x.copy(), a.copy()
            told = outcome(expected.fill, number), outcome(made.fill, number)
            assert isinstance(told[1], Raised) == isinstance(told[0], Raised), (number, *told)
            same(made, expected)
    frozen = ap.zeros(3)
    frozen.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        frozen.fill(1.0)


@pytest.mark.parametrize("name", ["array", "asarray"])
def test_arrays_of_numbers(name):
    for one in ([1.0, 2.0], (1, 2), [1, 2.5], [True, 1], [True, False], [], [2**63], [2**62], [1, 2**70, 1.5], [[1.0]],
                [1j], [np.float32(1), 2.0], [1.0, [2.0]], [float("nan"), -0.0], [-(2**63)]):  # fmt: skip
        same(outcome(getattr(ap, name), one), outcome(getattr(np, name), one))


@pytest.mark.parametrize("dtype", "dfiq?D")
def test_taking_and_searching(dtype):
    x, at = values(dtype, (9,)), np.array([3, 0, -1, 8])
    a, places = ap.asarray(x), ap.asarray(at)
    same(a.take(places), x.take(at))
    same(ap.take(a, places), np.take(x, at))
    for wrong in (9, -10):
        made, expected = outcome(a.take, ap.asarray([0, wrong])), outcome(x.take, np.array([0, wrong]))
        assert str(made) == str(expected)
        same(made, expected)
    m, n = np.sort(values("d", (30,))), values("d", (7,))
    same(ap.searchsorted(ap.asarray(m), ap.asarray(n)), np.searchsorted(m, n))
    same(ap.asarray(m).searchsorted(ap.asarray(n)), m.searchsorted(n))


@pytest.mark.parametrize("dtype", "dfiqB?")
def test_searching_for_one(dtype):
    """A number's place, from either side, as NumPy's scalar."""
    for n in (1, 30, 600, 5000):
        x = np.sort(np.random.default_rng(n).integers(0, 9, n)).astype(dtype)
        a = ap.asarray(x)
        for sought in (3, 2.5, -1, 100, 2**40, 2**70, float("nan"), float("inf"), True, np.float32(4), a[0], "x", 1j):
            theirs = x[0] if isinstance(sought, ap.ndarray) else sought
            sides = ({"side": side} for side in ("right", "left", "wrong"))
            for kwargs in ({}, *sides, {"sorter": None}, {"sid": "left"}):
                same(outcome(ap.searchsorted, a, sought, **kwargs), outcome(np.searchsorted, x, theirs, **kwargs))
                same(outcome(a.searchsorted, sought, **kwargs), outcome(x.searchsorted, theirs, **kwargs))
    same(ap.searchsorted(ap.zeros(0), 1.0), np.searchsorted(np.zeros(0), 1.0))
    same(outcome(ap.searchsorted, ap.zeros((2, 2)), 1.0), outcome(np.searchsorted, np.zeros((2, 2)), 1.0))
    assert type(ap.searchsorted(ap.arange(5.0), 2.0) + 1) is type(ap.arange(5)[0])


NAMES_OF_DTYPES = (
    "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool",
    "complex128", "complex64", "float", "int", "complex", "f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2",
    "u1", "c16", "c8", "d", "f", "e", "b", "?", "g", "<f4", "=i8", "|u1", "single", "double", "long", "uint",
    "longdouble", "float65", "", " float64", "Float64", "i3", "f\0", "größe", "\udc80",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OF_DTYPES, ids=ascii)
def test_dtypes_by_name(name):
    x = np.array([0.0, 1.5, 200.0])
    a = ap.asarray(x)
    same(outcome(a.astype, name), outcome(x.astype, name))
    for make in ("zeros", "ones"):
        same(outcome(getattr(ap, make), 3, name), outcome(getattr(np, make), 3, name))
        same(outcome(getattr(ap, make), (2, 1), dtype=name), outcome(getattr(np, make), (2, 1), dtype=name))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_choices(dtype):
    x, row = values(dtype, (3, 5)), values(dtype, (5,))
    masks = [np.arange(15).reshape(3, 5) % 2 == 0]
    masks += [masks[0][0], masks[0][:, :1], [True] * 5, masks[0].astype(int)]
    numbers = [3, -2, 1.5, True, 1j, 2**70, np.float32(2), float("nan"), [1] * 5, x[0, 0]]
    given = [x, row, x > 1, x.astype("D" if dtype in "FD" else "d"), *numbers]
    for call in itertools.product(masks, given, given):
        ours = (ap.asarray(one) if isinstance(one, np.ndarray) else one for one in call)
        same(outcome(ap.where, *ours), outcome(np.where, *call))
    same(outcome(ap.where, ap.zeros(4, bool), ap.asarray(x), 1), outcome(np.where, np.zeros(4, bool), x, 1))


def test_what_was_recorded_is_seen():
    """Before a plain call looks at elements, what is to write them has run."""
    x = np.random.default_rng(0).random(50_000)
    a = ap.asarray(x)
    b, y = a * 2, x * 2
    b[7] = y[7] = 99
    few, fewer = b[:40], y[:40]
    assert int(few.argmax()) == fewer.argmax() == 7 and float(few.max()) == 99
    same(ap.sort(few), np.sort(fewer))
    same(few.argsort(), fewer.argsort())
    same(few.copy(), fewer)
    kept = few.copy()
    few += 1
    same(kept, fewer)


def test_under_jit():
    def work(xp, x):
        made = xp.zeros(3) + x.sum(), xp.array([1.0, 2.0]) * x[0], xp.ones_like(x)
        return *made, x.argmax(), x.astype(xp.float32), x.copy(), xp.sort(x)

    x = np.random.default_rng(1).random(40)
    compiled = ap.jit(lambda x: work(ap, x))
    for shift in range(3):
        for made, expected in zip(compiled(ap.asarray(x + shift)), work(np, x + shift), strict=True):
            same(made, expected)


def test_errors_that_are_watched_are_reported():
    a = ap.asarray(np.array([1e308, 1e308]))
    with ap.errstate(over="raise"), pytest.raises(FloatingPointError):
        a.sum()


def test_rules_reach_functions_and_methods(tmp_path):
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    file = tmp_path / "dispatch.yaml"
    file.write_text("rules:\n  - {builtin: [argmax, zeros_like, max], order: host}\n")
    a = ap.asarray(np.arange(5.0))
    try:
        operators.use_rules(file)
        operators.forget_runs()
        assert int(a.argmax()) == int(ap.argmax(a)) == 4 and float(a.max()) == float(ap.max(a)) == 4
        assert ap.zeros_like(a).tolist() == [0] * 5
        counts = {one["operator"]: one["count"] for one in operators.runs()}
        assert counts.get("argmax") == 2 and counts.get("zeros_like") == 1 and sum(counts.values()) == 5
    finally:
        operators.use_rules(None)
    assert int(a.argmax()) == 4 and a.sum() == 10

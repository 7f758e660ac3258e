"""Plain calls of common functions and methods, which the core answers by itself, beside NumPy's and beside the longer way."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core, operators

FOLDS = ("sum", "prod", "max", "min", "all", "any", "argmax", "argmin")
DTYPES = "?bBhHiIqQefdFD"
SHAPES = ((1,), (7,), (200,), (600,), (3, 5), (4, 1, 6), (0,), (2, 0, 3), ())
CALLS = ({}, {"axis": 0}, {"axis": -1}, {"axis": None}, {"axis": 1}, {"keepdims": True}, {"axis": 0, "keepdims": True},
         {"axis": (0, 1)}, {"axis": 5}, {"axis": True}, {"axis": 1.0}, {"keepdims": False}, {"wrong": 1})  # fmt: skip
SHORT = ("copy", "argsort", "sort", "count_nonzero", "array", "asarray", "zeros_like", "ones_like", "empty_like")


def values(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(len(shape))
    drawn = rng.integers(-3, 9, shape).astype(dtype)
    if drawn.dtype.kind in "fc" and drawn.size > 3:
        drawn.flat[1] = np.nan
    return drawn


LAYOUTS = (  # the same elements as they are, in another order of memory, backwards, and apart
    lambda xp, x: x,
    lambda xp, x: xp.array(x, order="F"),
    lambda xp, x: xp.flip(x),
    lambda xp, x: xp.stack((x, x), -1)[..., 0],
)


def pairs(x: np.ndarray):
    """NumPy's array and ours, in each layout."""
    return [(layout(np, x), layout(ap, ap.asarray(x))) for layout in LAYOUTS if x.ndim]  # else they are numbers


def outcome(call):
    try:
        return call()
    except Exception as error:  # whatever it is, ours has to be it, too
        return type(error), str(error)


def same(made, expected) -> None:
    if isinstance(expected, tuple):
        assert made == expected
        return
    assert isinstance(made, ap.ndarray) and np.shape(made) == np.shape(expected) and made.dtype == expected.dtype
    np.testing.assert_array_equal(ap.to_numpy(made), expected)


@pytest.fixture(params=[True, False], ids=["quick", "long"])
def quick(request):
    names = [*FOLDS, *SHORT, "astype", "take", "searchsorted", "zeros", "ones", "empty", "where"]
    for name in names:
        _core.answer_quickly(name, request.param)
    yield request.param
    for name in names:
        _core.answer_quickly(name, True)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_folds_and_places_of_extremes(name, dtype, quick):
    for shape, call in itertools.product(SHAPES, CALLS):
        for x, a in pairs(values(dtype, shape)):
            with np.errstate(all="ignore"):
                for theirs, made in ((getattr(np, name), getattr(ap, name)), (None, None)):
                    if theirs is None:
                        expected, got = (outcome(lambda o=o: getattr(o, name)(**call)) for o in (x, a))
                    else:
                        expected, got = outcome(lambda: theirs(x, **call)), outcome(lambda: made(a, **call))
                    if isinstance(expected, np.generic | np.ndarray) and name in ("sum", "prod") and dtype in "efFD":
                        np.testing.assert_allclose(ap.to_numpy(got), expected, rtol=1e-2 if dtype == "e" else 1e-5)
                        assert got.dtype == expected.dtype
                    elif isinstance(expected, tuple):
                        assert isinstance(got, tuple) and got[0] is expected[0], (shape, call, got, expected)
                    else:
                        same(got, expected)


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_one_array(name, dtype, quick):
    for shape in SHAPES:
        for x, a in pairs(values(dtype, shape)):
            expected, made = outcome(lambda: getattr(np, name)(x)), outcome(lambda: getattr(ap, name)(a))
            if name in ("argsort", "sort") and x.size > 512 and name == "argsort":
                np.testing.assert_array_equal(x[ap.to_numpy(made)], np.sort(x))
                continue
            if name == "empty_like":
                assert (made.shape, made.dtype, made.strides) == (expected.shape, expected.dtype, expected.strides)
                continue
            if isinstance(expected, int):
                expected = np.int64(expected)
            if name == "asarray":
                assert made is a
            elif isinstance(expected, np.ndarray) and name != "argsort":
                assert made.strides == expected.strides or x.size < 2
            if name in ("sort", "argsort") and dtype in "FD" and not isinstance(expected, tuple):
                assert made.shape == expected.shape and made.dtype == expected.dtype  # NaN beside numbers have no order
                continue
            if not isinstance(expected, tuple):
                same(made, expected)
            else:
                assert made[0] is expected[0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_and_conversions(dtype, quick):
    for shape in SHAPES:
        for x, a in pairs(np.abs(np.nan_to_num(values(dtype, shape))).astype(dtype)):
            same(a.copy(), x.copy())
            assert x.size < 2 or a.copy().strides == x.copy().strides
            if x.ndim:
                assert not ap.shares_memory(a.copy(), a)
            for to in (np.float32, np.dtype("i2"), int, float, bool, complex, "u1", np.int64):
                with warnings.catch_warnings(record=True) as theirs:
                    warnings.simplefilter("always")
                    expected = x.astype(to)
                with warnings.catch_warnings(record=True) as own:
                    warnings.simplefilter("always")
                    made = a.astype(to)
                same(made, expected)
                assert [one.category for one in own] == [one.category for one in theirs]


def test_new_arrays(quick):
    for shape, dtype in itertools.product(
            (3, (2, 3), (), [2, 2], np.int64(2), -1, (2, -1), "x", 1.5), (None, np.float32, int, "i2", np.dtype(">f8"), bool)):
        for name, more in itertools.product(("zeros", "ones", "empty"), (False, True)):
            given = {} if dtype is None else {"dtype": dtype}
            expected, made = (
                outcome(lambda xp=xp: getattr(xp, name)(shape, *given.values()) if more else getattr(xp, name)(shape, **given))
                for xp in (np, ap))
            if isinstance(expected, tuple):
                assert isinstance(made, tuple) and made[0] is expected[0], (shape, dtype, made, expected)
            else:
                assert made.shape == expected.shape and made.dtype == expected.dtype
                assert name == "empty" or np.array_equal(np.asarray(made), expected)


def test_arrays_of_numbers(quick):
    given = ([1.0, 2.0], (1, 2), [1, 2.5], [True, 1], [True, False], [], [2**63], [2**62], [1, 2**70, 1.5], [[1.0], [2.0]], [1j],
             [np.float32(1), 2.0], ["a"], [None], [1.0, [2.0]], [float("nan"), -0.0])  # fmt: skip
    for one, name in itertools.product(given, ("array", "asarray")):
        expected, made = outcome(lambda: getattr(np, name)(one)), outcome(lambda: getattr(ap, name)(one))
        if isinstance(expected, tuple):
            assert made[0] is expected[0]
        else:
            assert made.dtype == expected.dtype and made.shape == expected.shape
            assert np.array_equal(np.asarray(made), expected, equal_nan=expected.dtype.kind in "fc")


@pytest.mark.parametrize("dtype", "dfiq?D")
def test_taking_and_searching(dtype, quick):
    x, at = values(dtype, (9,)), np.array([3, 0, -1, 8])
    a, places = ap.asarray(x), ap.asarray(at)
    same(a.take(places), x.take(at))
    same(ap.take(a, places), np.take(x, at))
    for wrong in (9, -10):
        expected, made = outcome(lambda: x.take(np.array([0, wrong]))), outcome(lambda: a.take(ap.asarray([0, wrong])))
        assert made == expected
    m, n = np.sort(values("d", (30,))), values("d", (7,))
    same(ap.searchsorted(ap.asarray(m), ap.asarray(n)), np.searchsorted(m, n))
    same(ap.asarray(m).searchsorted(ap.asarray(n)), m.searchsorted(n))


def test_what_was_recorded_is_seen(quick):
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


def test_under_jit(quick):
    def work(xp, x):
        total = xp.zeros(3) + x.sum()
        return total, x.argmax(), xp.array([1.0, 2.0]) * x[0], x.astype(xp.float32), x.copy(), xp.zeros_like(x), xp.sort(x)

    x = np.random.default_rng(1).random(40)
    compiled = ap.jit(lambda x: work(ap, x))
    for shift in range(3):
        for made, expected in zip(compiled(ap.asarray(x + shift)), work(np, x + shift), strict=True):
            same(made, np.asarray(expected) if np.ndim(expected) else expected)


def test_errors_that_are_watched_are_reported(quick):
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


@pytest.mark.parametrize("dtype", DTYPES)
def test_choices(dtype, quick):
    x, y = values(dtype, (3, 5)), values(dtype, (3, 5))[::-1].copy()
    row, mask = values(dtype, (5,)), np.arange(15).reshape(3, 5) % 2 == 0
    with np.errstate(all="ignore"):
        others = [x.astype("f8" if dtype not in "FD" else "D"), x > 1, 3, -2, 1.5, True, 1j, 2**70, np.float32(2), float("nan"), [1] * 5, x[0, 0]]
    for first, second, where in itertools.product((x, row, *others), (y, row, *others), (mask, mask[0], mask[:, :1], mask[0, 0], [True] * 5, mask.astype(int))):
        expected, made = (
            outcome(lambda xp=xp: xp.where(*(xp.asarray(one) if isinstance(one, np.ndarray) else one for one in (where, first, second))))
            for xp in (np, ap))
        if isinstance(expected, tuple):
            assert isinstance(made, tuple) and made[0] is expected[0], (first, second, where, made, expected)
        else:
            assert made.dtype == expected.dtype and made.shape == expected.shape
            assert np.array_equal(np.asarray(made), expected, equal_nan=expected.dtype.kind in "fc")


def test_choices_that_do_not_fit(quick):
    mask, x = np.array([True, False]), np.zeros((3, 4))
    expected, made = outcome(lambda: np.where(mask, x, x)), outcome(lambda: ap.where(ap.asarray(mask), ap.asarray(x), ap.asarray(x)))
    assert made[0] is expected[0] is ValueError

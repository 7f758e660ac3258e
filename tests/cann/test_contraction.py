"""Steps that the device runs as one operator: its calls, and values that stay NumPy's unless told else."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.runtime import cann_search
from cann.counting import calls, run

INTEGERS = [np.dtype(kind) for kind in ("int8", "uint8", "int32", "uint32", "int64", "uint64")]
FLOATS = [np.dtype(kind) for kind in ("float16", "float32", "float64")]

FORMS = {
    "a * b + c": lambda a, b, c, n, m: a * b + c,
    "c - a * b": lambda a, b, c, n, m: c - a * b,
    "c + n * a": lambda a, b, c, n, m: c + n * a,
    "c - a * n": lambda a, b, c, n, m: c - a * n,
    "n * a + m": lambda a, b, c, n, m: n * a + m,
    "n * a - m": lambda a, b, c, n, m: n * a - m,
    "m - n * a": lambda a, b, c, n, m: m - n * a,
    "a * a + c": lambda a, b, c, n, m: a * a + c,
    "n * a * b + c": lambda a, b, c, n, m: n * a * b + c,
    "c - n * a * b": lambda a, b, c, n, m: c - n * a * b,
}


def _run(form, *operands):
    """The result, and the operators that it took."""
    made, called = run(form, *operands)
    return ap.to_numpy(made), called


def _numbers(dtype, seed=0, shape=(6, 7)):
    rng = np.random.default_rng(seed)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    return rng.normal(0, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_integers_are_joined_and_exact(form, dtype):
    a, b, c = (_numbers(dtype, seed) for seed in range(3))
    n, m = dtype.type(100), dtype.type(77)
    with np.errstate(over="ignore"):
        expected = FORMS[form](a, b, c, n, m)
    got, called = _run(FORMS[form], a, b, c, n, m)
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == dtype
    assert called.total() == (2 if form.count("*") > 1 and "n" in form and dtype.itemsize == 8 else 1), called


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("form", [*FORMS, "a / b + c", "c - a / b"])
def test_floats_are_joined_on_request(form, dtype):
    quotients = {"a / b + c": lambda a, b, c, n, m: a / b + c, "c - a / b": lambda a, b, c, n, m: c - a / b}
    f = (FORMS | quotients)[form]
    a, b, c = (_numbers(dtype, seed) for seed in range(3))
    expected = f(a, b, c, dtype.type(1.7), dtype.type(-0.3))
    got, apart = _run(f, a, b, c, 1.7, -0.3)
    np.testing.assert_array_equal(got, expected)
    with ap.config.using(contract=True):
        close, joined = _run(f, a, b, c, 1.7, -0.3)
    assert joined.total() == 1 < apart.total(), (joined, apart)
    wide = f(*(np.asarray(x, dtype).astype(np.longdouble) for x in (a, b, c, 1.7, -0.3)))
    size = np.abs(a).astype(np.float64) * np.abs(b) * 1.7 + np.abs(a) * 1.7 + np.abs(c) + np.abs(a / b) + 1
    assert (np.abs(close.astype(np.longdouble) - wide) <= 2 * np.finfo(dtype).eps * size).all()


def test_the_setting_holds_for_what_is_recorded_under_it():
    a, b, c = (_numbers(np.dtype("float32"), seed) for seed in range(3))
    with ap.Device("ascend:0"), ap.config.using(eager=False):
        x, y, z = ap.array(a), ap.array(b), ap.array(c)
        for order in ((False, True), (True, False)):
            for allowed in order:
                before = calls()
                with ap.config.using(contract=allowed):
                    made = x * y + z
                ap.to_numpy(made)
                called = calls() - before
                assert called["aclnnAddcmul"] == allowed
                assert called["aclnnMul"] == called["aclnnAdd"] == (not allowed)


def test_numbers_may_change_from_launch_to_launch():
    a, c = _numbers(np.dtype("int32"), 1), _numbers(np.dtype("int32"), 2)
    with ap.Device("ascend:0"):
        x, z = ap.array(a), ap.array(c)
        for n in (3, -7, 0, 2**31 - 1):
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(ap.to_numpy(z - n * x), c - np.int32(n) * a)
                np.testing.assert_array_equal(ap.to_numpy(n * x + n), np.int32(n) * a + np.int32(n))


@pytest.mark.parametrize("dtype", [np.dtype(k) for k in ("int8", "int64", "float16", "float32", "float64")], ids=str)
def test_bounds(dtype):
    x = _numbers(dtype)
    if dtype.kind == "f":
        x[0, :5] = [np.nan, np.inf, -np.inf, -0.0, 0.0]
    got, called = _run(lambda x: ap.clip(x, -2, 3), x)
    np.testing.assert_array_equal(got, np.clip(x, -2, 3))
    assert called == {"aclnnClamp": 1}
    for low, high in ((-2, 3), (5, 1)):  # where they are in the wrong order, the one that comes last wins
        for f in (
            lambda xp, x, low=low, high=high: xp.maximum(xp.minimum(x, high), low),
            lambda xp, x, low=low, high=high: xp.minimum(xp.maximum(x, low), high),
        ):
            np.testing.assert_array_equal(_run(lambda x, f=f: f(ap, x), x)[0], f(np, x))


@pytest.mark.parametrize("bound", [np.nan, np.inf, -np.inf, 0.0])
def test_bounds_that_are_no_numbers(bound):
    x = _numbers(np.dtype("float32"))
    x[0, :4] = [np.nan, np.inf, -np.inf, 0.0]
    for f in (
        lambda xp, x: xp.minimum(xp.maximum(x, bound), 1.0),
        lambda xp, x: xp.maximum(xp.minimum(x, bound), -1.0),
    ):
        np.testing.assert_array_equal(_run(lambda x, f=f: f(ap, x), x)[0], f(np, x))


def test_the_larger_of_a_sum_and_zero():
    a, b = _numbers(np.dtype("float32"), 1), _numbers(np.dtype("float32"), 2)
    a[0, :4] = [np.nan, np.inf, -np.inf, 0.0]
    got, called = _run(lambda a, b: ap.maximum(a + b, 0), a, b)
    np.testing.assert_array_equal(got, np.maximum(a + b, 0))
    assert called == {"aclnnAddRelu": 1}
    np.testing.assert_array_equal(_run(lambda a, b: ap.maximum(a + b, 1), a, b)[0], np.maximum(a + b, 1))


def test_casts_that_operators_do_themselves():
    x, mask, small = _numbers(np.dtype("float32")), _numbers(np.dtype("bool"), 1), _numbers(np.dtype("float16"), 2)
    got, called = _run(lambda x, mask: x * mask, x, mask)
    np.testing.assert_array_equal(got, x * mask)
    assert called == {"aclnnMul": 1}
    got, called = _run(lambda x, small: small - x, x, small)
    np.testing.assert_array_equal(got, small - x)
    assert called == {"aclnnSub": 1}
    got, called = _run(lambda x, y: (x + y).astype(ap.float16), x, x)
    np.testing.assert_array_equal(got, (x + x).astype(np.float16))
    assert called == {"aclnnAdd": 1}
    many, wide = _numbers(np.dtype("int32"), 3), _numbers(np.dtype("float64"), 4)
    got, called = _run(lambda many, wide: many / wide, many, wide)
    np.testing.assert_array_equal(got, many / wide)
    assert called == {"aclnnDiv": 1}


def test_sums_that_cast():
    mask, small, many = (_numbers(np.dtype(kind), 1, (5, 6)) for kind in ("bool", "float16", "int8"))
    for form in (lambda x: x.sum(), lambda x: x.sum(axis=0), lambda x: x[::-1, ::2].sum(axis=1)):
        for x in (mask, many):
            got, called = _run(form, x)
            np.testing.assert_array_equal(got, form(x))
            assert "aclnnCast" not in called and called["aclnnReduceSum"] == 1
    got, called = _run(lambda x: x.sum(axis=1, dtype=ap.float32), small)
    np.testing.assert_allclose(got, small.sum(axis=1, dtype=np.float32), rtol=1e-6)
    assert called == {"aclnnReduceSum": 1}
    np.testing.assert_array_equal(_run(lambda x: x[:, :1].sum(axis=1), mask)[0], mask[:, :1].sum(axis=1))
    np.testing.assert_array_equal(_run(lambda x: x[:0].sum(axis=0), mask)[0], mask[:0].sum(axis=0))
    np.testing.assert_array_equal(_run(lambda x: (x > 3).sum(), many)[0], (many > 3).sum())


def test_operands_of_any_layout():
    a, b, c = (_numbers(np.dtype("int32"), seed, (4, 5, 6)) for seed in range(3))
    with ap.Device("ascend:0"):
        x, y, z = ap.array(a), ap.array(b), ap.array(c)
        got = x[::-1, 1:, ::2] * y[:, :1, :3] + z[0, 0, 3:]
        np.testing.assert_array_equal(ap.to_numpy(got), a[::-1, 1:, ::2] * b[:, :1, :3] + c[0, 0, 3:])
        x += y * x  # the result lies where an operand lay
        np.testing.assert_array_equal(ap.to_numpy(x), a + b * a)
        z[:, 1:] -= 3 * z[:, :-1]
        c[:, 1:] -= 3 * c[:, :-1]
        np.testing.assert_array_equal(ap.to_numpy(z), c)


def test_modelled_time_falls():
    if not cann_search.search().simulated:
        pytest.skip("only the simulator has a model")

    def modelled(allowed: bool) -> float:
        with ap.Device("ascend:0"), ap.config.using(contract=allowed, eager=False):
            x, y, z = (ap.ones(1 << 16, ap.float32) for _ in range(3))
            ap.synchronize()
            before = cannsim.modelled_seconds()
            ap.eval(x * y + z)
            ap.synchronize()
            return cannsim.modelled_seconds() - before

    assert 0 < modelled(True) < 0.75 * modelled(False)


SUMS = ("+", "-", "*", "/", "max", "min", "half")


STEP = st.tuples(st.sampled_from(SUMS), st.integers(0, 5), st.integers(0, 5))


@given(st.lists(STEP, min_size=2, max_size=8), st.sampled_from(["float32", "float64", "int32"]), st.booleans())
def test_chains(steps, dtype, allowed):
    """Random chains: to the bit without the setting, close with it."""
    rng = np.random.default_rng(7)
    start = [(rng.integers(-9, 9, 9) if dtype == "int32" else rng.uniform(0.5, 2, 9)).astype(dtype) for _ in range(4)]

    def chain(xp, values):
        values = [*values, 3, 2]
        for name, i, j in steps:
            x, y = values[-1 if i == 5 else i], values[j]
            if name == "/":
                x, y = xp.maximum(x, 1), xp.maximum(y, 1)
                values.append(x / y if dtype != "int32" else x + y)
            elif name in ("max", "min"):
                values.append((xp.maximum if name == "max" else xp.minimum)(x, y))
            elif name == "half" and not isinstance(x, int):
                values.append(x.astype(xp.float16).astype(dtype) if dtype != "int32" else x * y)
            else:
                values.append(x - y if name == "-" else x * y if name == "*" else x + y)
        return [np.asarray(v) if xp is np else v for v in values[6:]]

    with np.errstate(all="ignore"), contextlib.suppress(OverflowError):
        expected = chain(np, start)
        with ap.Device("ascend:0"), ap.config.using(contract=allowed):
            last = chain(ap, [ap.array(x) for x in start])[-1]
            got = ap.to_numpy(last) if isinstance(last, ap.ndarray) else np.asarray(last)
        if not allowed or dtype == "int32":
            np.testing.assert_array_equal(got, expected[-1])
        elif not any(name in ("half", "-") for name, _, _ in steps):  # where no error grows
            np.testing.assert_allclose(got, expected[-1], rtol=64 * np.finfo(dtype).eps)

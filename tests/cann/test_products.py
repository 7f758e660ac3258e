"""Products of matrices with what is added to them: one operator where the device has it, values close to NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap
from cann.counting import calls, run

DTYPES = [np.dtype("float16"), np.dtype("float32")]  # of bfloat16 NumPy makes products in float32


def _normal(seed, shape, dtype):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(dtype)


def _agree(form, *given, joined=None):
    """The form of device arrays against that of float64 ones; `joined` are the calls that it may take."""
    made, called = run(form, *given)
    wide = [x.astype(np.float64) if isinstance(x, np.ndarray) else x for x in given]
    expected = form(*wide)
    eps = float(ap.finfo(made.dtype).eps)
    np.testing.assert_allclose(ap.to_numpy(made).astype(np.float64), expected, rtol=8 * eps, atol=32 * eps)
    if joined is not None:
        assert called == joined
    return made


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(4, 6), (6,), (1, 6), (4, 1), (1, 1)], ids=str)
def test_matrices(shape, dtype):
    a, b, c = _normal(1, (4, 5), dtype), _normal(2, (5, 6), dtype), _normal(3, shape, dtype)
    one = {"aclnnAddmm": 1}
    _agree(lambda a, b, c: a @ b + c, a, b, c, joined=one)
    _agree(lambda a, b, c: c + a @ b, a, b, c, joined=one)
    _agree(lambda a, b, c: a @ b - c, a, b, c, joined=one)
    _agree(lambda a, b, c: c - a @ b, a, b, c, joined=one)
    _agree(lambda a, b, c: np.dot(a, b) + c, a, b, c, joined=one)
    _agree(lambda a, b, c: (a @ b) * 2.0 + c, a, b, c, joined=one)
    _agree(lambda a, b, c: 0.5 * (a.dot(b) * 3.0) - c, a, b, c, joined=one)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_both_factors(dtype):
    a, b, c = _normal(1, (4, 5), dtype), _normal(2, (5, 6), dtype), _normal(3, (4, 6), dtype)
    _agree(lambda a, b, c: 2.0 * (a @ b) + 3.0 * c, a, b, c, joined={"aclnnAddmm": 1})
    _agree(lambda a, b, c: 2.0 * c - 0.5 * (a @ b), a, b, c, joined={"aclnnAddmm": 1})


@pytest.mark.parametrize(
    ("left", "right", "term", "operator"),
    [
        ((3, 4, 5), (3, 5, 6), (3, 4, 6), "aclnnBaddbmm"),
        ((3, 4, 5), (3, 5, 6), (6,), "aclnnBaddbmm"),
        ((3, 4, 5), (5, 6), (6,), "aclnnAddmm"),
        ((3, 4, 5), (5, 6), (3, 4, 6), "aclnnAddmm"),
        ((2, 3, 4, 5), (5, 6), (6,), "aclnnAddmm"),
        ((4, 5), (3, 5, 6), (3, 1, 6), None),
        ((2, 3, 4, 5), (2, 3, 5, 6), (4, 6), None),
        ((2, 1, 4, 5), (3, 5, 6), (2, 3, 4, 6), None),
    ],
)
def test_batches(left, right, term, operator):
    dtype = np.dtype("float32")
    a, b, c = _normal(1, left, dtype), _normal(2, right, dtype), _normal(3, term, dtype)
    for form in (lambda a, b, c: a @ b + c, lambda a, b, c: a @ b - c, lambda a, b, c: 3.0 * c - a @ b):
        _agree(form, a, b, c, joined={operator: 1} if operator and (form(a, b, c) == a @ b + c).all() else None)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_vectors(dtype):
    a, x, y = _normal(1, (4, 5), dtype), _normal(2, (5,), dtype), _normal(3, (4,), dtype)
    one = {"aclnnAddmm": 1}
    _agree(lambda a, x, y: a @ x + y, a, x, y, joined=one)
    _agree(lambda a, x, y: y - 2.0 * (a @ x), a, x, y, joined=one)
    _agree(lambda a, x, y: x + y @ a, a, x, y, joined=one)
    _agree(lambda a, x, y: x @ a.T + y[:1], a, x, y, joined=one)
    _agree(lambda a, x, y: np.dot(x, x) + y[:1], a, x, y)
    _agree(lambda a, x, y: np.stack([a, 2 * a]) @ x + y, a, x, y)
    _agree(lambda a, x, y: (a @ x)[::-1] + y, a, x, y)
    _agree(lambda a, x, y: (a @ x)[:, None] + y, a, x, y)


def test_layouts():
    a, b, c = _normal(1, (8, 10), np.float32), _normal(2, (12, 5), np.float32), _normal(3, (6, 4), np.float32)
    _agree(lambda a, b, c: a[::2, ::-2] @ b[::2].T + c[::-1].T, a, b, c[:, :4])


def test_in_place():
    a, b, c = (_normal(seed, (5, 5), np.float32) for seed in range(3))
    with ap.Device("ascend:0"), ap.config.using(eager=False):
        x, y, z = ap.array(a), ap.array(b), ap.array(c)
        z += x @ y
        before = calls()
        ap.synchronize()
        assert calls() - before == {"aclnnAddmm": 1}
        np.testing.assert_allclose(ap.to_numpy(z), c + a @ b, rtol=1e-5, atol=1e-5)
        x -= x @ y  # an operand of the product is written
        np.testing.assert_allclose(ap.to_numpy(x), a - a @ b, rtol=1e-5, atol=1e-5)


def test_what_others_see_is_made():
    a, b, c = (_normal(seed, (5, 5), np.float32) for seed in range(3))
    with ap.Device("ascend:0"):
        x, y, z = ap.array(a), ap.array(b), ap.array(c)
        product = x @ y
        total = product + z
        np.testing.assert_allclose(ap.to_numpy(total), a @ b + c, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(ap.to_numpy(product), a @ b, rtol=1e-5, atol=1e-5)
        scaled = 2 * z
        total = x @ y + scaled
        np.testing.assert_allclose(ap.to_numpy(total), a @ b + 2 * c, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(ap.to_numpy(scaled), 2 * c, rtol=1e-5)
        made = x @ y
        z *= 2  # the old one is what was added
        np.testing.assert_allclose(ap.to_numpy(made + z), a @ b + 2 * c, rtol=1e-5, atol=1e-5)


def test_operands_that_change_before_the_sum():
    a, b, c = (_normal(seed, (5, 5), np.float32) for seed in range(3))
    with ap.Device("ascend:0"):
        x, y, z = ap.array(a), ap.array(b), ap.array(c)
        made, term = x @ y, 2 * z
        x += 1
        z += 1
        made = made + term
        np.testing.assert_allclose(ap.to_numpy(made), a @ b + 2 * c, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(ap.to_numpy(x), a + 1)
        np.testing.assert_allclose(ap.to_numpy(z), c + 1)


def test_a_sum_of_nothing():
    nothing = np.ones((3, 0), np.float32)
    _agree(lambda a, b, c: a @ b + c, nothing, nothing[:2].T, _normal(1, (3, 2), np.float32))


@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64", "bool"])
def test_other_dtypes(dtype):
    a, b, c = (_normal(seed, (4, 4), np.float64).astype(dtype) for seed in range(3))
    with ap.Device("ascend:0"), ap.config.using(fallback="count"):
        got = ap.array(a) @ ap.array(b) + ap.array(c)
        np.testing.assert_allclose(ap.to_numpy(got), a @ b + c, rtol=1e-5, atol=1e-5)


STEPS = ("product", "add", "subtract", "scale", "in place", "read")


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 7), st.integers(0, 7)), min_size=2, max_size=10))
def test_random_programs(steps):
    """Every value that anybody still has is what NumPy gives."""

    def program(xp, values):
        for name, i, j in steps:
            x, y = values[i % len(values)], values[j % len(values)]
            if name == "product":
                values.append(x @ y)
            elif name == "in place":
                x += 0.5 * y
            elif name == "read":
                float(x[0, 0])
            elif name == "scale":
                values.append(x * 0.25)
            else:
                values.append(x + y if name == "add" else x - y)
            values[0] = values[-1] if i == 7 else values[0]  # the old one dies
        return values

    def start():
        return [_normal(seed, (3, 3), np.float32) / 2 for seed in range(3)]

    expected = program(np, [x.astype(np.float64) for x in start()])
    with ap.Device("ascend:0"):
        got = [ap.to_numpy(x) for x in program(ap, [ap.array(x) for x in start()])]
    scale = max(1.0, *(float(np.abs(x).max()) for x in expected))
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5 * scale)

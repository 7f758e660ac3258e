"""Functions under jit beside the same functions without it: results, arguments, arrays from outside, errors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from jit.compared import given, same

import asnumpy as ap

SIZES = [1, 7, 5000, 40_000]


def twice_beside(function: Any, make: Any) -> None:
    """A function and its jitted form, two calls each, on arguments of their own."""
    plain, traced = make(), make()
    fast = ap.jit(function)
    for _ in range(3):
        got = fast(*traced)
        with ap.config.using(eager=False, eager_size=0):  # sums of what runs at once may end in other digits
            expected = function(*plain)
            ap.flush()
        same(got, expected)
        same(list(traced), list(plain))
    assert len(fast._compiled) == 1


def stencil(u, v, dt):
    u[1:-1] += dt * (v[2:] - v[:-2])
    return u.max(), u


def chain(x, y):
    z = ap.sqrt(x * x + y * y)
    w = ap.where(z > 5, z - 1, ap.exp(-z))
    return w, w.sum(), z.mean(axis=None)


def shapes(x):
    m = x[: x.size // 2 * 2].reshape(2, -1)
    joined = ap.concatenate([x, x[::-1]]), ap.stack([x, x + 1])
    return m.T.copy(), m.sum(axis=0), m[::-1, ::2] * 2, *joined, m.argmax(axis=1)


def makes_arrays(x):
    a, b = ap.zeros(x.shape), ap.arange(x.size)
    a[::2] = x[::2]
    b += 1
    small = ap.ones(3), ap.full(4, 2.5), ap.array([1, 2, 3])
    return a, b, *small, ap.linspace(0, 1, 5) * x[0], ap.eye(3) @ ap.ones((3, 2))


def scans(x):
    return ap.cumsum(x), ap.diff(x), ap.clip(x, 2, 8), ap.maximum.accumulate(x), x.var(), x.std()


def gathers(x, i):
    y = x[i]
    x[i] = y + 1
    x[0] = 3.5
    return y, ap.take(x, i), x[2 % x.size], x[-1]


def products(x):
    m = x[: int(x.size**0.5) ** 2].reshape(int(x.size**0.5), -1)
    return m @ m, m @ m[0], ap.einsum("ij,kj->ik", m, m), ap.dot(x, x), ap.outer(x[:5], x[:5])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_and_arguments_are_those_without_jit(n, dtype):
    twice_beside(stencil, lambda: (given(1, n, dtype), given(2, n, dtype), 0.1))
    twice_beside(chain, lambda: (given(1, n, dtype), given(2, n, dtype)))
    twice_beside(shapes, lambda: (given(1, n + 1, dtype),))
    twice_beside(makes_arrays, lambda: (given(1, n, dtype),))
    twice_beside(scans, lambda: (given(1, n, dtype),))
    twice_beside(products, lambda: (given(1, min(n, 2500), dtype),))
    index = np.random.default_rng(3).integers(-n, n, n // 2 + 1)
    twice_beside(gathers, lambda: (given(1, n, dtype), ap.array(index)))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint16, np.int32, np.int64, np.bool_, np.float16, np.complex64, np.complex128]
)
def test_dtypes(dtype):
    def mixed(x, y):
        return x + y, x * 2, x == y, -x if x.dtype != bool else ~x, x.astype(ap.float32), x.sum(), (x + 1.5).prod()

    twice_beside(mixed, lambda: (given(1, 500, dtype), given(2, 500, dtype)))


def test_a_float_is_an_argument():
    @ap.jit
    def scaled(x, a, b):
        return x * a + b, a * b, a + 1, -b, ap.sqrt(a), a * x[0]

    def plain(x, a, b):
        return x * a + b, *(ap.sqrt(1.0) * one for one in (a * b, a + 1, -b)), ap.sqrt(a), a * x[0]

    x = given(1, 100, np.float32)
    for a, b in ((0.1, 3.0), (2.5, -0.0), (float("inf"), 1e-300)):
        same(scaled(x, a, b), plain(x, a, b))
    assert len(scaled._compiled) == 1


def test_other_numbers_and_objects_are_recorded_by_value():
    calls = []

    @ap.jit
    def raised(x, n, how=None, flag=False):
        calls.append(n)
        return x**n if flag else x + n

    x = given(1, 10)
    for n, flag in ((1, True), (2, True), (1, True), (2, False), (True, False), (2, True)):
        same(raised(x, n, "a", flag=flag), x**n if flag else x + n)
    assert len(calls) == 4
    with pytest.raises(TypeError, match=r"raised: .*got a set"):
        raised(x, {1})


def test_static_arguments_and_keywords():
    @ap.jit(static_argnames="power")
    def raised(x, power, *, more=0.0):
        return sum((x**k for k in range(int(power))), x) + more

    x = given(1, 10)
    same(raised(x, 2.0), x + 1 + x)
    same(raised(x, power=3.0, more=1.0), x + 1 + x + x**2 + 1.0)
    with pytest.raises(ValueError, match="names what, which"):
        ap.jit(lambda x: x, static_argnames=["what"])


def test_an_argument_given_back_is_the_argument():
    x = given(1, 10)
    for _ in range(2):
        assert ap.jit(lambda x: x)(x) is x
    both = ap.jit(lambda x, a: (a, x, None, "text"))
    for a in (0.5, 1.5, 2.5):
        assert both(x, a)[1] is x and both(x, a)[0] == a and type(both(x, a)[0]) is float
    view = ap.jit(lambda x: x[2:5])
    for _ in range(2):
        got = view(x)
        got[0] = 77
        assert x[2] == 77 and got.base is x
        x[2] = 1


def test_arrays_from_outside_are_those_of_each_call():
    state, weights = ap.zeros(5), ap.ones(5)

    @ap.jit
    def step(x):
        state[...] += x * weights
        return state * 2

    x = given(1, 5)
    for k in range(1, 4):
        got = step(x)
        expected = sum([x] * k, ap.zeros(5))
        assert np.allclose(np.asarray(state), np.asarray(expected)) and (got == state * 2).all()
    weights *= 0
    before = state.copy()
    step(x)
    same(state, before)


def test_arguments_that_share_memory():
    def moved(a, b):
        a[1:] += b[:-1]
        return a + b

    base, other = given(1, 5000), given(1, 5000)
    fast = ap.jit(moved)
    whole, left, right = slice(None), slice(0, 4000), slice(1000, 5000)
    for first, second in ((whole, whole), (left, right), (right, left)):
        same(fast(base[first], base[second]), moved(other[first], other[second]))
        same(base, other)
    assert len(fast._compiled) == 3

    @ap.jit
    def with_outside(a):
        base[:-1] += a[1:]
        return a * 2

    def without(a):
        other[:-1] += a[1:]
        return a * 2

    for _ in range(2):
        same(with_outside(base), without(other))
        same(with_outside(given(2, 5000)), without(given(2, 5000)))


def test_what_waits_in_the_queue_runs_first():
    x = given(1, 40_000)
    fast = ap.jit(lambda x: x * 2)
    fast(x)
    y = x + 1
    x += 3
    same(fast(x), (given(1, 40_000) + 3) * 2)
    same(y, given(1, 40_000) + 1)


def test_random_streams_advance():
    def noisy(rng, x):
        return x + rng.random(x.shape), rng.normal(size=3), rng.integers(0, 10, 4), rng.random()

    one, other = ap.random.default_rng(5), ap.random.default_rng(5)
    fast = ap.jit(lambda x: noisy(one, x))
    x = given(1, 6)
    for _ in range(3):
        got, wanted = fast(x), noisy(other, x)
        same(list(got[:3]), list(wanted[:3]))
        assert float(got[3]) == wanted[3]
    assert one.random() == other.random()


def test_draws_with_parameters_that_were_used_before():
    def noisy(rng):
        return rng.normal(2.5, 0.25, 2000), rng.integers(0, 1 << 40, 2000), rng.gamma(1.75, size=3), rng.poisson(3.0)

    other = ap.random.default_rng(8)
    noisy(ap.random.default_rng(8))
    one = ap.random.default_rng(8)
    fast = ap.jit(lambda x: (noisy(one), x + 1))
    for _ in range(2):
        got, wanted = fast(given(1, 6))[0], noisy(other)
        same(list(got[:3]), list(wanted[:3]))
        assert int(got[3]) == wanted[3]


def test_nested_functions_and_methods():
    @ap.jit
    def inner(x):
        return x + 1

    class Model:
        def __init__(self):
            self.w = given(1, 4)

        @ap.jit
        def __call__(self, x):
            return inner(x * self.w) * 2

    model, x = Model(), given(2, 4)
    for _ in range(2):
        same(model(x), (x * model.w + 1) * 2)


def test_numpys_arrays_and_numbers_as_arguments():
    fast = ap.jit(lambda x, a: x * a)
    x = np.arange(5.0, dtype=np.float32)
    for a in (np.float32(2), np.float64(3), np.float64(4)):
        same(fast(x, a), ap.asarray(x) * a)
    assert len(fast._compiled) == 2


def test_switched_off():
    calls = []

    @ap.jit
    def counted(x):
        calls.append(1)
        return x + 1

    with ap.config.using(jit=False):
        counted(given(1, 3))
        counted(given(1, 3))
    assert len(calls) == 2


def test_errors_that_are_watched_are_reported():
    fast = ap.jit(lambda x: 1 / x)
    fast(ap.zeros(4))
    with ap.errstate(divide="raise"), pytest.raises(FloatingPointError):
        fast(ap.zeros(4))


def test_several_threads():
    fast = ap.jit(lambda x, a: (x * a + 1).sum())
    wrong = []

    def work(seed):
        x = ap.arange(20_000.0) + seed  # whose sums are exact
        for k in range(30):
            if float(fast(x, k + 0.5)) != float((x * (k + 0.5) + 1).sum()):
                wrong.append((seed, k))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_compiling_ahead():
    fast = ap.jit(lambda x, a: x * a + 1)
    compiled = fast.compile(ap.empty((30, 40), np.float32), 0.5)
    assert "multiply" in compiled.explain() or "*" in compiled.explain()
    x = given(1, 1200, np.float32).reshape(30, 40)
    same(compiled(x, 2.0), x * 2.0 + 1)
    with pytest.raises(TypeError, match="recorded for"):
        compiled(x.astype(np.float64), 2.0)
    assert len(fast._compiled) == 1


def test_machine_code_is_made_ahead():
    wanted = given(1, 9000), given(2, 9000)
    with ap.config.using(machine_code="background"):
        compiled = ap.jit(chain).compile(*wanted)
        got = compiled(*wanted)
    with ap.config.using(eager=False, eager_size=0):
        expected = chain(*wanted)
        ap.flush()
    same(got, expected)

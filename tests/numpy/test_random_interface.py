"""asnumpy.random has NumPy's names, signatures, shapes, dtypes, kinds of result and errors."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import asnumpy as ap

METHODS = {
    "Generator": [name for name in dir(np.random.Generator) if not name.startswith("_")],
    "RandomState": [name for name in dir(np.random.RandomState) if not name.startswith("_")],
}


def test_names():
    assert set(np.random.__all__) <= set(ap.random.__all__)
    missing = [name for name in np.random.__all__ if not hasattr(ap.random, name)]
    assert not missing
    assert {"get_bit_generator", "set_bit_generator"} <= set(ap.random.__all__)
    assert issubclass(ap.random.SeedSequence, np.random.SeedSequence)
    assert isinstance(np.random.SeedSequence(3), ap.random.SeedSequence)
    with pytest.raises(AttributeError, match="no_such"):
        ap.random.no_such_name


@pytest.mark.parametrize("kind, name", [(kind, name) for kind, names in METHODS.items() for name in names])
def test_methods(kind, name):
    theirs = inspect.getattr_static(getattr(np.random, kind), name)
    ours = getattr(getattr(ap.random, kind), name)
    if not callable(theirs):
        assert isinstance(ours, property)
        return
    assert ours.__doc__
    expected = [(p.name, p.kind, p.default) for p in inspect.signature(theirs).parameters.values()]
    assert [(p.name, p.kind, p.default) for p in inspect.signature(ours).parameters.values()] == expected


@pytest.mark.parametrize("name", ["default_rng", "Generator", "RandomState", "Philox", "PCG64", "MT19937", "SFC64",
                                  "PCG64DXSM", "BitGenerator"])
def test_constructors(name):
    expected = list(inspect.signature(getattr(np.random, name)).parameters)
    assert list(inspect.signature(getattr(ap.random, name)).parameters) == expected


@pytest.mark.parametrize("name", [name for name in np.random.__all__ if name.islower() and name != "default_rng"])
def test_functions_are_methods_of_one_state(name):
    function = getattr(ap.random, name)
    assert callable(function)
    if name not in ("ranf", "sample"):
        assert function.__self__ is ap.random.normal.__self__


# Calls that both libraries judge alike: on success by the kind, dtype and shape of the result, else by the exception.
GENERATOR_CALLS = """
normal(0, -1) | normal(0, [1, -1]) | normal(0, np.nan) | normal([0, 1], [1, 2, 3]) | normal(0, 1, (2, 2))
normal(size=0) | normal([0, 1], 1, 3) | normal(size=(2, 3), loc=[1, 2, 3]) | normal(np.zeros(0))
normal(np.float32(1)) | normal(1j) | normal('a') | normal(None) | normal(np.array(1.0))
normal(np.array([1.0])) | normal(0, 1, ()) | normal([[1], [2]], [1, 2, 3]) | normal(0, [[1, 2]], (3, 1, 2))
normal([1, 2], 1, (2, 1)) | uniform(0, np.inf) | uniform(1, 0) | uniform(0, [1, -2])
uniform([0, 1], [np.inf, 2]) | uniform(-1e308, 1e308) | uniform([0, 1], 3, (4, 2)) | gamma(-1) | gamma(1, -1)
gamma([1, 2], 3) | standard_gamma(-1) | standard_gamma(np.nan) | standard_gamma([1, 2], dtype='f4')
standard_gamma(1, dtype=int) | beta(0, 1) | beta(1, 0) | beta(np.nan, 1) | beta([1, 2], [3]) | chisquare(0)
chisquare([1, 2]) | f(0, 1) | f(1, 0) | noncentral_f(0, 1, 1) | noncentral_f(1, 0, 1) | noncentral_f(1, 1, -1)
noncentral_f([1, 2], 3, 4) | noncentral_chisquare(0, 1) | noncentral_chisquare(1, -1)
noncentral_chisquare(np.nan, 1) | standard_t(0) | standard_t([1, 2]) | vonmises(0, -1) | vonmises(np.nan, 1)
vonmises([0, 1], [1, 2]) | pareto(0) | weibull(-1) | weibull(0) | power(0) | power(-1) | laplace(0, -1)
gumbel(0, -1) | logistic(0, -1) | lognormal(0, -1) | rayleigh(-1) | rayleigh(-0.0) | wald(0, 1) | wald(1, 0)
wald([1, 2], 3) | triangular(1, 0, 2) | triangular(0, 3, 2) | triangular(1, 1, 1) | triangular(0, [1, 3], 2)
triangular(0, [1, 1.5], 2) | exponential(-1) | exponential(-0.0) | exponential(np.nan) | exponential(np.inf)
exponential([1, 2]) | standard_cauchy(3) | standard_cauchy() | binomial(-1, .5) | binomial(1, 1.5)
binomial(1, np.nan) | binomial(1.5, .5) | binomial([1.5, 2.0], .5) | binomial([2, 3], [[.5], [.2]])
binomial('a', .5) | binomial(0, .5, 3) | negative_binomial(0, .5) | negative_binomial(1, 0)
negative_binomial(1, 1.1) | negative_binomial(2**62, .1) | negative_binomial([2**62], .1)
negative_binomial([1.5, 2], .3) | poisson() | poisson(-1) | poisson(np.nan) | poisson(1e19) | poisson([1e19])
poisson([1, -1]) | poisson(1, ()) | poisson(1, 2) | poisson(1, size=3.5) | zipf(1) | zipf(np.nan)
zipf([2, 3]) | geometric(0) | geometric(1.1) | geometric([.5, 1]) | hypergeometric(1, 1, -1)
hypergeometric(1, 1, 3) | hypergeometric([1], 1, 3) | hypergeometric(10**9, 10, 3)
hypergeometric([10**9], 10, 3) | hypergeometric(10.5, 10, 3) | hypergeometric([5, 6], 4, [[1], [2]])
hypergeometric(0, 0, 0) | logseries(1) | logseries(-.1) | logseries(0) | logseries(np.nan)
logseries([.1, .9]) | integers(5, 5) | integers(5, 4, endpoint=True) | integers(5, 5, endpoint=True)
integers(0, 300, dtype=np.uint8) | integers(-1, 3, dtype=np.uint8) | integers(0, 3, dtype=float)
integers(0, 3, dtype='complex') | integers(0, [1, 0]) | integers([0, 1], [[2], [3]]) | integers(3.7)
integers([3.7]) | integers(0) | integers(0, 2**64, dtype=np.uint64) | integers(0, 2**64)
integers(2, dtype=bool) | integers(2, dtype=bool, size=3) | integers(5) | integers(5, dtype=np.int8)
integers(5, dtype=int) | integers(5, size=()) | integers(np.array(5)) | integers(5, dtype='>i4', size=2)
integers(-2**63, 2**63) | integers([2**64], dtype='u8') | integers(-5, [1, 2, 3], dtype='i2')
integers(5, size=(2, 0)) | integers(0, -10, size=0)
integers([], 3) | integers(1, 3, (2, 2), 'u4', True) | random() | random(())
random(dtype='f4') | random(dtype='f2') | random(dtype=int) | random(-1) | random((2, -1)) | random(2.0)
random('a') | random(3, 'f4') | random(np.int64(3)) | random([2, 3]) | random(np.array([2, 3]))
random((2, 0)) | standard_normal(dtype=np.float32) | standard_normal((), np.float32)
standard_normal(1, dtype=int) | standard_normal((2, 3)) | standard_exponential(2, np.float32)
standard_exponential(2, method='inv') | standard_exponential(2, dtype=int) | choice(0) | choice(5)
choice([]) | choice(5, (2, 2)) | choice(5, 6, replace=False) | choice(5, 3, p=[1, 2]) | choice(5, ())
choice(3, 3, p=[1, 2, 3]) | choice(3, 3, p=[.5, .6, -.1]) | choice(3, 3, p=[np.nan, .5, .5])
choice(3, 3, False, p=[.5, .5, 0]) | choice(5.5) | choice(np.arange(6).reshape(2, 3))
choice(np.arange(6).reshape(2, 3), axis=1, size=(2, 2)) | choice(-1) | choice(5, -1) | choice(0, 0)
choice([], 0) | choice('abc') | choice(3, p=[[.5, .5, 0]]) | choice(4, 2, p=[.25] * 4)
choice(4, (2, 2), False, [.25] * 4) | choice([1.5, 2.5], 3) | choice(np.zeros((3, 0)), 2)
choice(np.array(5), 2) | choice(3, p=np.array([1, 1, 1], 'f4') / 3) | permutation(5) | permutation(5.5)
permutation([3, 2]) | permutation('abc') | permutation(np.arange(6).reshape(2, 3), axis=1)
permutation(np.arange(6).reshape(2, 3), axis=2) | permutation(-1) | permutation(np.int8(5))
permutation(np.array(5)) | permutation([]) | shuffle(5) | shuffle([1, 2, 3], axis=1) | shuffle((1, 2))
shuffle(np.array(3)) | shuffle([1, 2, 3]) | shuffle(np.zeros((2, 3)), axis=1)
shuffle(np.zeros((2, 3)), axis=2) | permuted(5) | permuted([1, 2, 3])
permuted(np.arange(3), out=np.zeros(2, int)) | permuted(np.arange(6).reshape(2, 3), axis=3)
permuted(np.arange(3.0), axis=None, out=[1, 2, 3]) | permuted(np.arange(6).reshape(2, 3), axis=1)
permuted(np.zeros((0, 3))) | bytes(3) | bytes(0) | bytes(2.5) | multinomial(5, [.5, .5])
multinomial(5, [.5, .6]) | multinomial(5, [.5, .6, 0]) | multinomial(-5, [.5, .5])
multinomial([5, 6], [[.5, .5], [.1, .9]], size=2) | multinomial([5, 6], [[.5, .5], [.1, .9]], size=(3, 2))
multinomial(5, .5) | multinomial(5, []) | multinomial(5, [-.1, 1.1]) | multinomial(5, [np.nan, .1])
multinomial(5.5, [.9, .1]) | multinomial([[1], [2]], [.5, .5]) | multinomial([5, 6], [.5, .5], size=(2, 3))
multinomial(0, [1.0]) | multinomial(5, [1.0], 0) | dirichlet([1, 2]) | dirichlet([0, 2]) | dirichlet([-1, 2])
dirichlet([[1, 2]]) | dirichlet([]) | dirichlet([], 3) | dirichlet(1) | dirichlet([0, 0])
dirichlet([np.nan, 1]) | dirichlet([1, 2], (2, 3)) | dirichlet([.01, .02], 4) | dirichlet([0.0, .02, 0], 4)
multivariate_normal([0], [[1]]) | multivariate_normal([0, 1], [[1]]) | multivariate_normal([[0]], [[1]])
multivariate_normal([0], [1]) | multivariate_normal([0, 0], [[1, 2], [2, 1]])
multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='raise')
multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='x')
multivariate_normal([0, 0], [[1, 2], [2, 1]], method='x')
multivariate_normal([0, 0], [[1, 2], [2, 1]], method='cholesky')
multivariate_normal([0, 0], [[1, 0], [0, 1]], size=(2, 3)) | multivariate_normal([0, 0], [[1, 0], [0, 1j]])
multivariate_normal([0, 0j], [[1, 0], [0, 1]])
multivariate_normal([0, 0], [[1, 0], [0, 2]], 3, method='eigh') | multivariate_hypergeometric([1, 2, 3], 4)
multivariate_hypergeometric([1, 2, 3], 7) | multivariate_hypergeometric([1, -2, 3], 1)
multivariate_hypergeometric([[1, 2, 3]], 1) | multivariate_hypergeometric([1, 2, 3], -1)
multivariate_hypergeometric([], 0) | multivariate_hypergeometric([1, 2, 3], 1, method='x')
multivariate_hypergeometric([1.5, 2], 1) | multivariate_hypergeometric([10**9, 10**9], 1)
multivariate_hypergeometric([10**3, 10**3], 1, method='count') | multivariate_hypergeometric([1, 2], [1, 2])
multivariate_hypergeometric([4, 5], 3, (2, 2)) | spawn(2) | spawn(-1)
"""
LEGACY_CALLS = """
uniform(1, 0) | uniform(0, np.inf) | hypergeometric(1, 1, 0) | hypergeometric(10**9, 10**9, 3)
hypergeometric(1, 1, 3) | randint(5) | randint(5, size=2) | randint(5, dtype=np.int64)
randint(5, dtype=np.int8) | randint(2, dtype=bool) | randint(0) | randint(3, 2) | randint([1, 2], [3, 4])
random_integers(5) | random_integers(1, 3, 2) | tomaxint() | tomaxint((2, 2)) | rand() | rand(2, 3) | rand(-1)
rand(2.5) | randn() | randn(2, 3) | random_sample() | random_sample((2, 2)) | random(3)
choice(np.arange(6).reshape(2, 3)) | choice(0) | choice([]) | choice(5, 3, False)
choice(3, 2, True, [.5, .5, 0]) | multinomial(5, [.5, .6, 0]) | multinomial([5, 6], [.5, .5])
multinomial(20, [1 / 6.] * 6, size=2) | dirichlet([0, 2]) | dirichlet([1, 2], 3) | standard_normal(2)
standard_exponential(2) | standard_gamma([1, 2]) | standard_gamma(-1) | permutation(4)
permutation([[1, 2], [3, 4]]) | shuffle([1, 2]) | bytes(4) | multivariate_normal([0, 0], [[1, 0], [0, 1]], 2)
seed(-1) | seed(2**32) | seed(1.5) | seed([]) | seed([[1]]) | seed([1, -2]) | seed([1, 2]) | seed()
set_state(5)
"""


def _calls(text):
    return [call.strip() for line in text.strip().splitlines() for call in line.split("|")]


def _outcome(make, call):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(f"generator.{call}", {"generator": make(), "np": np})
        except Exception as error:
            return error


def _same(expected, got, call):
    if isinstance(expected, Exception):
        public = ("builtins", "numpy.exceptions", "numpy.linalg")
        kind = next(each for each in type(expected).__mro__ if each.__module__ in public)
        assert isinstance(got, kind), f"{call}: {got!r}, NumPy raises {expected!r}"
        return
    assert not isinstance(got, Exception), f"{call}: raised {got!r}, NumPy returns {expected!r}"
    if isinstance(expected, np.ndarray):
        assert isinstance(got, ap.ndarray)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        if expected.dtype.kind == "f":
            assert np.array_equal(np.isnan(expected), np.isnan(ap.to_numpy(got)))
    elif isinstance(expected, np.generic) and isinstance(got, ap.ndarray):  # an element of an array
        assert (got.shape, got.dtype) == ((), expected.dtype)
    elif isinstance(expected, list):
        assert len(expected) == len(got)
    else:
        assert type(got) is type(expected), f"{call}: {got!r}, NumPy gives {expected!r}"
        if isinstance(expected, bytes):
            assert len(got) == len(expected)


@pytest.mark.parametrize("call", _calls(GENERATOR_CALLS))
def test_generator_call(call):
    _same(_outcome(lambda: np.random.default_rng(1), call), _outcome(lambda: ap.random.default_rng(1), call), call)


@pytest.mark.parametrize("call", _calls(LEGACY_CALLS))
def test_legacy_call(call):
    _same(_outcome(lambda: np.random.RandomState(1), call), _outcome(lambda: ap.random.RandomState(1), call), call)


@pytest.mark.parametrize("call, text", [
    ("normal(0, -1)", "normal: scale < 0"),
    ("beta(1, [2, 0])", "beta: b <= 0"),
    ("binomial(5, 2)", "binomial: p < 0, p > 1 or p is NaN"),
    ("poisson([1, np.nan])", "poisson: lam < 0 or lam contains NaNs"),
    ("integers(300, dtype='u1')", "integers: high is out of bounds for uint8"),
    ("integers(3, 3)", "integers: low >= high"),
    ("integers(0)", "integers: high <= 0"),
    ("uniform(2, 1)", "uniform: high - low < 0"),
    ("choice(3, p=[1, 1, 1])", "choice: Probabilities do not sum to 1"),
    ("hypergeometric(1, 1, 3)", "hypergeometric: ngood + nbad < nsample"),
    ("negative_binomial(np.nan, .5)", "negative_binomial: n"),
])
def test_errors_name_the_function(call, text):
    outcome = _outcome(lambda: ap.random.default_rng(1), call)
    assert isinstance(outcome, ValueError)
    assert str(outcome).startswith(text)


def test_arrays_of_ours_are_parameters():
    rng = ap.random.default_rng(3)
    loc = ap.array([[0.0], [1000.0]]) + 0
    drawn = rng.normal(loc, ap.array([1, 2, 3], dtype="int32"), (4, 2, 3))
    assert drawn.shape == (4, 2, 3)
    values = ap.to_numpy(drawn)
    assert abs(values[:, 0]).max() < 30
    assert abs(values[:, 1] - 1000).max() < 30
    assert all(0 <= got < top for got, top in zip(rng.integers(ap.array([1, 2, 3])).tolist(), (1, 2, 3), strict=True))
    assert type(rng.normal(ap.array(3.0), 0.5)) is float
    assert ap.to_numpy(rng.binomial(ap.array([0, 5]), ap.array([0.5, 1.0]))).tolist() == [0, 5]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_out(name, dtype):
    def make(seed=2):
        method = getattr(ap.random.default_rng(seed), name)
        return (lambda *args, **kw: method(2.5, *args, dtype=dtype, **kw)) if name == "standard_gamma" else (
            lambda *args, **kw: method(*args, dtype=dtype, **kw))

    expected = ap.to_numpy(make()((3, 4)))
    part = ap.zeros((5, 3, 4), dtype)[2]
    turned = ap.zeros((4, 3), dtype).T
    if name == "standard_gamma":
        with pytest.raises(ValueError, match="must be C-contiguous"):
            make()(out=turned)
        turned = part
    for out in (ap.zeros((3, 4), dtype), turned, np.zeros((3, 4), dtype), part):
        assert make()(out=out) is out
        np.testing.assert_array_equal(np.asarray(out), expected)
        assert make()((3, 4), out=out) is out
    with pytest.raises(ValueError, match="size must match out"):
        make()((4, 3), out=ap.zeros((3, 4), dtype))
    with pytest.raises(ValueError, match="contiguous"):
        make()(out=ap.zeros((3, 8), dtype)[:, ::2])
    with pytest.raises(ValueError, match="contiguous"):
        make()(out=[1.0])
    with pytest.raises(TypeError, match="wrong type"):
        make()(out=ap.zeros(3, "float16"))
    locked = ap.zeros(3, dtype)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        make()(out=locked)


def test_in_place():
    rng = ap.random.default_rng(4)
    x = ap.arange(24).reshape(4, 6)
    rows, columns = x.copy(), x.copy()
    rng.shuffle(rows)
    rng.shuffle(columns, axis=1)
    assert sorted(rows[:, 0].tolist()) == x[:, 0].tolist()
    assert ap.to_numpy(ap.diff(rows, axis=1)).tolist() == ap.to_numpy(ap.diff(x, axis=1)).tolist()
    assert sorted(columns[0].tolist()) == x[0].tolist()
    assert ap.to_numpy(ap.diff(columns, axis=0)).tolist() == ap.to_numpy(ap.diff(x, axis=0)).tolist()
    view = x[::2]
    rng.shuffle(view)
    assert sorted(x[::2, 0].tolist()) == [0, 12]
    plain = np.arange(10)
    rng.shuffle(plain)
    assert sorted(plain.tolist()) == list(range(10))
    names = list("abcdef")
    rng.shuffle(names)
    assert sorted(names) == list("abcdef")
    locked = ap.arange(3)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        rng.shuffle(locked)


def test_permuted_lines():
    rng = ap.random.default_rng(5)
    x = ap.arange(60).reshape(3, 4, 5)
    for axis in (0, 1, 2, -1):
        got = ap.to_numpy(rng.permuted(x, axis=axis))
        np.testing.assert_array_equal(np.sort(got, axis=axis), ap.to_numpy(x))
    assert sorted(rng.permuted(x).ravel().tolist()) == list(range(60))
    out = ap.zeros((3, 4, 5))
    assert rng.permuted(x, axis=1, out=out) is out
    np.testing.assert_array_equal(np.sort(ap.to_numpy(out), axis=1), ap.to_numpy(x))
    assert rng.permuted(x, axis=1, out=x) is x
    np.testing.assert_array_equal(np.sort(ap.to_numpy(x), axis=1), np.arange(60).reshape(3, 4, 5))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_reach_both_bounds(dtype):
    rng = ap.random.default_rng(6)
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    wide = ap.to_numpy(rng.integers(low, high, 4000, dtype, endpoint=True))
    assert wide.dtype == dtype
    assert wide.astype(float).max() > 0.9 * high
    narrow = ap.to_numpy(rng.integers(int(high) - 1, high, 200, dtype, endpoint=True))
    assert set(narrow.tolist()) == {int(high) - 1, int(high)}
    narrow = ap.to_numpy(rng.integers(low, int(low) + 2, 200, dtype))
    assert set(narrow.tolist()) == {int(low), int(low) + 1}
    assert {rng.integers(low, int(low) + 2, dtype=dtype).item() for _ in range(50)} == {int(low), int(low) + 1}


@pytest.mark.parametrize("kind", ["<U3", "S2", object, "M8[D]", [("a", int), ("b", "U2")]])
def test_random_order_of_what_no_device_holds(kind):
    values = [("1", "2")] if isinstance(kind, list) else ["1970-01-02", "1971-03-04"] if kind == "M8[D]" else ["1", "2"]
    population = np.array([*values * 3, values[0]]).astype("U10") if not isinstance(kind, list) else None
    population = np.array([(i, str(i)) for i in range(7)], kind) if population is None else population.astype(kind)
    for source in (ap.random.default_rng(1), ap.random.RandomState(1)):
        one, many = source.choice(population), source.choice(population, (2, 3))
        assert one in population and many.shape == (2, 3) and many.dtype == population.dtype
        assert set(many.ravel().tolist()) <= set(population.tolist())
        chosen = source.choice(population, 7, replace=False)
        assert sorted(chosen.tolist()) == sorted(population.tolist())
        mixed = source.permutation(population)
        assert mixed.dtype == population.dtype and sorted(mixed.tolist()) == sorted(population.tolist())
        source.shuffle(mixed)
        assert sorted(mixed.tolist()) == sorted(population.tolist())
    lines = np.stack([population] * 2)
    mixed = ap.random.default_rng(2).permuted(lines, axis=1)
    assert all(sorted(line.tolist()) == sorted(population.tolist()) for line in mixed)
    assert mixed is not lines
    assert ap.random.default_rng(2).permuted(lines, axis=1, out=lines) is lines
    assert lines.tolist() == mixed.tolist()


def test_random_choice_of_text_in_a_list(monkeypatch):
    assert set(ap.random.choice(["a", "b"], 50).tolist()) == {"a", "b"}
    monkeypatch.setattr(ap.config, "unsupported", "error")
    with pytest.raises(TypeError, match="dtype"):
        ap.random.choice(["a", "b"])


def test_random_choice_of_no_axes_is_an_array():
    for source in (ap.random.default_rng(1), ap.random.RandomState(1)):
        for population in ([1, 2], np.array([1.5, 2.5]), ["a", "b"], 5):
            made = source.choice(population, ())
            assert made.shape == () and isinstance(made, (ap.ndarray, np.ndarray)) and not ap.isscalar(made)
            assert made.tolist() in (range(5) if isinstance(population, int) else list(population))
            assert ap.isscalar(source.choice(population))


def test_numbers_are_seeds_and_counts():
    three = ap.asarray([3, 1])[0]
    for make in (ap.random.default_rng, lambda seed: ap.random.Generator(ap.random.PCG64(seed)), ap.random.RandomState):
        assert make(three).normal(size=3).tolist() == make(3).normal(size=3).tolist()
    assert ap.random.default_rng([three, 1]).random() == ap.random.default_rng([3, 1]).random()
    assert sorted(ap.random.default_rng(1).permutation(three).tolist()) == [0, 1, 2]
    assert ap.random.default_rng(1).multivariate_hypergeometric([2, 2, 2], three).sum() == 3


def test_seed_sequences_of_arrays_and_numbers():
    k = ap.array([3, 4, 5])
    ours, numpys = ap.random.SeedSequence, np.random.SeedSequence
    for given, plain in [(k[0], 3), (k, [3, 4, 5]), ([k[0], 4], [3, 4]), ((k[0], (k[1], k[2])), (3, (4, 5)))]:
        assert ours(given).generate_state(4).tobytes() == numpys(plain).generate_state(4).tobytes()
    placed = ours(7, spawn_key=(k[0], 1), pool_size=k[1] * 2)
    assert placed.generate_state(k[0]).tobytes() == numpys(7, spawn_key=(3, 1), pool_size=8).generate_state(3).tobytes()
    for child, other in zip(placed.spawn(k[0]), numpys(7, spawn_key=(3, 1), pool_size=8).spawn(3), strict=True):
        assert type(child) is ours
        assert repr(child) == repr(other)
        assert repr(pickle.loads(pickle.dumps(child))) == repr(copy.deepcopy(child)) == repr(other)
    assert np.random.default_rng(ours(k)).random() == np.random.default_rng([3, 4, 5]).random()


@pytest.mark.parametrize("seed", [1.5, "x", -1, [1.5], None])
def test_seed_sequences_raise_as_numpys_do(seed):
    if seed is None:
        assert ap.random.SeedSequence().entropy != ap.random.SeedSequence().entropy
        return
    with pytest.raises((TypeError, ValueError)) as numpys:
        np.random.SeedSequence(seed)
    with pytest.raises(numpys.type) as ours:
        ap.random.SeedSequence(seed)
    assert str(ours.value) == str(numpys.value)

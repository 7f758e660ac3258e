"""Scalar functions with branches and loops under vectorize: values, dtypes and exceptions are NumPy's."""

from __future__ import annotations

import io
import math
import sys
import warnings

import called_functions as called
import numpy as np
import pytest
import scalar_functions as functions
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

ULP = 16  # where functions of `math` take part
LOOPS = sys.modules["asnumpy.elementwise.lanes.loops"]
APPLY = sys.modules["asnumpy.elementwise.lanes.apply"]
CASES = [
    pytest.param(function, taken, id=function.__name__)
    for taken, many in functions.COMPILED.items() for function in many
]
# In these an element's result depends on a function whose last digit is ours.
ROUNDED = {functions.sigmoid, functions.roots, functions.numpys_decay}


@pytest.fixture(params=[False, True], ids=["", "gathered"])
def always(request, monkeypatch):
    """Few elements are compiled, too; and those that go on in a loop are gathered each time."""
    monkeypatch.setattr(APPLY, "SMALL", 0)
    if request.param:
        monkeypatch.setattr(LOOPS, "FEW", 0)
        monkeypatch.setattr(LOOPS, "SPARSE", 0)


@pytest.fixture
def calls(monkeypatch):
    """Which functions were called for each element."""
    made = []
    theirs = np.vectorize._vectorize_call

    def recorded(self, func, args):
        made.append(self.pyfunc)
        return theirs(self, func, args)

    monkeypatch.setattr(np.vectorize, "_vectorize_call", recorded)
    return made


def floats(count, seed=0):
    """Normal numbers, and some at which functions change."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(count) * 3
    chosen = rng.random(count) < 0.2
    values[chosen] = rng.choice([0.0, -0.0, 1.0, 2.0, 5.0, -1.0, 1e10], chosen.sum())
    return values


def wild(count, seed=0):
    rng = np.random.default_rng(seed)
    values = floats(count, seed)
    chosen = rng.random(count) < 0.1
    values[chosen] = rng.choice([np.inf, -np.inf, np.nan], chosen.sum())
    return values


def whole(count, seed=0):
    return np.random.default_rng(seed).integers(-20, 30, count)


KINDS = {
    "float64": floats, "wild": wild, "int64": whole,
    "bool": lambda count, seed=0: whole(count, seed) > 0,
    "float32": lambda count, seed=0: floats(count, seed).astype(np.float32),
    "float16": lambda count, seed=0: np.minimum(floats(count, seed), 100).astype(np.float16),
    "int8": lambda count, seed=0: whole(count, seed).astype(np.int8),
    "uint64": lambda count, seed=0: abs(whole(count, seed)).astype(np.uint64),
    "large": lambda count, seed=0: np.random.default_rng(seed).integers(-(2**63), 2**63 - 1, count),
    "complex128": lambda count, seed=0: floats(count, seed) / 3 + 1j * floats(count, seed + 7) / 3,
    "complex64": lambda count, seed=0: KINDS["complex128"](count, seed).astype(np.complex64),
}
TAKEN = {
    "x": ("float64", "wild", "int64", "bool", "float32", "float16", "int8", "uint64", "large", "complex128"),
    "n": ("int64", "bool", "int8", "uint64", "large"),
    "z": ("complex128", "complex64", "float64", "int64"),
    "near": ("float64", "wild", "int64", "float32"),
    "near, y": ("float64", "wild", "float32"),
}
TAKEN["x, y"], TAKEN["n, m"] = TAKEN["x"], TAKEN["n"]


def outcome(work):
    """What a call gives or raises. Of NumPy's warnings only those of scalars count: deferred operations give none."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            made = work()
        except Exception as error:
            return (type(error), str(error)), []
    return made, [str(one.message) for one in given if "vectorized" not in str(one.message)]


def expect_same(make, *arrays, ulp=0, scalars=False):
    """`make(xp, *arrays)` gives with asnumpy what it gives with NumPy; returns that."""
    expected, told = outcome(lambda: make(np, *arrays))
    own = [ap.asarray(one) if isinstance(one, np.ndarray) else one for one in arrays]
    got, told_ours = outcome(lambda: make(ap, *own))
    if isinstance(expected, tuple) and isinstance(expected[0], type):
        assert got == expected
        return expected
    if scalars:  # which its own functions give: some of them are computed as arrays, without warnings
        assert set(told_ours) <= set(told)
    else:
        assert told_ours == told
    pairs = zip(expected, got, strict=True) if isinstance(expected, tuple) else [(expected, got)]
    for theirs, ours in pairs:
        ours = np.asarray(ours)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if ulp and theirs.dtype.kind in "fc":
            np.testing.assert_allclose(ours, theirs, rtol=ulp * np.finfo(np.float64).eps, atol=0)
        else:
            np.testing.assert_array_equal(ours, theirs)
            if theirs.dtype.kind == "f":
                number = ~np.isnan(theirs)
                np.testing.assert_array_equal(np.signbit(ours[number]), np.signbit(theirs[number]))
    return expected


@pytest.mark.parametrize(("function", "taken"), CASES)
def test_branches_and_loops(function, taken, always):
    for kind in TAKEN[taken]:
        if (function, kind) == (functions.collatz, "large"):
            continue  # thousands of steps with ints beyond any width, one by one
        arrays = [KINDS[kind](120, seed) for seed in range(1 + taken.count(","))]
        ulp = ULP if function in ROUNDED or kind.startswith("complex") else 0
        scalars = function.__name__.startswith("numpys")
        expect_same(lambda xp, *given: xp.vectorize(function)(*given), *arrays, ulp=ulp, scalars=scalars)


@pytest.mark.parametrize(("function", "taken"), CASES)
def test_they_are_not_called(function, taken, calls):
    kind = TAKEN[taken][0]
    arrays = [ap.asarray(KINDS[kind](500, seed)) for seed in range(1 + taken.count(","))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scalars of NumPy's
        ap.vectorize(function, otypes="dd" if function is functions.two else "d" if taken != "z" else "D")(*arrays)
    assert calls == []


@pytest.mark.parametrize("function", called.CALLED, ids=lambda one: one.__name__)
def test_what_has_to_be_called(function, always, capsys):
    for array in (floats(60), whole(60), abs(floats(60, 1)), abs(whole(60, 1)), np.linspace(0.5, 0.9, 40)):
        expect_same(lambda xp, x: xp.vectorize(function)(x), array)


def test_effects_happen_once_for_each_element(always):
    called.SEEN.clear()
    array = floats(50)
    np.vectorize(called.remembers)(array)
    theirs = list(called.SEEN)
    called.SEEN.clear()
    ap.vectorize(called.remembers)(ap.asarray(array))
    ours = called.SEEN[-len(theirs):]
    assert ours == theirs
    expect_same(lambda xp, x: xp.vectorize(called.counter())(x), array)
    assert len(set(ap.vectorize(called.draws)(ap.asarray(array)).tolist())) > 5


def test_truths_of_numpy_are_no_ints(always):
    expect_same(lambda xp, x: xp.vectorize(functions.numpys_truths)(x), floats(80))


def test_a_few_elements_are_left_to_python(always, calls):
    array = np.linspace(0.0, 8.0, 200)
    array[[7, 90]] = 4e200, -1e300

    def grown(x):
        return int(x * x) % 7 if x < 5 and x > -5 else int(x) % 11

    expect_same(lambda xp, x: xp.vectorize(grown)(x), array)
    assert calls == [grown]  # NumPy's own
    ints = np.arange(200)
    ints[50] = 2**62

    def tripled(n):
        return (3 * n) % 1000 if n > 10 else n

    expect_same(lambda xp, x: xp.vectorize(tripled)(x), ints)
    assert calls == [grown, tripled]


def test_lambdas_closures_and_several_in_a_line(always, calls):
    low, high = -0.5, 0.75
    one, other = lambda x: low if x < low else high if x > high else x, lambda x: x if x < low else low
    for function in (one, other, lambda x: 1.0 if x > low and x < high else 0.0):
        expect_same(lambda xp, x, function=function: xp.vectorize(function)(x), floats(100))
    assert len(calls) == 3  # NumPy's own
    low = 0.25
    expect_same(lambda xp, x: xp.vectorize(one)(x), floats(100))


def test_globals_are_those_of_the_call(monkeypatch, always):
    function = ap.vectorize(functions.piecewise)
    before = function(ap.asarray(floats(100)))
    monkeypatch.setattr(functions, "LIMIT", 0.5)
    expect_same(lambda xp, x: xp.vectorize(functions.piecewise)(x), floats(100))
    assert (before != function(ap.asarray(floats(100)))).any()
    monkeypatch.setattr(functions, "LIMIT", np.float64(0.5))
    expect_same(lambda xp, x: xp.vectorize(functions.piecewise)(x), floats(100))
    monkeypatch.setattr(functions, "LIMIT", [0.5])
    expect_same(lambda xp, x: xp.vectorize(functions.piecewise)(x), floats(100))


def test_options(always):
    x, y = floats(60).reshape(3, 20), floats(20, 1)
    two, guarded, default = functions.two, functions.guarded, functions.default
    for otypes in ("d", "f", "e", "l", "b", "?", "D", "F", "g", "O", "U5"):
        expect_same(lambda xp, x, y, otypes=otypes: xp.vectorize(guarded, otypes=[otypes])(x, y), x, y)
    for array in (np.arange(300), np.arange(-5.0, 250.0), np.array([1.0, np.nan, 3.0] * 20)):
        for otypes in ("b", "B", "h", "Q", "e"):
            expect_same(lambda xp, x, otypes=otypes: xp.vectorize(functions.relu, otypes=otypes)(x), array)
    expect_same(lambda xp, x, y: xp.vectorize(two)(x, y), x, y)
    expect_same(lambda xp, x, y: xp.vectorize(two, otypes="ld")(x, y), x, y)
    expect_same(lambda xp, x, y: xp.vectorize(two, otypes="d")(x, y), x, y)
    expect_same(lambda xp, x: xp.vectorize(default, excluded=["low"])(x, low=0.1), x)
    expect_same(lambda xp, x: xp.vectorize(default, excluded=[1, 2])(x, 0.1, 0.2), x)
    expect_same(lambda xp, x, y: xp.vectorize(default)(x, high=y), x, y)
    expect_same(lambda xp, x, y: xp.vectorize(default)(x, y, 2), x, y)
    expect_same(lambda xp, x: xp.vectorize(default)(x, 1, 2, 3), x)
    expect_same(lambda xp, x: xp.vectorize(default, cache=True)(x), x)
    expect_same(lambda xp, x: xp.vectorize(functions.relu, signature="()->()")(x), x)
    expect_same(lambda xp, x, y: xp.vectorize(guarded)(x, y), x, floats(7))
    expect_same(lambda xp, x: xp.vectorize(guarded)(x, [1, 2.5] * 10), x)
    expect_same(lambda xp, x: xp.vectorize(guarded)(x, np.float32(2)), x)
    expect_same(lambda xp, x: xp.vectorize(guarded)(x, np.array(3)), x)


def test_sizes_and_layouts(always):
    for shape in ((0,), (0, 3), (1,), (), (5, 1, 4)):
        array = floats(math.prod(shape)).reshape(shape)
        expect_same(lambda xp, x: xp.vectorize(functions.clamp)(x), array)
        expect_same(lambda xp, x: xp.vectorize(functions.clamp, otypes="d")(x), array)
    expect_same(lambda xp: xp.vectorize(functions.clamp)(2.5))
    array = floats(120).reshape(10, 12)
    for view in (array.T, array[::-2, 1::3], np.broadcast_to(array[0], (4, 12)), np.asfortranarray(array)):
        expect_same(lambda xp, x: xp.vectorize(functions.with_break)(x), view)
        expect_same(lambda xp, x: xp.vectorize(functions.halvings)(x), view)


def test_results_share_no_memory(always):
    array = ap.asarray(abs(floats(100)))
    made = ap.vectorize(lambda x: x if 0 <= 1 <= 2 else -x)(array)
    array += 1
    assert made.tolist() == abs(floats(100)).tolist()


def test_lanes_that_go_on_are_gathered():
    numbers = np.random.default_rng(5).integers(1, 5000, 20_000)
    expect_same(lambda xp, x: xp.vectorize(functions.collatz)(x), numbers)
    points = np.random.default_rng(6).uniform(-2, 1, (2, 20_000))
    expect_same(lambda xp, x, y: xp.vectorize(functions.escape)(x, y), *points)


def test_deferred_and_fused():
    array = ap.from_numpy(floats(100_000))
    with ap.config.using(eager=False):
        made = ap.vectorize(functions.piecewise)(array)
        assert made._pending
        assert ap.explain(made, file=io.StringIO()).count("program ") == 1


def test_other_ways_show_no_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = ap.vectorize(functions.guarded)(ap.ones(100), ap.zeros(100))
        assert made.tolist() == [0.0] * 100
    with np.errstate(all="raise"):
        made = ap.vectorize(functions.guarded)(ap.ones(100), ap.zeros(100))
        assert made.tolist() == [0.0] * 100


def test_under_jit():
    array = floats(200)
    made = ap.jit(lambda x: ap.vectorize(functions.piecewise)(x) + 1)
    for seed in range(2):
        array = floats(200, seed)
        expected = np.vectorize(functions.piecewise)(array) + 1
        np.testing.assert_array_equal(made(ap.asarray(array)), expected)
    with pytest.raises(ap.TracingError):
        ap.jit(lambda x: ap.vectorize(functions.collatz)(x))(ap.arange(100))
    with pytest.raises(ap.TracingError):
        ap.jit(lambda x: ap.vectorize(functions.guarded)(x, x))(ap.asarray(array))


def test_frompyfunc_calls(always):
    made = ap.frompyfunc(functions.clamp, 1, 1)(ap.asarray(floats(40)))
    assert made.dtype == object
    assert made.tolist() == np.frompyfunc(functions.clamp, 1, 1)(floats(40)).tolist()


special = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, 2.0**53])
numbers = st.lists(special | st.floats(-10, 10) | st.floats(), min_size=2, max_size=12)
integers = st.lists(st.integers(-10, 10) | st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=12)
SOME = [one for one in CASES if one.values[0] not in ROUNDED and one.values[1] in ("x", "x, y")]


@pytest.mark.parametrize(("function", "taken"), SOME)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_numbers(function, taken, data):
    kind, strategy = data.draw(st.sampled_from([(np.float64, numbers), (np.int64, integers)]))
    x = np.array(data.draw(strategy), dtype=kind)
    arrays = [x, x[::-1].copy()][: 1 + taken.count(",")]
    before, APPLY.SMALL = APPLY.SMALL, 0
    try:
        expect_same(lambda xp, *given: xp.vectorize(function)(*given), *arrays)
    finally:
        APPLY.SMALL = before

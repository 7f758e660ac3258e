"""Which dtype comes out: every ufunc and operator on every pair of dtypes and weak scalars, promotion, casting."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from agreement import assert_same_error

import asnumpy as ap
from asnumpy.check._edges import ALL, BFLOAT16, WEAK

UFUNCS = sorted({u.__name__ for u in map(vars(np).get, np.__all__) if isinstance(u, np.ufunc)})
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
    divmod,
]
IN_PLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
    operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def dtypes_of(result: Any) -> list[np.dtype]:
    parts = result if isinstance(result, tuple) else (result,)
    return [part.dtype if hasattr(part, "dtype") else np.dtype(type(part)) for part in parts]


def compare(label: str, theirs: Callable[[], Any], ours: Callable[[], Any]) -> str | None:
    """What is wrong with our outcome, dtypes or exception, seen twice: resolved, and remembered."""
    try:
        expected = dtypes_of(theirs())
    except Exception as error:  # whatever NumPy raises is the expectation
        try:
            for _ in range(2):
                assert_same_error(error, ours)
        except AssertionError as difference:
            return f"{label}: {difference}"
        return None
    for _ in range(2):
        try:
            got = dtypes_of(ours())
        except Exception as error:  # compared with a result, not swallowed
            return f"{label}: raised {type(error).__name__}({error}), NumPy gives {expected}"
        if got != expected:
            return f"{label}: gave {got}, NumPy gives {expected}"
    return None


def both(dtype: np.dtype, shape: tuple[int, ...] = (1, 1)) -> tuple[np.ndarray, Any]:
    plain = np.ones(shape, dtype)
    return plain, ap.from_numpy(plain)


def all_operands() -> list[tuple[str, Any, Any]]:
    arrays = [(dtype.name, *both(dtype)) for dtype in ALL]
    return arrays + [(f"weak {type(value).__name__}", value, value) for value in WEAK]


@pytest.mark.parametrize("name", UFUNCS)
def test_ufunc(name: str) -> None:
    theirs, ours = getattr(np, name), getattr(ap, name)
    failures = []
    for chosen in itertools.product(all_operands(), repeat=theirs.nin):
        label = f"{name}({', '.join(c[0] for c in chosen)})"
        plain, mine = [c[1] for c in chosen], [c[2] for c in chosen]
        failures.append(compare(label, lambda p=plain: theirs(*p), lambda m=mine: ours(*m)))
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("name", ["add", "divide", "less", "exp", "bitwise_and", "floor_divide", "maximum"])
@pytest.mark.parametrize("casting", CASTINGS)
def test_requested_dtype(name: str, casting: str) -> None:
    theirs, ours = getattr(np, name), getattr(ap, name)
    failures = []
    for have, wanted in itertools.product(ALL, ALL):
        plain, mine = both(have)
        failures.append(compare(
            f"{name}({have}, dtype={wanted}, casting={casting})",
            lambda p=plain, d=wanted: theirs(*[p] * theirs.nin, dtype=d, casting=casting),
            lambda m=mine, d=wanted: ours(*[m] * theirs.nin, dtype=d, casting=casting),
        ))
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("name", ["add", "true_divide", "less", "sqrt", "isnan", "modf", "left_shift"])
@pytest.mark.parametrize("casting", CASTINGS)
def test_dtype_of_out(name: str, casting: str) -> None:
    theirs, ours = getattr(np, name), getattr(ap, name)
    failures = []
    for have, target in itertools.product(ALL, ALL):
        plain, mine = both(have)
        outs = [both(target) for _ in range(theirs.nout)]
        failures.append(compare(
            f"{name}({have}, out={target}, casting={casting})",
            lambda p=plain, o=outs: theirs(*[p] * theirs.nin, out=tuple(x for x, _ in o), casting=casting),
            lambda m=mine, o=outs: ours(*[m] * theirs.nin, out=tuple(x for _, x in o), casting=casting),
        ))
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
def test_operator(function: Callable[[Any, Any], Any]) -> None:
    failures = []
    for (name_x, np_x, ap_x), (name_y, np_y, ap_y) in itertools.product(all_operands(), repeat=2):
        if np_x is ap_x and np_y is ap_y:
            continue  # Python's own arithmetic
        failures.append(compare(
            f"{function.__name__}({name_x}, {name_y})",
            lambda x=np_x, y=np_y: function(x, y), lambda x=ap_x, y=ap_y: function(x, y),
        ))
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
def test_in_place_operator(function: Callable[[Any, Any], Any]) -> None:
    failures = []
    for target, (name_y, np_y, ap_y) in itertools.product(ALL, all_operands()):
        np_x, ap_x = both(target)
        failures.append(compare(
            f"{function.__name__}({target}, {name_y})",
            lambda x=np_x, y=np_y: function(x, y), lambda x=ap_x, y=ap_y: function(x, y),
        ))
        assert ap_x.dtype == target
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize(
    "function", [operator.neg, operator.pos, operator.abs, operator.invert], ids=lambda f: f.__name__
)
def test_unary_operator(function: Callable[[Any], Any]) -> None:
    failures = []
    for dtype in ALL:
        plain, mine = both(dtype)
        label = f"{function.__name__}({dtype})"
        failures.append(compare(label, lambda x=plain: function(x), lambda x=mine: function(x)))
    assert not (wrong := [f for f in failures if f]), "\n".join(wrong)


@pytest.mark.parametrize("value", [-1, 127, 128, 255, 256, -129, 2**31, 2**32, 2**63, 2**64, -(2**63) - 1, 2**100])
def test_python_integer_of_any_size(value: int) -> None:
    """One that the array's dtype cannot hold raises, but compares by value; beside floats it is a float."""
    failures = []
    for dtype in ALL:
        if dtype == BFLOAT16 and abs(value) >= 2**63:
            continue  # its own conversion refuses them
        plain, mine = both(dtype, (3,))
        for name in ("add", "multiply", "bitwise_or", "less", "equal", "greater_equal", "maximum", "power"):
            if name == "power" and value > 2**31:
                continue
            for swap in (False, True):
                theirs, ours = getattr(np, name), getattr(ap, name)
                failures.append(compare(
                    f"{name}({dtype}, {value})" if not swap else f"{name}({value}, {dtype})",
                    lambda p=plain, f=theirs, s=swap: f(value, p) if s else f(p, value),
                    lambda m=mine, f=ours, s=swap: f(value, m) if s else f(m, value),
                ))
        for compared in (operator.lt, operator.ge, operator.eq, operator.ne):
            try:
                expected = compared(plain, value)
            except OverflowError as error:
                assert_same_error(error, lambda m=mine, f=compared: f(m, value))
                continue
            assert np.array_equal(np.asarray(compared(mine, value)), expected), f"{compared.__name__}({dtype}, {value})"
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize(
    "scalar", [np.bool_(True), np.int8(3), np.uint64(3), np.float16(2.5), np.float64(2.5), np.complex64(1j)]
)
def test_numpy_scalars_are_not_weak(scalar: np.generic) -> None:
    failures = []
    for dtype in ALL:
        plain, mine = both(dtype)
        for function in (operator.add, operator.mul, operator.truediv, operator.lt, operator.eq):
            for swap in (False, True):
                failures.append(compare(
                    f"{function.__name__}({dtype}, {scalar!r}), swapped: {swap}",
                    lambda x=plain, f=function, s=swap: f(scalar, x) if s else f(x, scalar),
                    lambda x=mine, f=function, s=swap: f(scalar, x) if s else f(x, scalar),
                ))
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("order", ["<", ">", "="])
def test_result_type_and_can_cast(order: str) -> None:
    ordered = [dtype if dtype == BFLOAT16 else dtype.newbyteorder(order) for dtype in ALL]
    failures = []
    for x, y in itertools.product(ordered, ordered):
        for name in ("result_type", "promote_types"):
            failures.append(compare(
                f"{name}({x}, {y})", lambda x=x, y=y, n=name: np.empty(0, getattr(np, n)(x, y)),
                lambda x=x, y=y, n=name: np.empty(0, getattr(ap, n)(x, y)),
            ))
        for casting in CASTINGS:
            expected, got = np.can_cast(x, y, casting), ap.can_cast(x, y, casting)
            failures.append(None if got == expected else f"can_cast({x}, {y}, {casting}): {got}")
    for dtype, value in itertools.product(ALL, WEAK):
        plain, mine = both(dtype)
        failures.append(compare(
            f"result_type({dtype}, {value!r})", lambda a=plain, v=value: np.empty(0, np.result_type(a, v)),
            lambda a=mine, v=value: np.empty(0, ap.result_type(a, v)),
        ))
    assert not (wrong := [f for f in failures if f]), f"{len(wrong)} differ\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("dtype", [d for d in ALL if d.itemsize > 1 and d != BFLOAT16], ids=str)
def test_both_byte_orders_arrive(dtype: np.dtype) -> None:
    native = np.arange(24).reshape(4, 6).astype(dtype)
    for order in "<>":
        swapped = native.astype(dtype.newbyteorder(order))
        for view in (swapped, swapped[::-1, ::2], swapped.T, swapped[2:2], swapped[1, 2]):
            got = ap.from_numpy(view)
            assert got.dtype == dtype and got.dtype.isnative and got.shape == view.shape
            assert np.array_equal(np.asarray(got), view)
            for entry in (ap.asarray, ap.array):  # as NumPy, they keep the order
                got = entry(view)
                assert isinstance(got, np.generic | np.ndarray if not view.dtype.isnative else ap.ndarray)
                assert got.dtype == view.dtype and np.array_equal(np.asarray(got), view)
        got = ap.asarray(native) + swapped
        assert got.dtype == dtype and np.array_equal(np.asarray(got), native + native)
        target = ap.zeros((4, 6), dtype)
        target[...] = swapped
        assert np.array_equal(np.asarray(target), native)
        for shape in (3, [3], (3,)):
            assert ap.zeros(shape, dtype.newbyteorder(order)).dtype == dtype.newbyteorder(order)


@pytest.mark.parametrize("casting", CASTINGS)
def test_astype(casting: str) -> None:
    for have, wanted in itertools.product(ALL, ALL):
        plain = np.arange(10).reshape(2, 5).astype(have)
        mine = ap.from_numpy(plain)
        try:
            expected = plain.astype(wanted, casting=casting)
        except TypeError as error:
            assert_same_error(error, lambda m=mine, d=wanted: m.astype(d, casting=casting))
            continue
        got = mine.astype(wanted, casting=casting)
        assert got.dtype == wanted
        assert np.array_equal(np.asarray(got), expected), f"{have} -> {wanted}"
        if have == wanted:
            assert mine.astype(wanted, copy=False) is mine
            assert not np.shares_memory(np.asarray(got), np.asarray(mine))

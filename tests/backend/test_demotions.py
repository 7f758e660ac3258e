"""What CANN refuses is computed in another way: values stay NumPy's, and it is listed and reported once."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from agreement import sample
from backend.simulated_calls import names_of
from device_marks import OTHERS, needs_simulator

import asnumpy as ap
from asnumpy import _core, cannsim, nn

pytestmark = needs_simulator

UNSUPPORTED = 561103


def new_shapes() -> Iterator[tuple[int, int]]:
    """More than all of these tests take. No executor is kept for a shape that comes for the first time, so that each
    call has a first phase; a contiguous array is a line to it, so that no size may come twice either."""
    sizes: set[int] = set()
    for columns, rows in itertools.product(range(5, 2000), range(6, 99, 3)):
        if columns * rows not in sizes:
            sizes.add(columns * rows)
            yield columns, rows


SHAPES = new_shapes()

Function = Callable[..., Any]
CASES: dict[str, tuple[Function, int]] = {
    "add": (lambda xp, x, y: x + y, 2),
    "add a number": (lambda xp, x: x + 3, 1),
    "chain": (lambda xp, x, y: xp.maximum(x * y + x, y) - x, 2),
    "divide": (lambda xp, x, y: x / (abs(y) + 1), 2),
    "floor_divide": (lambda xp, x, y: x // (abs(y) + 1), 2),
    "remainder": (lambda xp, x, y: x % (abs(y) + 1), 2),
    "power": (lambda xp, x: x**2, 1),
    "compare": (lambda xp, x, y: (x < y) | (x == y), 2),
    "where": (lambda xp, x, y: xp.where(x > y, x, y), 2),
    "clip": (lambda xp, x: xp.clip(x, 1, 3), 1),
    "absolute": (lambda xp, x: abs(x), 1),
    "sign": (lambda xp, x: xp.sign(x), 1),
    "cast": (lambda xp, x: x.astype("int16"), 1),
    "cast to float": (lambda xp, x: x.astype("float32"), 1),
    "flipped": (lambda xp, x: x[::-1, ::2] + 1, 1),
    "transposed": (lambda xp, x: xp.ascontiguousarray(x.T), 1),
    "filled": (lambda xp, x: xp.full_like(x, 7), 1),
    "concatenated": (lambda xp, x, y: xp.concatenate([x, y[::-1]]), 2),
    "sum": (lambda xp, x: x.sum(axis=0), 1),
    "sum of all": (lambda xp, x: x.sum(), 1),
    "largest": (lambda xp, x: x.max(axis=1), 1),
    "place of the largest": (lambda xp, x: x.argmax(axis=1), 1),
    "any": (lambda xp, x: (x > 2).any(axis=1), 1),
    "parity": (lambda xp, x: xp.logical_xor.reduce(x > 2, axis=1), 1),
    "cumsum": (lambda xp, x: x.cumsum(axis=1), 1),
    "running maximum": (lambda xp, x: xp.maximum.accumulate(x, axis=0), 1),
    "take": (lambda xp, x: x[places(xp, x)], 1),
    "put": (lambda xp, x: put(xp, x.copy()), 1),
    "compress": (lambda xp, x: x[x > 1], 1),
    "nonzero": (lambda xp, x: xp.flatnonzero(x > 1), 1),
    "product": (lambda xp, x, y: x @ y.T, 2),
    "product and sum": (lambda xp, x, y: x @ y.T + 1, 2),
    "many axes": (lambda xp, x: x.reshape(3, *([1] * 8), -1).transpose() + xp.ones((2, *([1] * 9), 3), x.dtype), 1),
}
DTYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64"]
ONLY = {  # what NumPy has of some dtypes only, or gives warnings for
    "add a number": "iufc", "floor_divide": "iuf", "remainder": "iuf", "power": "iuf", "clip": "iuf", "sign": "iuf",
    "divide": "iufc", "chain": "iuf", "cast": "biuf", "cast to float": "biu", "compare": "biuf", "where": "biuf",
    "largest": "biuf", "place of the largest": "biuf", "running maximum": "biuf", "compress": "biuf", "any": "biuf",
    "nonzero": "biuf", "parity": "biuf", "put": "iufc", "product and sum": "iuf", "many axes": "iufc",
}  # fmt: skip


def put(xp: Any, x: Any) -> Any:
    x[places(xp, x)] = x + 1
    return x


def places(xp: Any, x: Any) -> Any:
    return xp.asarray([2, 0, 1, *range(len(x) - 3)])


def operands(count: int, dtype: str) -> list[np.ndarray]:
    columns, rows = next(SHAPES)
    return [sample((rows, columns), dtype, seed) for seed in range(count)]


def on_device(function: Function, values: list[np.ndarray]) -> np.ndarray:
    with OTHERS[0]:
        return ap.to_numpy(ap.asarray(function(ap, *[ap.from_numpy(one) for one in values])))


def agrees(got: np.ndarray, expected: np.ndarray) -> None:
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected)
    else:
        error = {"e": 4e-3, "f": 2e-5, "d": 1e-12, "F": 2e-5, "D": 1e-12}[expected.dtype.char]
        np.testing.assert_allclose(got, expected, rtol=error, atol=error)


def refused() -> list[dict[str, Any]]:
    return [one for one in ap.demotions() if one["kind"] == "operator"]


@pytest.fixture(autouse=True)
def nothing_refused() -> Iterator[None]:
    def forget() -> None:
        cannsim.clear_faults()
        ap.forget_demotions()
        ap.forget_fallbacks()

    forget()
    yield
    ap.synchronize()
    forget()


def all_cases() -> Iterator[Any]:
    for name, dtype in itertools.product(CASES, DTYPES):
        if np.dtype(dtype).kind in ONLY.get(name, "biufc"):
            yield pytest.param(name, dtype, id=f"{name}-{dtype}")


@pytest.mark.parametrize(("name", "dtype"), list(all_cases()))
def test_each_operator_refused(name: str, dtype: str) -> None:
    """One after the other, each with those before it: at last there is none that would do, and the host is left."""
    function, count = CASES[name]
    done: set[str] = set()
    planned: set[str] = set()
    for _ in range(60):
        values = operands(count, dtype)
        expected = np.asarray(function(np, *values))
        got: list[np.ndarray] = []
        with ap.config.using(fallback="warn"), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            seen = names_of(lambda values=values, got=got: got.append(on_device(function, values)))
        agrees(got[0], expected)
        reports = [str(one.message) for one in said if "CANN refused" in str(one.message)]
        assert len(reports) == len({one["what"] for one in refused()} - done)
        done = {one["what"] for one in refused()}
        assert all(one["reason"].startswith("ACLNN_ERR_INNER_NULLPTR (561103): ") for one in refused())
        called = sorted(one for one in seen if one.startswith("aclnn"))
        fresh = [one for one in called if one not in planned]
        if not fresh:
            break
        planned.add(fresh[0])
        cannsim.refuse(fresh[0], code=UNSUPPORTED)
    else:
        pytest.fail(f"still other operators: {called}")
    assert bool(done) == bool(planned)  # what the host does anyway calls nothing
    assert {what.partition("(")[0] for what in done} <= planned


def test_dtypes_are_told_apart() -> None:
    cannsim.refuse("aclnnAdd", "float32, float32, float32")
    for dtype in ("float32", "float64"):
        x, y = operands(2, dtype)
        np.testing.assert_array_equal(on_device(lambda xp, x, y: x + y, [x, y]), x + y)
    assert [one["what"] for one in ap.demotions()] == ["aclnnAdd(float32, float32, float32)"]
    assert {one["dtypes"] for one in ap.fallbacks()} == {"float32, float32"}


def test_next_path_stays_on_the_device() -> None:
    """float16 as float32, without a word about the host."""
    cannsim.refuse("aclnnExp", "float16, float16")
    (x,) = operands(1, "float16")
    agrees(on_device(lambda xp, x: xp.exp(x), [x]), np.exp(x))
    assert [one["what"] for one in ap.demotions()] == ["aclnnExp(float16, float16)"]
    assert ap.fallbacks() == []


@pytest.mark.parametrize("code", [161001, 161002, 561000, 561003, 561103, 561112])
def test_codes_that_demote(code: int) -> None:
    cannsim.refuse("aclnnMul", code=code)
    x, y = operands(2, "float32")
    np.testing.assert_array_equal(on_device(lambda xp, x, y: x * y, [x, y]), x * y)
    assert [one["code"] for one in refused()] == [code]


@pytest.mark.parametrize("code", [207001, 361001, 500000])
def test_codes_that_do_not(code: int) -> None:
    """Memory and what may pass: an error, and the work is done when it is asked for again."""
    cannsim.fail("aclnnMul", code=code)
    x, y = operands(2, "float32")
    with OTHERS[0], ap.config.using(eager=False):
        z = ap.from_numpy(x) * ap.from_numpy(y)
        with pytest.raises((RuntimeError, MemoryError)):
            z.tolist()
        np.testing.assert_array_equal(ap.to_numpy(z), x * y)
    assert ap.demotions() == []


def test_programs_that_ran_before() -> None:
    """Compiled programs, kept executors and captured graphs give way."""
    with OTHERS[0]:
        x, y = (ap.from_numpy(one) for one in operands(2, "float32"))
        expected = ap.to_numpy(x) * 2 + ap.to_numpy(y)
        for _ in range(5):
            np.testing.assert_array_equal(ap.to_numpy(x * 2 + y), expected)
        cannsim.refuse("aclnnAdd")
        ap.apply_demotions([
            {"kind": "operator", "what": "aclnnAdd(float32, float32, float32)", "device": "ascend:0", "code": 161002,
             "reason": "found before"}
        ])
        for _ in range(5):
            seen = names_of(lambda: np.testing.assert_array_equal(ap.to_numpy(x * 2 + y), expected))
            assert "aclnnAdd" not in seen
            assert "aclmdlRIExecuteAsync" not in seen or "aclnnAdd" not in seen
    assert [one["count"] for one in refused()] == [0]


def test_lists_go_from_process_to_process() -> None:
    cannsim.refuse("aclnnSub")
    x, y = operands(2, "int32")
    np.testing.assert_array_equal(on_device(lambda xp, x, y: x - y, [x, y]), x - y)
    known = ap.demotions()
    ap.forget_demotions()
    assert ap.demotions() == []
    ap.apply_demotions(known)
    assert [one["what"] for one in ap.demotions()] == [one["what"] for one in known]
    seen = names_of(lambda: on_device(lambda xp, x, y: x - y, operands(2, "int32")))
    assert "aclnnSub" not in seen


def test_in_place_work_that_was_partly_launched() -> None:
    """What a program has overwritten it has not read: it runs again from the values that it had."""
    (x,) = operands(1, "float32")
    for refused_one in ("aclnnMuls", "aclnnAdds", "aclnnExp", "aclnnInplaceCopy"):
        ap.forget_demotions()
        cannsim.clear_faults()
        cannsim.refuse(refused_one)
        with OTHERS[0]:
            ours, other = ap.from_numpy(x), x.copy()
            for a, xp in ((ours, ap), (other, np)):
                a *= 2
                a += 1
                a[:, 1:] += a[:, :-1]
                xp.exp(a / 20, out=a)
            agrees(ap.to_numpy(ours), other)


def test_policy_of_errors() -> None:
    cannsim.refuse("aclnnAdd")
    x, y = operands(2, "float64")
    with OTHERS[0], ap.config.using(fallback="error", eager=False):
        z = ap.from_numpy(x) + ap.from_numpy(y)
        with pytest.raises(RuntimeError, match="fallback is 'error'"):
            z.tolist()
        ap.config.fallback = "count"
        np.testing.assert_array_equal(ap.to_numpy(z), x + y)


@pytest.mark.parametrize("name", [
    "relu", "sigmoid", "log_sigmoid", "silu", "gelu", "softplus", "elu", "leaky_relu", "softmax", "log_softmax",
])  # fmt: skip
def test_activations(name: str) -> None:
    """Work that was recorded for an operator of the device's own, and that the host must then do."""
    (x,) = operands(1, "float32")
    arguments = {"axis": -1} if "softmax" in name else {}
    function = getattr(nn, name)
    with ap.Device("cpu"):
        expected = ap.to_numpy(function(ap.from_numpy(x), **arguments))
    for _ in range(20):
        with OTHERS[0]:
            got: list[np.ndarray] = []
            given = ap.from_numpy(x)
            seen = names_of(lambda got=got, given=given: got.append(ap.to_numpy(function(given, **arguments))))
        agrees(got[0], expected)
        known = {one["what"].partition("(")[0] for one in refused()}
        fresh = sorted({one for one in seen if one.startswith("aclnn")} - known)
        if not fresh:
            break
        for one in fresh:
            cannsim.refuse(one)
        x = np.concatenate([x, x[:, :1]], axis=1)
        with ap.Device("cpu"):
            expected = ap.to_numpy(function(ap.from_numpy(x), **arguments))
    assert refused()


@pytest.mark.parametrize("form", ["layer_norm", "rms_norm"])
def test_normalisations(form: str) -> None:
    (x,) = operands(1, "float32")
    weight, bias = sample(x.shape[-1], "float32", 5), sample(x.shape[-1], "float32", 6)
    arguments = (weight, bias) if form == "layer_norm" else (weight,)

    def computed() -> np.ndarray:
        return ap.to_numpy(getattr(nn, form)(ap.from_numpy(x), x.shape[-1], *[ap.from_numpy(one) for one in arguments]))

    with ap.Device("cpu"):
        expected = computed()
    for one in cannsim.operators():
        cannsim.refuse(one)
    with OTHERS[0]:
        agrees(computed(), expected)


def test_everything_refused() -> None:
    """A device that does nothing but copy bytes."""
    for one in cannsim.operators():
        cannsim.refuse(one)
    for name, (function, count) in CASES.items():
        dtype = "float32" if "f" in ONLY.get(name, "f") else "int32"
        values = operands(count, dtype)
        agrees(on_device(function, values), np.asarray(function(np, *values)))
    assert _core.fallbacks()

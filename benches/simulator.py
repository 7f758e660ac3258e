"""The CANN simulator's operators on a million elements beside NumPy's expressions: both phases and the wait, in turns.

    python benches/simulator.py [--only WORD] [--dtypes float32 float64] [--rounds N]

A ratio is the simulator's time divided by NumPy's; the aim is that no elementwise one passes 1.2.
NumPy writes into an array that exists where it is one ufunc, as the simulator does. `CANNSIM_THREADS` sets its threads.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import special

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from cannsim import acl
from cannsim.documented import dtypes as documented
from cannsim.documented import facts
from cannsim.test_activation import FORWARD, GRADIENTS, gelu_tanh, sigmoid, silu, slope
from cannsim.test_elementwise import BINARY, PREDICATES, SCALAR, UNARY

SIZE = 1_000_000


class Case(NamedTuple):
    name: str
    function: Callable[..., Any]  # of the arrays, in NumPy
    inputs: list[np.ndarray]
    arguments: list[Any]  # of the operator; the output stands as ...
    out: np.ndarray


def takes(name: str, position: int, dtype: np.dtype) -> bool:
    parameter = facts()[name][position]
    return "dtypes" not in parameter or dtype in documented(name, parameter["name"])


def elementwise(dtype: np.dtype) -> Iterator[Case]:
    rng = np.random.default_rng(1)
    x, y, z = (rng.uniform(0.1, 0.9, SIZE).astype(dtype) for _ in range(3))
    large = rng.uniform(-6, 6, SIZE).astype(dtype)
    domain = {
        np.arccosh: large * large + 1,
        np.exp: large,
        np.tanh: large,
        np.sin: large,
        np.cos: large,
        np.invert: None,
    }
    out = np.empty(SIZE, dtype)

    def case(
        name: str, function: Callable[..., Any], inputs: list[np.ndarray], *between: Any, result: Any = None
    ) -> Iterator[Case]:
        if name in facts() and all(takes(name, i, dtype) for i in range(len(inputs))):
            yield Case(name, function, inputs, [*inputs, *between, ...], np.empty(SIZE, result or dtype))

    for name, ufunc in UNARY.items():
        given = domain.get(ufunc, x)
        if given is not None:
            yield from case(name, ufunc, [given], result=bool if ufunc in PREDICATES else None)
    for name, ufunc in BINARY.items():
        if "bitwise" not in ufunc.__name__:
            yield from case(name, ufunc, [large, y], result=bool if ufunc in PREDICATES else None)
    for name, ufunc in SCALAR.items():
        if "bitwise" not in ufunc.__name__ and takes(name, 0, dtype):
            two = dtype.type(2)
            yield Case(
                name,
                lambda a, f=ufunc, two=two: f(a, two),
                [large],
                [large, acl.Scalar(2, dtype), ...],
                np.empty(SIZE, bool if ufunc in PREDICATES else dtype),
            )
    one = acl.Scalar(1, dtype)
    yield from case("aclnnAdd", np.add, [x, y], one)
    yield from case("aclnnSub", np.subtract, [x, y], one)
    yield from case("aclnnAdd", lambda a, b: a + dtype.type(2) * b, [x, y], acl.Scalar(2, dtype))
    for name, given_numbers, formula in FORWARD:
        numbers = [acl.Scalar(one, np.float32) for one in given_numbers]
        yield from case("aclnn" + name, formula, [large], *numbers)
    for name, formula, _, given_numbers in GRADIENTS:
        arguments = [acl.Scalar(one, np.float32) if isinstance(one, float) else one for one in given_numbers]
        simple = {"Sigmoid": lambda g, s: g * s * (1 - s), "Tanh": lambda g, t: g * (1 - t * t)}
        derivative = slope(formula)
        function = simple.get(name, lambda g, a, f=derivative: g * f(a))
        yield from case(f"aclnn{name}Backward", function, [x, large], *arguments)
    yield from case("aclnnGeluV2", gelu_tanh, [large], 1)
    for name, formula in (
        ("Relu", lambda a: np.maximum(a, 0)),
        ("Sigmoid", sigmoid),
        ("Silu", silu),
        ("Erf", special.erf),
        ("Erfc", special.erfc),
        ("Sinc", np.sinc),
        ("Erfinv", special.erfinv),
        ("Rsqrt", lambda a: 1 / np.sqrt(a)),
        ("Frac", lambda a: a - np.trunc(a)),
        ("Lgamma", special.gammaln),
        ("Digamma", special.digamma),
        ("IsPosInf", np.isposinf),
        ("IsNegInf", np.isneginf),
    ):
        yield from case("aclnn" + name, formula, [x], result=bool if name.startswith("Is") else None)
    yield from case(
        "aclnnLeakyRelu", lambda a: np.where(a > 0, a, a * dtype.type(0.1)), [large], acl.Scalar(0.1, np.float32)
    )
    yield from case("aclnnNanToNum", np.nan_to_num, [large], *[ctypes.c_float(v) for v in (0, 1, -1)])
    yield from case("aclnnLogit", special.logit, [x], -1.0)
    yield from case("aclnnRoundDecimals", lambda a: np.round(a, 2), [large], 2)
    yield from case("aclnnIsClose", np.isclose, [x, y], 1e-5, 1e-8, False, result=bool)
    yield from case("aclnnAddcmul", lambda a, b, c: a + dtype.type(2) * b * c, [x, y, z], acl.Scalar(2, dtype))
    yield from case("aclnnAddcdiv", lambda a, b, c: a + dtype.type(2) * b / c, [x, y, z], acl.Scalar(2, dtype))
    yield from case("aclnnLerp", lambda a, b, c: a + c * (b - a), [x, y, z])
    yield from case("aclnnLerps", lambda a, b: a + dtype.type(0.25) * (b - a), [x, y], acl.Scalar(0.25, np.float32))
    yield from case("aclnnAddRelu", lambda a, b: np.maximum(a + b, 0), [x, y], one)
    yield from case("aclnnClamp", lambda a: np.clip(a, -1, 1), [large], acl.Scalar(-1, dtype), acl.Scalar(1, dtype))
    yield from case("aclnnClampMin", lambda a: np.maximum(a, -1), [large], acl.Scalar(-1, dtype))
    yield from case("aclnnClampTensor", lambda a, b, c: np.clip(a, b, c), [large, y, z])
    yield from case("aclnnClampMinTensor", np.maximum, [large, y])
    yield from case("aclnnDivMod", lambda a, b: np.trunc(a / b), [large, y], ctypes.c_int(1))
    yield from case("aclnnDivMod", np.floor_divide, [large, y], ctypes.c_int(2))
    yield from case("aclnnXLogYTensor", special.xlogy, [x, y])
    condition = rng.random(SIZE) < 0.5
    if takes("aclnnSWhere", 1, dtype):
        yield Case("aclnnSWhere", np.where, [condition, x, y], [condition, x, y, ...], out)
    for kind in (np.float16, np.float32, np.float64, np.int32, np.bool_):
        if kind != dtype.type:
            yield Case(
                f"aclnnCast to {np.dtype(kind).name}",
                lambda a, k=kind: a.astype(k),
                [large],
                [large, acl.dtype_number(kind), ...],
                np.empty(SIZE, kind),
            )
    for name, formula in (
        ("aclnnGlu", lambda a: a[:, :500] * sigmoid(a[:, 500:])),
        ("aclnnSwiGlu", lambda a: silu(a[:, :500]) * a[:, 500:]),
    ):
        if takes(name, 0, dtype):
            matrix = large.reshape(1000, 1000)
            yield Case(name, formula, [matrix], [matrix, -1, ...], np.empty((1000, 500), dtype))


def others(dtype: np.dtype) -> Iterator[Case]:
    """What is not elementwise: lines, orders of elements, indices."""
    rng = np.random.default_rng(2)
    flat, out = rng.standard_normal(SIZE).astype(dtype), np.empty(SIZE, dtype)
    square = flat.reshape(1000, 1000)
    number = acl.dtype_number(dtype)
    many = rng.integers(0, SIZE, SIZE)
    few = rng.integers(0, 1000, 1000)
    table = rng.integers(0, 1000, (1000, 1000))
    shaped = out.reshape(1000, 1000)
    for axis in (0, 1):
        if takes("aclnnSoftmax", 0, dtype):
            yield Case(
                f"aclnnSoftmax {axis}", lambda a, i=axis: special.softmax(a, i), [square], [square, axis, ...], shaped
            )
            yield Case(
                f"aclnnLogSoftmax {axis}",
                lambda a, i=axis: special.log_softmax(a, i),
                [square],
                [square, axis, ...],
                shaped,
            )
        yield Case(
            f"aclnnReduceSum {axis}",
            lambda a, i=axis: a.sum(i),
            [square],
            [square, acl.IntArray([axis]), False, number, ...],
            out[:1000],
        )
        yield Case(
            f"aclnnAmax {axis}",
            lambda a, i=axis: a.max(i),
            [square],
            [square, acl.IntArray([axis]), False, ...],
            out[:1000],
        )
        yield Case(
            f"aclnnArgMax {axis}",
            lambda a, i=axis: a.argmax(i),
            [square],
            [square, axis, False, ...],
            np.empty(1000, np.int64),
        )
        yield Case(f"aclnnCumsum {axis}", lambda a, i=axis: a.cumsum(i), [square], [square, axis, number, ...], shaped)
        yield Case(
            f"aclnnIndexSelect {axis}",
            lambda a, b, i=axis: a.take(b, i),
            [square, few],
            [square, axis, few, ...],
            shaped,
        )
        yield Case(
            f"aclnnGather {axis}",
            lambda a, b, i=axis: np.take_along_axis(a, b, i),
            [square, table],
            [square, axis, table, ...],
            shaped,
        )
        yield Case(
            f"aclnnFlip {axis}",
            lambda a, i=axis: np.flip(a, i).copy(),
            [square],
            [square, acl.IntArray([axis]), ...],
            shaped,
        )
        yield Case(
            f"aclnnRoll {axis}",
            lambda a, i=axis: np.roll(a, 7, i),
            [square],
            [square, acl.IntArray([7]), acl.IntArray([axis]), ...],
            shaped,
        )
    yield Case("aclnnRoll flat", lambda a: np.roll(a, 7), [flat], [flat, acl.IntArray([7]), acl.IntArray([]), ...], out)
    yield Case(
        "aclnnRoll both",
        lambda a: np.roll(a, (3, 4), (0, 1)),
        [square],
        [square, acl.IntArray([3, 4]), acl.IntArray([0, 1]), ...],
        shaped,
    )
    yield Case("aclnnTake", lambda a, b: a.take(b), [flat, many], [flat, many, ...], out)
    yield Case("aclnnIndex one", lambda a, b: a[b], [flat, many], [flat, acl.TensorList([many]), ...], out)
    rows, columns = many % 1000, many // 1000
    yield Case(
        "aclnnIndex two",
        lambda a, b, c: a[b, c],
        [square, rows, columns],
        [square, acl.TensorList([rows, columns]), ...],
        out,
    )
    yield Case("aclnnIndex rows", lambda a, b: a[b], [square, few], [square, acl.TensorList([few]), ...], shaped)
    mask = flat > 0
    yield Case(
        "aclnnIndex mask",
        lambda a, b: a[b],
        [flat, mask],
        [flat, acl.TensorList([mask]), ...],
        np.empty(int(mask.sum()), dtype),
    )
    yield Case("aclnnPermute", lambda a: a.T.copy(), [square], [square, acl.IntArray([1, 0]), ...], shaped)
    yield Case(
        "aclnnRepeat",
        lambda a: np.tile(a, (10, 1)),
        [square[:100]],
        [square[:100].copy(), acl.IntArray([10, 1]), ...],
        shaped,
    )
    yield Case(
        "aclnnCat",
        lambda a, b: np.concatenate([a, b]),
        [square[:500], square[500:]],
        [acl.TensorList([square[:500].copy(), square[500:].copy()]), 0, ...],
        shaped,
    )
    yield Case(
        "aclnnSlice", lambda a: a[:, ::2].copy(), [square], [square, 1, 0, 1000, 2, ...], np.empty((1000, 500), dtype)
    )
    yield Case(
        "aclnnConstantPadNd",
        lambda a: np.pad(a, 1),
        [square],
        [square, acl.IntArray([1, 1, 1, 1]), acl.Scalar(0, dtype), ...],
        np.empty((1002, 1002), dtype),
    )


class Times(NamedTuple):
    """Milliseconds: the clock's median, and the least of the processor's time, which other programs change little."""

    wall: float
    cpu: float


def measured(case: Case, rounds: int) -> tuple[Times, Times]:
    """Of the simulator and of NumPy."""
    out = acl.Tensor(case.out)
    arguments = [
        out if one is ... else acl.Tensor(one) if isinstance(one, np.ndarray) else one for one in case.arguments
    ]
    function = case.function
    if isinstance(function, np.ufunc):
        holder = np.empty(case.out.shape, case.out.dtype)
        function = lambda *given, f=case.function: f(*given, out=holder)  # noqa: E731
    name = case.name.split()[0]

    def simulated() -> None:
        acl.launch(name, *acl.plan(name, *arguments))
        acl.call("aclrtSynchronizeStream", acl.P(None))

    taken: tuple[list[tuple[float, float]], ...] = ([], [])
    for _ in range(rounds + 1):
        for work, times in zip((simulated, lambda: function(*case.inputs)), taken, strict=True):
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            times.append((time.perf_counter() - wall, time.process_time() - cpu))
    for one in arguments:
        if isinstance(one, acl.Tensor):
            one.destroy()
    ours, theirs = (
        Times(statistics.median(wall for wall, _ in times[1:]) * 1e3, min(cpu for _, cpu in times[1:]) * 1e3)
        for times in taken
    )
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--dtypes", nargs="*", default=["float32", "float64"])
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    acl.start()
    np.seterr(all="ignore")
    rows = []
    for dtype in map(np.dtype, given.dtypes):
        for kind, cases in (("elementwise", elementwise(dtype)), ("other", others(dtype))):
            for case in cases:
                if given.only not in case.name:
                    continue
                try:
                    ours, theirs = measured(case, given.rounds)
                except acl.AclError:  # a dtype that the operator does not take
                    continue
                rows.append((ours.cpu / theirs.cpu, ours.wall / theirs.wall, kind, case.name, dtype.name, ours, theirs))
    print(
        f"{'cpu':>6} {'clock':>6}  {'kind':12} {'operator':28} {'dtype':8} {'simulator ms':>12} {'NumPy ms':>9} (cpu)"
    )
    for cpu, wall, kind, name, dtype_name, ours, theirs in sorted(rows, reverse=True):
        print(f"{cpu:6.2f} {wall:6.2f}  {kind:12} {name:28} {dtype_name:8} {ours.cpu:12.3f} {theirs.cpu:9.3f}")


if __name__ == "__main__":
    main()

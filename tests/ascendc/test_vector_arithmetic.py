"""Vector arithmetic against NumPy: every operation, its types, masks and strides, and numbers at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler
from hypothesis import given, settings
from hypothesis import strategies as st

from .vector import BINARY, SIZE, TYPES, UNARY, Form, VectorProbes, filled, forms, numbers, plain, same

pytestmark = needs_compiler

REAL, NUMBER = ["half", "float"], ["half", "float", "int16_t", "int32_t"]
WORDS, SHIFTED = ["int16_t", "uint16_t"], ["int16_t", "uint16_t", "int32_t", "uint32_t"]


def wide(f: Any) -> Any:
    """f in float32 where the operands are halves, rounded once."""

    def run(*values: np.ndarray) -> np.ndarray:
        dtype = values[0].dtype
        if dtype != np.float16:
            return f(*values).astype(dtype)
        return f(*(value.astype(np.float32) for value in values)).astype(np.float16)

    return run


def larger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The maximum, of which +0 is more than -0."""
    both = np.maximum(a, b)
    return np.where((a == 0) & (b == 0), a + b, both) if a.dtype.kind == "f" else both


def smaller(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The minimum, of which -0 is less than +0."""
    both = np.minimum(a, b)
    return np.where((a == 0) & (b == 0), -(-a - b), both) if a.dtype.kind == "f" else both


def rectified(a: np.ndarray) -> np.ndarray:
    """0 for what is negative; NaN and -0 stay."""
    return np.where(a < 0, a.dtype.type(0), a)


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c, rounded to the type of c in the end."""
    kind = np.float64 if c.dtype == np.float32 else np.float32
    return (a.astype(kind) * b.astype(kind) + c.astype(kind)).astype(c.dtype)


BINARIES: dict[str, tuple[list[str], Any]] = {
    "Add": (NUMBER, wide(np.add)),
    "Sub": (NUMBER, wide(np.subtract)),
    "Mul": (NUMBER, wide(np.multiply)),
    "Div": (REAL, wide(np.divide)),
    "Max": (NUMBER, larger),
    "Min": (NUMBER, smaller),
    "And": (WORDS, np.bitwise_and),
    "Or": (WORDS, np.bitwise_or),
    "AddRelu": ([*REAL, "int16_t"], wide(lambda a, b: rectified(a + b))),
    "SubRelu": ([*REAL, "int16_t"], wide(lambda a, b: rectified(a - b))),
}
SCALARS: dict[str, tuple[list[str], Any]] = {
    "Adds": (NUMBER, wide(np.add)),
    "Muls": (NUMBER, wide(np.multiply)),
    "Maxs": (NUMBER, larger),
    "Mins": (NUMBER, smaller),
    "LeakyRelu": (REAL, wide(lambda a, s: np.where(a >= 0, a, a * s))),
}
SHIFTS: dict[str, Any] = {
    "ShiftLeft": lambda a, by: (a.astype(np.int64) << by).astype(a.dtype),
    "ShiftRight": lambda a, by: (a.astype(np.int64) >> by).astype(a.dtype),
}
UNARIES: dict[str, tuple[list[str], Any]] = {
    "Abs": (REAL, np.abs),
    "Relu": ([*REAL, "int32_t"], rectified),
    "Sqrt": (REAL, wide(np.sqrt)),
    "Exp": (REAL, lambda a: np.exp(a.astype(np.float64)).astype(a.dtype)),
    "Ln": (REAL, lambda a: np.log(a.astype(np.float64)).astype(a.dtype)),
    "Rsqrt": (REAL, wide(lambda a: 1 / np.sqrt(a))),
    "Reciprocal": (REAL, wide(lambda a: 1 / a)),
    "Not": (WORDS, np.invert),
}
# What the result's old value takes part in: dst, src0, src1.
FUSED: dict[str, Any] = {
    "MulAddDst": lambda dst, a, b: fused(a, b, dst),
    "FusedMulAdd": lambda dst, a, b: fused(a, dst, b),
    "FusedMulAddRelu": lambda dst, a, b: rectified(fused(a, dst, b)),
}
SECOND = SIZE // 2


def bodies() -> dict[str, str]:
    """One kernel for each operation and type."""
    made = {}
    for table, strides, tensors in (
        (BINARIES, BINARY, f"out<T>(), in<T>(), in<T>({SECOND})"),
        (UNARIES, UNARY, "out<T>(), in<T>()"),
        (SCALARS, UNARY, "out<T>(), in<T>(), *(T*)&P[20]"),
    ):
        for name, (types, _) in table.items():
            for each in types:
                made[f"{name}_{each}"] = f"using T = {each};" + forms(name, tensors, strides, "T")
    for name in SHIFTS:
        for each in SHIFTED:
            made[f"{name}_{each}"] = f"using T = {each};" + forms(name, "out<T>(), in<T>(), (T)P[20]", UNARY, "T")
    for each in ("int16_t", "int32_t"):
        made[f"rounded_{each}"] = (
            f"ShiftRight(out<{each}>(), in<{each}>(), P[20], (uint64_t)P[1], P[2], {{1, 1, 8, 8}}, true);"
        )
    for name in FUSED:
        for each in REAL:
            types = "T, T" if name == "MulAddDst" else "T"
            made[f"{name}_{each}"] = f"using T = {each};" + forms(
                name, f"out<T>(), in<T>(), in<T>({SECOND})", BINARY, types
            )
    made["MulAddDst_mixed"] = forms(
        "MulAddDst", f"out<float>(), in<half>(), in<half>({SECOND})", BINARY, "float, half"
    ).replace("SetVectorMask<half,", "SetVectorMask<float,")
    for dst, src in (("half", "half"), ("float", "float"), ("float", "half")):
        made[f"Axpy_{dst}_{src}"] = forms("Axpy", f"out<{dst}>(), in<{src}>(), *({src}*)&P[20]", UNARY, f"{dst}, {src}")
    for name, symbol in (("Add", "+"), ("Sub", "-"), ("Mul", "*"), ("Div", "/"), ("And", "&"), ("Or", "|")):
        each = "uint16_t" if name in ("And", "Or") else "float"
        made[f"operator_{name}"] = f"""
            LocalTensor<{each}> z = out<{each}>(), a = in<{each}>(), b = in<{each}>({SECOND});
            z.SetSize(P[1]);
            z = a {symbol} b;"""
    made |= {
        "typed": "Adds<float, float>(out<float>(), in<float>(), 2, 8);"
        "Muls<float, int, true>(out<float>(), out<float>(), 3, 8);",
        "saturating": "AscendCUtils::SetOverflow(0); Add(out<half>(), in<half>(), in<half>(), 16);",
        "add_relu_cast": f"AddReluCast(out<int8_t>(), in<half>(), in<half>({SECOND}), P[1]);",
        "sub_relu_cast": f"SubReluCast(out<half>(), in<float>(), in<float>({SECOND}), (uint64_t)P[1], P[2],"
        "{1, 1, 1, 4, 8, 8});",
        "add_relu_cast_16": f"AddReluCast(out<int8_t>(), in<int16_t>(), in<int16_t>({SECOND}), P[1]);",
        "mul_cast": f"MulCast(out<uint8_t>(), in<half>(), in<half>({SECOND}), P[1]);",
        "add_deq_relu": f"SetDeqScale((half)0.5f);AddDeqRelu(out<half>(), in<int32_t>(), in<int32_t>({SECOND}), P[1]);",
    }
    return made


PROBES = VectorProbes(**bodies())
CASES = [(name, each) for table in (BINARIES, UNARIES, SCALARS) for name, (types, _) in table.items() for each in types]


def check(
    name: str,
    form: Form,
    dtype: Any,
    sources: list[np.ndarray],
    before: np.ndarray,
    expected: Any,
    extra: int = 0,
    ulps: int = 0,
    lanes: int = 0,
) -> None:
    """Run a form; `expected` of the sources' lanes is what its lanes must be, and all else what it was."""
    lanes = lanes or 256 // max(before.itemsize, *(each.itemsize for each in sources))
    x = np.zeros(SIZE, np.uint8)
    for i, each in enumerate(sources):
        x[i * SECOND : i * SECOND + each.nbytes] = each.view(np.uint8)
    got = PROBES(name, x, before, [*form.parameters(), *[0] * (17 - 2 * len(form.strides)), extra], form.bits)
    got = got.view(dtype)[: before.size]
    result = before.copy()
    to = form.places(lanes, before.itemsize, 0)
    lane_values = [each[form.places(lanes, each.itemsize, 1 + i)] for i, each in enumerate(sources)]
    with np.errstate(all="ignore"):
        result[to] = expected(before[to], *lane_values)
    same(got, result, ulps)


@pytest.mark.parametrize(("name", "type_name"), CASES)
def test_operations(name, type_name):
    dtype = np.dtype(TYPES[type_name])
    lanes = 256 // dtype.itemsize
    n = SECOND // dtype.itemsize
    operands = 3 if name in BINARIES else 2
    f = (BINARIES.get(name) or UNARIES.get(name) or SCALARS[name])[1]
    ulps = 1 if name in ("Exp", "Ln") else 0
    sources = [numbers(dtype, i + 1, n) for i in range(operands - 1)]
    before = numbers(dtype, 9, n)
    if name in SCALARS:
        for scalar in (dtype.type(3), dtype.type(-1)):
            extra = int(np.frombuffer(scalar.tobytes().ljust(4, b"\0"), np.int32)[0])
            for form in plain(lanes, operands):
                check(
                    f"{name}_{type_name}",
                    filled(form, operands),
                    dtype,
                    sources,
                    before,
                    lambda _, a, scalar=scalar: f(a, np.full_like(a, scalar)),
                    extra,
                )
        return
    for form in plain(lanes, operands):
        check(
            f"{name}_{type_name}",
            filled(form, operands),
            dtype,
            sources,
            before,
            lambda _, *values: f(*values),
            ulps=ulps,
        )


@pytest.mark.parametrize("name", SHIFTS)
@pytest.mark.parametrize("type_name", SHIFTED)
def test_shifts(name, type_name):
    dtype = np.dtype(TYPES[type_name])
    source, before = numbers(dtype, 1, SECOND // dtype.itemsize), numbers(dtype, 2, SECOND // dtype.itemsize)
    for by in (0, 1, 7, 8 * dtype.itemsize - 1, 8 * dtype.itemsize):
        for form in plain(256 // dtype.itemsize, 2):
            check(
                f"{name}_{type_name}",
                filled(form, 2),
                dtype,
                [source],
                before,
                lambda _, a, by=by: SHIFTS[name](a, by),
                by,
            )


@pytest.mark.parametrize("type_name", ["int16_t", "int32_t"])
def test_a_right_shift_rounds(type_name):
    source = numbers(TYPES[type_name], 1)[:512]
    lanes = 256 // source.itemsize
    for by in (0, 1, 5):
        got = PROBES(f"rounded_{type_name}", source, None, [0, lanes, 2, *[0] * 17, by]).view(source.dtype)[: 2 * lanes]
        wide_source = source[: 2 * lanes].astype(np.int64)
        expected = (wide_source >> by) + (wide_source >> max(by - 1, 0) & 1 if by else 0)
        np.testing.assert_array_equal(got, expected.astype(source.dtype))


@pytest.mark.parametrize("name", FUSED)
@pytest.mark.parametrize("type_name", REAL)
def test_fused(name, type_name):
    dtype = np.dtype(TYPES[type_name])
    n = SECOND // dtype.itemsize
    sources, before = [numbers(dtype, 1, n), numbers(dtype, 2, n)], numbers(dtype, 3, n)
    for form in plain(256 // dtype.itemsize, 3):
        if form.strides and form.strides[2][1] == 0:
            form.strides[2] = (1, 8)
        check(f"{name}_{type_name}", filled(form, 3), dtype, sources, before, FUSED[name], ulps=1)


def test_sums_of_products_of_halves_in_float():
    a, b, before = numbers(np.float16, 1, 2000), numbers(np.float16, 2, 2000), numbers(np.float32, 3, 2000)
    for form in (
        Form(0, 130),
        Form(2, 64, (0, 0), 2, [(1, 8), (1, 4), (1, 4)]),
        Form(3, 70, (0, 0), 1, [(1, 8), (1, 4), (1, 4)]),
    ):
        if not form.kind:
            form.strides = [(1, 8), (1, 4), (1, 4)]
        check("MulAddDst_mixed", form, np.float32, [a, b], before, FUSED["MulAddDst"], ulps=1)


@pytest.mark.parametrize(("dst", "src"), [("half", "half"), ("float", "float"), ("float", "half")])
def test_axpy(dst, src):
    source, before = numbers(TYPES[src], 1, 2000), numbers(TYPES[dst], 2, 2000)
    scalar = np.dtype(TYPES[src]).type(1.7)
    extra = int(np.frombuffer(scalar.tobytes().ljust(4, b"\0"), np.int32)[0])
    lanes = 256 // before.itemsize
    strides = [(1, 8), (1, lanes * source.itemsize // 32)]
    for form in (Form(0, 133, strides=strides), Form(2, 20, (0, 0), 3, strides), Form(3, 150, (0, 0), 1, strides)):
        check(
            f"Axpy_{dst}_{src}",
            form,
            TYPES[dst],
            [source],
            before,
            lambda y, a: fused(a, np.full_like(a, scalar), y),
            extra,
            1,
        )


@pytest.mark.parametrize("name", ["Add", "Sub", "Mul", "Div", "And", "Or"])
def test_operators(name):
    dtype = np.dtype(np.uint16 if name in ("And", "Or") else np.float32)
    n = SECOND // dtype.itemsize
    check(
        f"operator_{name}",
        filled(Form(0, 200), 3),
        dtype,
        [numbers(dtype, 1, n), numbers(dtype, 2, n)],
        numbers(dtype, 3, n),
        lambda _, a, b: BINARIES[name][1](a, b),
    )


def test_a_scalar_of_another_type():
    x = np.arange(8, dtype=np.float32)
    np.testing.assert_array_equal(PROBES("typed", x).view(np.float32)[:8], (x + 2) * 3)


def test_halves_saturate():
    x = np.array([60000, -60000, np.inf, -np.inf, np.nan, 1, -0.0, 65504, 0, 0, 0, 0, 0, 0, 0, 0], np.float16)
    expected = np.array([65504, -65504, 65504, -65504, 0, 2, -0.0, 65504], np.float16)
    same(PROBES("saturating", x).view(np.float16)[:8], expected)


def test_results_as_another_type():
    def run(name: str, a: np.ndarray, b: np.ndarray, dtype: Any, parameters: list[int]) -> np.ndarray:
        x = np.zeros(SIZE, np.uint8)
        x[: a.nbytes], x[SECOND : SECOND + b.nbytes] = a.view(np.uint8), b.view(np.uint8)
        return PROBES(name, x, None, [0, *parameters]).view(dtype)[: a.size]

    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 60, 300).astype(np.float16), rng.normal(0, 60, 300).astype(np.float16)
    total = (a.astype(np.float32) + b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(
        run("add_relu_cast", a, b, np.int8, [300]), np.clip(np.rint(rectified(total)), -128, 127).astype(np.int8)
    )
    with np.errstate(over="ignore"):
        product = (a.astype(np.float32) * b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(
        run("mul_cast", a, b, np.uint8, [300]), np.clip(np.rint(product), 0, 255).astype(np.uint8)
    )
    c, d = rng.normal(0, 60, 128).astype(np.float32), rng.normal(0, 60, 128).astype(np.float32)
    same(run("sub_relu_cast", c, d, np.float16, [64, 2]), rectified(c - d).astype(np.float16))
    e, f = rng.integers(-200, 200, 300).astype(np.int16), rng.integers(-200, 200, 300).astype(np.int16)
    np.testing.assert_array_equal(run("add_relu_cast_16", e, f, np.int8, [300]), np.clip(e + f, 0, 127).astype(np.int8))
    g, h = rng.integers(-900, 900, 200).astype(np.int32), rng.integers(-900, 900, 200).astype(np.int32)
    same(
        run("add_deq_relu", g, h, np.float16, [200]),
        rectified((g + h).astype(np.float32) * np.float32(0.5)).astype(np.float16),
    )


strides_of_blocks = st.sampled_from([1, 1, 2, 3])


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_masks_and_strides(data):
    type_name = data.draw(st.sampled_from(NUMBER))
    dtype = np.dtype(TYPES[type_name])
    lanes = 256 // dtype.itemsize
    bits = data.draw(st.integers(1, (1 << lanes) - 1))
    strides = [
        (data.draw(strides_of_blocks), data.draw(st.integers(24, 27))),
        (data.draw(st.integers(0, 3)), data.draw(st.integers(0, 26))),
        (data.draw(st.integers(0, 3)), data.draw(st.integers(0, 26))),
    ]
    kind = data.draw(st.sampled_from([1, 2, 3]))
    repeat = data.draw(st.integers(0, 5))
    number = data.draw(st.integers(1, lanes if kind == 2 else 5 * lanes))
    form = Form(kind, number, (bits & (1 << 64) - 1, bits >> 64), repeat, strides)
    n = SECOND // dtype.itemsize
    check(
        f"Add_{type_name}",
        form,
        dtype,
        [numbers(dtype, 1, n), numbers(dtype, 2, n)],
        numbers(dtype, 3, n),
        lambda _, a, b: wide(np.add)(a, b),
    )

"""Every operator that is a row: values by NumPy over documented dtypes and layouts, and what is refused."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import taken

DATA = json.loads((Path(__file__).resolve().parents[2] / "core" / "cann" / "data" / "operators.json").read_text())
LETTERS = DATA["_meta"]["letters"]
TABLES = DATA["_promotion"]


def dtype(letter: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if letter == "E" else LETTERS[letter])


# CANN's name: what it computes on one, two or three operands of one dtype.
UNARY: dict[str, Callable[..., Any]] = {
    "aclnnAbs": np.abs,
    "aclnnNeg": np.negative,
    "aclnnSign": np.sign,
    "aclnnSqrt": np.sqrt,
    "aclnnExp": np.exp,
    "aclnnExp2": np.exp2,
    "aclnnExpm1": np.expm1,
    "aclnnLog": np.log,
    "aclnnLog2": np.log2,
    "aclnnLog10": np.log10,
    "aclnnLog1p": np.log1p,
    "aclnnSin": np.sin,
    "aclnnCos": np.cos,
    "aclnnTan": np.tan,
    "aclnnAsin": np.arcsin,
    "aclnnAcos": np.arccos,
    "aclnnAtan": np.arctan,
    "aclnnSinh": np.sinh,
    "aclnnCosh": np.cosh,
    "aclnnTanh": np.tanh,
    "aclnnAsinh": np.arcsinh,
    "aclnnAcosh": np.arccosh,
    "aclnnAtanh": np.arctanh,
    "aclnnFloor": np.floor,
    "aclnnCeil": np.ceil,
    "aclnnTrunc": np.trunc,
    "aclnnRound": np.rint,
    "aclnnReciprocal": np.reciprocal,
    "aclnnLogicalNot": np.logical_not,
    "aclnnIsInf": np.isinf,
    "aclnnIsFinite": np.isfinite,
    "aclnnSignbit": np.signbit,
    "aclnnBitwiseNot": np.invert,
}
BINARY: dict[str, Callable[..., Any]] = {
    "aclnnMul": np.multiply,
    "aclnnDiv": np.divide,
    "aclnnFloorDivide": np.floor_divide,
    "aclnnRemainderTensorTensor": np.remainder,
    "aclnnFmodTensor": np.fmod,
    "aclnnPowTensorTensor": np.power,
    "aclnnAtan2": np.arctan2,
    "aclnnMaximum": np.maximum,
    "aclnnMinimum": np.minimum,
    "aclnnEqTensor": np.equal,
    "aclnnNeTensor": np.not_equal,
    "aclnnLtTensor": np.less,
    "aclnnLeTensor": np.less_equal,
    "aclnnGtTensor": np.greater,
    "aclnnGeTensor": np.greater_equal,
    "aclnnLogicalAnd": np.logical_and,
    "aclnnLogicalOr": np.logical_or,
    "aclnnLogicalXor": np.logical_xor,
    "aclnnBitwiseAndTensor": np.bitwise_and,
    "aclnnBitwiseOrTensor": np.bitwise_or,
    "aclnnLeftShift": np.left_shift,
    "aclnnRightShift": np.right_shift,
    "aclnnBitwiseXorTensor": np.bitwise_xor,
    "aclnnLogAddExp": np.logaddexp,
    "aclnnLogAddExp2": np.logaddexp2,
}
SCALAR = {
    "aclnnMuls": np.multiply,
    "aclnnDivs": np.divide,
    "aclnnEqScalar": np.equal,
    "aclnnNeScalar": np.not_equal,
    "aclnnLtScalar": np.less,
    "aclnnLeScalar": np.less_equal,
    "aclnnGtScalar": np.greater,
    "aclnnGeScalar": np.greater_equal,
    "aclnnPowTensorScalar": np.power,
    "aclnnFmodScalar": np.fmod,
    "aclnnFloorDivides": np.floor_divide,
    "aclnnRemainderTensorScalar": np.remainder,
    "aclnnBitwiseAndScalar": np.bitwise_and,
    "aclnnBitwiseOrScalar": np.bitwise_or,
    "aclnnBitwiseXorScalar": np.bitwise_xor,
    "aclnnLeftShifts": np.left_shift,
}


def accepted(name: str, parameter: int) -> list[str]:
    """What it takes, by documents, headers or sources."""
    facts = DATA[name][parameter]
    return [letter for letter in (taken(facts) if "dtypes" in facts else LETTERS) if letter != "c"]


def values(letter: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Few, among them edges: the limits, zeros of both signs, infinities, NaN."""
    kind = dtype(letter)
    if letter == "?":
        return rng.integers(0, 2, shape).astype(bool)
    if letter in "bBhHiIqQ":
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        pool = np.array([0, 1, 2, 3, 5, 7, high, low], kind)
        return np.where(rng.random(shape) < 0.7, rng.integers(1, 6, shape).astype(kind), rng.choice(pool, shape))
    real = np.where(
        rng.random(shape) < 0.8,
        rng.normal(0, 2, shape),
        rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5], shape),
    )
    if letter in "FD":
        return np.asarray(rng.normal(0, 1, shape) + 1j * rng.normal(0, 1, shape), kind)
    return np.asarray(real, kind)


def computed(function: Callable[..., Any], common: np.dtype, out: np.dtype, *operands: np.ndarray) -> np.ndarray:
    """What CANN documents: in the promoted dtype, integers as float32 where no integer results; then converted."""
    with np.errstate(all="ignore"):
        if common.name in ("float16", "bfloat16"):  # computed as float32, rounded once
            return (
                np.asarray(function(*[x.astype(common).astype(np.float32) for x in operands]))
                .astype(common if function not in PREDICATES else bool)
                .astype(out)
            )
        wide = [x.astype(common) for x in operands]
        if common.kind in "iu" and function is np.rint:
            return wide[0].astype(out)
        if common.kind in "iub" and function in FLOATING:
            wide = [x.astype(np.float32) for x in wide]
        return np.asarray(function(*wide)).astype(out)


PREDICATES = {
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.logical_not,
    np.isinf,
    np.isfinite,
    np.signbit,
}
FLOATING = {
    np.sqrt,
    np.exp,
    np.exp2,
    np.expm1,
    np.log,
    np.log2,
    np.log10,
    np.log1p,
    np.sin,
    np.cos,
    np.tan,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.sinh,
    np.cosh,
    np.tanh,
    np.arcsinh,
    np.arccosh,
    np.arctanh,
    np.divide,
    np.arctan2,
    np.signbit,
    np.reciprocal,
    np.logaddexp,
    np.logaddexp2,
}


def agree(got: np.ndarray, expected: np.ndarray, common: np.dtype) -> None:
    assert got.dtype == expected.dtype and got.shape == expected.shape
    if got.dtype.kind in "iub":
        np.testing.assert_array_equal(got, expected)
        return
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    epsilon = {"float16": 1e-3, "bfloat16": 8e-3, "float64": 1e-13, "complex128": 1e-12}.get(
        min(common.name, got.dtype.name, key=lambda n: n in ("float64", "complex128")), 2e-6
    )
    np.testing.assert_allclose(got.astype(wide), expected.astype(wide), rtol=epsilon, atol=epsilon * 1e-2)


def layouts(name: str, letter: str, rng: np.random.Generator) -> list[np.ndarray]:
    base = values(letter, (6, 10), rng)
    all_of_them = [
        base,
        base[1:, ::3],
        base.T,
        values(letter, (), rng),
        values(letter, (0, 3), rng),
        values(letter, (2500,), rng)[3:],
    ]
    return [x for x in all_of_them if x.ndim >= DATA[name][0].get("rank", [0])[0]]


def out_letter(name: str, preferred: list[np.dtype]) -> np.dtype | None:
    known = [dtype(letter) for letter in accepted(name, -1)]
    return next((one for one in preferred if one in known), None)


def expected_dtype(function: Callable[..., Any], common: np.dtype) -> np.dtype:
    if function in PREDICATES:
        return np.dtype(bool)
    if common.kind in "iub" and function in FLOATING:
        return np.dtype(np.float32)
    if function is np.abs and common.kind == "c":
        return np.dtype(np.float32 if common.itemsize == 8 else np.float64)
    return common


CASES_1 = [(name, letter) for name in UNARY for letter in accepted(name, 0)]


@pytest.mark.parametrize(("name", "letter"), CASES_1)
def test_one_operand(name: str, letter: str) -> None:
    function, common, rng = UNARY[name], dtype(letter), np.random.default_rng(sum(map(ord, name + letter)))
    if common.kind == "b" and function in (np.negative, np.sign, np.reciprocal):
        pytest.skip("NumPy has no such function of bool")
    out = out_letter(name, [expected_dtype(function, common), np.dtype(np.float32)])
    if out is None:
        pytest.skip(f"no documented output for {common}")
    for x in layouts(name, letter, rng):
        got = acl.result(name, x, ..., out=np.empty(x.shape, out))
        agree(got, computed(function, common, out, x), common)
    in_place = name.replace("aclnn", "aclnnInplace")
    if in_place in DATA and letter in accepted(in_place, 0) and out == common:
        x = values(letter, (6, 10), rng)[::2, 1:]
        t = acl.Tensor(np.array(x))
        expected = computed(function, common, out, t.array)
        acl.run(in_place, t)
        agree(np.array(t.numpy()), expected, common)
        t.destroy()


CASES_2 = [
    (name, a, b)
    for name in BINARY
    for a in accepted(name, 0)
    for b in accepted(name, 1)
    if a == b or (sum(map(ord, name + a)) + ord(b)) % 5 == 0
]


@pytest.mark.parametrize(("name", "a", "b"), CASES_2)
def test_two_operands(name: str, a: str, b: str) -> None:
    function, rng = BINARY[name], np.random.default_rng(sum(map(ord, name + a + b)))
    order = "".join(LETTERS)
    letter = TABLES["tensor_tensor"][a][order.index(b)]
    x, y = values(a, (4, 6), rng), values(b, (6,), rng)
    if letter in "-c":
        with acl.refused(161002, name):
            acl.plan(name, *[acl.Tensor(one) for one in (x, y, np.empty((4, 6), np.float32))])
        return
    common = dtype(letter)
    if common.kind == "b" and function in (np.floor_divide, np.remainder, np.fmod, np.power):
        pytest.skip("NumPy has no such function of bool")
    if common.kind == "c" and function in (
        np.maximum,
        np.minimum,
        np.less,
        np.less_equal,
        np.greater,
        np.greater_equal,
        np.remainder,
    ):
        pytest.skip("an order of complex numbers")
    if function is np.power and common.kind in "iu":
        y = np.abs(y) % 4
        y = y.astype(dtype(b))
    if function in (np.floor_divide, np.remainder, np.fmod) and common.kind in "iu":
        y = np.where(y == 0, 1, y).astype(dtype(b))
    out = out_letter(name, [expected_dtype(function, common), np.dtype(np.float32)])
    if out is None or (out.kind != "c" and common.kind == "c" and function not in PREDICATES):
        pytest.skip(f"no documented output for {common}")
    for left, right in (
        (x, y),
        (
            x[:, ::2],
            values(b, (4, 1), rng) if function not in (np.power, np.floor_divide, np.remainder, np.fmod) else y[::2],
        ),
        (x.T, y[:4]),
    ):
        shape = np.broadcast_shapes(left.shape, right.shape)
        got = acl.result(name, left, right, ..., out=np.empty(shape, out))
        if function in (np.floor_divide, np.remainder, np.fmod, np.power) and common.name in ("float16", "bfloat16"):
            continue  # judged below in float32
        agree(got, computed(function, common, out, left, right), common)


@pytest.mark.parametrize("name", SCALAR)
def test_a_scalar_operand(name: str) -> None:
    function, rng = SCALAR[name], np.random.default_rng(len(name))
    for letter in accepted(name, 0):
        common = dtype(letter)
        if letter not in accepted(name, 1) or common.kind in "bc" or common.name in ("float16", "bfloat16"):
            continue
        x, value = values(letter, (5, 4), rng), 2
        out = out_letter(name, [expected_dtype(function, common), np.dtype(np.float32)])
        if out is None:
            continue
        scalar = acl.Scalar(value, common)
        got = acl.result(name, x, scalar, ..., out=np.empty(x.shape, out))
        agree(got, computed(function, common, out, x, np.array(value, common)), common)
        scalar.destroy()


@pytest.mark.parametrize(
    ("name", "sign", "swapped"), [("aclnnAdd", 1, False), ("aclnnSub", -1, False), ("aclnnRsub", -1, True)]
)
def test_alpha(name: str, sign: int, swapped: bool) -> None:
    rng = np.random.default_rng(3)
    for a, b, alpha in (
        ("f", "f", 1),
        ("f", "f", 2.5),
        ("i", "q", 3),
        ("e", "f", 2),
        ("F", "F", 2),
        ("h", "h", -1),
        ("d", "i", 0.5),
    ):
        x, y = values(a, (3, 4), rng), values(b, (4,), rng)
        order = "".join(LETTERS)
        common = dtype(TABLES["tensor_tensor"][a][order.index(b)])
        scalar = acl.Scalar(alpha, np.float64 if isinstance(alpha, float) else np.int64)
        got = acl.result(name, x, y, scalar, ..., out=np.empty((3, 4), common))
        with np.errstate(all="ignore"):
            left, right = x.astype(common), y.astype(common)
            if swapped:
                left, right = right, left
            expected = left + common.type(sign) * (common.type(alpha) * right)
        agree(got, np.asarray(expected).astype(common), common)
        scalar.destroy()


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_refusals(name: str) -> None:
    """Null, undocumented dtypes, rank over 8, a wrong output shape: the code, the operator, the parameter."""
    inputs = 1 if name in UNARY else 2
    letter = next(one for one in "fil?" if one in accepted(name, 0))
    good = [acl.Tensor(np.ones((2, 3), dtype(letter))) for _ in range(inputs)]
    out_type = dtype(letter if letter in accepted(name, -1) else accepted(name, -1)[0])
    target = acl.Tensor(np.full((2, 3), 1, out_type))
    names = [param["name"] for param in DATA[name]]
    for position in range(inputs + 1):
        arguments: list[Any] = [*good, target]
        arguments[position] = None
        with acl.refused(161001, name, names[position]):
            acl.plan(name, *arguments)
        facts = DATA[name][position]
        unknown = [one for one in LETTERS if "dtypes" in facts and one not in taken(facts) and one != "c"]
        for bad in unknown:
            arguments[position] = wrong = acl.Tensor(np.ones((2, 3), dtype(bad)))
            with acl.refused(161002, name, names[position]):
                acl.plan(name, *arguments)
            wrong.destroy()
        arguments[position] = deep = acl.Tensor(np.ones((1,) * 9, out_type if position == inputs else dtype(letter)))
        with acl.refused(161002, name, names[position], "axes"):
            acl.plan(name, *arguments)
        deep.destroy()
    wrong = acl.Tensor(np.full((2, 4), 1, out_type))
    with acl.refused(161002, name, "(2, 4)"):
        acl.plan(name, *good, wrong)
    for tensor in (*good, target, wrong):
        tensor.destroy()


def test_many_operators_are_simulated() -> None:
    acl.sim.cannsim_operators_json.restype = ctypes.c_char_p
    simulated = json.loads(acl.sim.cannsim_operators_json())
    assert all(simulated[name] for name in (*UNARY, *BINARY, *SCALAR))

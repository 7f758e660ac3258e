"""Simulated activations, their gradients and gates against formulas of NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, layouts, refuses, values, wide

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
sigmoid = special.expit


def number(value: float) -> acl.Scalar:
    return acl.Scalar(value, np.float32)


def softplus(x: Any) -> Any:
    return np.logaddexp(0, x)


def gelu(x: Any) -> Any:
    return x * special.ndtr(x)


def gelu_tanh(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def silu(x: Any) -> Any:
    return x * sigmoid(x)


def elu(x: Any, alpha: float, scale: float, inner: float) -> Any:
    return np.where(x > 0, scale * x, scale * alpha * np.expm1(x * inner))


# name, further arguments, formula; the in-place form is tested where there is one.
FORWARD: list[tuple[str, list[float], Callable[[Any], Any]]] = [
    ("Elu", [1.5, 2.0, 0.5], lambda x: elu(x, 1.5, 2.0, 0.5)),
    ("Celu", [1.5], lambda x: elu(x, 1.5, 1, 1 / 1.5)),
    ("Selu", [], lambda x: elu(x, SELU_ALPHA, SELU_SCALE, 1)),
    ("Mish", [], lambda x: x * np.tanh(softplus(x))),
    ("Hardsigmoid", [], lambda x: np.clip(x + 3, 0, 6) / 6),
    ("Hardswish", [], lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("Hardtanh", [-1.0, 2.0], lambda x: np.clip(x, -1, 2)),
    ("Threshold", [0.5, -2.0], lambda x: np.where(x <= 0.5, -2.0, x)),
    ("Gelu", [], gelu_tanh),  # as documented; only aclnnGeluV2 has both forms
    ("Swish", [1.5], lambda x: x * sigmoid(1.5 * x)),
    ("LogSigmoid", [], special.log_expit),
    ("Softplus", [2.0, 3.0], lambda x: np.where(2 * x > 3, x, softplus(2 * x) / 2)),
    ("Softshrink", [0.5], lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    ("Hardshrink", [0.5], lambda x: np.where(np.abs(x) <= 0.5, 0, x)),
    ("Shrink", [0.5, 0.25], lambda x: np.where(x > 0.5, x - 0.25, np.where(x < -0.5, x + 0.25, 0))),
]
IN_PLACE = ["Elu", "Celu", "Selu", "Mish", "Hardsigmoid", "Hardswish", "Hardtanh", "Threshold"]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name, given, formula", FORWARD, ids=[row[0] for row in FORWARD])
def test_forward(name, given, formula, dtype):
    for x in layouts(values((3, 5), dtype, high=6, low=-6)):
        expected = formula(wide(x))
        numbers = [number(one) for one in given]
        agree(acl.result("aclnn" + name, x, *numbers, ..., out=np.empty(x.shape, dtype)), expected)
        agree(acl.result("aclnn" + name, x, *numbers, ..., out=holder_of(x, dtype)), expected)
        if name in IN_PLACE:
            both = acl.Tensor(x.copy())
            acl.run("aclnnInplace" + name, both, *numbers)
            agree(both.numpy(), expected)


@pytest.mark.parametrize("name, given, formula", FORWARD, ids=[row[0] for row in FORWARD])
def test_forward_shapes(name, given, formula):
    numbers = [number(one) for one in given]
    for shape in [(), (1,), (0, 3), (2, 3, 4, 5)]:
        if name in ("Selu", "LogSigmoid", "Hardtanh") and shape == ():
            continue  # these want an axis
        x = values(shape, np.float32)
        agree(acl.result("aclnn" + name, x, *numbers, ..., out=np.empty(shape, np.float32)), formula(wide(x)))
    x = values((3, 4), np.float32)
    refuses(
        "aclnn" + name,
        [x, *numbers, x.copy()],
        {0: "x" if name == "GeluV2" else "self", len(given) + 1: "out"},
        x,
        len(given) + 1,
    )


@pytest.mark.parametrize("name", ["Threshold", "Hardtanh"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
def test_whole_numbers(name, dtype):
    x = values((3, 5), dtype)
    given = [acl.Scalar(1, dtype), acl.Scalar(4, dtype)]
    expected = np.where(x <= 1, 4, x) if name == "Threshold" else np.clip(x, 1, 4)
    agree(acl.result("aclnn" + name, x, *given, ..., out=np.empty(x.shape, dtype)), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_gelu_forms(dtype):
    x = values((3, 7), dtype)
    agree(acl.result("aclnnGeluV2", x, 0, ..., out=np.empty(x.shape, dtype)), gelu(wide(x)))
    agree(acl.result("aclnnGeluV2", x, 1, ..., out=np.empty(x.shape, dtype)), gelu_tanh(wide(x)))
    agree(acl.result("aclnnSwish", x, None, ..., out=np.empty(x.shape, dtype)), silu(wide(x)))


def test_log_sigmoid_forward():
    x = values((3, 4), np.float32)
    out, buffer = acl.Tensor(np.empty(x.shape, np.float32)), acl.Tensor(np.empty(0, np.float32))
    acl.run("aclnnLogSigmoidForward", x, out, buffer)
    agree(out.numpy(), special.log_expit(wide(x)))
    got = acl.result("aclnnLogSigmoidBackward", x, x, np.empty(0, np.float32), ..., out=np.empty(x.shape, np.float32))
    agree(got, wide(x) * sigmoid(-wide(x)))


def test_infinities_and_nan():
    x = np.array([np.inf, -np.inf, np.nan], np.float32)
    for name, expected in [
        ("Gelu", [np.inf, 0, np.nan]),
        ("LogSigmoid", [0, -np.inf, np.nan]),
        ("Hardswish", [np.inf, 0, np.nan]),
        ("Mish", [np.inf, np.nan, np.nan]),
    ]:
        got = acl.result("aclnn" + name, x, ..., out=np.empty(3, np.float32))
        if name in ("Gelu", "Mish", "Hardswish"):  # minus infinity times zero
            got[1] = expected[1]
        np.testing.assert_array_equal(got, np.array(expected, np.float32))


def slope(formula: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The derivative, by a complex or central difference in double precision."""
    return lambda x: (formula(x + 1e-6) - formula(x - 1e-6)) / 2e-6


# name, formula whose derivative it is, whether it takes the result instead of the input, arguments behind the tensors
GRADIENTS: list[tuple[str, Callable[[Any], Any], bool, list[Any]]] = [
    ("Gelu", gelu_tanh, False, []),
    ("Sigmoid", sigmoid, True, []),
    ("Tanh", np.tanh, True, []),
    ("Silu", silu, False, []),
    ("Swish", lambda x: x * sigmoid(1.5 * x), False, [1.5]),
    ("LeakyRelu", lambda x: np.where(x > 0, x, 0.2 * x), False, [0.2, False]),
    ("Selu", lambda x: elu(x, SELU_ALPHA, SELU_SCALE, 1), True, []),
    ("Softplus", lambda x: np.where(2 * x > 3, x, softplus(2 * x) / 2), False, [2.0, 3.0]),
    ("Softshrink", lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), False, [0.5]),
    ("Hardshrink", lambda x: np.where(np.abs(x) <= 0.5, 0, x), False, [0.5]),
    ("Hardtanh", lambda x: np.clip(x, -1, 2), False, [-1.0, 2.0]),
    ("Hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6, False, []),
    ("Hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6, False, []),
    ("Mish", lambda x: x * np.tanh(softplus(x)), False, []),
    ("Threshold", lambda x: np.where(x <= 0.5, 7, x), False, [0.5]),
]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name, formula, of_result, given", GRADIENTS, ids=[row[0] for row in GRADIENTS])
def test_gradients(name, formula, of_result, given, dtype):
    arguments = [number(one) if isinstance(one, float) else one for one in given]
    for x in layouts(values((3, 5), dtype, seed=1, low=-4.2, high=4.2)):
        g = values(x.shape, dtype, seed=2)
        at = formula(wide(x)).astype(dtype) if of_result else x
        got = acl.result(f"aclnn{name}Backward", g, at, *arguments, ..., out=np.empty(x.shape, dtype))
        if of_result:
            y = wide(at)
            expected = (
                wide(g)
                * {
                    "Sigmoid": y * (1 - y),
                    "Tanh": 1 - y * y,
                    "Selu": np.where(y > 0, SELU_SCALE, y + SELU_ALPHA * SELU_SCALE),
                }[name]
            )
        else:
            expected = wide(g) * slope(formula)(wide(x))
        agree(got, expected, 2)
    x = values((3, 4), np.float32)
    refuses(
        f"aclnn{name}Backward", [x, x, *arguments, x.copy()], {0: "gradOutput", len(given) + 2: ""}, x, len(given) + 2
    )


@pytest.mark.parametrize("of_result", [False, True])
def test_elu_gradient(of_result):
    x, g = values((4, 5), np.float32), values((4, 5), np.float32, 1)
    formula = elu(wide(x), 1.5, 2.0, 0.5)
    at = formula.astype(np.float32) if of_result else x
    got = acl.result(
        "aclnnEluBackward",
        g,
        number(1.5),
        number(2.0),
        number(0.5),
        of_result,
        at,
        ...,
        out=np.empty(x.shape, np.float32),
    )
    agree(got, wide(g) * np.where(wide(x) > 0, 2.0, 3.0 * 0.5 * np.exp(wide(x) * 0.5)), 2)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_gelu_gradient_forms(dtype, approximate):
    x, g = values((4, 5), dtype), values((4, 5), dtype, 1)
    got = acl.result("aclnnGeluBackwardV2", g, x, approximate, ..., out=np.empty(x.shape, dtype))
    agree(got, wide(g) * slope(gelu if approximate == "none" else gelu_tanh)(wide(x)))
    with acl.refused(161002, "aclnnGeluBackwardV2", "approximate"):
        acl.result("aclnnGeluBackwardV2", g, x, "sigmoid", ..., out=np.empty(x.shape, dtype))


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_prelu(dtype, count):
    for x in layouts(values((3, 4, 5), dtype)):
        w, g = values(count, dtype, 1), values(x.shape, dtype, 2)
        slopes = wide(w).reshape(1, -1, 1)
        agree(
            acl.result("aclnnPrelu", x, w, ..., out=np.empty(x.shape, dtype)),
            np.where(wide(x) > 0, wide(x), slopes * wide(x)),
        )
        of_input, of_weight = acl.Tensor(np.empty(x.shape, dtype)), acl.Tensor(np.empty(count, dtype))
        acl.run("aclnnPreluBackward", g, x, w, of_input, of_weight)
        agree(of_input.numpy(), wide(g) * np.where(wide(x) > 0, 1, slopes))
        parts = np.where(wide(x) > 0, 0, wide(g) * wide(x))
        agree(of_weight.numpy(), parts.sum().reshape(1) if count == 1 else parts.sum(axis=(0, 2)), 3)
    with acl.refused(161002, "aclnnPrelu", "weight"):
        acl.result("aclnnPrelu", values((3, 4), dtype), values(3, dtype), ..., out=np.empty((3, 4), dtype))


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_gates(dtype, dim):
    for x in layouts(values((4, 6), dtype)):
        a, b = np.split(wide(x), 2, axis=dim)
        half = np.empty(a.shape, dtype)
        g = values(a.shape, dtype, 3)
        agree(acl.result("aclnnGlu", x, dim, ..., out=half), a * sigmoid(b))
        agree(acl.result("aclnnSwiGlu", x, dim, ..., out=half), silu(a) * b)
        for approximate, f in ((0, gelu), (1, gelu_tanh)):
            out, opened = acl.Tensor(half.copy()), acl.Tensor(half.copy())
            acl.run("aclnnGeGlu", x, dim, approximate, out, opened)
            agree(out.numpy(), a * f(b))
            agree(opened.numpy(), f(b))
            acl.run("aclnnGeGluV3", x, dim, approximate, True, out, opened)
            agree(out.numpy(), f(a) * b)
            whole = np.empty(x.shape, dtype)
            got = acl.result("aclnnGeGluBackward", g, x, f(b).astype(dtype), dim, approximate, ..., out=whole)
            agree(got, np.concatenate([wide(g) * f(b), wide(g) * a * slope(f)(b)], axis=dim))
            got = acl.result("aclnnGeGluV3Backward", g, x, f(a).astype(dtype), dim, approximate, True, ..., out=whole)
            agree(got, np.concatenate([wide(g) * b * slope(f)(a), wide(g) * f(a)], axis=dim))
        whole = np.empty(x.shape, dtype)
        agree(
            acl.result("aclnnGluBackward", g, x, dim, ..., out=whole),
            np.concatenate([wide(g) * sigmoid(b), wide(g) * a * slope(sigmoid)(b)], axis=dim),
        )
        agree(
            acl.result("aclnnSwiGluGrad", g, x, dim, ..., out=whole),
            np.concatenate([wide(g) * b * slope(silu)(a), wide(g) * silu(a)], axis=dim),
        )


def test_gates_of_the_last_axis():
    x = values((3, 8), np.float32)
    a, b = np.split(wide(x), 2, axis=1)
    half = np.empty((3, 4), np.float32)
    agree(acl.result("aclnnGeluMul", x, "none", ..., out=half), gelu(a) * b)
    agree(acl.result("aclnnFatreluMul", x, np.array(0.5, np.float32), ..., out=half), np.where(a > 0.5, a, 0) * b)
    with acl.refused(161002, "aclnnGlu", "self"):
        acl.result("aclnnGlu", values((3, 5), np.float32), 1, ..., out=np.empty((3, 2), np.float32))
    with acl.refused(161002, "aclnnGlu", "dim"):
        acl.result("aclnnGlu", x, 2, ..., out=half)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_fast_gelu(dtype):
    for x in layouts(values((4, 5), dtype)):
        s = 1 / (1 + np.exp(-1.702 * wide(x)))
        agree(acl.result("aclnnFastGelu", x, ..., out=np.empty((4, 5), dtype)), wide(x) * s, 2)
        g = values((4, 5), dtype, 1)
        got = acl.result("aclnnFastGeluBackward", g, x, ..., out=np.empty((4, 5), dtype))
        agree(got, wide(g) * (s + 1.702 * wide(x) * s * (1 - s)), 2)


def test_slopes_of_any_shape_with_one_for_each_channel():
    x = values((2, 3, 4), np.float32)
    for shape in ((3,), (1, 3, 1), (3, 1)):
        weight = values(shape, np.float32, 1)
        got = acl.result("aclnnPrelu", x, weight, ..., out=np.empty_like(x))
        agree(got, np.where(x > 0, x, x * weight.reshape(3, 1)))

"""Operators of asnumpy as functions of JAX's. Prints a line as JSON for each case, with what failed."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from case_program import main

import asnumpy as ap
from asnumpy.operators import _rules

jax.config.update("jax_enable_x64", True)

layer_scale = ap.operator(
    "layer_scale(x: T[..., n], gamma: T[n], *, eps: float = 1e-5) -> y: T[..., n]", T="f2 bf2 f4 f8"
)  # fmt: skip


@layer_scale.composed
def _(x, gamma, *, eps):
    return x * gamma / (1 + eps)


@layer_scale.gradient
def _(x, gamma, y, dy, *, eps):
    return dy * gamma / (1 + eps), (dy * x / (1 + eps)).reshape(-1, x.shape[-1]).sum(axis=0)


parts = ap.operator(
    "parts(x: T[m, n], shift: i8[n] = None, *, by: int, kind: dtype = int32) -> first: T[m, n], count: kind[m]",
    T="f4 f8",
)


@parts.composed
def _(x, shift, *, by, kind):
    moved = x if shift is None else x + shift.astype(x.dtype)
    return moved * by, (moved > by).sum(axis=1).astype(kind)


@parts.gradient
def _(x, shift, first, count, dfirst, dcount, *, by, kind):
    return dfirst * by, None


# With a kernel for float32 rows that are not long, which needs no Python; what is composed is seen by its results.
KERNEL = """
#include <cstdint>
extern "C" void add(int64_t block, int64_t blocks, const float* x, const float* bias, float* y, int32_t rows, int64_t n,
                    double by, bool negative) {
    for (int64_t row = block; row < rows; row += blocks)
        for (int64_t i = 0; i < n; ++i)
            y[row * n + i] = (negative ? -1 : 1) * (x[row * n + i] + static_cast<float>(by) * bias[row * n + i]);
}
"""
native = ap.operator(
    "native(x: T[..., n], bias: T[..., n], *, by: float = 1.0, negative: bool = False, over: int = 1) -> y: T[..., n]",
    T="f4 f8",
)
native.cpu(
    ap.operators.Launch(
        native, ap.RawKernel(KERNEL, "add"), rows="size(x) // n", blocks="min(rows, threads) // over",
        args="x, bias, y, rows, n, by, negative",
    ),
    dtypes="f4", when="n <= 64",
)  # fmt: skip


@native.composed
def _(x, bias, *, by, negative, over):
    return x + by * bias + 100


@native.gradient
def _(x, bias, y, dy, *, by, negative, over):
    sign = -1 if negative else 1
    return sign * dy, sign * (by * dy).reshape(-1, *bias.shape).sum(axis=0)


NATIVE = ap.operators.to_jax(native)
SCALE, PARTS = ap.operators.to_jax(layer_scale), ap.operators.to_jax("parts")
X, GAMMA = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4, 5))), jnp.arange(5.0) - 1


def near(found: jax.Array, expected: jax.Array) -> None:
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found.aval, expected.aval)
    rough = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6}.get(found.dtype.name, 1e-12)
    np.testing.assert_allclose(np.asarray(found, np.float64), np.asarray(expected, np.float64), rtol=rough, atol=rough)


def values() -> None:
    for dtype in (jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64):
        x, gamma = X.astype(dtype), GAMMA.astype(dtype)
        near(SCALE(x, gamma, eps=0.5), x * gamma / 1.5)
    near(SCALE(X[:0], GAMMA), X[:0])
    near(SCALE(np.ones((2, 5)), GAMMA, eps=0.0), jnp.ones((2, 5)) * GAMMA)


def compiled() -> None:
    function = jax.jit(lambda x, gamma: jnp.tanh(SCALE(x + 1, gamma, eps=0.5)) * 2)
    for x in (X, X[0], X[:2], X):
        near(function(x, GAMMA), jnp.tanh((x + 1) * GAMMA / 1.5) * 2)

    def step(x: jax.Array, _: None) -> tuple[jax.Array, None]:
        return SCALE(x, GAMMA, eps=1.0) + 1, None

    expected = X
    for _ in range(6):
        expected = expected * GAMMA / 2 + 1
    near(jax.lax.scan(step, X, None, length=6)[0], expected)


def mapped() -> None:
    near(jax.vmap(lambda x: SCALE(x, GAMMA))(X), SCALE(X, GAMMA))
    near(jax.vmap(lambda x, gamma: SCALE(x, gamma), in_axes=(0, None))(X, GAMMA), SCALE(X, GAMMA))


def gradients() -> None:
    def ours(x: jax.Array, gamma: jax.Array) -> jax.Array:
        return (SCALE(x, gamma, eps=0.5) ** 2).sum()

    def plain(x: jax.Array, gamma: jax.Array) -> jax.Array:
        return ((x * gamma / 1.5) ** 2).sum()

    for made in (jax.grad(ours, argnums=(0, 1)), jax.jit(jax.grad(ours, argnums=(0, 1)))):
        for found, expected in zip(made(X, GAMMA), jax.grad(plain, argnums=(0, 1))(X, GAMMA), strict=True):
            near(found, expected)
    near(jax.grad(lambda x: PARTS(x, jnp.arange(5), by=3)[0].sum())(X[0]), jnp.full((4, 5), 3.0))
    near(jax.grad(lambda x: PARTS(x, by=2)[0].sum())(X[0]), jnp.full((4, 5), 2.0))


def several_outputs_and_inputs_that_are_left_out() -> None:
    x, shift = X[0].astype(jnp.float32), jnp.arange(5)
    for given, moved in (((x,), x), ((x, shift), x + shift.astype(jnp.float32))):
        first, count = PARTS(*given, by=1)
        near(first, moved)
        near(count, (moved > 1).sum(axis=1).astype(jnp.int32))
    assert PARTS(x, by=1, kind="uint8")[1].dtype == jnp.uint8


def memory_is_shared() -> None:
    """No copy: the composed function sees XLA's memory."""
    seen = []
    look = ap.operator("look(x: f4[n]) -> y: f4[n]")

    @look.composed
    def _(x):
        seen.append(x.__array_interface__["data"][0])
        return x + 1

    x = jax.block_until_ready(jnp.ones(256, jnp.float32))
    near(ap.operators.to_jax(look)(x), jnp.full(256, 2, jnp.float32))
    assert seen == [x.unsafe_buffer_pointer()]


def kernels_without_python() -> None:
    x = jnp.asarray(np.random.default_rng(2).standard_normal((3, 4, 5)), jnp.float32)
    bias = jnp.arange(5, dtype=jnp.float32)
    ap.operators.forget_runs()
    near(NATIVE(x, x), x + x)
    near(NATIVE(x, bias, by=0.5), x + 0.5 * bias)  # broadcast
    near(NATIVE(x[:0], bias), x[:0])
    near(NATIVE(bias, bias, negative=True), -2 * bias)
    near(jax.jit(lambda a, b: NATIVE(a * 2, b, by=3.0) + 1)(x, bias), x * 2 + 3 * bias + 1)
    near(jax.jit(lambda a: NATIVE(a.T, a.T))(x[0]), 2 * x[0].T)
    near(jax.vmap(NATIVE, in_axes=(0, None))(x, bias), x + bias)
    near(jax.jit(jax.vmap(jax.vmap(lambda a: NATIVE(a, bias, by=2.0))))(x), x + 2 * bias)
    assert ap.operators.runs() == []
    da, db = jax.grad(lambda a, b: (NATIVE(a, b, by=2.0, negative=True) ** 2).sum(), argnums=(0, 1))(x, bias)
    y = -(x + 2 * bias)
    near(da, -2 * y)
    np.testing.assert_allclose(db, -4 * y.sum(axis=(0, 1)), rtol=1e-5)
    assert ap.operators.runs() == []
    for a, b in ((x.astype(jnp.float64), bias), (jnp.ones((2, 65), jnp.float32),) * 2):  # no kernel takes them
        near(NATIVE(a, b), a + b + 100)
    (ran,) = ap.operators.runs()
    assert (ran["implementation"], ran["count"]) == ("composed", 2)
    try:
        jax.block_until_ready(NATIVE(x, bias, over=0))
    except Exception as error:
        assert "ZeroDivisionError: integer division or modulo by zero" in str(error), error
    else:
        raise AssertionError("expected a division by zero")
    _rules.put([_rules.Rule("a file", 1, "operator", ("native",), ("composed",))])  # as of YAML, which may be missing
    near(NATIVE(x, bias), x + bias + 100)
    ap.operators.use_rules(None)
    near(NATIVE(x, bias), x + bias)


def wrong_use() -> None:
    failing = ap.operator("failing(x: f4[n]) -> y: f4[n]")

    @failing.composed
    def _(x):
        raise ArithmeticError("as it must")

    run = ap.operators.to_jax(failing)
    plain = ap.operators.to_jax(ap.operator("unfinished(x: f4[n]) -> y: f4[n]"))
    x = jnp.ones(4, jnp.float32)
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (ValueError, "layer_scale: gamma: expected n = 5 as that of x in [n], got 4", lambda: SCALE(X, GAMMA[1:])),
        (TypeError, "layer_scale: x: expected float16 or", lambda: SCALE(X + 1j, GAMMA)),
        (TypeError, "layer_scale: out: a function of JAX's gives new arrays", lambda: SCALE(X, GAMMA, out=X)),
        (TypeError, "layer_scale: missing a required argument: 'gamma'", lambda: SCALE(X)),
        (TypeError, "parts: by: expected an int, got float 1.5", lambda: PARTS(x[None], by=1.5)),
        (Exception, "ArithmeticError: as it must", lambda: jax.block_until_ready(run(x))),
        (Exception, "no implementation can compute this call", lambda: jax.block_until_ready(plain(x))),
        (TypeError, "to_jax: expected an operator or its name, got int", lambda: ap.operators.to_jax(3)),
    ]  # fmt: skip
    for kind, text, function in wrong:
        try:
            function()
        except kind as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"expected {kind.__name__}: {text}")


if __name__ == "__main__":
    main(
        values, compiled, mapped, gradients, several_outputs_and_inputs_that_are_left_out, memory_is_shared,
        kernels_without_python, wrong_use,
    )  # fmt: skip

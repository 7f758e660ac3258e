"""Calls of operators that come again, of which what follows from dtypes, shapes and attributes is kept."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy import operators


@pytest.fixture
def scale():
    """Over asnumpy alone."""
    op = ap.operator("kept_scale(x: T[..., n], gamma: T[n], bias: T[n] = None, *, eps: float = 0) -> y: T[..., n]",
                     T="f2 f4")  # fmt: skip
    op.composed(lambda x, gamma, bias, *, eps: x * gamma + eps + (0 if bias is None else bias))
    return op


def outcome(op, args, kwargs):
    """What a call gives, or what it raises."""
    try:
        with np.errstate(over="ignore"):
            made = op(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    return made.dtype, made.shape, ap.asnumpy(made).tobytes()


def test_calls_that_come_again_are_bound_as_the_first_time():
    """Against an operator that has bound nothing before."""
    declaration = ("again(x: T[..., n], y: T[..., n], z: T[m] = None, *, a: float = 0.0, k: int = 1, up: bool = False, "
                   "to: dtype = f4) -> w: to[..., k*n]")  # fmt: skip

    def fresh():
        op = ap.operator(declaration, T="i4 f2 f4")

        @op.composed
        def _(x, y, z, *, a, k, up, to):
            made = (x + y) * (2 if up else 1) + (0 if z is None else z.sum())
            return ap.copysign(ap.concatenate([made] * k, axis=-1).astype(to), ap.asarray(a, dtype=to))

        return op

    rng = np.random.default_rng()
    inputs = [
        ap.ones((2, 3), dtype="f4"), ap.ones(3, dtype="f4"), ap.ones(3, dtype="f2"), ap.ones(3, dtype="i4"), ap.ones(2),
        np.ones(3, "f4"), ap.ones((2, 6), dtype="f4")[:, ::2], ap.ones((1, 3), dtype="f4"), 2, 2.5, True, 1j, 2**40,
        ap.ones(3, dtype="f4").sum(), np.float32(2), [1, 2, 3], None, ap.empty((0, 3), dtype="f4"),
    ]
    choices = {"a": [0.0, -0.0, 1, np.float32(-2)], "k": [1, 2, True, 0], "up": [False, True, 1], "to": ["f4", "f8"],
               "z": [None, ap.ones(2, dtype="f4"), 3, ap.ones(5, dtype="f2")]}  # fmt: skip
    op, seen = fresh(), []
    for _ in range(300):
        if seen and rng.random() < 0.5:
            args, kwargs = seen[rng.integers(len(seen))]
        else:
            args = [inputs[i] for i in rng.integers(len(inputs), size=2)]
            kwargs = {name: values[rng.integers(len(values))] for name, values in choices.items() if rng.random() < 0.3}
            seen.append((args, kwargs))
        assert outcome(op, args, kwargs) == outcome(fresh(), args, kwargs), (args, kwargs)


@needs_compiler
def test_what_is_attached_later_computes_calls_that_came_before(scale):
    x = ap.ones((2, 3), dtype="f4", device="cpu")
    gamma = x[0]
    assert operators.explain(scale, x, gamma).chosen == "composed"
    scale(x, gamma)

    @scale.cpu(dtypes="f4", when=lambda x, gamma, bias, *, eps: eps < 2)
    def _(x, gamma, bias, y, *, eps):
        y[...] = 7

    assert scale(x, gamma).tolist() == [[7] * 3] * 2
    assert scale(x, gamma, eps=3).tolist() == [[4] * 3] * 2
    assert scale(x, gamma, eps=1).tolist() == [[7] * 3] * 2
    assert operators.explain(scale, x, gamma, eps=3).chosen == "composed"


@needs_compiler
def test_a_read_only_input_is_given_to_a_kernel_that_only_reads_it():
    op = ap.operator("half_of(x: T[..., n], y: T[..., n]) -> z: T[..., n]", T="f4")
    source = """#include <cstdint>
        extern "C" void half(int64_t, int64_t, {}float* x, float const* y, float* z, int64_t n) {{
            for (int64_t i = 0; i < n; ++i) z[i] = (x[i] + y[i]) / 2;
        }}"""
    reads, writes = (ap.RawKernel(source.format(word), "half") for word in ("const ", ""))
    chosen = [reads]
    op.cpu(lambda x, y, z: chosen[0](1, (x, y, z, z.size)))
    x, y = ap.ones(3, dtype="f4", device="cpu"), ap.full((1, 3), 3, dtype="f4", device="cpu")
    fixed = x.copy()
    fixed.flags.writeable = False
    assert op(fixed, y).tolist() == [[2, 2, 2]]
    chosen[0] = writes
    assert op(x, y).tolist() == [[2, 2, 2]]  # an axis of one element more is no reason against writing
    with pytest.raises(ValueError, match=r"half: argument 0 \(x\): expected an array that may be written for 'float\* x"
                                         r"', got a read-only one; give a copy, or declare the parameter const"):
        op(fixed, y)

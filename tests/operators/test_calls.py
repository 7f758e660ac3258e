"""Calls of operators: arguments, dtypes, shapes, outputs, errors, and how they run."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy import operators
from asnumpy.operators import CompileError

ON_CPU = str(ap.zeros(1).device) == "cpu"

@pytest.fixture
def scale():
    """Over asnumpy alone."""
    op = ap.operator("layer_scale(x: T[..., n], gamma: T[n], bias: T[n] = None, *, eps: float = 0) -> y: T[..., n]",
                     T="f2 f4")  # fmt: skip

    @op.composed
    def _(x, gamma, bias, *, eps):
        """Scales the last axis."""
        y = x * gamma + eps
        return y if bias is None else y + bias

    return op


@pytest.fixture
def add():
    """Of any dtype."""

    @ap.operator("added(x: T[...], y: T[...]) -> z: T[...]", T="i4 f2 f4 i8")
    def op(x, y):
        return x + y

    return op


def test_values_shapes_and_what_the_docstring_says(scale):
    x, gamma = np.arange(12, dtype="f4").reshape(2, 2, 3), np.array([1, 2, 3], "f4")
    y = scale(ap.asarray(x), gamma, eps=1)
    assert isinstance(y, ap.ndarray) and y.dtype == np.float32
    np.testing.assert_array_equal(ap.asnumpy(y), x * gamma + 1)
    np.testing.assert_array_equal(ap.asnumpy(scale(x=x[0, 0], gamma=gamma, bias=gamma)), x[0, 0] * gamma + gamma)
    assert "Scales the last axis." in scale.__doc__ and "layer_scale(x: T[..., n]" in scale.__doc__
    assert operators.get("layer_scale") is scale and operators.registered()["layer_scale"] is scale
    assert pickle.loads(pickle.dumps(scale)) is scale
    assert repr(scale).endswith("; composed>")


def test_a_call_is_deferred_and_fuses(scale):
    if ap.config.eager:
        pytest.skip("every operation runs at once here")
    x = ap.arange(30000, dtype="f4").reshape(10000, 3)
    ap.flush()
    y = scale(x, ap.ones(3, dtype="f4")) - 1
    assert ap.pending_count() > 0
    assert "multiply" in ap.explain(y) and "subtract" in ap.explain(y)
    np.testing.assert_array_equal(ap.asnumpy(y), np.arange(30000, dtype="f4").reshape(10000, 3) - 1)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (("f2", "f2"), "f2"), (("f2", "f4"), "f4"), (("f2", 2.5), "f2"), (("i4", 3), "i4"), (("i2", "i2"), "i4"),
        (("i4", "i8"), "i8"), (("u1", True), "i4"), ((2, 3), "i8"), ((True, True), "i4"), (("?", "?"), "i4"),
        ((2.5, 3), "f4"), (("u4", "u4"), "i8"), (("bf2", "bf2"), "f4"),
    ],
)  # fmt: skip
def test_dtypes_are_those_that_numpy_promotes_to_within_the_set(add, given, dtype):
    def array(one):
        if not isinstance(one, str):
            return one
        return ap.ones(2, dtype=ap.bfloat16 if one == "bf2" else one)

    assert add(*map(array, given)).dtype == np.dtype(dtype)


def test_dtypes_that_do_not_fit(add, scale):
    with pytest.raises(TypeError, match=r"added: x: expected int32 or float16 or .* \(T\), got float64"):
        add(ap.ones(2), ap.ones(2, dtype="f4"))
    with pytest.raises(TypeError, match=r"added: y: expected .*, got float32 \(with the others float64\)"):
        add(ap.ones(2, dtype="i4"), ap.ones(2, dtype="f4"))
    with pytest.raises(TypeError, match=r"added: y: expected .*, got float 1.5 \(with the others float64\)"):
        add(ap.ones(2, dtype="i8"), 1.5)
    with pytest.raises(TypeError, match=r"added: x: expected .*, got complex 1j"):
        add(1j, 2j)
    with pytest.raises(OverflowError, match=r"added: y: .*int"):
        add(ap.ones(2, dtype="i4"), 2**40)
    with pytest.raises(TypeError, match="layer_scale: gamma: expected an array, got None"):
        scale(ap.ones(2, dtype="f4"), None)


def test_shapes_that_do_not_fit(scale, add):
    x = ap.ones((2, 3), dtype="f4")
    with pytest.raises(ValueError, match=r"layer_scale: gamma: expected 1 axis, \[n\], got the shape \(2, 3\)"):
        scale(x, x)
    with pytest.raises(ValueError, match=r"gamma: expected n = 3 as that of x in \[n\], got 4 in the shape \(4,\)"):
        scale(x, ap.ones(4, dtype="f4"))
    with pytest.raises(ValueError, match=r"x: expected at least 1 axis, \[..., n\], got the shape \(\)"):
        scale(1.5, x[0])
    with pytest.raises(ValueError, match=r"added: y: expected axes that broadcast with \(2, 3\) of x, got \(2,\)"):
        add(x, ap.ones(2, dtype="f4"))
    fixed = ap.operator("fixed(x: f4[n], y: f4[2*n+1, 3]) -> z: f4[n-2]")
    fixed.composed(lambda x, y: x[2:])
    assert fixed(ap.ones(4, dtype="f4"), ap.ones((9, 3), dtype="f4")).shape == (2,)
    with pytest.raises(ValueError, match=r"fixed: y: expected 2\*n \+ 1 = 9 in \[.*\], got 8 in the shape \(8, 3\)"):
        fixed(ap.ones(4, dtype="f4"), ap.ones((8, 3), dtype="f4"))
    with pytest.raises(ValueError, match=r"fixed: y: expected 3 in \[.*\], got 2 in the shape \(9, 2\)"):
        fixed(ap.ones(4, dtype="f4"), ap.ones((9, 2), dtype="f4"))
    with pytest.raises(ValueError, match=r"fixed: z: expected axes of at least 0 in \[n - 2\], got the shape \(-1,\)"):
        fixed(ap.ones(1, dtype="f4"), ap.ones((3, 3), dtype="f4"))


def test_how_a_call_is_made(scale):
    x, gamma = ap.ones((2, 3), dtype="f4"), ap.ones(3, dtype="f4")
    with pytest.raises(TypeError, match=r"layer_scale: missing a required argument: 'gamma'; it is layer_scale\(x:"):
        scale(x)
    with pytest.raises(TypeError, match="layer_scale: got an unexpected keyword argument 'epsilon'"):
        scale(x, gamma, epsilon=1)
    with pytest.raises(TypeError, match="layer_scale: missing a required argument: 'gamma'"):
        scale(x, epsilon=1)
    with pytest.raises(TypeError, match="layer_scale: multiple values for argument 'x'"):
        scale(x, gamma, x=x)
    with pytest.raises(TypeError, match="layer_scale: too many positional arguments"):
        scale(x, gamma, gamma, 1.0)
    with pytest.raises(TypeError, match="layer_scale: eps: expected a float, got str '1'"):
        scale(x, gamma, eps="1")
    with pytest.raises(TypeError, match="layer_scale: eps: expected a float, got NoneType None"):
        scale(x, gamma, eps=None)


def test_attributes_have_types():
    op = ap.operator("shaped(*, k: int, flag: bool = False, to: dtype = f4, t: tuple = ()) -> y: to[k, 2]")

    @op.composed
    def _(*, k, flag, to, t):
        assert isinstance(flag, bool) and isinstance(t, tuple) and isinstance(k, int)
        return ap.full((k, 2), 3, dtype=to)

    y = op(k=np.int8(3), flag=np.bool_(True), to="bf2", t=[1])
    assert y.shape == (3, 2) and y.dtype == ap.bfloat16
    assert op(k=2, to=np.int32).dtype == np.int32
    for wrong in ({"k": 1.5}, {"k": True}, {"k": 1, "flag": 1}, {"k": 1, "to": "f99"}, {"k": 1, "t": 3}):
        with pytest.raises(TypeError, match=r"shaped: (k|flag|to|t): expected an? (int|bool|dtype|tuple), got"):
            op(**wrong)
    with pytest.raises(ValueError, match="shaped: y: expected axes of at least 0"):
        op(k=-1)


def test_out(scale):
    x, gamma = ap.arange(6, dtype="f4").reshape(2, 3), ap.arange(3, dtype="f4")
    wanted = ap.asnumpy(x) * ap.asnumpy(gamma)
    wide = ap.zeros((2, 3), dtype="f8")
    assert scale(x, gamma, out=wide) is wide
    np.testing.assert_array_equal(ap.asnumpy(wide), wanted)
    other = ap.zeros((3, 2), dtype="f4")
    assert scale(x, gamma, out=other.T).shape == (2, 3)
    np.testing.assert_array_equal(ap.asnumpy(other.T), wanted)
    scale(x, gamma, out=x)
    np.testing.assert_array_equal(ap.asnumpy(x), wanted)
    with pytest.raises(ValueError, match=r"layer_scale: out: expected the shape \(2, 3\), got \(3, 2\)"):
        scale(x, gamma, out=other)
    with pytest.raises(TypeError, match="layer_scale: out: expected an array that takes float32, got int32"):
        scale(x, gamma, out=ap.zeros((2, 3), dtype="i4"))
    with pytest.raises(TypeError, match="layer_scale: out: expected an asnumpy array, got ndarray"):
        scale(x, gamma, out=np.zeros((2, 3), "f4"))
    with pytest.raises(ValueError, match="layer_scale: out: output array is read-only"):
        scale(x, gamma, out=ap.broadcast_to(ap.zeros(3, dtype="f4"), (2, 3)))


def test_several_outputs():
    op = ap.operator("halves(x: T[..., n]) -> low: T[..., n//2], high: T[..., n - n//2], total: f8[]", T="f4 i4")

    @op.composed
    def _(x):
        half = x.shape[-1] // 2
        return x[..., :half], x[..., half:], x.sum()

    x = ap.arange(10, dtype="i4").reshape(2, 5)
    low, high, total = op(x)
    assert low.shape == (2, 2) and high.shape == (2, 3) and total == 45 and total.dtype == np.float64
    low[...] = -1  # what it gives is no view of what it got
    assert x.tolist() == np.arange(10).reshape(2, 5).tolist()
    into = ap.zeros((2, 3), dtype="f4")
    made = op(x, out=(None, into, None))
    assert made[1] is into and into.tolist() == [[2, 3, 4], [7, 8, 9]]
    with pytest.raises(ValueError, match="halves: out: expected 3 arrays, one for each output, got 1"):
        op(x, out=into)


def test_what_composed_must_give():
    op = ap.operator("wrong(x: f4[n]) -> y: f4[n], z: i4[n]")
    results = []
    op.composed(lambda x: results[0])
    x = ap.ones(2, dtype="f4")
    results[:] = [x]
    with pytest.raises(TypeError, match="wrong: composed: expected a tuple of 2 outputs, got"):
        op(x)
    results[:] = [(x, x)]
    with pytest.raises(TypeError, match="wrong: composed: z: expected the declared dtype int32, got float32"):
        op(x)
    results[:] = [(x[:1], x)]
    with pytest.raises(ValueError, match=r"wrong: composed: y: expected the declared shape \(2,\), got \(1,\)"):
        op(x)


def test_functions_of_another_form_are_refused(scale):
    with pytest.raises(TypeError, match=r"layer_scale: cpu: expected a function of \(x, gamma, bias, y, \*, eps\)"):
        scale.cpu(lambda x, gamma, y, *, eps: None)
    with pytest.raises(ValueError, match="composed: there is one already"):
        scale.composed(lambda x, gamma, bias, *, eps: x)
    with pytest.raises(ValueError, match="dtypes: T is not declared to be float64"):
        scale.cpu(dtypes="f8")(lambda x, gamma, bias, y, *, eps: None)
    with pytest.raises(ValueError, match="dtypes: there is no letter 'U'; declared are: T"):
        scale.cpu(dtypes={"U": "f4"})(lambda x, gamma, bias, y, *, eps: None)
    with pytest.raises(TypeError, match="layer_scale: cpu: expected a function, got int"):
        scale.cpu(3)
    bare = ap.operator("bare(x: f4[]) -> y: f4[]")
    with pytest.raises(RuntimeError, match=r"bare: no implementation can compute this call on .*: there is none"):
        bare(1.0)


def test_names_that_nobody_has():
    ap.operator("quite_special(x: f4[]) -> y: f4[]")
    with pytest.raises(LookupError, match=r"there is no operator 'quite_specal'; did you mean quite_special"):
        operators.get("quite_specal")


SOURCE = """
#include <cstdint>
extern "C" void scale(int64_t block, int64_t blocks, const float* x, const float* gamma, const float* bias, float* y,
                      double eps, int64_t count, int64_t n) {
    for (int64_t i = block; i < count; i += blocks)
        y[i] = x[i] * gamma[i % n] + (float)eps + (bias ? bias[i % n] : 0);
}
"""


@needs_compiler
def test_a_kernel_of_the_cpu_gets_what_it_can_work_with(scale):
    seen = []
    kernel = ap.RawKernel(SOURCE, "scale")

    @scale.cpu(dtypes="f4", when=lambda x, gamma, bias, **_: x.shape[-1] > 1)
    def _(x, gamma, bias, y, *, eps):
        seen.append((x.flags.c_contiguous, gamma.flags.c_contiguous, y.dtype.name, y.shape))
        null = ap.empty(0, dtype="f4", device="cpu") if bias is None else bias
        kernel(3, (x, gamma, null, y, eps, np.int64(x.size), np.int64(gamma.size)))

    with ap.Device("cpu"):
        operators.forget_runs()
        x = ap.arange(24, dtype="f4").reshape(3, 2, 4).T  # in no order that a kernel could take
        gamma = ap.arange(4, dtype="f4")[::2]
        base = ap.zeros((4, 2, 6), dtype="f4")
        with pytest.raises(ValueError, match="gamma: expected n = 3"):
            scale(x, gamma)
        gamma = ap.arange(6, dtype="f4")[::2]
        y = scale(x, gamma, eps=0.5)
        wanted = ap.asnumpy(x) * ap.asnumpy(gamma) + np.float32(0.5)
        np.testing.assert_array_equal(ap.asnumpy(y), wanted)
        assert scale(x, gamma, gamma, eps=0.5, out=base[..., ::2]).base is not None
        np.testing.assert_array_equal(ap.asnumpy(base)[..., ::2], wanted + ap.asnumpy(gamma))
        assert ap.asnumpy(base)[..., 1::2].max() == 0
        z = ap.array(x)
        scale(z, gamma, out=z)  # an array that it reads and writes
        np.testing.assert_array_equal(ap.asnumpy(z), ap.asnumpy(x) * ap.asnumpy(gamma))
        assert scale(x[:0], gamma).shape == (0, 2, 3)
        assert seen == [(True, True, "float32", (4, 2, 3))] * 3
        assert scale(x.astype("f2"), gamma.astype("f2")).dtype == np.float16
        assert scale(ap.ones((2, 1), dtype="f4"), ap.ones(1, dtype="f4")).tolist() == [[1], [1]]
        counts = {one["implementation"]: one["count"] for one in operators.runs() if one["operator"] == "layer_scale"}
        assert counts == {"cpu": 4, "composed": 2}


@needs_compiler
def test_a_kernel_that_does_not_compile_is_an_error(scale):
    kernel = ap.RawKernel("this is no C++", "scale")
    scale.cpu(lambda x, gamma, bias, y, *, eps: kernel(1, (x, y)))
    with ap.Device("cpu"), pytest.raises(CompileError, match="this is no C"):
        scale(ap.ones((2, 3), dtype="f4"), ap.ones(3, dtype="f4"))


def test_without_a_compiler_the_next_one_runs_and_it_is_told_once(scale, monkeypatch):
    kernel = ap.RawKernel(SOURCE + "// compiled by nobody\n", "scale")
    scale.cpu(lambda x, gamma, bias, y, *, eps: kernel(1, (x, gamma, gamma, y, eps, np.int64(6), np.int64(3))))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    operators.forget_runs()
    with ap.Device("cpu"), ap.config.using(fallback="warn"):
        x, gamma = ap.ones((2, 3), dtype="f4"), ap.ones(3, dtype="f4")
        with pytest.warns(ap.FallbackWarning, match="layer_scale: its implementation cpu is not available here: expec"):
            assert scale(x, gamma).tolist() == [[1] * 3] * 2
        assert scale(x, gamma).tolist() == [[1] * 3] * 2
        told = operators.explain(scale, x, gamma)
        assert told.chosen == "composed" and "no   cpu: expected a C++ compiler" in str(told)
    assert [(one["implementation"], one["count"]) for one in operators.runs()] == [("composed", 2)]
    assert "layer_scale on cpu: T = float32; n = 3; ... = (2,)" in str(told)


def test_gradients_have_the_declared_form(scale):
    @scale.gradient
    def _(x, gamma, bias, y, dy, *, eps):
        axes = tuple(range(x.ndim - 1))
        return dy * gamma, (dy * x).sum(axis=axes), None if bias is None else dy.sum(axis=axes)

    x, gamma = ap.arange(6, dtype="f4").reshape(2, 3), ap.arange(3, dtype="f4")
    y = scale(x, gamma)
    dx, dgamma, dbias = scale.gradients((x, gamma, None), (y,), (ap.ones((2, 3), dtype="f4"),), eps=0.0)
    assert dx.tolist() == [[0, 1, 2]] * 2 and dgamma.tolist() == [3, 5, 7] and dbias is None
    other = ap.operator("other(x: f4[]) -> y: f4[]")
    with pytest.raises(ValueError, match=r"other: no gradient is declared; declare it with @other.gradient"):
        other.gradients((1,), (1,), (1,))
    other.gradient(lambda x, y, dy: (dy, dy))
    with pytest.raises(TypeError, match="other: gradient: expected 1 gradients, one for each input"):
        other.gradients((1,), (1,), (1,))

"""What launches without Python give kernels beside arrays: inputs left out, text, tuples, workspace, tiling."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy.operators import Launch
from asnumpy.operators.frameworks import _jax_kernels
from asnumpy.operators.project import _interface
from operators.c_calls import called, on_host

ON_CPU = str(ap.zeros(1).device) == "cpu"
pytestmark = needs_compiler

CPU = r"""
#include <cstdint>
struct Tiling { int32_t n; double by; bool square; int64_t rows; };
extern "C" void weighed(int64_t block, int64_t blocks, const float* x, const float* bias, float* y, double first,
                        int64_t axes, double* room, const Tiling* tiling) {
    for (int64_t row = block; row < tiling->rows; row += blocks)
        for (int64_t i = 0; i < tiling->n; ++i) {
            double& at = room[row * tiling->n + i];
            at = x[row * tiling->n + i] * tiling->by + first * axes;
            if (tiling->square) at *= at;
            y[row * tiling->n + i] = at + (bias ? bias[i] : 0);
        }
}
"""
DECLARATION = (
    "weighed(x: f4[..., n], bias: f4[n] = None, *, how: str = 'plain', by: float = 2.0, weights: tuple = (0.5, 3.0)) "
    "-> y: f4[..., n]"
)


def declared() -> ap.operators.Operator:
    op = ap.operator(DECLARATION)
    launch = Launch(
        op, ap.RawKernel(CPU, "weighed"), blocks=3, rows="size(x) // n",
        args="x, bias, y, weights[0] + weights[-1], len(weights)", workspace="8 * size(x)",
        tiling="int32(n), by if given(bias) else -by, how == 'squared', rows",
    )  # fmt: skip
    op.cpu(launch, when="how == 'plain' or how == 'squared'")
    return op


def expected(x, bias=None, how="plain", by=2.0, weights=(0.5, 3.0)):
    made = x * (by if bias is not None else -by) + (weights[0] + weights[-1]) * len(weights)
    return (made**2 if how == "squared" else made) + (0 if bias is None else bias)


X, BIAS = np.arange(12, dtype=np.float32).reshape(4, 3), np.array([1, 2, 4], np.float32)
CALLS = [{}, {"how": "squared", "by": 0.5}, {"weights": (1.0, 2.0, 4.0)}, {"weights": (7.0,), "by": -1.0}]


@pytest.mark.parametrize("attributes", CALLS)
def test_python_and_c_give_the_same(tmp_path, attributes):
    op = declared()
    x, bias = ap.asarray(X, device="cpu"), ap.asarray(BIAS, device="cpu")
    np.testing.assert_array_equal(ap.to_numpy(op(x, **attributes)), expected(X, **attributes))
    np.testing.assert_array_equal(ap.to_numpy(op(x, bias, **attributes)), expected(X, BIAS, **attributes))
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path, native=True, **attributes)[0]))
    y = np.empty_like(X)
    assert on_host(library, "weighed", X, BIAS, y) == ""
    np.testing.assert_array_equal(y, expected(X, BIAS, **attributes))
    assert on_host(library, "weighed", X, y) == ""  # the last input is left out
    np.testing.assert_array_equal(y, expected(X, **attributes))


class Given(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("ndim", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("dtype", ctypes.c_char_p)]  # fmt: skip

    def __init__(self, array: np.ndarray) -> None:
        super().__init__(array.ctypes.data, array.ndim, (ctypes.c_int64 * array.ndim)(*array.shape),
                         array.dtype.name.encode())  # fmt: skip


def test_the_function_of_the_header(tmp_path):
    """Null is an input that is left out; text is the caller's."""
    made = ap.operators.to_library(declared(), tmp_path, native=True)
    assert "const asnumpy_tensor* bias, const asnumpy_tensor* y, const char* how, double by, void*" in made[
        1].read_text()  # fmt: skip
    function = ctypes.CDLL(str(made[0])).asnumpy_weighed
    told = ctypes.CDLL(str(made[0])).asnumpy_weighed_error
    told.restype = ctypes.c_char_p
    y = np.empty_like(X)
    x_, bias_, y_ = (ctypes.byref(Given(one)) for one in (X, BIAS, y))
    by = ctypes.c_double(0.25)
    assert function(x_, bias_, y_, b"squared", by, None) == 0
    np.testing.assert_array_equal(y, expected(X, BIAS, "squared", 0.25))
    assert function(x_, None, y_, b"plain", by, None) == 0
    np.testing.assert_array_equal(y, expected(X, by=0.25))
    assert function(x_, None, y_, None, by, None) == 1
    assert told() == b"TypeError: weighed: how: expected text, got null"
    assert function(x_, None, y_, b"other", by, None) == 1
    assert told() == (
        b"RuntimeError: weighed: no kernel computes this call: cpu is where how == 'plain' or how == 'squared'"
    )
    assert function(None, bias_, y_, b"plain", by, None) == 1 and b"x: expected a tensor, got none" in told()
    short = ctypes.byref(Given(BIAS[:2]))
    assert function(x_, short, y_, b"plain", by, None) == 1
    assert told() == b"ValueError: weighed: bias: expected n = 3 as that of x in [n], got 2 in the shape (2,)"


def test_attributes_as_jax_gives_them():
    """Its handler has the address of a structure, made once for each value."""
    kernels = _jax_kernels.Kernels(declared(), None)  # type: ignore[arg-type]
    y, told = np.empty_like(X), ctypes.create_string_buffer(200)
    given = (Given * 3)(Given(X), Given(BIAS), Given(y))
    values = {"how": "squared", "by": 0.5, "weights": (1.0, 2.0)}, {"how": "plain", "by": 1.0, "weights": (3.0,)}
    for attributes in values:
        function, there = kernels.addresses(attributes)
        assert kernels.addresses(dict(attributes)) == (function, there)
        compute = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3, ctypes.c_int64)(function)
        assert compute(ctypes.addressof(given), there, ctypes.addressof(told), 200) == 0, told.value
        np.testing.assert_array_equal(y, expected(X, BIAS, **attributes))


def test_lengths_and_dtypes_that_only_optional_inputs_tell(tmp_path):
    op = ap.operator("told(x: f4[n], a: T[k] = None, b: T[k] = None) -> y: i8[3]", T="i4 i8")
    code = """
#include <cstdint>
extern "C" void told(int64_t, int64_t, int64_t* y, int64_t k, bool first, int64_t size) {
    y[0] = k, y[1] = first, y[2] = size;
}
"""
    op.cpu(Launch(op, ap.RawKernel(code, "told"), blocks=1, args="y, k, given(a), size(b)"), dtypes="i8")
    made = ap.operators.to_library(op, tmp_path, native=True)
    library = ctypes.CDLL(str(made[0]))
    x, a, y = np.ones(2, np.float32), np.ones(5, np.int64), np.empty(3, np.int64)
    there = ap.asarray(a, device="cpu")
    for given, arrays, values in (
        ((), (x, y), [0, 0, 0]), ((there,), (x, a, y), [5, 1, 0]), ((there, there), (x, a, a.copy(), y), [5, 1, 5]),
    ):  # fmt: skip
        assert on_host(library, "told", *arrays) == "" and y.tolist() == values
        assert op(ap.asarray(x, device="cpu"), *given).tolist() == values
    for b, text in (
        (a[:2], "b: expected k = 5 as that of a in [k], got 2 in the shape (2,)"),
        (a.astype("i4"), "b: expected int64 (T) as that of a"),
        (a.astype("f8"), "b: expected int64 (T)"),
    ):  # fmt: skip
        assert text in on_host(library, "told", x, a, b.copy(), y)
    assert "no kernel computes this call: cpu is for T = int64" in on_host(library, "told", x, a.astype("i4"), y)
    assert "expected 2 to 4 tensors, inputs and outputs, got 1" in on_host(library, "told", x)
    function, of_b = library.asnumpy_told, ctypes.byref(Given(a))
    assert function(ctypes.byref(Given(x)), None, of_b, ctypes.byref(Given(y)), None) == 0
    assert y.tolist() == op(ap.asarray(x, device="cpu"), None, there).tolist() == [5, 0, 5]


def test_places_beyond_a_tuple_and_workspaces_below_nothing(tmp_path):
    op = ap.operator("beyond(x: f4[n], *, axes: tuple) -> y: f4[n]")
    code = 'extern "C" void beyond(long, long, float* y, long axis, void*) { y[0] = axis; }'
    op.cpu(Launch(op, ap.RawKernel(code, "beyond"), blocks=1, args="y, axes[1]", workspace="axes[0]"))
    x, y = np.ones(1, np.float32), np.zeros(1, np.float32)
    there = ap.asarray(x, device="cpu")
    for number, (axes, error) in enumerate([
        ((0, 4), ""), ((1,), "IndexError"),
        ((-1, 4), "ValueError: beyond: workspace: expected at least 0 bytes, got -1"),
    ]):  # fmt: skip
        made = ap.operators.to_library(op, tmp_path / str(number), native=True, axes=axes)
        told = on_host(ctypes.CDLL(str(made[0])), "beyond", x, y)
        assert told.startswith(error) if error else told == "" and y[0] == 4
        if error:
            with pytest.raises((IndexError, ValueError)):
                op(there, axes=axes)
        else:
            assert op(there, axes=axes).tolist() == [4]
    with pytest.raises(TypeError):
        op(there, axes=(0, 1.5))
    with pytest.raises(ValueError, match="axes: C gives no tuple, and it has no default; give it to to_library"):
        ap.operators.to_library(op, tmp_path, native=True)


def test_a_project_names_what_c_cannot_call_alone(tmp_path, monkeypatch):
    (tmp_path / "with_tuple.py").write_text("""
import asnumpy as ap
op = ap.operator("with_tuple(x: f4[n], *, axes: tuple) -> y: f4[n]")
code = 'extern "C" void f(long, long, float* y, long axis) {}'
op.cpu(ap.operators.Launch(op, ap.RawKernel(code, "f"), blocks=1, args="y, axes[0]"))
""")
    monkeypatch.syspath_prepend(str(tmp_path))
    told = _interface.write("with_tuple", tmp_path / "made", ["with_tuple"])
    why = "axes: C gives no tuple, and it has no default; give it to to_library"
    assert told == [f"with_tuple: no library for C: {why}"]


ASCEND = r"""
#include "kernel_operator.h"
using namespace AscendC;
struct Tiling { uint32_t rows, n; float by; };
extern "C" __global__ __aicore__ void on_npu(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR room, GM_ADDR tiling) {
    const auto* const given = reinterpret_cast<__gm__ const Tiling*>(tiling);
    const uint32_t n = given->n;
    TPipe pipe;
    TBuf<TPosition::VECCALC> row;
    pipe.InitBuffer(row, (n + 7) / 8 * 32);
    auto tile = row.Get<float>();
    GlobalTensor<float> from, more, between, to;
    from.SetGlobalBuffer((__gm__ float*)x), more.SetGlobalBuffer((__gm__ float*)bias);
    between.SetGlobalBuffer((__gm__ float*)room), to.SetGlobalBuffer((__gm__ float*)y);
    const DataCopyExtParams one(1, n * sizeof(float), 0, 0, 0);
    const DataCopyPadExtParams<float> none(false, 0, 0, 0);
    for (uint32_t at = GetBlockIdx(); at < given->rows; at += GetBlockNum()) {
        DataCopyPad(tile, from[at * n], one, none);
        PipeBarrier<PIPE_ALL>();
        Muls(tile, tile, given->by, n);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(between[at * n], tile, one);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(tile, between[at * n], one, none);
        PipeBarrier<PIPE_ALL>();
        if (bias) {
            Adds(tile, tile, more.GetValue(0), n);
            PipeBarrier<PIPE_ALL>();
        }
        DataCopyPad(to[at * n], tile, one);
        PipeBarrier<PIPE_ALL>();
    }
}
"""


@pytest.mark.skipif(ON_CPU, reason="memory and streams of an NPU")
def test_workspace_and_tiling_on_an_npu(tmp_path):
    """Launches behind each other on one stream share what was asked for; each has its own numbers."""
    from asnumpy.cann import _calls, _devices

    op = ap.operator("on_npu(x: f4[m, n], bias: f4[n] = None, *, by: float = 2.0) -> y: f4[m, n]")
    launch = Launch(op, ap.RawKernel(ASCEND, "on_npu"), blocks="min(m, 4)", args="x, bias, y", workspace="4 * m * n",
                    tiling="uint32(m), uint32(n), float32(by)")  # fmt: skip
    op.ascend(launch)
    op.composed(lambda x, bias, *, by: by * x + (0 if bias is None else bias))  # where nothing compiles at run time
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path, device="ascend", native=True)[0]))
    _devices.use(0)
    stream = ctypes.c_void_p()
    _calls.call("aclrtCreateStream", ctypes.byref(stream))
    made = []
    for m, n in ((3, 5), (40, 24), (2, 9), (3, 5), (64, 40)):
        x, bias = np.random.default_rng(m).standard_normal((m, n)).astype(np.float32), np.full(n, m, np.float32)
        made.append((x, bias, [ap.array(one) for one in (x, bias, np.zeros_like(x), np.zeros_like(x))]))
    ap.synchronize()
    try:
        for x, bias, there in made:
            addresses = [one.data.ptr for one in there]
            assert called(library, "on_npu", addresses[:3], [x, bias, x], stream.value or 0) == 0
            assert called(library, "on_npu", [addresses[0], addresses[3]], [x, x], stream.value or 0) == 0
        assert library.asnumpy_on_npu_release() == 0  # waits; what is wanted afterwards is asked for anew
        x, bias, there = made[0]
        addresses = [one.data.ptr for one in there]
        assert called(library, "on_npu", addresses[:3], [x, bias, x], stream.value or 0) == 0
        assert library.asnumpy_on_npu_release() == 0
    finally:
        _calls.call("aclrtDestroyStream", stream)
    for x, bias, there in made:
        np.testing.assert_array_equal(ap.to_numpy(there[2]), 2 * x + bias)
        np.testing.assert_array_equal(ap.to_numpy(there[3]), 2 * x)
        np.testing.assert_array_equal(ap.to_numpy(op(there[0], there[1], by=0.5)), x / 2 + bias)
        np.testing.assert_array_equal(ap.to_numpy(op(there[0])), 2 * x)

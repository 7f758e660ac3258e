"""Libraries of C that launch an operator's kernels themselves, without Python; and the launches, by expressions."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from host_compiler import compiler, needs_compiler

import asnumpy as ap
from asnumpy.operators import Launch
from asnumpy.operators.project import _interface
from operators.c_calls import called, on_host

ON_CPU = str(ap.zeros(1).device) == "cpu"
pytestmark = needs_compiler

CPU = """
#include <cmath>
#include <cstdint>

template <class T>
static void scaled(int64_t block, int64_t blocks, const T* x, const T* gamma, T* y, int64_t rows, int64_t n, T eps,
                   bool twice) {
    for (int64_t row = block; row < rows; row += blocks)
        for (int64_t i = 0; i < n; ++i) y[row * n + i] = (twice ? 2 : 1) * x[row * n + i] * gamma[i] / (1 + eps);
}
extern "C" void native_scale(int64_t block, int64_t blocks, const float* x, const float* gamma, float* y, int32_t rows,
                             int64_t n, float eps, bool twice) {
    scaled<float>(block, blocks, x, gamma, y, rows, n, eps, twice);
}
extern "C" void scale_double(int64_t block, int64_t blocks, const double* x, const double* gamma, double* y,
                             int64_t rows, int64_t n, double eps, bool twice) {
    scaled<double>(block, blocks, x, gamma, y, rows, n, eps, twice);
}
"""
ASCEND = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__
void native_scale(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, uint32_t rows, uint32_t n, float factor) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> row, scale;
    pipe.InitBuffer(row, (n + 7) / 8 * 32);
    pipe.InitBuffer(scale, (n + 7) / 8 * 32);
    auto tile = row.Get<float>(), factors = scale.Get<float>();
    GlobalTensor<float> from, by, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    by.SetGlobalBuffer((__gm__ float*)gamma);
    to.SetGlobalBuffer((__gm__ float*)y);
    const DataCopyExtParams one(1, n * sizeof(float), 0, 0, 0);
    const DataCopyPadExtParams<float> none(false, 0, 0, 0);
    DataCopyPad(factors, by, one, none);
    for (uint32_t at = GetBlockIdx(); at < rows; at += GetBlockNum()) {
        DataCopyPad(tile, from[at * n], one, none);
        PipeBarrier<PIPE_ALL>();
        Mul(tile, tile, factors, n);
        PipeBarrier<PIPE_ALL>();
        Muls(tile, tile, factor, n);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(to[at * n], tile, one);
        PipeBarrier<PIPE_ALL>();
    }
}
"""


def declared() -> ap.operators.Operator:
    """With kernels for float32 and, of rows that are not long, float64; of an NPU for float32."""
    scale = ap.operator(
        "native.scale(x: T[..., n], gamma: T[n], *, eps: float = 1e-5, twice: bool = False) -> y: T[..., n]",
        T="f2 f4 f8",
    )

    @scale.composed
    def _(x, gamma, *, eps, twice):
        return (2 if twice else 1) * x * gamma / (1 + eps)

    module = ap.RawModule(code=CPU)
    for dtype, kernel, when in (("f4", "native_scale", None), ("f8", "scale_double", "n <= 100")):
        launch = Launch(
            scale, module.get_function(kernel), rows="size(x) // n", blocks="max(1, min(rows, 2 * threads))",
            args="x, gamma, y, rows, n, eps, twice",
        )  # fmt: skip
        scale.cpu(launch, dtypes=dtype, when=when)
    kernel = ap.RawKernel(ASCEND, "native_scale")
    scale.ascend(
        Launch(scale, kernel, blocks="min(size(x) // n, 8)",
               args="x, gamma, y, size(x) // n, n, (2 if twice else 1) / (1 + eps)"),
        dtypes="f4",
    )  # fmt: skip
    return scale


@pytest.fixture(scope="module")
def scale():
    return declared()


@pytest.fixture(scope="module")
def library(scale, tmp_path_factory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("native")
    made = ap.operators.to_library(scale, folder, native=True, eps=0.5)
    assert [path.name for path in made] == ["libnative_scale.so", "native_scale.h", "native_scale.cpp"]
    return ctypes.CDLL(str(made[0]))


def test_values_in_the_form_of_mindspore(scale, library):
    rng = np.random.default_rng(0)
    for shape in ((5,), (3, 4), (2, 3, 7), (1000, 3), (0, 4), (4, 0), (1, 1)):
        for dtype in (np.float32, np.float64):
            x, gamma = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape[-1:]).astype(dtype)
            y = np.full(shape, np.nan, dtype)
            assert on_host(library, "native_scale", x, gamma, y) == ""
            np.testing.assert_allclose(y, x * gamma / 1.5, rtol=1e-6)
            ours = scale(ap.asarray(x, device="cpu"), ap.asarray(gamma, device="cpu"), eps=0.5)
            np.testing.assert_array_equal(y, ap.to_numpy(ours))


def test_what_python_refuses_c_refuses_with_the_same_words(scale, library):
    one = np.ones
    for x, gamma in (
        (one((2, 3), "f4"), one(4, "f4")), (one((2, 3), "f4"), one((3, 3), "f4")), (one((), "f4"), one(3, "f4")),
        (one((2, 3), "f8"), one((), "f8")), (one((2, 3), "c8"), one(3, "c8")),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)) as error:
            scale(ap.asarray(x, device="cpu"), ap.asarray(gamma, device="cpu"))
        told = on_host(library, "native_scale", x, gamma, np.empty_like(x))
        assert told == f"{error.type.__name__}: {error.value}"


def test_what_only_c_refuses(library, capfd):
    x, gamma, y = np.ones((2, 3), "f4"), np.ones(3, "f4"), np.zeros((2, 3), "f4")
    for arrays, text in (
        ((x, gamma), "TypeError: native.scale: expected 3 tensors, inputs and outputs, got 2"),
        ((x, gamma.astype("f8"), y), "gamma: expected float32 (T) as that of x, got float64"),
        ((x, gamma, y.astype("f8")), "y: expected float32 (T) as that of x, got float64"),
        ((x, gamma, np.zeros((3, 3), "f4")),
         "y: expected the axes of x (2, 3) for ... in [..., n], got the shape (3, 3)"),
        ((x, gamma, np.zeros((2, 2), "f4")), "y: expected n = 3 in [..., n], got 2 in the shape (2, 2)"),
        ((x, gamma, x), "y: expected memory of its own, got some of x"),
        ((x, x[0], x[:1]), "y: expected the axes of x (2, 3)"),
        ((np.ones((2, 3), "S4"), gamma, y), "x: expected a dtype that arrays have, got 'bytes32'"),
        ((np.ones((1, 101)), np.ones(101), np.ones((1, 101))),
         "RuntimeError: native.scale: no kernel computes this call: cpu is for T = float32; cpu.2 is for T = float64, "
         "where n <= 100"),
        (tuple(one.astype("f2") for one in (x, gamma, y)), "no kernel computes this call"),
    ):  # fmt: skip
        told = on_host(library, "native_scale", *arrays)
        assert text in told and told in capfd.readouterr().err
    null = called(library, "native_scale", [0, gamma.ctypes.data, y.ctypes.data], [x, gamma, y])
    assert null == 1 and "x: expected an address, got null" in library.asnumpy_native_scale_error().decode()


PROGRAM = """
#include <stdio.h>
#include "native_scale.h"
int main(void) {
    float x[6] = {0, 1, 2, 3, 4, 5}, gamma[3] = {1, 2, 3}, y[6];
    int64_t matrix[2] = {2, 3}, row[1] = {3};
    asnumpy_tensor a = {x, 2, matrix, "float32"}, b = {gamma, 1, row, "float32"}, c = {y, 2, matrix, "float32"};
    if (asnumpy_native_scale(&a, &b, &c, 1.0, 1, NULL)) return puts(asnumpy_native_scale_error()), 1;
    for (int i = 0; i < 6; ++i) printf("%g ", y[i]);
    printf("%d ", asnumpy_native_scale(&a, NULL, &c, 1.0, 1, NULL));
    printf("%s\\n", asnumpy_native_scale_error());
    return 0;
}
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_program_that_knows_no_python(scale, tmp_path, language):
    """The header, the library and a compiler; the program's process has nothing of Python's."""
    ap.operators.to_library(scale, tmp_path)
    (tmp_path / f"program.{language}").write_text(PROGRAM)
    chosen, standard = ("gcc", "c11") if language == "c" else (str(compiler()), "c++11")
    if shutil.which(chosen) is None:
        chosen = "clang"
    command = [chosen, f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", f"program.{language}",
               "-o", "program", "-L.", "-lnative_scale", "-Wl,-rpath,$ORIGIN"]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./program"], cwd=tmp_path, env={"LD_DEBUG": "libs"}, capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert "libnative_scale" in done.stderr and "libpython" not in done.stderr
    first, error = done.stdout.split(" 1 ", 1)
    assert first.split() == ["0", "2", "6", "3", "8", "15"]
    assert error == "TypeError: native.scale: gamma: expected a tensor, got none\n"


@pytest.mark.skipif(ON_CPU, reason="memory and streams of an NPU")
def test_on_an_npu_in_order_with_the_callers_stream(scale, tmp_path):
    from asnumpy.cann import _calls, _devices

    made = ap.operators.to_library(scale, tmp_path, device="ascend", native=True, eps=0.25)
    library = ctypes.CDLL(str(made[0]))
    rng = np.random.default_rng(1)
    x, gamma = rng.standard_normal((13, 37)).astype(np.float32), rng.standard_normal(37).astype(np.float32)
    there = [ap.array(x), ap.array(gamma), ap.zeros(x.shape, dtype=np.float32)]
    ap.synchronize()
    ours = ap.to_numpy(scale(there[0], there[1], twice=True, eps=0.25))
    np.testing.assert_allclose(ours, x * gamma * 1.6, rtol=1e-5)
    _devices.use(0)
    stream = ctypes.c_void_p()
    _calls.call("aclrtCreateStream", ctypes.byref(stream))
    try:
        for _ in range(3):
            addresses = [one.data.ptr for one in there]
            assert called(library, "native_scale", addresses, [x, gamma, x], stream.value or 0) == 0
            there[0], there[2] = there[2], there[0]
        _calls.call("aclrtSynchronizeStream", stream)
    finally:
        _calls.call("aclrtDestroyStream", stream)
    ap.synchronize()
    np.testing.assert_allclose(ap.to_numpy(there[0]), x * (gamma.astype(np.float64) / 1.25) ** 3, rtol=1e-5)
    wrong = called(library, "native_scale", [one.data.ptr for one in there], [x, gamma[:3], x])
    library.asnumpy_native_scale_error.restype = ctypes.c_char_p
    assert wrong == 1 and b"gamma: expected n = 37 as that of x" in library.asnumpy_native_scale_error()


def test_which_operators_are_native(tmp_path):
    op = ap.operator("chosen(x: f4[n]) -> y: f4[n]")
    op.composed(lambda x: x + 1)
    with pytest.raises(ValueError, match="chosen: expected an operator whose kernels C can launch: none of its impl"):
        ap.operators.to_library(op, tmp_path, native=True)
    code = """
extern "C" void k(long block, long blocks, const float* x, float* y, long n) {
    for (long i = block; i < n; i += blocks) y[i] = x[i] + 2;
}
"""
    op.cpu(Launch(op, ap.RawKernel(code, "k"), blocks=2, args="x, y, n"))
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path / "native")[0]))
    ap.operators.forget_runs()
    assert on_host(library, "chosen", x, y) == "" and y.tolist() == [2, 3, 4, 5, 6]
    assert ap.operators.runs() == []
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path / "python", native=False)[0]))
    assert on_host(library, "chosen", x, y) == "" and y.tolist() == [2, 3, 4, 5, 6]
    assert [run["implementation"] for run in ap.operators.runs()] == ["cpu"]
    op.cpu(Launch(op, ap.RawKernel(code.replace("+ 2", "+ 3"), "k"), blocks=2, args="x, y, n"))
    with pytest.raises(ValueError, match="its kernels are of several sources; put them into one RawModule"):
        ap.operators.to_library(op, tmp_path, native=True)
    wrong = ap.operator("wrong(x: f4[n]) -> y: f4[n]")
    wrong.cpu(Launch(wrong, ap.RawKernel(code, "k"), blocks=1, args="x, y"))
    with pytest.raises(ap.operators.CompileError, match="as many arguments as its kernel has"):
        ap.operators.to_library(wrong, tmp_path)


def test_what_a_project_has_for_c(tmp_path, monkeypatch):
    """A header and a library of each operator that C can launch, a line for each other one."""
    (tmp_path / "with_two.py").write_text("""
import asnumpy as ap
both = ap.operator("both(x: f4[n]) -> y: f4[n]")
code = 'extern "C" void twice(long, long, const float* x, float* y) { y[0] = 2 * x[0]; }'
both.cpu(ap.operators.Launch(both, ap.RawKernel(code, "twice"), blocks=1, args="x, y"))
slow = ap.operator("slow(x: f4[n]) -> y: f4[n]")
slow.composed(lambda x: x)
""")
    monkeypatch.syspath_prepend(str(tmp_path))
    told = _interface.write("with_two", tmp_path / "made", ["both", "slow"])
    assert told == [
        "slow: no library for C: none of its implementations for cpu is a Launch, which C could do; "
        "its kernel is attached by one: op.cpu(ap.operators.Launch(...))"
    ]
    assert sorted(path.name for path in (tmp_path / "made").rglob("*.*")) == ["both.h", "libboth.so"]
    x, y = np.ones(3, np.float32), np.zeros(3, np.float32)
    library = ctypes.CDLL(str(tmp_path / "made" / "lib" / "libboth.so"))
    assert on_host(library, "both", x, y) == "" and y.tolist() == [2, 0, 0]

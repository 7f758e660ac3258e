"""Implementations for NPUs: kernels in Ascend C, CANN's own operators, and those of packages that are installed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from device_marks import needs_simulator
from host_compiler import compiler

import asnumpy as ap
from asnumpy import operators

OLD = os.environ.get("CANNSIM_CANN", "9.0").startswith("8")
needs_compiler = pytest.mark.skipif(
    OLD or compiler() is None,
    reason="kernels are compiled here: there is no compiler, or CANN 8 has none at run time",
)
pytestmark = needs_simulator

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, float eps, uint64_t rows, uint64_t n) {
    GlobalTensor<float> xg, gg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    gg.SetGlobalBuffer((__gm__ float*)gamma);
    yg.SetGlobalBuffer((__gm__ float*)y);
    for (uint64_t row = GetBlockIdx(); row < rows; row += GetBlockNum())
        for (uint64_t i = 0; i < n; ++i) yg.SetValue(row * n + i, xg.GetValue(row * n + i) * gg.GetValue(i) + eps);
}
"""


def declared() -> operators.Operator:
    op = ap.operator("on_npu_scale(x: T[..., n], gamma: T[n], *, eps: float = 0.5) -> y: T[..., n]", T="f4 f2")
    op.composed(lambda x, gamma, *, eps: x * gamma + eps)
    return op


@needs_compiler
def test_a_kernel_of_ascend_c_is_in_order_with_other_work():
    op, kernel = declared(), ap.RawKernel(SOURCE, "scale")

    @op.ascend(dtypes="f4", when=lambda x, gamma, *, eps: gamma.size < 100)
    def _(x, gamma, y, *, eps):
        kernel(2, (x, gamma, y, np.float32(eps), np.uint64(x.size // gamma.size), np.uint64(gamma.size)))

    with ap.Device("ascend:0"):
        operators.forget_runs()
        x = ap.arange(24, dtype="f4").reshape(3, 2, 4)
        gamma = ap.arange(4, dtype="f4")
        wanted = np.arange(24, dtype="f4").reshape(3, 2, 4) * np.arange(4, dtype="f4") + np.float32(0.5)
        before = x - 1
        y = op(x, gamma) * 2
        x += 100
        np.testing.assert_array_equal(ap.asnumpy(y), wanted * 2)
        np.testing.assert_array_equal(ap.asnumpy(before), np.arange(24).reshape(3, 2, 4) - 1)
        z = ap.asarray(np.arange(24, dtype="f4").reshape(3, 2, 4))
        assert op(z, gamma, out=z) is z and str(z.device) == "ascend:0"
        np.testing.assert_array_equal(ap.asnumpy(z), wanted)
        assert op(x.astype("f2"), gamma.astype("f2")).dtype == np.float16
        assert {one["implementation"] for one in operators.runs()} == {"ascend", "composed"}
        told = str(operators.explain(op, ap.ones(200, dtype="f4"), ap.ones(200, dtype="f4")))
        assert "no   ascend: its condition (when=) does not hold" in told and "runs composed" in told
    result = operators.check(op, sizes={"n": [1, 3, 8, 64, 200]}, cases=30, seed=4)
    assert result.passed and result.ran["ascend on ascend:0"] > 5, result


def test_without_a_compiler_at_run_time_the_composed_one_runs(monkeypatch):
    from asnumpy.operators import _compiler

    def missing():
        raise _compiler.CompilerMissing("expected libacl_rtc.so, CANN's compiler at run time")

    monkeypatch.setattr(_compiler, "_run_time_compiler", missing)
    op, kernel = declared(), ap.RawKernel(SOURCE + "// compiled by nobody", "scale")
    op.ascend(lambda x, gamma, y, *, eps: kernel(1, (x, gamma, y)))
    x = ap.ones((2, 3), dtype="f4", device="ascend:0")
    assert op(x, x[0]).tolist() == [[1.5] * 3] * 2
    assert "no   ascend: expected libacl_rtc.so" in str(operators.explain(op, x, x[0]))


def test_an_operator_of_canns():
    op = ap.operator("cann_add(self: T[...], other: T[...], *, alpha: float = 1.0) -> out_: T[...]", T="f4 f2")
    op.composed(lambda self, other, *, alpha: self + other * alpha)
    # aclnnAdd broadcasts and takes its factor between inputs and output, as declared
    op.ascend(aclnn="aclnnAdd")
    operators.forget_runs()
    with ap.Device("ascend:0"):
        x = ap.arange(6, dtype="f4").reshape(2, 3)
        assert op(x, x[0], alpha=2.0).tolist() == [[0, 3, 6], [3, 6, 9]]
    assert [one["implementation"] for one in operators.runs()] == ["ascend"]
    assert operators.check(op, cases=20, seed=1).passed


def test_an_operator_that_no_library_has():
    op = declared()
    op.ascend(aclnn="aclnnOfNobody")
    x = ap.ones((2, 3), dtype="f4", device="ascend:0")
    assert op(x, x[0]).tolist() == [[1.5] * 3] * 2
    told = str(operators.explain(op, x, x[0]))
    assert "no   ascend: no library of this CANN, nor of a package" in told and "has aclnnOfNobody" in told


# What somebody installs beside CANN: both phases, and the kernel that the second launches.
PACKAGE = SOURCE + """
struct aclTensor; struct aclIntArray; struct aclOpExecutor;
extern "C" int aclGetRawTensorAddr(const aclTensor*, void**);
extern "C" int aclGetViewOffset(const aclTensor*, int64_t*);
extern "C" int aclGetViewShape(const aclTensor*, int64_t**, uint64_t*);
extern "C" int aclGetIntArraySize(const aclIntArray*, uint64_t*);
static void* begin(const aclTensor* tensor) {  // an address within a block of 64 bytes is its start and an offset
    void* address = nullptr;
    int64_t offset = 0;
    aclGetRawTensorAddr(tensor, &address);
    aclGetViewOffset(tensor, &offset);
    return static_cast<float*>(address) + offset;
}
struct Work { void *x, *gamma, *y; float eps; uint64_t rows, n; };
static uint64_t count(const aclTensor* tensor, uint64_t& last) {
    int64_t* shape = nullptr;
    uint64_t axes = 0, all = 1;
    aclGetViewShape(tensor, &shape, &axes);
    for (uint64_t k = 0; k < axes; ++k) all *= shape[k];
    last = axes ? shape[axes - 1] : 1;
    delete[] shape;
    return all;
}
extern "C" int aclnnPackagedScaleGetWorkspaceSize(
    const aclTensor* x, const aclTensor* gamma, double eps, int64_t times, bool twice, const char* mode,
    const aclIntArray* pads, const aclTensor* y, uint64_t* size, aclOpExecutor** executor) {
    uint64_t length = 0;
    aclGetIntArraySize(pads, &length);
    if (times != 3 || !twice || mode[0] != 'm' || length != 2) return 161002;
    Work* work = new Work{begin(x), begin(gamma), begin(y)};
    const uint64_t all = count(x, work->n);
    work->rows = work->n ? all / work->n : 0;
    work->eps = static_cast<float>(eps * times * 2);
    *size = 64;
    *executor = reinterpret_cast<aclOpExecutor*>(work);
    return 0;
}
extern "C" int aclnnPackagedScale(void*, uint64_t, aclOpExecutor* executor, void* stream) {
    Work* work = reinterpret_cast<Work*>(executor);
    GM_ADDR x = (GM_ADDR)work->x, gamma = (GM_ADDR)work->gamma, y = (GM_ADDR)work->y;
    scale<<<2, nullptr, stream>>>(x, gamma, y, work->eps, work->rows, work->n);
    delete work;
    return 0;
}
"""  # fmt: skip


@needs_compiler
def test_an_operator_of_a_package_that_is_installed(tmp_path):
    from asnumpy.ascendc import build

    (tmp_path / "op_api" / "lib").mkdir(parents=True)
    (tmp_path / "scale.cpp").write_text(PACKAGE)
    build(tmp_path / "scale.cpp", tmp_path / "op_api" / "lib" / "libcust_opapi.so")
    program = """
        import asnumpy as ap
        from asnumpy import cann, operators
        op = ap.operator(
            "packaged_scale(x: f4[..., n], gamma: f4[n], *, eps: float = 0.5, times: int = 3, twice: bool = True, "
            "mode: str = 'm', pads: tuple = (1, 2)) -> y: f4[..., n]")
        op.composed(lambda x, gamma, *, eps, times, twice, mode, pads: x * gamma + eps * times * 2)
        op.ascend(aclnn="aclnnPackagedScale")
        with ap.Device("ascend:0"):
            x = ap.arange(6, dtype="f4").reshape(2, 3) + 1
            y = op(x, x[0]) + 1
            x[...] = 0
            assert y.tolist() == [[5, 8, 13], [8, 14, 22]], y
            assert [one["implementation"] for one in operators.runs()] == ["ascend"]
            try:
                op(x, x[0], times=4)
            except cann.CannError as error:
                assert error.code == 161002 and "aclnnPackagedScale" in str(error), error
            try:
                op(x, x[0], pads=(1, "a"))
            except TypeError as error:
                print(error)
        result = operators.check(op, cases=20, seed=3, attributes={"twice": [True]})
        assert result.passed and result.ran["ascend on ascend:0"] == 20, result
    """
    environment = {**os.environ, "ASCEND_CUSTOM_OPP_PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True,
                          env=environment, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "aclnnPackagedScale: pads: expected a tuple of ints, floats or bools alone, got (1, 'a')\n"

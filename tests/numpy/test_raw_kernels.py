"""RawKernel and RawModule: kernels that are written whole, on the device that arrays lie on."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time

import numpy as np
import pytest
from device_marks import needs_own_kernels
from host_compiler import compiler

import asnumpy as ap
from asnumpy.operators import CompileError

ON_CPU = str(ap.zeros(1).device) == "cpu"
pytestmark = needs_own_kernels

ON_HOST = """
#include <cstdint>
struct Tiling { uint32_t n; float add; };
extern "C" void scale(int64_t block, int64_t blocks, float* x, float factor, uint32_t n, const Tiling* tiling) {
    for (int64_t i = block; i < n; i += blocks) x[i] = x[i] * factor + tiling->add;
}
extern "C" void through(int64_t block, int64_t, float* x, uint32_t n, float* workspace) {
    if (block) return;
    for (uint32_t i = 0; i < n; ++i) workspace[i] = x[i];
    for (uint32_t i = 0; i < n; ++i) x[i] = workspace[n - 1 - i];
}
template <class T> void filled(T* x, T value, uint32_t n) { for (uint32_t i = 0; i < n; ++i) x[i] = value; }
extern "C" void add(int64_t block, int64_t, const float* x, float* y, uint32_t n) {
    for (uint32_t i = 0; i < n && !block; ++i) y[i] += x[i];
}
extern "C" void fill(int64_t, int64_t, int64_t* x, int64_t value, uint32_t n) { filled(x, value, n); }
"""
ON_NPU = """
#include "kernel_operator.h"
using namespace AscendC;
struct Tiling { uint32_t n; float add; };
extern "C" __global__ __aicore__ void scale(GM_ADDR x, float factor, uint32_t n, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Tiling, t, tiling);
    const uint32_t part = n / GetBlockNum();
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, part * sizeof(float));
    auto a = buffer.Get<float>();
    GlobalTensor<float> xg;
    xg.SetGlobalBuffer((__gm__ float*)x + part * GetBlockIdx());
    DataCopy(a, xg, part);
    PipeBarrier<PIPE_ALL>();
    Muls(a, a, factor, part);
    Adds(a, a, t.add, part);
    PipeBarrier<PIPE_ALL>();
    DataCopy(xg, a, part);
}
extern "C" __global__ __aicore__ void through(GM_ADDR x, uint32_t n, GM_ADDR workspace) {
    if (GetBlockIdx()) return;
    GlobalTensor<float> xg, w;
    xg.SetGlobalBuffer((__gm__ float*)x);
    w.SetGlobalBuffer((__gm__ float*)workspace);
    for (uint32_t i = 0; i < n; ++i) w.SetValue(i, xg.GetValue(i));
    for (uint32_t i = 0; i < n; ++i) xg.SetValue(i, w.GetValue(n - 1 - i));
}
template <class T> __global__ __aicore__ void filled(GM_ADDR x, T value, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) ((__gm__ T*)x)[i] = value;
}
extern "C" __global__ __aicore__ void fill(GM_ADDR x, int64_t value, uint32_t n) { filled<int64_t>(x, value, n); }
extern "C" __global__ __aicore__ void add(__gm__ const float* x, __gm__ float* y, uint32_t n) {
    for (uint32_t i = 0; i < n && !GetBlockIdx(); ++i) y[i] += x[i];
}
// Reads `count` numbers from the one at `first` on, of which the array need not have so many.
extern "C" __global__ __aicore__ void beside(GM_ADDR x, int32_t first, uint32_t count) {
    LocalTensor<float> a(TPosition::VECIN, 0, 1024);
    GlobalTensor<float> xg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    DataCopy(a, xg[first], count);
}
extern "C" __global__ __aicore__ void crash(GM_ADDR x) { *(volatile int*)8 = 1; }
extern "C" __global__ __aicore__ void breaks(__gm__ const float* x, __gm__ float* y) { *(volatile int*)8 = 1; }
extern "C" __global__ __aicore__ void endless(GM_ADDR x) { volatile int going = 1; while (going) {} }
extern "C" __global__ __aicore__ void beyond(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    GlobalTensor<float> xg;
    xg.SetGlobalBuffer((__gm__ float*)x + (1ull << 40));
    DataCopy(buffer.Get<float>(), xg, 64);
}
"""
CODE = ON_HOST if ON_CPU else ON_NPU


@pytest.fixture(scope="module")
def module():
    """Compiled once."""
    return ap.RawModule(code=CODE)


def test_a_kernel_is_in_order_with_the_other_work(module):
    scale = module.get_function("scale")
    x = ap.arange(64, dtype=np.float32) + 1
    before = x * 2
    tiling = np.array([(64, 0.5)], dtype="u4,f4")
    assert scale(4, (x, np.float32(3), np.uint32(64)), tiling=tiling) is None
    after = x - 1
    numbers = np.arange(1, 65, dtype=np.float32)
    np.testing.assert_array_equal(ap.asnumpy(before), numbers * 2)
    np.testing.assert_array_equal(ap.asnumpy(x), numbers * 3 + np.float32(0.5))
    np.testing.assert_array_equal(ap.asnumpy(after), numbers * 3 - np.float32(0.5))
    view = x[32:]
    scale(1, (view, np.float32(0), np.uint32(32)), tiling=tiling.tobytes(), stream=ap.Stream())
    np.testing.assert_array_equal(ap.asnumpy(x)[32:], np.float32(0.5))
    np.testing.assert_array_equal(ap.asnumpy(x)[:32], numbers[:32] * 3 + np.float32(0.5))


def test_workspace_structures_and_integers(module):
    x = ap.arange(16, dtype=np.float32)
    module.get_function("through")(2, (x, np.uint32(16)), workspace=64)
    assert x.tolist() == list(range(15, -1, -1))
    y = ap.zeros(5, dtype=np.int64)
    module.get_function("fill")(1, (y, np.int64(-(2**40)), np.uint32(5)))
    assert y.tolist() == [-(2**40)] * 5

    class Tiling(ctypes.Structure):
        _fields_ = [("n", ctypes.c_uint32), ("add", ctypes.c_float)]

    z = ap.zeros(8, dtype=np.float32)
    module.get_function("scale")(1, (z, np.float32(1), np.uint32(8)), tiling=Tiling(8, 2.5))
    assert z.tolist() == [2.5] * 8


def test_python_numbers_become_what_is_declared(module):
    x = ap.arange(8, dtype=np.float32)
    module.get_function("scale")(1, (x, 3, 8), tiling=np.array([(8, 0.5)], dtype="u4,f4"))
    assert x.tolist() == [3 * i + 0.5 for i in range(8)]


def test_an_array_behind_a_pointer_to_const_is_only_read(module):
    add, x = module.get_function("add"), ap.arange(8, dtype=np.float32)
    y, fixed = ap.ones(8, dtype=np.float32), ap.arange(8, dtype=np.float32)
    fixed.flags.writeable = False
    target = ap.zeros(8, dtype=np.float32)
    ap.synchronize()
    later, sooner = x * 2, y * 2
    recorded = ap.pending_count()
    if not ap.config.eager and recorded == 2:
        add(1, (x, target, 8))
        assert ap.pending_count() == 2  # what reads it, too, may wait
    add(1, (x, y, 8))
    x += 100  # after the kernel has read it
    add(1, (fixed, y, 8))
    np.testing.assert_array_equal(ap.asnumpy(y), 1 + 2 * np.arange(8))
    np.testing.assert_array_equal(ap.asnumpy(sooner), 2)
    np.testing.assert_array_equal(ap.asnumpy(later), 2 * np.arange(8))
    with ap.Stream() as stream:
        add(1, (fixed, y, 8), stream=stream)
    np.testing.assert_array_equal(ap.asnumpy(y), 1 + 3 * np.arange(8))
    words = r"add: argument 1 \(y\): expected an array that may be written for '.*float\* y', got a read-only one"
    with pytest.raises(ValueError, match=words):
        add(1, (x, fixed, 8))


@pytest.mark.parametrize(
    ("parameter", "written"),
    [
        ("const float* x", False), ("float const *x", False), ("__gm__ const half* x", False), ("float* const x", True),
        ("const __gm__ uint8_t* x", False), ("const void* x", False), ("float* x", True), ("GM_ADDR x", None),
        ("const GM_ADDR x", None), ("const float* const* x", None), ("const float* __restrict__ x", False),
        ("const T* x", False), ("float x", None), ("const Tiling* x", False),
    ],
)  # fmt: skip
def test_what_a_declaration_says_of_writing(parameter, written):
    from asnumpy.operators._signature import declared

    (found,) = declared(f'extern "C" __global__ void f({parameter}) {{}}', "f")
    assert found.written is written and found.name == "x"


def test_what_a_launch_refuses(module, tmp_path):
    scale, x = module.get_function("scale"), ap.zeros((8, 8), dtype=np.float32)
    tiling = np.array([(64, 0.5)], dtype="u4,f4")
    for arguments, error, words in [
        ((x, 3.0), TypeError, r"scale: expected 4 arguments, workspace and tiling with them \(.*float factor.*, got 3"),
        ((x, np.float64(3), 64), TypeError, r"argument 1 \(factor\): expected float32 .*'float factor', got float64"),
        ((x, 3.0, 2.5), TypeError, r"argument 2 \(n\): expected a whole number for 'uint32_t n', got 2\.5"),
        ((x, 3.0, -1), OverflowError, r"argument 2 \(n\): -1 does not fit into 'uint32_t n'"),
        ((x, x, 64), TypeError, r"argument 1 \(factor\): expected a number or a structure .*, got an array"),
        ((3.0, 3.0, 64), TypeError, r"argument 0 \(x\): expected an array .*, got float"),
        ((x.T, 3.0, 64), ValueError, "argument 0: expected an array in C order"),
    ]:
        with pytest.raises(error, match=words):
            scale(1, arguments, tiling=tiling)
    with pytest.raises(ValueError, match="blocks: expected at least 1, got 0"):
        scale(0, (x,))
    with pytest.raises(TypeError, match="a structure: expected bytes, a NumPy or a ctypes structure, got dict"):
        scale(1, (x,), tiling={})
    if ON_CPU:
        with pytest.raises(TypeError, match=r"argument 0 \(x\): expected an array of float32 .*, got one of int64"):
            scale(1, (x.astype(np.int64), 3.0, 64), tiling=tiling)
    with pytest.raises(TypeError, match="expected code= or path="):
        ap.RawModule()
    with pytest.raises((ValueError, RuntimeError), match="missing"):
        module.get_function("missing")(1, (x,))


def test_the_compilers_words(module):
    wrong = CODE.replace("struct Tiling { uint32_t n; float add; };", "struct Tiling { uint32_t n; flot add; };")
    with pytest.raises(CompileError, match=r"kernel\.cpp:[34].*\n?.*flot"):
        ap.RawKernel(wrong, "scale")(1, (ap.zeros(8, dtype=np.float32), np.float32(1), np.uint32(8)))


@pytest.mark.skipif(not ON_CPU, reason="a library of the host")
def test_a_library_that_a_user_built(tmp_path, monkeypatch):
    (tmp_path / "mine.cpp").write_text(ON_HOST)
    command = [compiler(), "-shared", "-fPIC", "mine.cpp", "-o", "mine.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    kernel = ap.RawModule(path="mine.so").get_function("fill")  # the file of the working folder
    y = ap.zeros(5, dtype=np.int64)
    kernel(1, (y, np.int64(7), np.uint32(5)))
    assert y.tolist() == [7] * 5
    # Nothing is known of what was compiled before.
    with pytest.raises(TypeError, match="argument 1: expected an array, a number or a structure, got int; give an int"):
        kernel(1, (y, 7, np.uint32(5)))
    with pytest.raises(TypeError, match="argument 1: a host's compiler has no type for float16"):
        kernel(1, (y, np.float16(3), np.uint32(5)))


@pytest.mark.skipif(ON_CPU, reason="kernels of an NPU")
def test_instances_of_templates_and_files(tmp_path):
    kernel = ap.RawModule(code=ON_NPU, name_expressions=["filled<float>"]).get_function("filled<float>")
    y = ap.zeros(5, dtype=np.float32)
    kernel(1, (y, np.float32(1.5), np.uint32(5)))
    assert y.tolist() == [1.5] * 5
    from asnumpy.ascendc import build

    (tmp_path / "mine.cpp").write_text(ON_NPU)
    build(tmp_path / "mine.cpp", tmp_path / "mine.so")
    kernel = ap.RawModule(path=tmp_path / "mine.so").get_function("fill")
    y = ap.zeros(5, dtype=np.int64)
    kernel(1, (y, np.int64(7), np.uint32(5)))
    assert y.tolist() == [7] * 5


PRODUCT = """
#include "matmul/matmul.hpp"
using namespace matmul;
using TileProduct = UsualProduct<Matrix<half>, Matrix<half, ColumnMajor>>;
extern "C" __global__ __aicore__ __mix__(1, 2) void linear(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR y,
                                                           uint32_t m, uint32_t n, uint32_t k, GM_ADDR workspace) {
    fused<TileProduct, half>({x, k}, {weight, k}, {y, n}, {m, n, k}, workspace, chain(Bias<half>{bias}, Relu{}));
}
"""


@pytest.mark.skipif(ON_CPU, reason="kernels of an NPU")
def test_a_product_from_the_templates():
    rng = np.random.default_rng(1)
    x, weight, bias = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((70, 33), (300, 33), (300,)))
    y, blocks = ap.empty((70, 300), dtype=np.float16), 2
    sizes = [np.uint32(size) for size in (70, 300, 33)]
    kernel = ap.RawKernel(PRODUCT, "linear")
    kernel(blocks, (ap.array(x), ap.array(weight), ap.array(bias), y, *sizes), workspace=blocks * 2 * 128 * 256 * 4)
    np.testing.assert_array_equal(ap.asnumpy(y), np.maximum(x.astype(np.float32) @ weight.T + bias, 0))


@pytest.mark.skipif(ON_CPU, reason="kernels of an NPU")
def test_a_kernel_may_copy_whole_blocks_at_its_arrays_end(module):
    x = ap.zeros(61, dtype=np.float32)
    module.get_function("beside")(1, (x, np.int32(56), np.uint32(8)))
    assert x.tolist() == [0] * 61


@pytest.mark.skipif(ON_CPU, reason="kernels of an NPU")
@pytest.mark.skipif(os.environ.get("CANNSIM_STRICT") == "abort", reason="a finding in a kernel ends the process")
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("beyond", ()),
        ("beside", (np.int32(64), np.uint32(8))),  # within the pool's memory, behind the array
        ("beside", (np.int32(-8), np.uint32(8))),
        ("beside", (np.int32(32), np.uint32(64))),
        ("crash", ()),
        ("endless", ()),
    ],
)
def test_a_kernel_that_goes_wrong_is_an_error_and_other_arrays_live(module, name, more):
    from asnumpy import cannsim

    other, x = ap.arange(8.0) * 2, ap.zeros(64, dtype=np.float32)
    ap.synchronize()
    cannsim.configure(kernel_seconds=1)
    try:
        module.get_function(name)(1, (x, *more))
        with pytest.raises(RuntimeError, match=name):
            ap.asnumpy(x)
    finally:
        cannsim.configure(kernel_seconds=60)
    assert other.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    again = ap.arange(4.0) + 1
    assert again.tolist() == [1, 2, 3, 4]


@pytest.mark.skipif(ON_CPU, reason="kernels of an NPU")
@pytest.mark.skipif(os.environ.get("CANNSIM_STRICT") == "abort", reason="a finding in a kernel ends the process")
def test_what_a_kernel_that_goes_wrong_only_read_keeps_its_values(module):
    x, y = ap.arange(8, dtype=np.float32), ap.zeros(8, dtype=np.float32)
    ap.synchronize()  # what was written since the last wait is lost, too
    module.get_function("breaks")(1, (x, y))
    with pytest.raises(RuntimeError, match="breaks"):
        ap.asnumpy(y)
    assert x.tolist() == list(range(8))


TWICE = """
#include <cstdint>
#include <ctime>
extern "C" void twice(int64_t block, int64_t blocks, double* x, int64_t* seen, int64_t n, double seconds) {
    for (int64_t i = block; i < n; i += blocks) x[i] *= 2;
    seen[block] += 1;
    timespec wait{0, static_cast<long>(seconds * 1e9)};
    nanosleep(&wait, nullptr);
}
"""


@pytest.mark.skipif(not ON_CPU, reason="blocks of the CPU")
def test_blocks_run_once_each_on_several_threads():
    kernel, blocks = ap.RawKernel(TWICE, "twice"), 23
    x, seen = ap.arange(1000.0), ap.zeros(blocks, dtype=np.int64)
    with ap.config.using(num_threads=4):
        kernel(blocks, (x, seen, np.int64(1000), 0.0))
        begun = time.perf_counter()
        kernel(blocks, (x[:0], seen, np.int64(0), 0.02))
        together = time.perf_counter() - begun
    with ap.config.using(num_threads=1):
        begun = time.perf_counter()
        kernel(blocks, (x[:0], seen, np.int64(0), 0.02))
        in_turn = time.perf_counter() - begun
    assert x.tolist() == (np.arange(1000.0) * 2).tolist() and seen.tolist() == [3] * blocks
    assert together < in_turn  # they sleep side by side

"""CUDA C++: compiled by NVRTC to PTX, and launched on a driver that this test builds, which has the host's memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import operators
from asnumpy.operators import CompileError
from asnumpy.operators._compiler import RunTimeCompiler

SOURCE = """
extern "C" __global__ void scale(const float* x, float factor, double add, long long n, float* y) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor + add;
}
"""
# What of the driver a launch needs; the kernel itself is computed here, with the arguments as they come.
DRIVER = """
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
static int context;
extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGet(int* device, int) { *device = 0; return 0; }
int cuDeviceGetAttribute(int* value, int which, int) { *value = which == 75 ? 8 : 6; return 0; }
int cuPointerGetAttribute(void** into, int which, uint64_t address) {
    *into = &context;
    return which == 1 && address ? 0 : 1;
}
int cuCtxPushCurrent_v2(void* c) { return c == &context ? 0 : 201; }
int cuCtxPopCurrent_v2(void** c) { *c = &context; return 0; }
int cuModuleLoadData(void** module, const char* ptx) {
    *module = const_cast<char*>(ptx);
    std::printf("loaded %d\\n", std::strstr(ptx, ".target sm_86") != nullptr);
    return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
    *function = &context;
    return std::strcmp(name, "scale") ? 500 : 0;
}
int cuGetErrorName(int, const char** text) { *text = "CUDA_ERROR_NOT_FOUND"; return 0; }
int cuLaunchKernel(void*, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void* stream, void** p, void**) {
    std::printf("launched %u %u %u %u %u %u %u %zu\\n", gx, gy, gz, bx, by, bz, shared, (size_t)stream);
    std::fflush(stdout);
    const float* x = *(const float**)p[0];
    const float factor = *(const float*)p[1];
    const double add = *(const double*)p[2];
    const int64_t n = *(const int64_t*)p[3];
    float* y = *(float**)p[4];
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * factor + add;
    return 0;
}
}
"""


def compiled(code: str, **named: str) -> bytes:
    """Skips where NVRTC is not installed."""
    try:
        return operators.compile_cuda(code, **named)
    except CompileError as error:
        if "expected NVRTC" in str(error):
            pytest.skip("NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
        raise


def test_a_source_becomes_ptx():
    ptx = compiled(SOURCE, architecture="compute_80").decode()
    assert ".target sm_80" in ptx and ".entry scale(" in ptx
    compiled("__global__ void f() { static_assert(MORE == 3); }", options=["-DMORE=3"])
    if not os.path.exists("/dev/nvidiactl"):
        assert b".entry scale(" in operators.CudaKernel(SOURCE, "scale").ptx


def test_what_was_compiled_is_kept(tmp_path, monkeypatch):
    compiled(SOURCE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ran, run = [], RunTimeCompiler.run
    monkeypatch.setattr(RunTimeCompiler, "run", lambda *given: ran.append(1) or run(*given))
    first = operators.compile_cuda(SOURCE, architecture="compute_80")
    assert operators.compile_cuda(SOURCE, architecture="compute_80") == first and len(ran) == 1
    assert operators.compile_cuda(SOURCE, architecture="compute_86") != first and len(ran) == 2
    operators.compile_cuda(SOURCE, ["--use_fast_math"], architecture="compute_80")
    assert len(ran) == 3 and len(list((tmp_path / "asnumpy" / "kernels").iterdir())) == 3


def test_what_the_compiler_refuses():
    compiled(SOURCE)
    with pytest.raises(CompileError, match=r"kernel\.cu\(3\): error: .*flot"):
        operators.compile_cuda("\n\n__global__ void f(flot* x) {}")
    with pytest.raises(CompileError, match="flot"):
        operators.CudaKernel("__global__ void f(flot* x) {}", "f").ptx


class Array:
    """An array as another library's, whose memory is the host's."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    @property
    def __cuda_array_interface__(self) -> dict:
        told = self.values.__array_interface__
        return {"shape": told["shape"], "typestr": told["typestr"], "data": told["data"], "version": 3,
                "strides": told["strides"]}  # fmt: skip

    def __array_namespace__(self) -> type:
        class Namespace:
            @staticmethod
            def empty(shape: tuple[int, ...], dtype: np.dtype) -> Array:
                return Array(np.empty(shape, dtype))

        return Namespace


def floats(*shape: int) -> Array:
    return Array(np.arange(np.prod(shape), dtype="f4").reshape(shape))


@pytest.fixture
def op():
    made = ap.operator("cuda_scale(x: T[..., n], gamma: f4[] = None, *, by: float = 2.0) -> y: T[..., n]", T="f4 f8")
    made.composed(lambda x, gamma, *, by: x * by)

    @made.cuda(dtypes="f4")
    def _(x, gamma, y, *, by):
        y.values[...] = x.values * by + (0 if gamma is None else gamma)

    return made


def test_arrays_of_other_libraries_reach_the_implementation(op):
    operators.forget_runs()
    x = floats(2, 3)
    y = op(x, by=3.0)
    assert isinstance(y, Array) and (y.values == x.values * 3).all()
    out = floats(2, 3)
    assert op(x, 1.5, out=out) is out and (out.values == x.values * 2 + 1.5).all()
    assert [(one["implementation"], one["device"], one["count"]) for one in operators.runs()] == [("cuda", "cuda", 2)]
    told = operators.explain(op, x)
    assert told.chosen == "cuda" and "no   composed: asnumpy has no arrays on CUDA devices" in str(told)
    assert op(floats(0, 3)).values.shape == (0, 3)


def test_what_such_arrays_are_refused_for(op):
    with pytest.raises(ValueError, match=r"cuda_scale: x: expected at least 1 axis, \[..., n\], got the shape \(\)"):
        op(floats())
    with pytest.raises(RuntimeError, match=r"no implementation can compute .* on cuda: .*it is not for T = float64"):
        op(Array(np.ones(3)))
    with pytest.raises(TypeError, match="cuda_scale: x: expected float32 or float64"):
        op(Array(np.ones(3, "i8")))
    with pytest.raises(ValueError, match="expected arrays of one device, got some of CUDA and some of"):
        op(floats(3), ap.ones((), dtype="f4"))
    with pytest.raises(TypeError, match="out: expected an array of a CUDA device, got ndarray"):
        op(floats(3), out=np.ones(3, "f4"))
    with pytest.raises(ValueError, match="out: expected an array in C order"):
        op(floats(2, 2), out=Array(np.ones((2, 2), "f4").T))


def test_arguments_of_a_launch_are_checked():
    kernel, x = operators.CudaKernel(SOURCE, "scale"), floats(3)
    with pytest.raises(TypeError, match="scale: expected 5 arguments"):
        kernel(1, 32, (x, 3))
    with pytest.raises(TypeError, match=r"scale: argument 1 \(factor\): expected float32 .*, got float64"):
        kernel(1, 32, (x, np.float64(3), 0.5, 3, x))
    with pytest.raises(TypeError, match=r"argument 0 \(x\): expected an array of float32 .*, got one of float64"):
        kernel(1, 32, (Array(np.ones(3)), 3, 0.5, 3, x))
    with pytest.raises(ValueError, match="scale: argument 4: expected an array in C order"):
        kernel(1, 32, (x, 3, 0.5, 3, Array(np.ones((2, 2), "f4").T)))
    with pytest.raises(ValueError, match=r"scale: grid: expected one to three numbers of at least 1, got \(1, 0\)"):
        kernel((1, 0), 32, (x, 3, 0.5, 3, x))
    with pytest.raises(ValueError, match=r"argument 4 \(y\): expected an array that may be written for 'float ?\* y'"):
        kernel(1, 32, (x, 3, 0.5, 3, Array(np.broadcast_to(np.float32(1), (1,)))))
    unknown = operators.CudaKernel("KERNEL(scale)", "scale")
    with pytest.raises(TypeError, match="scale: expected an array of a CUDA device among the arguments"):
        unknown(1, 32, (1.5,))
    with pytest.raises(TypeError, match="scale: argument 1: expected an array of a CUDA device or a number, got int"):
        unknown(1, 32, (x, 3))


@pytest.mark.skipif(not shutil.which("g++"), reason="the driver is compiled here")
@pytest.mark.skipif(os.path.exists("/dev/nvidiactl"), reason="there is a driver, which this one would hide")
def test_a_launch_on_a_driver(tmp_path):
    (tmp_path / "scale.ptx").write_bytes(compiled(SOURCE, architecture="compute_86"))
    (tmp_path / "driver.cpp").write_text(DRIVER)
    command = ["g++", "-shared", "-fPIC", "-o", "libcuda.so.1", "driver.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = """
        import numpy as np
        from test_cuda import Array, SOURCE, floats
        from asnumpy import operators
        from asnumpy.operators import _cuda
        asked = []

        def compile_before(code, options):  # NVRTC asks a driver for more than this one has
            asked.append(_cuda._architecture())
            return open("scale.ptx", "rb").read()

        _cuda.compile_cuda = compile_before
        kernel = operators.CudaKernel(SOURCE, "scale")
        x, y = floats(5), Array(np.zeros(5, "f4"))
        kernel((1, 2), 32, (x, np.float32(3), 0.5, np.int64(5), y), shared_mem=16, stream=7)
        assert y.values.tolist() == [0.5, 3.5, 6.5, 9.5, 12.5]
        kernel(1, 32, (x, np.float32(0), 0.5, np.int64(5), y))
        assert y.values.tolist() == [0.5] * 5
        try:
            operators.CudaKernel(SOURCE, "other")(1, 1, (x,))
        except RuntimeError as error:
            print(error, flush=True)
        assert asked == ["compute_86"] * 2
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path),
                   "PYTHONPATH": os.pathsep.join([folder, *sys.path])}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True,
                          env=environment, cwd=tmp_path, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == sorted([
        "loaded 1", "launched 1 2 1 32 1 1 16 7", "launched 1 1 1 32 1 1 0 0", "loaded 1",
        "cuModuleGetFunction failed with CUDA_ERROR_NOT_FOUND (500)",
    ])

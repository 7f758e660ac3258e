"""Kernels of cube cores and of both kinds in the simulator, and libraries that `asnumpy ascendc build` makes."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from host_compiler import compiler

from cannsim import acl, kernels
from cannsim.acl import Memory
from cannsim.kernels import HEAD, Binary, array_of, build, memory_of, wait

pytestmark = pytest.mark.skipif(
    not kernels.compiles(), reason="CANN 8 has no libacl_rtc.so, or there is no C++ compiler to compile kernels with"
)

# One tile of 16 x 16: c = a b by the cube core; in the mixed kernel a vector core then adds 1 to what it left there.
PRODUCT = HEAD + """
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
    GlobalTensor<half> ag, bg;
    GlobalTensor<float> cg;
    ag.SetGlobalBuffer((__gm__ half*)a + GetBlockIdx() * 256);
    bg.SetGlobalBuffer((__gm__ half*)b);
    cg.SetGlobalBuffer((__gm__ float*)c + GetBlockIdx() * 256);
    LocalTensor<half> a1(TPosition::A1, 0, 256), b1(TPosition::B1, 512, 256);
    LocalTensor<half> a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> c0(TPosition::CO1, 0, 256);
    DataCopy(a1, ag, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
    DataCopy(b1, bg, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(b2, b1, LoadData2DParams(0, 1, 1, 0, 0, true, 0));
    SetFlag<HardEvent::MTE1_M>(0); WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(c0, a2, b2, MmadParams(16, 16, 16, 0, false, true));
    SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 out;
    out.nSize = 16; out.mSize = 16; out.srcStride = 16; out.dstStride = 16;
    Fixpipe<float, float, CFG_ROW_MAJOR>(cg, c0, out);
}
extern "C" __global__ __cube__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c) { Multiply(a, b, c); }
extern "C" __global__ __mix__(1, 1) void product_and_one(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
    if ASCEND_IS_AIC {
        Multiply(a, b, c);
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    }
    if ASCEND_IS_AIV {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 1024);
        auto tile = buffer.Get<float>();
        GlobalTensor<float> cg;
        cg.SetGlobalBuffer((__gm__ float*)c + GetBlockIdx() * 256);
        CrossCoreWaitFlag(0);
        DataCopy(tile, cg, 256);
        PipeBarrier<PIPE_ALL>();
        Adds(tile, tile, 1.0f, 256);
        PipeBarrier<PIPE_ALL>();
        DataCopy(cg, tile, 256);
    }
}
"""

FILE = """
#include "kernel_operator.h"
using namespace AscendC;
template <class T>
__global__ __aicore__ void shift(GM_ADDR x, T value, uint32_t n) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, n * sizeof(T));
    auto tile = buffer.Get<T>();
    GlobalTensor<T> xg;
    xg.SetGlobalBuffer((__gm__ T*)x);
    DataCopy(tile, xg, n);
    PipeBarrier<PIPE_ALL>();
    Adds(tile, tile, value, n);
    PipeBarrier<PIPE_ALL>();
    DataCopy(xg, tile, n);
}
extern "C" __global__ __aicore__ void twice(GM_ADDR x, uint32_t n) { shift<float>(x, 2.0f, n); }
extern "C" int run(void* stream, GM_ADDR x, uint32_t n) {
    shift<float><<<1, nullptr, stream>>>(x, 0.5f, n);
    twice<<<1, nullptr, stream>>>(x, n);
    return 0;
}
"""


@pytest.mark.parametrize(("name", "more"), [("product", 0), ("product_and_one", 1)])
def test_cube_and_mixed_kernels(name, more):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (rows, 16)).astype(np.float16) for rows in (48, 16))
    places = [memory_of(a), memory_of(b), Memory(48 * 16 * 4)]
    binary = Binary(build(PRODUCT))
    binary.launch(name, 3, *places)
    wait()
    expected = a.astype(np.float32) @ b.astype(np.float32) + more
    assert (array_of(places[2], np.float32).reshape(48, 16) == expected).all()
    binary.unload()
    for place in places:
        place.free()


def run_build(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "asnumpy", "ascendc", "build", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_a_library_of_kernels(tmp_path):
    (tmp_path / "kernels.cpp").write_text(FILE)
    done = run_build(str(tmp_path / "kernels.cpp"), "-o", str(tmp_path / "libkernels.so"))
    assert done.returncode == 0, done.stdout + done.stderr
    use_library(tmp_path)


def test_an_object_of_kernels_is_linked_with_more(tmp_path):
    """One library with kernels of both kinds of cores, and a host's code that launches them."""
    (tmp_path / "kernels.cpp").write_text(FILE + PRODUCT.removeprefix(HEAD))
    done = run_build(str(tmp_path / "kernels.cpp"), "-o", str(tmp_path / "kernels.o"))
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "host.cpp").write_text("""
#include "aclrtlaunch_product.h"
extern "C" uint32_t three(void* stream, void* a, void* b, void* c) { return aclrtlaunch_product(3, stream, a, b, c); }
""")
    command = [str(compiler()), "-shared", "-fPIC", "host.cpp", "kernels.o", "-o", "libkernels.so"]
    subprocess.run([*command, f"-L{acl.folder()}", "-lascendcl"], cwd=tmp_path, check=True)
    (tmp_path / "kernels.o").unlink()
    use_library(tmp_path)
    a, b = (np.arange(rows * 16).reshape(rows, 16).astype(np.float16) % 5 for rows in (48, 16))
    places = [memory_of(a), memory_of(b), Memory(48 * 16 * 4)]
    assert ctypes.CDLL(str(tmp_path / "libkernels.so")).three(None, *(place.address for place in places)) == 0
    wait()
    assert (array_of(places[2], np.float32).reshape(48, 16) == a.astype(np.float32) @ b.astype(np.float32)).all()
    for place in places:
        place.free()


def use_library(folder: Path) -> None:
    assert "aclrtlaunch_twice" in (folder / "aclrtlaunch_twice.h").read_text()
    library = ctypes.CDLL(str(folder / "libkernels.so"))
    x = memory_of(np.arange(64, dtype=np.float32))
    assert library.run(None, x.address, ctypes.c_uint32(64)) == 0
    wait()
    assert (array_of(x, np.float32) == np.arange(64) + 2.5).all()
    assert library.aclrtlaunch_twice(ctypes.c_uint32(1), None, x.address, ctypes.c_uint32(64)) == 0
    wait()
    assert (array_of(x, np.float32) == np.arange(64) + 4.5).all()
    x.free()


def test_names_without_a_folder_and_options_of_the_compiler(tmp_path, monkeypatch):
    (tmp_path / "kernels.cpp").write_text(FILE.replace("Adds(tile, tile, value, n);", "Adds(tile, tile, MORE, n);"))
    assert run_build("kernels.cpp", "-o", "kernels.so", folder=tmp_path).returncode == 1
    done = run_build("kernels.cpp", "-o", "kernels.so", "--", "-DMORE=7.5f", "-O1", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.chdir(tmp_path)
    binary = Binary("kernels.so")
    x = memory_of(np.arange(64, dtype=np.float32))
    binary.launch("twice", 1, x, np.uint32(64))
    wait()
    assert (array_of(x, np.float32) == np.arange(64) + 7.5).all()
    binary.unload()
    x.free()


def test_kernels_find_the_templates_for_products(tmp_path):
    """The example's kernels, launched from C as from torch: a by rows and b by columns."""
    source = Path(__file__).resolve().parents[2] / "examples" / "basic_matmul" / "kernels.cpp"
    done = run_build(str(source), "-o", str(tmp_path / "libkernels.so"), "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr
    library = ctypes.CDLL(str(tmp_path / "libkernels.so"))
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((37, 70), (51, 70)))
    places = [memory_of(a), memory_of(b), Memory(37 * 51 * 4)]
    pitch, number = ctypes.c_uint64, ctypes.c_uint32
    launched = library.aclrtlaunch_basic_matmul_float16_float32(
        number(4), None, *(place.address for place in places), pitch(70), pitch(70), number(37), number(51), number(70),
        number(2),
    )  # fmt: skip
    assert launched == 0
    wait()
    assert (array_of(places[2], np.float32).reshape(37, 51) == a.astype(np.float32) @ b.astype(np.float32).T).all()
    for place in places:
        place.free()


def test_the_compilers_errors_name_the_users_lines(tmp_path):
    (tmp_path / "wrong.cpp").write_text(FILE.replace("Adds(tile, tile, value, n);", "Adds(tile, missing, value, n);"))
    done = run_build(str(tmp_path / "wrong.cpp"), "-o", str(tmp_path / "libwrong.so"))
    text = done.stdout + done.stderr
    assert done.returncode == 1 and "wrong.cpp:14" in text and "missing" in text
    assert not (tmp_path / "libwrong.so").exists()
    done = run_build(str(tmp_path / "nothing.cpp"), "-o", str(tmp_path / "libnothing.so"))
    assert done.returncode != 0 and "nothing.cpp" in done.stderr
    assert run_build("--help").returncode == 0

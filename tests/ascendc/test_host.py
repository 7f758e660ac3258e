"""What a kernel's host asks: the chip's sizes, the division of products, temporaries of the library's functions."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from host_compiler import compiler, needs_compiler

from .harness import INCLUDE, Kernel
from .test_matmul import HEAD, kernel, matrices

pytestmark = needs_compiler

SOURCE = """
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "register/tilingdata_base.h"
using namespace matmul_tiling;
extern "C" int divide(int cores, int m, int n, int k, int type, int base_m, int base_n, int base_k,
                       optiling::TCubeTiling* out) {
    auto chip = platform_ascendc::PlatformAscendC(nullptr);
    MultiCoreMatmulTiling many(chip);
    MatmulApiTiling one(chip);
    MatmulApiTiling& chosen = cores > 1 ? many : one;
    many.SetDim(cores);
    chosen.SetAType(TPosition::GM, CubeFormat::ND, static_cast<DataType>(type), false);
    chosen.SetBType(TPosition::GM, CubeFormat::ND, static_cast<DataType>(type), false);
    chosen.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    chosen.SetShape(m, n, k);
    chosen.SetOrgShape(m, n, k);
    chosen.SetFixSplit(base_m, base_n, base_k);
    chosen.SetBufferSpace(-1, -1, -1);
    return static_cast<int>(chosen.GetTiling(*out));
}
extern "C" void chip(uint64_t* sizes) {
    auto* chip = platform_ascendc::PlatformAscendCManager::GetInstance();
    using Memory = platform_ascendc::CoreMemType;
    for (auto memory : {Memory::UB, Memory::L1, Memory::L0_A, Memory::L0_B, Memory::L0_C})
        chip->GetCoreMemSize(memory, *sizes++);
    *sizes++ = chip->GetCoreNumAic();
    *sizes++ = chip->GetCoreNumAiv();
    *sizes++ = chip->GetLibApiWorkSpaceSize();
    *sizes++ = chip->CalcTschBlockDim(7, 24, 48);
}
extern "C" void softmax(int64_t m, int64_t k, AscendC::SoftMaxTiling* tiling, uint32_t* temporaries) {
    ge::Shape shape({m, k});
    AscendC::SoftMaxTilingFunc(shape, 4, AscendC::GetSoftMaxMinTmpSize(shape, 4, false), *tiling);
    AscendC::GetSinMaxMinTmpSize(shape, 4, false, temporaries[0], temporaries[1]);
    temporaries[2] = AscendC::GetSoftMaxMaxTmpSize(shape, 4, false);
    temporaries[3] = AscendC::GetSortTmpSize(platform_ascendc::PlatformAscendC(), 64, 4);
}
extern "C" void rows(int64_t b, int64_t s, int64_t h, int64_t original, optiling::LayerNormTiling* norm,
                     optiling::RmsNormTiling* rms, optiling::LayerNormGradTiling* gradient, optiling::PadTiling* pad) {
    ge::Shape shape({b, s, h});
    AscendC::GetLayerNormNDTilingInfo(shape, 0, 4, false, *norm);
    if (!AscendC::GetRmsNormTilingInfo(shape, ge::Shape({b, s, original}), 0, 4, *rms)) rms->bLength = 0;
    AscendC::GetLayerNormGradNDTilingInfo(shape, 0, 4, false, *gradient);
    AscendC::PadTilingFunc(ge::Shape({s, h}), ge::Shape({s, original}), 0, 4, *pad);
}
extern "C" int topk(int inner, int outer, int k, optiling::TopkTiling* tiling) {
    uint32_t most = 0, least = 0;
    auto chip = platform_ascendc::PlatformAscendC(nullptr);
    auto mode = AscendC::TopKMode::TOPK_NORMAL;
    if (!AscendC::GetTopKMaxMinTmpSize(chip, inner, outer, false, false, mode, true, 4, most, least)) return -1;
    return AscendC::TopKTilingFunc(chip, inner, outer, k, 4, false, mode, true, *tiling) ? static_cast<int>(least) : -2;
}
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The host's functions, in a library that no device's compiler has seen."""
    folder: Path = tmp_path_factory.mktemp("host")
    (folder / "host.cpp").write_text(SOURCE)
    command = [compiler() or "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{INCLUDE}"]
    done = subprocess.run([*command, str(folder / "host.cpp"), "-o", str(folder / "host.so")], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "host.so"))


HALF, FLOAT, INT8 = 1, 0, 2


def divide(
    host: ctypes.CDLL, cores: int, m: int, n: int, k: int, type_: int = HALF, base: tuple[int, int, int] = (-1, -1, -1)
) -> tuple[int, np.ndarray]:
    numbers = np.zeros(50, np.int32)
    code = host.divide(cores, m, n, k, type_, *base, ctypes.c_void_p(numbers.ctypes.data))
    return code, numbers


def test_the_chip(host):
    sizes = np.zeros(9, np.uint64)
    host.chip(ctypes.c_void_p(sizes.ctypes.data))
    assert sizes.tolist() == [196608, 524288, 65536, 65536, 131072, 24, 48, 16 << 20, 4]


@pytest.mark.parametrize("type_", [HALF, FLOAT, INT8])
@pytest.mark.parametrize("shape", [(1, 1, 1), (100, 80, 60), (4096, 4096, 4096), (16, 20000, 33), (5000, 8, 100000)])
def test_tiles_fit_the_memories(host, shape, type_):
    code, numbers = divide(host, 1, *shape, type_)
    assert code == 0 and numbers[:8].tolist() == [1, *shape[:2], shape[2], shape[2], *shape]
    base_m, base_n, base_k = (int(each) for each in numbers[8:11])
    width, up = {HALF: 2, FLOAT: 4, INT8: 1}[type_], -(-base_n // 16) * 16
    assert 2 * base_m * base_k * width <= 65536 and 2 * up * base_k * width <= 65536 and base_m * up * 4 <= 131072
    assert base_m % 16 == base_n % 16 == 0 and base_k * width % 32 == 0
    assert 2 * (base_m + up) * base_k * width == numbers[19] <= 524288


@pytest.mark.parametrize("cores", [2, 20, 24])
@pytest.mark.parametrize("shape", [(4096, 4096, 64), (64, 4096, 64), (4096, 64, 64), (1000, 300, 10), (10, 10, 10)])
def test_cores_share_a_product(host, cores, shape):
    code, numbers = divide(host, cores, *shape)
    used, single_m, single_n = (int(numbers[i]) for i in (0, 5, 6))
    pieces = -(-shape[0] // single_m) * -(-shape[1] // single_n)
    assert code == 0 and pieces == used <= cores
    # No core has much more than its share, but for fractals.
    assert single_m * single_n <= max(shape[0] * shape[1] / cores * 2, 16 * 16) + 16 * (single_m + single_n)


def test_tiles_that_the_host_fixes(host):
    code, numbers = divide(host, 1, 512, 512, 512, base=(64, 64, 64))
    assert code == 0 and numbers[8:11].tolist() == [64, 64, 64]
    assert divide(host, 1, 512, 512, 512, base=(256, 256, 64))[0] == -1  # more than L0C has
    assert divide(host, 1, 512, 512, 512, base=(128, 128, 512))[0] == -1  # than L0A
    assert divide(host, 1, 0, 512, 512)[0] == -1


@cache
def blocks() -> Kernel:
    lines = """
    int across = (tiling.N + tiling.singleCoreN - 1) / tiling.singleCoreN;
    int row = GetBlockIdx() / across * tiling.singleCoreM, column = GetBlockIdx() % across * tiling.singleCoreN;
    m.SetTail(min(tiling.singleCoreM, tiling.M - row), min(tiling.singleCoreN, tiling.N - column), tiling.Ka);
    m.SetTensorA(ag[row * tiling.Ka]); m.SetTensorB(bg[column]);
    m.IterateAll(cg[row * tiling.N + column]);
    """
    return Kernel(HEAD + kernel("shared", "half", "float", lines), ["shared"], "mix_1_1")


@pytest.mark.parametrize("shape", [(100, 70, 50), (256, 33, 16), (17, 300, 64)])
def test_a_kernel_runs_by_its_hosts_division(host, shape):
    code, numbers = divide(host, 6, *shape)
    a, b = matrices(np.float16, *shape)
    c = np.zeros(shape[:2], np.float32)
    ran = blocks()("shared", int(numbers[0]), a, b, c, numbers.tobytes())
    assert code == 0 and ran.findings == []
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_temporaries(host):
    tiling, sizes = np.zeros(16, np.uint32), np.zeros(4, np.uint32)
    host.softmax(ctypes.c_int64(6), ctypes.c_int64(40), ctypes.c_void_p(tiling.ctypes.data),
                 ctypes.c_void_p(sizes.ctypes.data))  # fmt: skip
    assert tiling[:5].tolist() == [6, 40, 240, 6, 8]
    assert sizes.tolist() == [960, 256, 960, 512]


def test_tilings_of_rows_hold_their_shape(host):
    norm, rms, gradient, pad = (np.zeros(26, np.uint32) for _ in range(4))
    host.rows(*(ctypes.c_int64(n) for n in (3, 5, 40, 37)),
              *(ctypes.c_void_p(each.ctypes.data) for each in (norm, rms, gradient, pad)))  # fmt: skip
    assert norm[:6].tolist() == [3, 5, 40, 40, 600, 15]
    assert rms[:4].tolist() == [3, 5, 40, 37] and rms[4:5].view(np.float32)[0] == np.float32(1 / 37)
    assert gradient[:6].tolist() == [3, 5, 40, 3, 5, 40]
    assert pad[:3].tolist() == [5, 40, 37]


@pytest.mark.parametrize("inner, outer, k, code", [(64, 3, 10, 256), (63, 3, 10, -2), (64, 0, 10, -1), (64, 3, 65, -2)])
def test_the_tiling_of_topk(host, inner, outer, k, code):
    tiling = np.zeros(32, np.int32)
    assert host.topk(inner, outer, k, ctypes.c_void_p(tiling.ctypes.data)) == code
    if code > 0:
        assert tiling[1:7].tolist() == [outer * inner, inner, inner // 32, 0, 16, 16]

"""The Matmul object beside NumPy: types, transposed operands, tails, bias, tiles, several cores."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Kernel

pytestmark = needs_compiler

TYPES = {
    "half_float": ("half", "float", np.float16, np.float32),
    "half_half": ("half", "half", np.float16, np.float16),
    "bfloat16_float": ("bfloat16_t", "float", ml_dtypes.bfloat16, np.float32),
    "float_float": ("float", "float", np.float32, np.float32),
    "int8_int32": ("int8_t", "int32_t", np.int8, np.int32),
}
HEAD = """
#include "lib/matmul_intf.h"
using namespace AscendC;
using namespace matmul;
template <class T>
GlobalTensor<T> global(GM_ADDR address) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)address);
    return tensor;
}
"""


def kernel(name: str, a: str, c: str, lines: str, format_: str = "ND", bias: str | None = None, more: str = "") -> str:
    """A kernel with an object `m` that was registered with a tiling."""
    return f"""
    extern "C" __global__ __aicore__ void {name}(GM_ADDR a, GM_ADDR b, GM_ADDR c, {more}TCubeTiling tiling) {{
        TPipe pipe;
        Matmul<MatmulType<TPosition::GM, CubeFormat::{format_}, {a}>, MatmulType<TPosition::GM, CubeFormat::ND, {a}>,
               MatmulType<TPosition::GM, CubeFormat::ND, {c}>,
               MatmulType<TPosition::GM, CubeFormat::ND, {bias or c}>> m;
        REGIST_MATMUL_OBJ(&pipe, nullptr, m, &tiling);
        auto ag = global<{a}>(a), bg = global<{a}>(b);
        auto cg = global<{c}>(c);
        {lines}
        m.End();
    }}
    """


SOURCES = {}
for _name, (_a, _c, *_) in TYPES.items():
    for _left in "nt":
        for _right in "nt":
            flags = [str(each == "t").lower() for each in (_left, _right)]
            SOURCES[f"{_name}_{_left}{_right}"] = kernel(
                f"{_name}_{_left}{_right}", _a, _c,
                f"m.SetTensorA(ag, {flags[0]}); m.SetTensorB(bg, {flags[1]}); m.IterateAll(cg);",
            )  # fmt: skip
SOURCES["biased"] = kernel(
    "biased", "half", "float",
    "m.SetTensorA(ag); m.SetTensorB(bg); m.SetBias(global<float>(d)); m.IterateAll(cg);", more="GM_ADDR d, ",
)  # fmt: skip
SOURCES["continued"] = kernel(
    "continued", "half", "float",
    "m.SetTensorA(ag); m.SetTensorB(bg); m.SetBias(global<float>(d)); m.Iterate(true); m.GetTensorC(cg);",
    more="GM_ADDR d, ",
)  # fmt: skip
# Named without a namespace: the configuration.
SOURCES["begun"] = """
extern "C" __global__ __aicore__ void begun(GM_ADDR a, GM_ADDR b, GM_ADDR c, TCubeTiling tiling, int32_t asked) {
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::VECIN, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, float>,
           ::CFG_MDL> m;
    REGIST_MATMUL_OBJ(&pipe, nullptr, m, &tiling);
    auto ag = global<half>(a), bg = global<half>(b);
    auto cg = global<float>(c);
    TQue<QuePosition::VECIN, 1> queue;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(queue, 1, tiling.baseM * tiling.baseN * sizeof(float));
    pipe.InitBuffer(buffer, tiling.baseM * tiling.baseN * sizeof(float));
    m.SetTensorA(ag); m.SetTensorB(bg);
    m.template Iterate<false>();
    for (int32_t tile = 0; tile < asked; ++tile) {
        LocalTensor<float> local = queue.AllocTensor<float>();
        m.template GetTensorC<false>(local);
        m.WaitGetTensorC();
        queue.EnQue(local);
        local = queue.DeQue<float>();
        LocalTensor<float> twice = buffer.Get<float>();
        Add(twice, local, local, tiling.baseM * tiling.baseN);
        PipeBarrier<PIPE_ALL>();
        DataCopy(cg[tile * tiling.baseM * tiling.baseN], twice, tiling.baseM * tiling.baseN);
        PipeBarrier<PIPE_ALL>();
        buffer.FreeTensor(twice);
        queue.FreeTensor(local);
    }
    m.End();
}
"""
SOURCES["blocks"] = kernel(
    "blocks", "half", "float",
    """
    int rows = tiling.M / GetBlockNum();
    m.SetSingleShape(rows, tiling.N, tiling.Ka);
    m.SetTensorA(ag[GetBlockIdx() * rows * tiling.Ka]); m.SetTensorB(bg);
    m.IterateAll(cg[GetBlockIdx() * rows * tiling.N]);
    """,
)  # fmt: skip
SOURCES["tiles"] = kernel(
    "tiles", "half", "float",
    """
    TQue<QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, tiling.baseM * tiling.baseN * sizeof(float));
    m.SetTensorA(ag); m.SetTensorB(bg);
    for (int tile = 0; m.template Iterate<true>(); ++tile) {
        LocalTensor<float> local = queue.AllocTensor<float>();
        m.template GetTensorC<true>(local);
        Add(local, local, local, tiling.baseM * tiling.baseN);
        queue.EnQue(local);
        local = queue.DeQue<float>();
        DataCopy(cg[tile * tiling.baseM * tiling.baseN], local, tiling.baseM * tiling.baseN);
        queue.FreeTensor(local);
    }
    """,
)  # fmt: skip
SOURCES["added"] = kernel(
    "added", "half", "float",
    "m.SetTensorA(ag); m.SetTensorB(bg); m.IterateAll(cg, 1); m.SetTensorA(ag); m.IterateAll(cg, 1);",
)  # fmt: skip
SOURCES["fractals"] = kernel(
    "fractals", "half", "float", "m.SetTensorA(ag); m.SetTensorB(bg); m.IterateAll(cg);", format_="NZ"
)
SOURCES["scaled"] = kernel(
    "scaled", "int8_t", "half",
    "m.SetTensorA(ag); m.SetTensorB(bg); m.SetQuantScalar(0x3f000000); m.IterateAll(cg);", bias="int32_t",
)  # fmt: skip


@pytest.fixture(scope="module")
def kernels() -> Kernel:
    """All of them, for the vector and the cube core of a mixed kernel."""
    return Kernel(HEAD + "".join(SOURCES.values()), list(SOURCES), "mix_1_1")


def tiling(m: int, n: int, k: int, order: int = 0) -> bytes:
    """A division of the work as its host makes it: tiles of 32 x 48, down the rows first or (1) along the columns."""
    numbers = [1, m, n, k, k, m, n, k, 32, 48, 16, 1, 1, 1, 1, 0, 0, order]
    return np.array(numbers + [1] * (50 - len(numbers)), np.int32).tobytes()


def matrices(dtype: type, m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Small whole numbers: every sum is exact."""
    rng = np.random.default_rng(m * n + k)
    return rng.integers(-4, 5, (m, k)).astype(dtype), rng.integers(-4, 5, (k, n)).astype(dtype)


@pytest.mark.parametrize("order", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("types", TYPES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (16, 16, 16), (33, 50, 70), (100, 31, 129)])
def test_products(kernels, types, order, shape):
    m, n, k = shape
    _, _, dtype, out = TYPES[types]
    a, b = matrices(dtype, m, n, k)
    c = np.zeros((m, n), out)
    left = np.ascontiguousarray(a.T) if order[0] == "t" else a
    right = np.ascontiguousarray(b.T) if order[1] == "t" else b
    assert kernels(f"{types}_{order}", 1, left, right, c, tiling(m, n, k)).findings == []
    expected = a.astype(np.int64) @ b.astype(np.int64)
    assert (c == expected.astype(out)).all()


def test_bias_cores_and_atomic_sums(kernels):
    a, b = matrices(np.float16, 96, 50, 33)
    product = a.astype(np.float32) @ b.astype(np.float32)
    c, d = np.zeros((96, 50), np.float32), np.arange(50, dtype=np.float32)
    assert kernels("biased", 1, a, b, c, d, tiling(96, 50, 33)).findings == []
    assert (c == product + d).all()
    one = np.zeros((32, 48), np.float32)  # a first product adds to nothing but the bias
    assert kernels("continued", 1, a[:32], b[:, :48].copy(), one, d, tiling(32, 48, 33)).findings == []
    assert (one == product[:32, :48] + d[:48]).all()
    c[:] = 0
    assert kernels("blocks", 6, a, b, c, tiling(96, 50, 33)).findings == []
    assert (c == product).all()
    assert kernels("added", 1, a, b, c, tiling(96, 50, 33)).findings == []
    assert (c == 3 * product).all()


@pytest.mark.parametrize("order", [0, 1])
def test_tiles_that_were_begun_at_once_come_one_after_the_other(kernels, order):
    a, b = matrices(np.float16, 64, 96, 40)
    c = np.zeros((4, 32, 48), np.float32)
    assert kernels("begun", 1, a, b, c, tiling(64, 96, 40, order), 4).findings == []
    tiles = (2 * (a.astype(np.float32) @ b.astype(np.float32))).reshape(2, 32, 2, 48).transpose(0, 2, 1, 3)
    assert (c == (tiles if order else tiles.transpose(1, 0, 2, 3)).reshape(4, 32, 48)).all()
    more = np.zeros((5, 32, 48), np.float32)
    assert kernels("begun", 1, a, b, more, tiling(64, 96, 40), 5).rules() == ["queue"]


@pytest.mark.parametrize("order", [0, 1])
def test_tiles_in_local_memory(kernels, order):
    a, b = matrices(np.float16, 64, 96, 40)
    c = np.zeros(64 * 96, np.float32)
    assert kernels("tiles", 1, a, b, c, tiling(64, 96, 40, order)).findings == []
    product = 2 * (a.astype(np.float32) @ b.astype(np.float32))
    corners = [(i, j) for i in (0, 32) for j in (0, 48)] if order else [(i, j) for j in (0, 48) for i in (0, 32)]
    assert (c == np.concatenate([product[i : i + 32, j : j + 48].ravel() for i, j in corners])).all()


def test_fractals_and_scales(kernels):
    m, n, k = 40, 30, 50
    a, b = matrices(np.float16, m, n, k)
    padded = np.zeros((48, 64), np.float16)
    padded[:m, :k] = a
    fractals = np.ascontiguousarray(padded.reshape(48, 4, 16).transpose(1, 0, 2))
    c = np.zeros((m, n), np.float32)
    assert kernels("fractals", 1, fractals, b, c, tiling(m, n, k)).findings == []
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()
    a, b = matrices(np.int8, m, n, k)
    scaled = np.zeros((m, n), np.float16)
    assert kernels("scaled", 1, a, b, scaled, tiling(m, n, k)).findings == []
    assert (scaled == (a.astype(np.int32) @ b.astype(np.int32)) * 0.5).all()


def test_what_is_wrong_is_named(kernels):
    a, b = matrices(np.float16, 32, 32, 32)
    small = np.zeros((16, 32), np.float32)
    assert kernels("half_float_nn", 1, a, b, small, tiling(32, 32, 32)).rules() == ["bounds"]
    whole = np.zeros((32, 32), np.float32)
    assert kernels("half_float_nn", 2, a, b, whole, tiling(32, 32, 32)).rules() == ["race"]

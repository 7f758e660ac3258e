"""Names that kernels use seldom: registers, fills, masks of bytes, and what this chip's model lacks."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Kernel

pytestmark = needs_compiler

VECTOR = """
using namespace AscendC;
template <class T>
GlobalTensor<T> global(GM_ADDR address) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)address);
    return tensor;
}
// x * 2 in half, by bit 48 of the control register: infinite, the largest number, infinite.
extern "C" __global__ __aicore__ void overflow(GM_ADDR x, GM_ADDR y) {
    LocalTensor<half> a(TPosition::VECIN, 0, 16), b(TPosition::VECOUT, 256, 48);
    DataCopy(a, global<half>(x), 16);
    PipeBarrier<PIPE_ALL>();
    Muls(b, a, half(2.0f), 16);
    SetCtrlSpr<48, 48>(0);
    Muls(b[16], a, half(2.0f), 16);
    if (GetCtrlSpr<48, 48>() != 0) Trap();
    ResetCtrlSpr<48, 48>();
    Muls(b[32], a, half(2.0f), 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<half>(y), b, 48);
}
extern "C" __global__ __aicore__ void fresh(GM_ADDR x, GM_ADDR y) {
    SetAtomicAdd<float>();
    SetMaskCount();
    InitSocState();
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    Duplicate<float, false>(a, 3.0f, MASK_PLACEHOLDER, 1, 1, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<float>(y), a, 64);
}
// Bytes of masks, joined; sizes by their functions; what the library asks and logs.
extern "C" __global__ __aicore__ void joined(GM_ADDR x, GM_ADDR y) {
    ASCENDC_ASSERT(GetUBSizeInBytes() == 196608 && GetVecLen() == 256, { KERNEL_LOG(KERNEL_ERROR, "never %d", 1); });
    LocalTensor<int8_t> a(TPosition::VECIN, 0, 128), b(TPosition::VECOUT, 256, 128);
    DataCopy(a, global<int8_t>(x), 128);
    PipeBarrier<PIPE_ALL>();
    And(b, a, a[64], 64);
    Or(b[64], a, a[64], 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<int8_t>(y), b, 128);
    auto part = global<uint16_t>(y)[64];
    InitGlobalMemory(part, 16, 7);
}
// The padding of bfloat16 rows is a whole number.
extern "C" __global__ __aicore__ void padded(GM_ADDR x, GM_ADDR y) {
    LocalTensor<bfloat16_t> a(TPosition::VECIN, 0, 16);
    DataCopyExtParams row{1, 26, 0, 0, 0};
    DataCopyPadExtParams<bfloat16_t> padding{true, 0, 3, 2};
    DataCopyPad(a, global<bfloat16_t>(x), row, padding);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<bfloat16_t>(y), a, 16);
}
// A tail of no lanes is copied by an instruction that does nothing; half a block of int4 comes as a whole one.
extern "C" __global__ __aicore__ void tails(GM_ADDR x, GM_ADDR y) {
    LocalTensor<half> a(TPosition::VECIN, 0, 128), b(TPosition::VECOUT, 256, 128);
    DataCopy(a, global<half>(x), 128);
    PipeBarrier<PIPE_ALL>();
    Copy(b, a, 128, 1, {1, 1, 8, 8});
    Copy(b[128], a[128], 0, 1, {1, 1, 8, 8});
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<half>(y), b, 128);
    LocalTensor<int4b_t> c(TPosition::VECIN, 1024, 64);
    LocalTensor<half> d(TPosition::VECOUT, 1280, 64);
    DataCopy(c, global<int4b_t>(x)[32], 32);
    PipeBarrier<PIPE_ALL>();
    Cast(d, c, RoundMode::CAST_NONE, 32);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<half>(y)[128], d, 32);
}
// Every core fills its part, and none the tail.
extern "C" __global__ __aicore__ void filled(GM_ADDR x, GM_ADDR y) {
    auto part = global<int32_t>(y)[GetBlockIdx() * 100];
    Fill(part, 100, (int32_t)-7);
}
extern "C" __global__ __aicore__ void filled_too_far(GM_ADDR x, GM_ADDR y) {
    auto part = global<int32_t>(y);
    Fill(part, 1 << 20, (int32_t)-7);
}
extern "C" __global__ __aicore__ void by_bytes(GM_ADDR x, GM_ADDR y, GM_ADDR mask, uint32_t rows, uint32_t columns,
                                               uint32_t pitch) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> a_, m_, t_;
    pipe.InitBuffer(a_, rows * columns * 4);
    pipe.InitBuffer(m_, rows * pitch);
    pipe.InitBuffer(t_, 256);
    auto a = a_.Get<float>();
    auto m = m_.Get<bool>();
    DataCopy(a, global<float>(x), rows * columns);
    DataCopy(m, global<bool>(mask), rows * pitch);
    PipeBarrier<PIPE_ALL>();
    SelectWithBytesMask(a, a, -1.5f, m, t_.Get<uint8_t>(), {rows, columns, pitch});
    PipeBarrier<PIPE_ALL>();
    DataCopy(global<float>(y), a, rows * columns);
}
"""
CUBE = """
using namespace AscendC;
extern "C" __global__ __aicore__ void sparse(GM_ADDR x) {
    LocalTensor<int8_t> a(TPosition::B1, 0, 512), b(TPosition::B2, 0, 512);
    LocalTensor<uint8_t> index(TPosition::B1, 1024, 128);
    LoadDataWithSparse(b, a, index, LoadData2DParams());
}
extern "C" __global__ __aicore__ void image(GM_ADDR x) {
    const uint8_t none[4] = {0, 0, 0, 0};
    Load3DSetFMatrixCal(4, 8, none);
    if (ascendc::current().registers.matrix_height[0] != 4 || ascendc::current().registers.matrix_width[0] != 8) Trap();
}
"""


@pytest.fixture(scope="module")
def vector() -> Kernel:
    return Kernel(VECTOR, ["overflow", "fresh", "filled", "filled_too_far", "by_bytes", "joined", "padded", "tails"])


def test_the_control_register_says_what_overflows(vector):
    x, y = np.full(16, 60000, np.float16), np.zeros((3, 16), np.float16)
    assert vector("overflow", 1, x, y).findings == []
    assert y[:, 0].tolist() == [np.inf, 65504, np.inf]


def test_registers_are_as_at_the_start(vector):
    x, y = np.zeros(8, np.float32), np.ones(64, np.float32)
    assert vector("fresh", 1, x, y).findings == []
    assert y.tolist() == [3] * 64


def test_global_memory_is_filled(vector):
    y = np.zeros(350, np.int32)
    assert vector("filled", 3, y, y).findings == []
    assert y.tolist() == [-7] * 300 + [0] * 50
    assert vector("filled_too_far", 1, y, y).rules() == ["bounds"]


def test_bytes_are_joined_bit_by_bit(vector):
    x = np.random.default_rng(2).integers(-128, 128, 128).astype(np.int8)
    y = np.zeros(160, np.int8)
    assert vector("joined", 1, x, y).findings == []
    assert (y[:64] == (x[:64] & x[64:])).all() and (y[64:128] == (x[:64] | x[64:])).all()
    assert y[128:].view(np.uint16).tolist() == [7] * 16


def test_tails_of_no_lanes_and_of_half_a_block(vector):
    x = np.random.default_rng(4).integers(0, 1 << 15, 128).astype(np.uint16)
    y = np.zeros(160, np.uint16)
    assert vector("tails", 1, x, y).findings == []
    assert (y[:128] == x).all()
    nibbles = np.stack([x.view(np.uint8) & 15, x.view(np.uint8) >> 4], axis=1).reshape(-1)[32:64].astype(np.int16)
    assert (y[128:].view(np.float16) == np.where(nibbles > 7, nibbles - 16, nibbles)).all()


def test_rows_of_bfloat16_are_padded_with_a_whole_number(vector):
    x, y = np.arange(13, dtype=np.uint16), np.zeros(16, np.uint16)
    assert vector("padded", 1, x, y).findings == []
    assert y.tolist() == [*range(13), *[0x4000] * 3]


@pytest.mark.parametrize("rows, columns, pitch", [(4, 32, 32), (3, 8, 32), (5, 40, 64)])
def test_masks_of_bytes(vector, rows, columns, pitch):
    rng = np.random.default_rng(rows)
    x, mask = rng.random((rows, columns), np.float32), rng.integers(0, 2, (rows, pitch)).astype(bool)
    y = np.zeros_like(x)
    assert vector("by_bytes", 1, x, y, mask, rows, columns, pitch).findings == []
    assert (y == np.where(mask[:, :columns], np.float32(-1.5), x)).all()


def test_what_is_not_modelled_says_so():
    kernel = Kernel(CUBE, ["sparse", "image"], "cube")
    x = np.zeros(8, np.float32)
    ran = kernel("sparse", 1, x)
    assert ran.rules() == ["unsupported"] and "LoadDataWithSparse" in ran.findings[0]
    assert kernel("image", 1, x).findings == []

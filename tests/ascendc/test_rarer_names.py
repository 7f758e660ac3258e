"""Names that few kernels use: elements dropped by a mask, flags by the names of pipes, sums for a register alone..."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Probes
from .vector import VectorProbes, area

pytestmark = needs_compiler

ROWS, N = 3, 40  # rows of the mask have 64 bytes, or 8 with bits
DROP = "DropOut%s(out<%s>(), in<%s>(), in<uint8_t>(4096), %s0.75f, DropOutShapeInfo{%d, %d, %d});"
PROBES = VectorProbes(
    drop_bytes=DROP % ("", "float", "float", "work<uint8_t>(), ", ROWS, N, 64),
    drop_half=DROP % ("", "half", "half", "work<uint8_t>(), ", ROWS, N, 64),
    drop_plain=DROP % ("", "float", "float", "work<uint8_t>(), ", ROWS, N, N),
    drop_bits=DROP % ("<float, true>", "float", "float", "work<uint8_t>(), ", ROWS, N, 8),
    drop_bits_flat=DROP % ("<float, false, DROPOUT_MODE_BIT_ALIGN>", "float", "float", "work<uint8_t>(), ", ROWS, N, 0),
    drop_short=DROP % ("", "float", "float", "work<uint8_t>(), ", ROWS, N, 4),
    drop_all=DROP.replace("0.75f", "0.0f") % ("", "float", "float", "work<uint8_t>(), ", ROWS, N, 64),
    summed="set_mask_norm(); set_vector_mask(0, 0xffffffff); Duplicate(out<float>(), 5.0f, 8);"
    "set_vector_mask(0, 0xffffffff);"
    "vcadd((__ubuf__ float*)out<float>().GetPhyAddr(), (__ubuf__ float*)in<float>().GetPhyAddr(), 3, 1, 1, 8, true);"
    "set_vector_mask(~0ull, ~0ull); PipeBarrier<PIPE_ALL>(); uint64_t bits = get_acc_val();"
    "out<float>().SetValue(1, *reinterpret_cast<float*>(&bits));",
    summed_too_far="LocalTensor<float> last(TPosition::VECCALC, 196608 - 512, 128);"
    "vcadd((__ubuf__ float*)nullptr, (__ubuf__ float*)last.GetPhyAddr(), 3, 1, 1, 8, true);",
)
MORE = VectorProbes(
    older_padding="GlobalTensor<float> xg; xg.SetGlobalBuffer((__gm__ float*)x);"
    "DataCopyPad(out<float>(), xg, DataCopyParams(2, 20, 12, 0), DataCopyPadParams(true, 1, 2, 9));",
    copied="Copy(out<float>(), in<float>(), 40, 2, CopyRepeatParams(1, 2, 8, 10));",
    mask_of="SetMaskNorm(); AscendCUtils::SetMask<float>(17); Adds<float, false>(out<float>(), in<float>(), 1.0f, "
    "MASK_PLACEHOLDER, 1, {1, 1, 8, 8}); AscendCUtils::ResetMask();",
    scalar="out<float>().SetValue(0, ToFloat(in<bfloat16_t>().GetValue(3)));",
)
TENSORS = """
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x), yg.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> a(TPosition::VECIN, 0, 64), b(TPosition::VECOUT, 256, 64);
"""
COPY = """
    TQueSync<PIPE_MTE2, PIPE_V> came;
    TQueSync<PIPE_V, PIPE_MTE3> made;
    DataCopy(a, xg, 64);
    came.SetFlag(2);
    %s
    Adds(b, a, 1.0f, 64);
    made.SetFlag(0);
    made.WaitFlag(0);
    DataCopy(yg, b, 64);
"""
FLAGS = Probes(
    awaited=TENSORS + COPY % "came.WaitFlag(2);",
    not_awaited=TENSORS + COPY % "",
    beyond=TENSORS + COPY % "came.WaitFlag(8);",
    other_way=TENSORS + COPY % "came.WaitFlag(2);" + "TQueSync<PIPE_V, PIPE_MTE2> back; back.WaitFlag(2);",
)


def given(dtype: type, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is in the area of the inputs: the numbers, and the mask behind 4096 bytes."""
    x = np.random.default_rng(0).standard_normal((ROWS, N)).astype(dtype)
    x[0, :2] = np.inf, np.nan
    memory = np.zeros(8192, np.uint8)
    memory[: x.nbytes] = x.reshape(-1).view(np.uint8)
    memory[4096 : 4096 + mask.size] = mask.reshape(-1)
    return x, memory


def dropped(x: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return np.where(keep, x * x.dtype.type(np.float32(1) / np.float32(0.75)), x.dtype.type(0))


@pytest.mark.parametrize(("name", "dtype"), [("drop_bytes", np.float32), ("drop_half", np.float16)])
def test_a_byte_for_each_element(name, dtype):
    mask = np.random.default_rng(1).integers(0, 2, (ROWS, 64)).astype(np.uint8)
    x, memory = given(dtype, mask)
    got = PROBES(name, memory).view(dtype)[: x.size].reshape(x.shape)
    np.testing.assert_array_equal(got, dropped(x, mask[:, :N] > 0))


def test_rows_of_one_length():
    mask = np.random.default_rng(2).integers(0, 2, (ROWS, N)).astype(np.uint8)
    x, memory = given(np.float32, mask)
    got = PROBES("drop_plain", memory).view(np.float32)[: x.size].reshape(x.shape)
    np.testing.assert_array_equal(got, dropped(x, mask > 0))


def test_a_bit_for_each_element():
    keep = np.random.default_rng(3).integers(0, 2, (ROWS, 64)).astype(np.uint8)
    x, memory = given(np.float32, np.packbits(keep, axis=1, bitorder="little"))
    got = PROBES("drop_bits", memory).view(np.float32)[: x.size].reshape(x.shape)
    np.testing.assert_array_equal(got, dropped(x, keep[:, :N] > 0))
    flat = keep.reshape(-1)[: ROWS * N]
    x, memory = given(np.float32, np.packbits(flat, bitorder="little"))
    got = PROBES("drop_bits_flat", memory).view(np.float32)[: x.size].reshape(x.shape)
    np.testing.assert_array_equal(got, dropped(x, flat.reshape(ROWS, N) > 0))


def test_wrong_masks_are_named():
    two = np.full((ROWS, 64), 2, np.uint8)
    for name, text in (
        ("drop_bytes", "it takes 0 and 1"), ("drop_short", "rows of 4 bytes of bits in the mask and of 40"),
        ("drop_all", "the share that it keeps, which is above 0"),
    ):  # fmt: skip
        ran = PROBES.run(name, given(np.float32, two)[1])[1]
        assert ran.rules() == ["count"] and text in ran.findings[0] and "DropOut" in ran.findings[0]


def test_sums_for_the_register_alone():
    x = np.arange(192, dtype=np.float32)
    got = PROBES("summed", area(x)).view(np.float32)
    assert got[:3].tolist() == [5, x.reshape(3, 64)[:, :32].sum(), 5]
    assert PROBES.run("summed_too_far", area(x))[1].rules() == ["bounds"]


def test_flags_by_the_names_of_pipes():
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    assert FLAGS("awaited", 1, x, y).findings == []
    np.testing.assert_array_equal(y, x + 1)
    assert FLAGS("not_awaited", 1, x, y).rules() == ["race"]
    for name, rule in (("beyond", "flag"), ("other_way", "deadlock")):
        assert FLAGS(name, 1, x, y).rules()[-1:] == [rule]


def test_older_and_smaller_forms():
    x = np.arange(512, dtype=np.float32)
    got = MORE("older_padding", area(x)).view(np.float32)
    nine = np.uint32(9).view(np.float32)  # the padding is given by its bits
    np.testing.assert_array_equal(got[:16], [nine, *x[:5], nine, nine, nine, *x[8:13], nine, nine])
    got = MORE("copied", area(x)).view(np.float32)
    np.testing.assert_array_equal(got[:40], x.reshape(-1, 8)[[0, 2, 4, 6, 8]].reshape(-1))
    got = MORE("mask_of", area(x)).view(np.float32)
    np.testing.assert_array_equal(got[:64], [*(x[:17] + 1), *[0] * 47])
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    assert MORE("scalar", area(bits)).view(np.float32)[0] == 3

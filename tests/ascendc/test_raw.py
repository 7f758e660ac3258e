"""Instructions by their raw names, memory without a pipe, and lists of tensors."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Probes

pytestmark = needs_compiler

TENSORS = """
    LocalMemAllocator<Hardware::UB> memory;
    LocalTensor<float> a = memory.Alloc<TPosition::VECIN, float, 64>(), b = memory.Alloc<float>(64);
    __ubuf__ float* ua = (__ubuf__ float*)a.GetPhyAddr();
    __ubuf__ float* ub = (__ubuf__ float*)b.GetPhyAddr();
    __gm__ float* xg = (__gm__ float*)x;
    __gm__ float* yg = (__gm__ float*)y;
"""
IN = """
    copy_gm_to_ubuf(ua, xg, 0, 1, 8, 0, 0);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
"""
MOVE = "copy_ubuf_to_ubuf(ub, ua, 0, 1, 8, 0, 0);"
OUT = """
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
    copy_ubuf_to_gm(yg, ub, 0, 1, 8, 0, 0);
"""
LIST = """
    ListTensorDesc list((__gm__ void*)x);
    GlobalTensor<uint64_t> out;
    out.SetGlobalBuffer((__gm__ uint64_t*)y);
    uint64_t shape[8];
    TensorDesc<float> desc;
    desc.SetShapeAddr(shape);
    out.SetValue(0, list.GetSize());
    for (uint32_t i = 0; i < list.GetSize(); ++i) {
        list.GetDesc(desc, i);
        out.SetValue(1 + 4 * i, desc.GetDim());
        out.SetValue(2 + 4 * i, desc.GetIndex());
        out.SetValue(3 + 4 * i, desc.GetShape(desc.GetDim() - 1));
        out.SetValue(4 + 4 * i, (uint64_t)list.GetDataPtr<float>(i) + (uint64_t)desc.GetDataPtr());
    }
    dcci((__gm__ void*)y, 1);
"""
WRONG = [
    ("race", IN + MOVE + "copy_ubuf_to_gm(yg, ub, 0, 1, 8, 0, 0);"),
    ("address", "copy_gm_to_ubuf(xg, xg, 0, 1, 8, 0, 0);"),
    ("bounds", "copy_gm_to_ubuf(ua, xg + 60, 0, 1, 8, 0, 0);"),
    ("bounds", "copy_gm_to_ubuf(ua, xg, 0, 4095, 65535, 0, 0);"),
    ("deadlock", "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);"),
    ("buffers", "memory.Alloc<float>(49152);"),
    ("atomic", IN + MOVE + "set_atomic_s32(); set_atomic_add();" + OUT),
]
PROBES = Probes(
    copied=TENSORS + IN + MOVE + OUT,
    filled=TENSORS + "set_mask_norm(); set_vector_mask(0, ~0ull); vector_dup(ub, 3.5f, 1, 1, 1, 8, 8);" + OUT,
    masked=TENSORS + IN + MOVE + """pipe_barrier(PIPE_V); set_vector_mask(0, 5);
        vector_dup(ub, 9.0f, 1, 1, 1, 8, 8);""" + OUT,
    aligned=TENSORS + """
        copy_gm_to_ubuf_align_b32(ub, xg, 0, 2, 12, 0, 0, 4, 0);
        set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
        copy_ubuf_to_gm_align_b32(yg, ub, 0, 2, 12, 0, 0, 0, 8);
    """,
    added=TENSORS + IN + MOVE + "set_atomic_f32(); set_atomic_add();" + OUT + "set_atomic_none();",
    numbered="""
        if (get_subblockid() == 0) ((__gm__ int32_t*)y)[get_block_idx()] = 100 * get_block_num() + get_block_idx();
    """,
    listed=LIST,
    wrong=[TENSORS + lines for _, lines in WRONG],
    beyond="ListTensorDesc list((__gm__ void*)x); list.GetDataPtr<float>(2);",
)  # fmt: skip


@pytest.mark.parametrize("name", ["copied", "filled", "masked", "aligned", "added"])
def test_raw_names(name):
    x, y = np.arange(64, dtype=np.float32), np.full(64, 0.5, np.float32)
    expected = {"copied": x, "filled": np.full(64, 3.5), "masked": x.copy(), "aligned": y.copy(), "added": x + 0.5}[
        name
    ]
    if name == "masked":
        expected[[0, 2]] = 9
    if name == "aligned":
        expected[[0, 1, 2]], expected[[5, 6, 7]] = x[:3], x[4:7]
    assert PROBES(name, 1, x, y).findings == []
    assert (y == expected).all()


def test_blocks_are_numbered():
    y = np.zeros(8, np.int32)
    assert PROBES("numbered", 8, y, y).findings == []
    assert (y == 800 + np.arange(8)).all()


def test_lists_of_tensors():
    shapes = [(2, 3), (4, 5, 6)]
    words = [0]
    for i, shape in enumerate(shapes):
        words += [len(shape) | i << 32, *shape]
    words[0] = 8 * len(words)
    x, y = np.array([*words, 1000, 3000], np.uint64), np.zeros(9, np.uint64)
    assert PROBES("listed", 1, x, y).findings == []
    assert y.tolist() == [2, 2, 0, 3, 2000, 3, 1, 6, 6000]
    assert PROBES("beyond", 1, x, y).rules() == ["bounds"]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_is_wrong_is_named(case):
    x = np.zeros(64, np.float32)
    assert PROBES(f"wrong_{case}", 1, x, np.zeros_like(x)).rules() == [WRONG[case][0]], WRONG[case]

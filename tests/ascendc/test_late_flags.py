"""A WaitFlag before its SetFlag holds its pipe alone; what is issued to the pipe runs once the flag is set."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Probes
from .vector import VectorProbes

pytestmark = needs_compiler

TENSORS = """
    LocalTensor<float> a(TPosition::VECIN, 0, 64), b(TPosition::VECOUT, 256, 64), c(TPosition::VECCALC, 512, 64);
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
"""
# y = 2 x, everything issued before the copy in.
DOUBLED = """WaitFlag<HardEvent::MTE2_V>(0); Add(b, a, a, 64);
    SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(yg, b, 64);"""
QUEUES = """
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, 64);
    pipe.InitBuffer(out, 2, 64);
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    WaitFlag<HardEvent::MTE2_V>(7);
    for (int i = 0; i < rounds; ++i) {
        auto from = in.AllocTensor<float>();
        DataCopy(from, xg[i * 16], 16);
        in.EnQue(from);
        from = in.DeQue<float>();
        auto to = out.AllocTensor<float>();
        Add(to, from, from, 16);
        out.EnQue(to);
        in.FreeTensor(from);
        to = out.DeQue<float>();
        DataCopy(yg[i * 16], to, 16);
        out.FreeTensor(to);
    }
    SetFlag<HardEvent::MTE2_V>(7);
"""

RIGHT = {
    "all_before": TENSORS + DOUBLED + "DataCopy(a, xg, 64); SetFlag<HardEvent::MTE2_V>(0);",
    "two_rounds": TENSORS + "for (int i = 0; i < 2; ++i) {" + DOUBLED.replace("yg", "yg[i * 32]").replace("64)", "32)")
    + "SetFlag<HardEvent::V_MTE2>(1); SetFlag<HardEvent::MTE3_V>(1); WaitFlag<HardEvent::MTE3_V>(1); }"
    + "for (int i = 0; i < 2; ++i) { DataCopy(a, xg[i * 32], 32); SetFlag<HardEvent::MTE2_V>(0);"
    + "WaitFlag<HardEvent::V_MTE2>(1); }",
    "queues": "constexpr int rounds = 2;" + QUEUES,
    "barrier": TENSORS + "WaitFlag<HardEvent::MTE2_V>(0); Add(c, a, a, 64); PipeBarrier<PIPE_V>(); "
    "Adds(b, c, 0.0f, 64);"
    "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(yg, b, 64);"
    "DataCopy(a, xg, 64); SetFlag<HardEvent::MTE2_V>(0);",
    # A flag that was set once more before a wait that is held could take the first.
    "set_again": TENSORS + "DataCopy(a, xg, 64); WaitFlag<HardEvent::S_V>(0); SetFlag<HardEvent::MTE2_V>(0);"
    "WaitFlag<HardEvent::MTE2_V>(0); Add(b, a, a, 64); SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);"
    "SetFlag<HardEvent::V_MTE3>(0); SetFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(yg, b, 64);",
    # Registers are those at the issue: the counter mode of one instruction, the atomic mode of one copy.
    "registers": TENSORS + "DataCopy(a, xg, 64); WaitFlag<HardEvent::MTE2_V>(0); Duplicate(b, 0.0f, 64); "
    "SetMaskCount();"
    "SetVectorMask<float, MaskMode::COUNTER>(0, 64); "
    "Add<float, false>(b, a, a, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});"
    "SetMaskNorm(); ResetMask(); Adds<float, false>(c, a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});"
    "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);"
    "SetAtomicAdd<float>(); DataCopy(yg, b, 64); SetAtomicNone(); PipeBarrier<PIPE_MTE3>(); DataCopy(yg[64], c, 64);"
    "SetFlag<HardEvent::MTE2_V>(0);",
}  # fmt: skip
DEADLOCKS = {
    "never_set": TENSORS + "DataCopy(a, xg, 64);" + DOUBLED,
    "cycle": TENSORS + "WaitFlag<HardEvent::MTE2_V>(0); SetFlag<HardEvent::V_MTE2>(0);"
    "WaitFlag<HardEvent::V_MTE2>(0); SetFlag<HardEvent::MTE2_V>(0);",
    "queue_cycle": "constexpr int rounds = 3;" + QUEUES,
    "scalar_waits": TENSORS + "WaitFlag<HardEvent::MTE2_V>(0); SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);"
    "SetFlag<HardEvent::MTE2_V>(0);",
    "all_pipes": TENSORS + "WaitFlag<HardEvent::MTE2_V>(0); PipeBarrier<PIPE_ALL>(); SetFlag<HardEvent::MTE2_V>(0);",
    "a_count": TENSORS + "WaitFlag<HardEvent::MTE2_V>(0); uint64_t n; GatherMask(b, a, 1, false, 0, {1, 1, 8, 8}, n);"
    "SetFlag<HardEvent::MTE2_V>(0);",
    "too_much": TENSORS + "WaitFlag<HardEvent::MTE2_V>(0); for (int i = 0; i < 5000; ++i) Adds(b, a, 1.0f, 64);"
    "SetFlag<HardEvent::MTE2_V>(0);",
}  # fmt: skip
WRONG = {
    "no_flag_behind": ("race", TENSORS + "Duplicate(b, 0.0f, 64); PipeBarrier<PIPE_ALL>(); "
    "WaitFlag<HardEvent::MTE2_V>(0);"
                       "Add(b, a, a, 64); DataCopy(yg, b, 64); DataCopy(a, xg, 64); SetFlag<HardEvent::MTE2_V>(0);"),
    "scalar_reads": ("race", TENSORS + "DataCopy(a, xg, 64); Duplicate(b, 0.0f, 64); WaitFlag<HardEvent::MTE2_V>(0);"
                     "Add(b, a, a, 64); b.GetValue(0); SetFlag<HardEvent::MTE2_V>(0);"),
    "set_twice": ("flag", TENSORS + "WaitFlag<HardEvent::S_V>(0); WaitFlag<HardEvent::MTE2_V>(1);"
                  "SetFlag<HardEvent::MTE2_V>(1); SetFlag<HardEvent::MTE2_V>(1); SetFlag<HardEvent::S_V>(0);"),
    "after_free": ("queue", QUEUES.replace("rounds", "1").replace("Add(to, from, from, 16);", "")
                   .replace("in.FreeTensor(from);", "in.FreeTensor(from); Add(to, from, from, 16);")),
}  # fmt: skip
CUBE = """
    GlobalTensor<half> xg;
    GlobalTensor<float> yg;
    xg.SetGlobalBuffer((__gm__ half*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> sums(TPosition::CO1, 0, 256);
    FixpipeParamsV220 out(16, 16, 16, 16, false);
    WaitFlag<HardEvent::MTE1_M>(0);
    %s
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(b2, a1, LoadData2DParams(0, 1, 1, 0, 0, true, 0));
    SetFlag<HardEvent::MTE1_M>(0);
    DataCopy(a1, xg, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(0);
"""
PROBES = Probes(**RIGHT, **DEADLOCKS, **{name: text for name, (_, text) in WRONG.items()})
CUBES = Probes(
    with_flags=CUBE % "Mmad(sums, a2, b2, MmadParams(16, 16, 16)); SetFlag<HardEvent::M_FIX>(0);"
    "WaitFlag<HardEvent::M_FIX>(0); Fixpipe(yg, sums, out);",
    with_units=CUBE
    % "out.unitFlag = 3; Mmad(sums, a2, b2, MmadParams(16, 16, 16, 3, false, true)); Fixpipe(yg, sums, out);",
)
# Each core tells the others by its MTE3, which waits.
CROSSING = Probes(
    crossing=TENSORS + "DataCopy(a, xg[GetBlockIdx() * 64], 64); WaitFlag<HardEvent::V_MTE3>(0);"
    "DataCopy(yg[GetBlockIdx() * 64], b, 64); CrossCoreSetFlag<0, PIPE_MTE3>(1);"
    "SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0); Add(b, a, a, 64); SetFlag<HardEvent::V_MTE3>(0);"
    "CrossCoreWaitFlag(1); DataCopy(c, yg[(1 - GetBlockIdx()) * 64], 64);"
    "SetFlag<HardEvent::MTE2_MTE3>(0); WaitFlag<HardEvent::MTE2_MTE3>(0); "
    "DataCopy(yg[(2 + GetBlockIdx()) * 64], c, 64);",
)
# Instructions of every family, each on areas of UB; held back or not they must leave the same bytes.
EACH = {
    "add": "Add(out<float>(), in<float>(), in<float>(512), 100);",
    "mask": "uint64_t mask[2] = {0x5a5a, 0}; "
    "Mul(out<float>(), in<float>(), in<float>(512), mask, 2, {1, 1, 1, 8, 8, 8});",
    "lanes": "Relu(out<half>(), in<half>(), 100, 2, {1, 1, 8, 8});",
    "scalar": "Muls(out<half>(), in<half>(), half(2), 100); "
    "LeakyRelu(out<half>(512), in<half>(), half(2), 64, 1, {1, 1, 8, 8});",
    "shift": "ShiftLeft(out<int32_t>(), in<int32_t>(), 3, 64); "
    "ShiftRight(out<int32_t>(512), in<int32_t>(), 3, 64, 1, {1, 1, 8, 8});",
    "into": "Axpy(out<float>(), in<float>(), 2.0f, 64); MulAddDst(out<float>(512), in<half>(), in<half>(512), 64);"
    "FusedMulAdd(out<float>(1024), in<float>(), in<float>(512), 64, 1, {1, 1, 1, 8, 8, 8});",
    "cast": "Cast(out<half>(), in<float>(), RoundMode::CAST_NONE, 128); SetDeqScale(half(2));"
    "Cast(out<half>(512), in<int32_t>(), RoundMode::CAST_NONE, 64, 1, {1, 1, 4, 8}); SetDeqScale(half(3));",
    "compare": "Compare(work<uint8_t>(), in<float>(), in<float>(512), CMPMODE::LT, 64);"
    "Select(out<float>(), work<uint8_t>(), in<float>(), in<float>(512), SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);"
    "Compare(in<float>(), in<float>(512), CMPMODE::LT, 64, {1, 1, 1, 8, 8, 8}); GetCmpMask(out<uint8_t>(2048));",
    "fill": "Duplicate(out<float>(), 3.0f, 50); CreateVecIndex(out<int32_t>(512), 5, 50); "
    "Copy(out<float>(1024), in<float>(), 64, 1, {1, 1, 8, 8});"
    "Brcb(out<float>(2048), in<float>(), 2, {1, 8});",
    "gather": "CreateVecIndex(work<int32_t>(), 0, 64); Muls(work<int32_t>(), work<int32_t>(), 8, 64);"
    "Gather(out<float>(), in<float>(), work<int32_t>().ReinterpretCast<uint32_t>(), 0u, 64);",
    "reduce": "ReduceSum(out<float>(), in<float>(), work<float>(), 100); "
    "ReduceMax(out<float>(512), in<float>(), work<float>(), 100, true);"
    "WholeReduceMax(out<float>(1024), in<float>(), 64, 2, 1, 1, 8); "
    "BlockReduceSum(out<float>(2048), in<float>(), 2, 64, 1, 1, 8);",
    "sort": "CreateVecIndex(work<int32_t>(), 0, 32); "
    "Sort32(work<float>(512), in<float>(), work<int32_t>().ReinterpretCast<uint32_t>(), 1);"
    "Extract(out<float>(), out<uint32_t>(512), work<float>(512), 1);",
    "transpose": "Transpose(out<half>(), in<half>()); LocalTensor<half> to[16], from[16];"
    "for (int i = 0; i < 16; ++i) { to[i] = out<half>(1024 + i * 32); from[i] = in<half>(i * 32); }"
    "TransDataTo5HD<half>(to, from, TransDataTo5HDParams());"
    "uint64_t t[16], f[16]; for (int i = 0; i < 16; ++i) { t[i] = out<half>(2048 + i * 32).GetPhyAddr(); "
    "f[i] = from[i].GetPhyAddr(); }"
    "TransDataTo5HD<half>(t, f, TransDataTo5HDParams());",
    "local_copy": "DataCopy(out<float>(), in<float>(), 64); "
    "DataCopy(out<float>(512), in<float>(), DataCopyParams(2, 1, 1, 0));",
    "functions": "Sin(out<float>(), in<float>(), work<uint8_t>(), 64); "
    "Power(out<float>(512), in<float>(), in<float>(512), 64);"
    "ClampMax(out<float>(1024), in<float>(), work<uint8_t>(), 0.5f, 64);",
    "rows": "Sum(out<float>(), in<float>(), {4, 16, 10}); uint32_t to[] = {4, 16}, from[] = {4, 1};"
    "BroadCast<float, 2, 1>(out<float>(512), in<float>(), to, from); to[0] = from[0] = 0;",
    "softmax": "SoftMaxTiling tiling; tiling.srcM = 4; tiling.srcK = 16;"
    "SoftMax<float>(out<float>(), out<float>(512), out<float>(1024), in<float>(), work<uint8_t>(), tiling);",
    "norm": "LayerNormTiling tiling; tiling.bLength = 1; tiling.sLength = 4; tiling.hLength = 16;"
    "LayerNorm<float>(out<float>(), out<float>(512), out<float>(1024), in<float>(), in<float>(512), "
    "in<float>(1024), work<uint8_t>(), 1e-5f, tiling);",
    "quantised": "AscendQuant<float>(out<int8_t>(), in<float>(), 3.0f, 1.0f, 64);",
    "raw": "set_mask_norm(); set_vector_mask(0, 0xff); "
    "vector_dup((__ubuf__ float*)out<float>().GetPhyAddr(), 2.0f, 1, 1, 1, 8, 8);"
    "set_vector_mask(~0ull, ~0ull);",
}  # fmt: skip
FAMILIES = VectorProbes(
    **{f"{name}_now": text for name, text in EACH.items()},
    **{
        f"{name}_late": f"WaitFlag<HardEvent::MTE2_V>(6);\n{text}\nSetFlag<HardEvent::MTE2_V>(6);"
        for name, text in EACH.items()
    },
)


@pytest.mark.parametrize("name", RIGHT)
def test_the_scalar_side_goes_on(name):
    x, y = np.arange(64, dtype=np.float32), np.zeros(128, np.float32)
    ran = PROBES(name, 1, x, y)
    assert ran.findings == []
    n = 32 if name == "queues" else 64
    np.testing.assert_array_equal(y[:n], 2 * x[:n])
    np.testing.assert_array_equal(y[64:], x + 1 if name == "registers" else 0)


@pytest.mark.parametrize("name", DEADLOCKS)
def test_a_wait_that_nothing_ends_is_named(name):
    ran = PROBES(name, 1, np.zeros(64, np.float32), np.zeros(128, np.float32))
    assert ran.rules() == ["deadlock"]
    kernel, core = ran.findings[0].split(", ")[:2]
    assert (kernel, core) == (name, "AIV 0")
    assert "WaitFlag from MTE2 to V" in ran.findings[0]


def test_who_else_waits_is_told():
    findings = PROBES("cycle", 1, np.zeros(64, np.float32), np.zeros(128, np.float32)).findings
    assert "MTE2 waits at " in findings[0]


@pytest.mark.parametrize("name", WRONG)
def test_what_is_held_back_keeps_the_rules(name):
    assert PROBES(name, 1, np.zeros(64, np.float32), np.zeros(128, np.float32)).rules() == [WRONG[name][0]]


@pytest.mark.parametrize("name", ["with_flags", "with_units"])
def test_the_cube_core_holds_back_too(name):
    x = np.random.default_rng(0).integers(-4, 5, (16, 16)).astype(np.float16)
    y = np.zeros((16, 16), np.float32)
    assert CUBES(name, 1, x, y, kind="cube").findings == []
    np.testing.assert_array_equal(y, x.astype(np.float32) @ x.astype(np.float32))


def test_flags_between_cores_wait_for_their_pipe():
    x, y = np.arange(128, dtype=np.float32), np.zeros(256, np.float32)
    assert CROSSING("crossing", 2, x, y).findings == []
    np.testing.assert_array_equal(y, np.concatenate([2 * x, 2 * x[64:], 2 * x[:64]]))


@pytest.mark.parametrize("name", EACH)
def test_instructions_run_later_as_they_would_now(name):
    x = np.random.default_rng(1).uniform(0.1, 2, 4096).astype(np.float32)
    now, late = (FAMILIES(f"{name}_{when}", x) for when in ("now", "late"))
    assert now.any()
    np.testing.assert_array_equal(now, late)

"""The machine that kernels run on: memories, queues, flags, order, and what ends a kernel."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel, Probes

pytestmark = needs_compiler


TENSORS = """
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> a = buffer.Get<float>(64), b = buffer.GetWithOffset<float>(64, 256);
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
"""


WRONG = [
    ("race", "DataCopy(a, xg, 64); Add(b, a, a, 64); PipeBarrier<PIPE_ALL>(); DataCopy(yg, b, 64);"),
    ("race", "DataCopy(a, xg, 64); PipeBarrier<PIPE_ALL>(); Add(a, a, a, 64); DataCopy(yg, a, 64);"),
    ("race", "DataCopy(a, xg, 64); DataCopy(a, xg, 64);"),
    ("flag", "SetFlag<HardEvent::MTE2_V>(0); SetFlag<HardEvent::MTE2_V>(0);"),
    ("flag", "SetFlag<HardEvent::MTE2_V>(3);"),
    ("flag", "SetFlag<HardEvent::MTE2_V>(8);"),
    ("deadlock", "WaitFlag<HardEvent::MTE2_V>(1);"),
    ("uninitialised", "DataCopy(yg, a, 64);"),
    ("uninitialised", "Add(b, a, a, 64); PipeBarrier<PIPE_ALL>(); DataCopy(yg, b, 64);"),
    ("uninitialised", "a.GetValue(3);"),
    ("bounds", "DataCopy(a, xg, 512);"),
    ("bounds", "DataCopy(a, xg[64], 8);"),
    ("bounds", "Add(b, b, b, 256);"),
    ("bounds", "a.SetValue(64, 1.0f);"),
    ("address", "Add(b, a[1], a, 8);"),
    ("overlap", "Add(a[8], a, a, 64);"),
    ("length", "DataCopy(a, xg, 7);"),
    ("count", "Add(b, a, a, 65, 1, {1, 1, 1, 8, 8, 8});"),
    ("buffers", "TBuf<TPosition::VECCALC> more; pipe.InitBuffer(more, 196608);"),
    ("buffers", "TPipe other;"),
    ("buffers", "buffer.Get<float>(257);"),
    ("atomic", "SetAtomicAdd<float>();"),
    ("cache", "yg.SetValue(0, 1.0f); DataCopy(a, yg, 8);"),
    ("crash", "volatile std::uintptr_t nowhere = 8; *(volatile int*)nowhere = 1;"),
    ("crash", "volatile int zero = 0; volatile int n = 7 / zero; (void)n;"),
]

RIGHT = [
    "DataCopy(a, xg, 64); SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0); Add(b, a, a, 64);"
    "SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0); DataCopy(yg, b, 64);",
    "DataCopy(a, xg, 64); PipeBarrier<PIPE_MTE2>(); DataCopy(a, xg, 64);",
    "DataCopy(a, xg, 64); float value = a.GetValue(1); a.SetValue(1, value);",
    "Add(b, a, a, 64);",  # what nobody wrote stays on the core
    "yg.SetValue(0, 1.0f); DataCopy(a, xg, 8);"
    "DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yg);"
    "PipeBarrier<PIPE_ALL>(); DataCopy(a, yg, 8);",
]

# Around a queue of two buffers: what its finding says.
QUEUES = [
    ("q.DeQue<float>();", "empty queue"),
    ("auto t = q.AllocTensor<float>(); q.FreeTensor(t); q.FreeTensor(t);", "free already"),
    ("auto t = q.AllocTensor<float>(); q.FreeTensor(t); Add(t, t, t, 8);", "after FreeTensor"),
    ("auto t = q.AllocTensor<float>(); q.EnQue(t); Add(t, t, t, 8);", "between EnQue"),
    ("auto t = q.AllocTensor<float>(); q.EnQue(t);", "ends with a tensor in a queue"),
    ("q.AllocTensor<float>(); q.AllocTensor<float>(); q.AllocTensor<float>();", "all 2 buffers"),
    ("auto t = q.AllocTensor<float>(); auto u = q.AllocTensor<float>(); q.EnQue(t); q.EnQue(u);", "depth is 1"),
]
QUEUE = "TPipe pipe; TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 2, 256);"

COPY = TENSORS + "DataCopy(a, xg, 64); PipeBarrier<PIPE_ALL>();"
HALVES = """
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 131072);
    LocalTensor<half> a = buffer.Get<half>(32768), b = buffer.GetWithOffset<half>(32768, 65536);
    GlobalTensor<half> xg, yg;
    xg.SetGlobalBuffer((__gm__ half*)x);
    yg.SetGlobalBuffer((__gm__ half*)y);
    for (int part = 0; part < 2; ++part) {
        DataCopy(a, xg[part * 32768], 32768); PipeBarrier<PIPE_ALL>();
        Mul(b, a, a, 32768); Add(b, b, a, 32768); PipeBarrier<PIPE_ALL>();
        DataCopy(yg[part * 32768], b, 32768); PipeBarrier<PIPE_ALL>();
    }
"""

PROBES = Probes(
    wrong=[TENSORS + lines for _, lines in WRONG],
    right=[TENSORS + lines for lines in RIGHT],
    queue=[QUEUE + lines for lines, _ in QUEUES],
    copy=COPY + "DataCopy(yg, a, 64);",
    copy_atomic=COPY + "SetAtomicAdd<float>(); DataCopy(yg, a, 64); SetAtomicNone();",
    endless="volatile int going = 1; while (going) {}",
    halves=HALVES,
)


@pytest.mark.parametrize("blocks", [1, 3, 48, 100])
def test_add(blocks):
    rng = np.random.default_rng(blocks)
    n = blocks * 5000
    x, y, z = rng.random(n, np.float32), rng.random(n, np.float32), np.zeros(n, np.float32)
    ran = Kernel((HERE / "kernels" / "add.cpp").read_text(), ["add"])("add", blocks, x, y, z, n)
    assert ran.findings == []
    assert (z == x + y).all()
    assert ran.cycles > 0


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_is_wrong_is_named(case):
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    ran = PROBES(f"wrong_{case}", 1, x, y)
    assert ran.rules() == [WRONG[case][0]], (WRONG[case], ran.findings)
    assert f"wrong_{case}, AIV 0" in ran.findings[0]


@pytest.mark.parametrize("case", range(len(RIGHT)))
def test_what_is_right_is_left_alone(case):
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    assert PROBES(f"right_{case}", 1, x, y).findings == [], RIGHT[case]


@pytest.mark.parametrize("case", range(len(QUEUES)))
def test_queues(case):
    x = np.zeros(64, np.float32)
    ran = PROBES(f"queue_{case}", 1, x, x)
    assert ran.rules() == ["queue"] and QUEUES[case][1] in ran.findings[0], (QUEUES[case], ran.findings)


def test_cores_that_write_the_same_bytes_without_an_order():
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    assert PROBES("copy", 1, x, y).findings == []
    assert PROBES("copy", 2, x, y).rules() == ["race"]
    assert PROBES("copy_atomic", 2, x, y).findings == []


def test_atomic_copies_of_many_cores_add_up():
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    assert PROBES("copy_atomic", 48, x, y).findings == []
    assert (y == 48 * x).all()


def test_a_kernel_that_never_ends_is_ended():
    x = np.zeros(8, np.float32)
    assert set(PROBES("endless", 2, x, x, seconds=0.5).rules()) == {"time"}


def test_half_is_rounded_once():
    values = np.arange(65536, dtype=np.uint16).view(np.float16)
    x, y = values.copy(), np.zeros_like(values)
    assert PROBES("halves", 1, x, y).findings == []
    with np.errstate(all="ignore"):
        expected = x * x + x
    assert ((y == expected) | (np.isnan(y) & np.isnan(expected))).all()

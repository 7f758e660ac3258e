"""What several cores share: flags and barriers between them, words of global memory, and what is wrong without."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel, Probes

pytestmark = needs_compiler

# Core i writes piece i, then reads its neighbour's and writes that behind all pieces.
TENSORS = """
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<float> a = buffer.Get<float>(64), b = buffer.GetWithOffset<float>(64, 256);
    LocalTensor<int32_t> words = buffer.GetWithOffset<int32_t>(512, 1024);
    int32_t i = GetBlockIdx(), n = GetBlockNum() * GetSubBlockNum(), next = (i + 1) % n;
    GlobalTensor<float> xg, yg;
    xg.SetGlobalBuffer((__gm__ float*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    GlobalTensor<int32_t> signals;
    signals.SetGlobalBuffer((__gm__ int32_t*)y + 2 * 64 * n);
"""
WRITE = """
    DataCopy(a, xg[64 * i], 64); PipeBarrier<PIPE_ALL>(); DataCopy(yg[64 * i], a, 64);
"""
READ = """
    DataCopy(b, yg[64 * next], 64); PipeBarrier<PIPE_ALL>(); DataCopy(yg[64 * (n + i)], b, 64);
"""
SET_AND_WAIT = """
    for (int k = 0; k < N; ++k) CrossCoreSetFlag<0, PIPE_MTE3>(1);
    for (int k = 0; k < N; ++k) CrossCoreWaitFlag(1);
"""
LATE = """
    if (i == 0) for (int k = 0; k < 100; ++k) { DataCopy(a, xg, 64); PipeBarrier<PIPE_ALL>(); }
    SyncAll();
"""
ORDERED = [
    "SyncAll();",
    "SyncAll<false>();",
    "SyncAll(signals, words);",
    "SyncAll(signals, words); SyncAll(signals, words, n);",
    "CrossCoreSetFlag<0, PIPE_MTE3>(3); CrossCoreWaitFlag(3);",
    "CrossCoreSetFlag<0, PIPE_ALL>(3); CrossCoreWaitFlag<0, PIPE_MTE2>(3);",
    "for (int k = 0; k < 40; ++k) { CrossCoreSetFlag<0, PIPE_MTE3>(k % 3); CrossCoreWaitFlag(k % 3); }",
    SET_AND_WAIT.replace("N", "15"),
    "IBSet(signals, words, i, 0); IBWait(signals, words, next, 0);",
    "for (int k = 0; k < 3; ++k) { IBSet(signals, words, i, k); IBWait(signals, words, next, k); }",
    "set_ffts_base_addr(0); ffts_cross_core_sync(PIPE_MTE3, 1 | (0 << 4) | (5 << 8)); wait_flag_dev(5);",
]
UNORDERED = [
    "",
    "CrossCoreSetFlag<0, PIPE_MTE2>(3); CrossCoreWaitFlag(3);",  # not the pipe that wrote
    "PipeBarrier<PIPE_ALL>();",
    "IBSet(signals, words, i, 0); IBWait(signals, words, i, 0);",  # not the core that wrote
]
WRONG = [
    ("deadlock", "if (i == 0) CrossCoreSetFlag<0, PIPE_MTE3>(1);\nCrossCoreWaitFlag(1);"),
    ("deadlock", "CrossCoreWaitFlag(2);"),
    ("deadlock", "if (i == 1) return;\nSyncAll();"),
    ("deadlock", "IBWait(signals, words, next, 0);"),
    ("deadlock", "IBSet(signals, words, i, 0); IBSet(signals, words, i, 0);"),
    ("deadlock", "SyncAll(signals, words, n + 1);"),
    ("flag", "CrossCoreSetFlag<0, PIPE_MTE3>(1);"),
    ("flag", "if (i == 0) CrossCoreSetFlag<0, PIPE_MTE3>(1);"),
    ("flag", SET_AND_WAIT.replace("N", "16")),
    ("flag", "CrossCoreSetFlag<0, PIPE_MTE3>(16);"),
    ("flag", "SyncAll(); CrossCoreSetFlag<0, PIPE_MTE3>(12); CrossCoreWaitFlag(12);"),
    ("flag", "CrossCoreSetFlag<0, PIPE_MTE3>(12); CrossCoreWaitFlag(12); SyncAll();"),
    ("unsupported", "CrossCoreSetFlag<4, PIPE_MTE3>(1);"),
    ("launch", "CrossCoreSetFlag<2, PIPE_MTE3>(1);"),
    ("launch", "signals.SetGlobalBuffer((__gm__ int32_t*)y); SyncAll(signals, words);"),  # not zero
    ("bounds", "SyncAll(signals, words[511]);"),
    ("bounds", "SyncAll(signals[4096], words);"),
]
TURNS = """
    InitDetermineComputeWorkspace(signals, words);
    WaitPreBlock(signals, words);
    DataCopy(a, xg[64 * i], 64); DataCopy(b, yg, 64); PipeBarrier<PIPE_ALL>();
    Add(a, a, b, 64); PipeBarrier<PIPE_ALL>(); DataCopy(yg, a, 64);
    NotifyNextBlock(signals, words);
"""
PROBES = Probes(
    ordered=[TENSORS + WRITE + lines + READ for lines in ORDERED],
    unordered=[TENSORS + WRITE + lines + READ for lines in UNORDERED],
    wrong=[TENSORS + lines for _, lines in WRONG],
    turns=TENSORS + TURNS,
    alone=TENSORS + TURNS.replace("WaitPreBlock(signals, words);", "").replace("NotifyNextBlock(signals, words);", ""),
    late=TENSORS + LATE,
)


def arrays(blocks: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(1, 64 * blocks + 1, dtype=np.float32)
    y = np.zeros(2 * 64 * blocks + 8 * 4 * blocks, np.float32)
    return x, y


@pytest.mark.parametrize("blocks", [2, 5, 48])
@pytest.mark.parametrize("case", range(len(ORDERED)))
def test_pieces_are_exchanged(case, blocks):
    x, y = arrays(blocks)
    assert PROBES(f"ordered_{case}", blocks, x, y).findings == [], ORDERED[case]
    pieces = y[: 2 * 64 * blocks].reshape(2, blocks, 64)
    assert (pieces[0] == x.reshape(blocks, 64)).all()
    assert (pieces[1] == np.roll(x.reshape(blocks, 64), -1, axis=0)).all()


@pytest.mark.parametrize("blocks", [2, 48])
@pytest.mark.parametrize("case", range(len(UNORDERED)))
def test_a_missing_order_is_found(case, blocks):
    ran = PROBES(f"unordered_{case}", blocks, *arrays(blocks))
    assert ran.rules() == ["race"], (UNORDERED[case], ran.findings)


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_is_wrong_is_named(case):
    x, y = arrays(4)
    y[: 2 * 64 * 4] = 1
    ran = PROBES(f"wrong_{case}", 4, x, y)
    assert ran.rules() and set(ran.rules()) == {WRONG[case][0]}, (WRONG[case], ran.findings)


def test_more_blocks_than_cores_never_meet():
    ran = PROBES("ordered_0", 49, *arrays(49))
    assert set(ran.rules()) == {"deadlock"}
    assert "49 blocks were launched on 48 cores" in ran.findings[0]


def test_cores_take_turns():
    x, y = arrays(40)
    assert PROBES("turns", 40, x, y).findings == []
    expected = np.zeros(64, np.float32)
    for row in x.reshape(40, 64):
        expected += row
    assert (y[:64] == expected).all()
    assert PROBES("alone", 40, *arrays(40)).rules() == ["race"]


def test_time_crosses_with_a_barrier():
    alone, together = PROBES("late", 1, *arrays(1)), PROBES("late", 8, *arrays(8))
    assert together.cycles == pytest.approx(alone.cycles, rel=0.01)


@functools.cache
def kernel() -> Kernel:
    return Kernel((HERE / "kernels" / "mixed.cpp").read_text(), ["mixed"], "mix_1_2")


def mixed(m: int, n: int, k: int, blocks: int, fault: int = 0):
    rng = np.random.default_rng(m + n + k)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
    d, out = rng.standard_normal((m, n)).astype(np.float32), np.zeros((m, n), np.float32)
    workspace = np.zeros(blocks * 2 * 64 * 64, np.float32)
    ran = kernel()("mixed", blocks, a, b, d, out, workspace, m, n, k, fault)
    return ran, np.abs(out - (a.astype(np.float64) @ b.astype(np.float64) + d)).max()


@pytest.mark.parametrize("size", [(64, 64, 64, 1), (128, 192, 128, 1), (256, 256, 64, 3), (640, 256, 128, 24)])
def test_cube_and_vector_cores_share_the_work(size):
    ran, error = mixed(*size)
    assert ran.findings == []
    assert error < 1e-3


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        (1, "race"),  # vector cores read what is not there yet
        (2, "race"),  # the flag is set before the last pipe has written
        (3, "race"),  # the cube core writes over what is still read
        (4, "deadlock"),  # one of two vector cores sets the flag back
        (5, "deadlock"),  # the cube core sets none
    ],
)
def test_a_missing_flag_between_cube_and_vector(fault, rule):
    ran, _ = mixed(256, 256, 64, 1, fault)
    assert set(ran.rules()) == {rule}, ran.findings

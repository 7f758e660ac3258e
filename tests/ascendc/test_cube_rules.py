"""What strict mode finds on the cube core: tiles used too early, out of place, out of range, or never written."""

from __future__ import annotations

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Probes

pytestmark = needs_compiler

# 32 x 32 halves of x, and what comes of them in y. Flags stand between the pipes; a probe takes one away or does more.
TENSORS = """
    GlobalTensor<half> xg;
    GlobalTensor<float> yg;
    xg.SetGlobalBuffer((__gm__ half*)x);
    yg.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<half> a1(TPosition::A1, 0, 1024), a2(TPosition::A2, 0, 1024), b2(TPosition::B2, 0, 1024);
    LocalTensor<float> sums(TPosition::CO1, 0, 1024), row(TPosition::C1, 8192, 64), table(TPosition::C2, 0, 256);
    Nd2NzParams in(1, 32, 32, 0, 32, 32, 1, 0);
    LoadData2DParams left(0, 4, 1, 0, 0, false, 0), band(0, 2, 2, 0, 0, false, 0);
    FixpipeParamsV220 out(32, 32, 32, 32, false);
"""
STEPS = {
    "copy": "DataCopy(a1, xg, in);",
    "copied": "SetFlag<HardEvent::MTE2_MTE1>(0); WaitFlag<HardEvent::MTE2_MTE1>(0);",
    "load": "LoadData(a2, a1, band); band.startIndex = 1; LoadData(a2[512], a1, band); LoadData(b2, a1, left);",
    "loaded": "SetFlag<HardEvent::MTE1_M>(0); WaitFlag<HardEvent::MTE1_M>(0);",
    "multiply": "Mmad(sums, a2, b2, MmadParams(32, 32, 32));",
    "multiplied": "SetFlag<HardEvent::M_FIX>(0); WaitFlag<HardEvent::M_FIX>(0);",
    "out": "Fixpipe(yg, sums, out);",
}


def steps(**changed: str) -> str:
    return TENSORS + " ".join((STEPS | changed).values())


UNIT = {"multiply": "Mmad(sums, a2, b2, MmadParams(32, 32, 32, 3, false, true));", "multiplied": "out.unitFlag = 3;"}
# Twenty rows of 32; half of the right matrix.
ROWS = "DataCopy(a1, xg, Nd2NzParams(1, 20, 32, 0, 32, 32, 1, 0));"
HALF = "LoadData(a2, a1, left); LoadData(b2, a1, LoadData2DParams(0, 2, 1, 0, 0, false, 0));"
AGAIN = STEPS["out"] + UNIT["multiply"] + STEPS["out"]
RIGHT = [
    steps(),
    steps(**UNIT),
    steps(**UNIT, out=AGAIN),
    steps(out=STEPS["out"] + "SetFlag<HardEvent::FIX_M>(1); WaitFlag<HardEvent::FIX_M>(1);" + STEPS["multiply"]),
    # Rows that nobody wrote are computed on and dropped.
    steps(copy=ROWS, out="out.mSize = out.nSize = 20;" + STEPS["out"]),
    steps(load=HALF,
          multiply="Mmad(sums, a2, b2, MmadParams(32, 16, 32));", out="out.nSize = 16;" + STEPS["out"]),
    steps(load=HALF,
          multiply="Mmad(sums, a2, b2, MmadParams(32, 32, 16));"),
]  # fmt: skip
WRONG = [
    ("race", steps(copied="")),
    ("race", steps(loaded="")),
    ("race", steps(multiplied="")),
    ("race", steps(out=STEPS["out"] + STEPS["multiply"])),
    ("race", steps(load=STEPS["load"] + STEPS["copy"])),
    ("race", steps(multiply=STEPS["multiply"] + STEPS["load"])),
    ("race", steps(multiply=UNIT["multiply"], multiplied="")),  # Fixpipe takes no part in the unit flag
    ("race", steps(copied=STEPS["copied"].replace("W", STEPS["copy"] + "W", 1))),
    ("deadlock", steps(**UNIT | {"multiply": STEPS["multiply"]})),
    ("deadlock", steps(**UNIT | {"multiply": "Mmad(sums, a2, b2, MmadParams(32, 32, 32, 2, false, true));"})),
    ("deadlock", steps(**UNIT | {"multiply": UNIT["multiply"] + UNIT["multiply"]})),
    ("deadlock", steps(**UNIT, out="out.nSize = 16;" + AGAIN)),  # less than what was computed
    ("uninitialised", steps(multiply="")),
    ("uninitialised", steps(copy=ROWS)),
    ("uninitialised", steps(load=HALF)),
    ("uninitialised", steps(multiply="Mmad(sums, a2, b2, MmadParams(20, 32, 32));")),
    ("uninitialised", steps(multiply="Mmad(sums, a2, b2, MmadParams(32, 32, 32, 0, false, false));")),
    ("uninitialised", steps(multiply="Mmad(sums, a2, b2, table, MmadParams(32, 32, 32));")),
    ("uninitialised", steps(load=STEPS["load"] + "PipeBarrier<PIPE_MTE1>(); LoadData(a2, a1[1024], left);",
                            copy="a1 = LocalTensor<half>(TPosition::A1, 0, 4096);" + STEPS["copy"])),
    ("bounds", steps(load="LoadData(a2, a1, LoadData2DParams(1, 4, 1, 0, 0, false, 0));")),
    ("bounds", steps(load="LoadData(a2, a1, LoadData2DParams(0, 4, 1, 0, 1, false, 0));")),
    ("bounds", steps(load="LoadData(a2, a1, LoadData2DParams(1, 3, 1, 0, 0, false, 1));")),
    ("bounds", steps(multiply="Mmad(sums, a2, b2, MmadParams(32, 48, 32));")),
    ("bounds", steps(out="out.srcStride = 48;" + STEPS["out"])),
    ("bounds", steps(out="out.dstStride = 33;" + STEPS["out"])),
    ("bounds", steps(copy="DataCopy(a1, xg, Nd2NzParams(1, 33, 32, 0, 32, 32, 1, 0));")),
    ("bounds", steps(copy="DataCopy(a1, xg, Nd2NzParams(1, 32, 32, 0, 33, 32, 1, 0));")),
    ("address", steps(load="LoadData(a1, a2, left);")),
    ("address", steps(load="LoadData(a2[16], a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));")),
    ("address", steps(multiply="Mmad(sums, b2, a2, MmadParams(32, 32, 32));")),
    ("address", steps(multiply="Mmad(sums[8], a2, b2, MmadParams(16, 16, 16));")),
    ("address", steps(multiply="Mmad(sums, a2, b2, row, MmadParams(32, 32, 32));")),
    ("address", steps(out="DataCopy(yg, sums, 64);")),
    ("address", steps(out="sums.GetValue(0);")),
    ("type", steps(out="out.quantPre = F322F16;" + STEPS["out"])),
    ("type", steps(out="out.quantPre = DEQF16;" + STEPS["out"])),
    ("count", steps(multiply="Mmad(sums, a2, b2, MmadParams(4096, 16, 16));")),
    ("count", steps(multiply="Mmad(sums, a2, b2, MmadParams(16, 16, 16, 1, false, true));")),
    ("count", steps(out="out.nSize = 20; Fixpipe<float, float, CFG_NZ>(yg, sums, out);")),
    ("count", steps(copy="DataCopy(a1, xg, Nd2NzParams(1, 32, 32, 0, 32, 0, 1, 0));")),
    ("state", steps(out="""GlobalTensor<half> hg; hg.SetGlobalBuffer((__gm__ half*)y);
                           LocalTensor<int32_t> is(TPosition::CO1, 0, 1024);
                           out.quantPre = VDEQF16; Fixpipe(hg, is, out);""")),
    ("atomic", steps(out="SetAtomicAdd<half>();" + STEPS["out"])),
]  # fmt: skip

PROBES = Probes(right=RIGHT, wrong=[lines for _, lines in WRONG])


def arrays() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(1).integers(-8, 8, (32, 32)).astype(np.float16)
    return x, np.zeros((32, 32), np.float32)


@pytest.mark.parametrize("case", range(len(RIGHT)))
def test_what_is_right_is_left_alone(case):
    x, y = arrays()
    assert PROBES(f"right_{case}", 1, x, y, kind="cube").findings == [], RIGHT[case]
    if case < 4:
        assert (y == x.astype(np.float32) @ x.T.astype(np.float32)).all()


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_what_is_wrong_is_named(case):
    ran = PROBES(f"wrong_{case}", 1, *arrays(), kind="cube")
    assert ran.rules() == [WRONG[case][0]], (WRONG[case], ran.findings)
    assert f"wrong_{case}, AIC 0" in ran.findings[0]


def test_time_overlaps_between_pipes():
    whole = PROBES("right_0", 1, *arrays(), kind="cube").cycles
    assert whole > 400  # a copy's latency alone

"""What surrounds a kernel's instructions: tiling structures, prints, assertions, the scalar unit's helpers."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import Kernel, Probes

pytestmark = needs_compiler

TILED = """
#include "register/tilingdata_base.h"
using namespace AscendC;
BEGIN_TILING_DATA_DEF(Inner)
TILING_DATA_FIELD_DEF(float, scale)
END_TILING_DATA_DEF
BEGIN_TILING_DATA_DEF(Tiling)
TILING_DATA_FIELD_DEF(uint32_t, count)
TILING_DATA_FIELD_DEF_ARR(int16_t, 3, steps)
TILING_DATA_FIELD_DEF_STRUCT(Inner, inner)
TILING_DATA_FIELD_DEF(uint64_t, total)
END_TILING_DATA_DEF
static_assert(sizeof(Tiling) == 32, "fields in order, each with its natural alignment");

extern "C" __global__ __aicore__ void tiled(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(Tiling);
    GET_TILING_DATA(all, tiling);
    GET_TILING_DATA_WITH_STRUCT(Tiling, again, tiling);
    GET_TILING_DATA_MEMBER(Tiling, inner.scale, scale, tiling);
    GlobalTensor<float> yg;
    yg.SetGlobalBuffer((__gm__ float*)y);
    yg.SetValue(0, all.count);
    yg.SetValue(1, all.steps[2]);
    yg.SetValue(2, scale);
    yg.SetValue(3, again.get_total());
    yg.SetValue(4, TILING_KEY_IS(0) ? 1.0f : 2.0f);
    yg.SetValue(5, GetUserWorkspace(workspace) - workspace == 16 * 1024 * 1024 ? 1.0f : 0.0f);
    SetSysWorkspace(workspace);
    yg.SetValue(6, GetSysWorkSpacePtr() == workspace);
}
"""

SCALARS = """
    GlobalTensor<float> yg;
    yg.SetGlobalBuffer((__gm__ float*)y);
    int i = 0;
    auto put = [&](float value) { yg.SetValue(i++, value); };
    put(AlignUp(33, 32)); put(DivCeil(33, 32)); put(Ceil(64u, 32u)); put(min(3, 2u)); put(max(1.5f, 2));
    put(ScalarGetCountOfValue<1>(0xf0f)); put(ScalarGetCountOfValue<0>(1)); put(ScalarCountLeadingZero(1));
    put(ScalarCountLeadingZero(0)); put(CountBitsCntSameAsSignBit(-1)); put(CountBitsCntSameAsSignBit(1));
    put(ScalarGetSFFValue<1>(8)); put(ScalarGetSFFValue<0>(7)); put(ScalarGetSFFValue<1>(0));
    put(ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(-2.5f));
    put(ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f));
    put(ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(2.5f));
    put(ScalarCast<float, int8_t, RoundMode::CAST_CEIL>(1e9f));
    put(ScalarCast<float, half, RoundMode::CAST_NONE>(1.0f + 1.0f / 4096));
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    auto halves = buffer.Get<half>();
    halves(3) = half(2.5f);
    put(static_cast<float>(halves(3)) * static_cast<int>(halves(3)));
    put(IsSameType<half, half>::value + 2 * IsSameType<half, float>::value); put(GetSystemCycle() >= 0);
"""
SCALAR_RESULTS = [64, 2, 2, 2, 2, 8, 63, 63, 64, 63, 62, 3, 3, -1, -3, 2, 3, 127, 1, 5, 1, 1]

PROBES = Probes(
    scalars=SCALARS,
    printed='printf("n %d, h %.2f, %s", 7, half(1.5f), "text"); PRINTF("block %d\\n", (int)GetBlockIdx()); '
    'AscendC::printf("alone");',
    dumped="""
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 64);
        auto a = buffer.Get<half>(16);
        a.SetValue(0, half(1.5f)); a.SetValue(1, half(-2.0f));
        DumpTensor(a, 5, 4);
        GlobalTensor<float> xg;
        xg.SetGlobalBuffer((__gm__ float*)x);
        DumpTensor(xg, 6, 3);
    """,
    asserted='ASSERT(1 + 1 == 2); ASSERT((x != nullptr) && "x is given"); assert(y); ASSERT(x == y && "they differ");',
    standard="assert(x == y);",
    trapped="Trap();",
)


def test_tiling_structures():
    y, workspace = np.zeros(8, np.float32), np.zeros(8, np.uint8)
    tiling = np.frombuffer(struct.pack("<I3h6xf4xQ", 7, 1, 2, -3, 2.5, 99), np.uint8).copy()
    assert Kernel(TILED, ["tiled"])("tiled", 1, y, workspace, tiling).findings == []
    assert y.tolist()[:7] == [7, -3, 2.5, 99, 1, 1, 1]


def test_a_structure_that_is_too_short_is_named():
    y, workspace, tiling = np.zeros(8, np.float32), np.zeros(8, np.uint8), np.zeros(16, np.uint8)
    assert Kernel(TILED, ["tiled"])("tiled", 1, y, workspace, tiling).rules() == ["bounds"]


def test_scalars():
    x, y = np.zeros(8, np.float32), np.zeros(32, np.float32)
    assert PROBES("scalars", 1, x, y).findings == []
    assert y[: len(SCALAR_RESULTS)].tolist() == SCALAR_RESULTS


def test_prints(capfd):
    x = np.arange(8, dtype=np.float32)
    assert PROBES("printed", 2, x, x).findings == []
    assert PROBES("dumped", 1, x, x).findings == []
    text = capfd.readouterr().out
    for line in ["AIV 0: n 7, h 1.50, text\n", "AIV 1: block 1\n", "AIV 1: alone\n", "1.5 -2 ? ?\n", "0 1 2\n"]:
        assert line in text
    assert "AIV 0: tensor 5 (UB at byte 0)" in text


@pytest.mark.parametrize(
    "name, text", [("asserted", 'x == y && "they differ"'), ("standard", "x == y"), ("trapped", "Trap")]
)
def test_assertions(name, text):
    x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
    ran = PROBES(name, 1, x, y)
    assert ran.rules() == ["assertion"] and text in ran.findings[0]

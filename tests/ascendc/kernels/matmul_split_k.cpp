// c += a b with the depth divided between cores: each multiplies its part, and the way out of L0C adds to global memory.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t EDGE = 64, DEEP = 64;

extern "C" __global__ __aicore__ void matmul_split_k(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t k) {
    GlobalTensor<bfloat16_t> aGm, bGm;
    GlobalTensor<float> cGm;
    aGm.SetGlobalBuffer((__gm__ bfloat16_t*)a);
    bGm.SetGlobalBuffer((__gm__ bfloat16_t*)b);
    cGm.SetGlobalBuffer((__gm__ float*)c);
    LocalTensor<bfloat16_t> a1(TPosition::A1, 0, EDGE * DEEP), b1(TPosition::B1, EDGE * DEEP * 2, EDGE * DEEP);
    LocalTensor<bfloat16_t> a2(TPosition::A2, 0, EDGE * DEEP), b2(TPosition::B2, 0, EDGE * DEEP);
    LocalTensor<float> sums(TPosition::CO1, 0, EDGE * EDGE);
    bool first = true;
    for (uint32_t deep = GetBlockIdx() * DEEP; deep < k; deep += GetBlockNum() * DEEP) {
        DataCopy(a1, aGm[deep], Nd2NzParams(1, EDGE, DEEP, 0, k, EDGE, 1, 0));
        DataCopy(b1, bGm[deep * EDGE], Nd2NzParams(1, DEEP, EDGE, 0, EDGE, DEEP, 1, 0));
        PipeBarrier<PIPE_ALL>();
        for (uint16_t band = 0; band < EDGE / 16; ++band)
            LoadData(a2[band * 16 * DEEP], a1, LoadData2DParams(band, DEEP / 16, EDGE / 16, 0, 0, false, 0));
        for (uint16_t band = 0; band < DEEP / 16; ++band)
            LoadData(b2[band * 16 * EDGE], b1, LoadData2DParams(band, EDGE / 16, DEEP / 16, 0, 0, true, 0));
        PipeBarrier<PIPE_ALL>();
        Mmad(sums, a2, b2, MmadParams(EDGE, EDGE, DEEP, 0, false, first));
        PipeBarrier<PIPE_ALL>();
        first = false;
    }
    if (first) return;  // more cores than pieces
    SetAtomicAdd<float>();
    Fixpipe(cGm, sums, FixpipeParamsV220(EDGE, EDGE, EDGE, EDGE, false));
    SetAtomicNone();
}

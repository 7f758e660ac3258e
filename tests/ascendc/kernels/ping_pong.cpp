// y = exp(-x^2): two stages by hand, each with its own flags, so that copies in, arithmetic and copies out overlap.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048, STAGES = 2;

__aicore__ inline void Stage(const GlobalTensor<float>& x, const GlobalTensor<float>& y, const LocalTensor<float>& in,
                             const LocalTensor<float>& out, uint32_t n, int32_t id) {
    WaitFlag<HardEvent::V_MTE2>(id);
    DataCopyPad(in, x, DataCopyExtParams(1, n * sizeof(float), 0, 0, 0), DataCopyPadExtParams<float>());
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE3_V>(id);
    Mul(out, in, in, n);
    PipeBarrier<PIPE_V>();
    SetFlag<HardEvent::V_MTE2>(id);
    Muls(out, out, -1.0f, n);
    PipeBarrier<PIPE_V>();
    Exp(out, out, n);
    SetFlag<HardEvent::V_MTE3>(id);
    WaitFlag<HardEvent::V_MTE3>(id);
    DataCopyPad(y, out, DataCopyExtParams(1, n * sizeof(float), 0, 0, 0));
    SetFlag<HardEvent::MTE3_V>(id);
}

extern "C" __global__ __aicore__ void ping_pong(GM_ADDR x, GM_ADDR y, uint32_t total) {
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, total);
    yGm.SetGlobalBuffer((__gm__ float*)y, total);
    LocalTensor<float> in[STAGES], out[STAGES];
    for (uint32_t i = 0; i < STAGES; ++i) {
        in[i] = LocalTensor<float>(TPosition::VECIN, i * TILE * sizeof(float), TILE);
        out[i] = LocalTensor<float>(TPosition::VECOUT, (STAGES + i) * TILE * sizeof(float), TILE);
        SetFlag<HardEvent::V_MTE2>(i);
        SetFlag<HardEvent::MTE3_V>(i);
    }
    uint32_t stage = 0;
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        Stage(xGm[at], yGm[at], in[stage], out[stage], min(TILE, total - at), stage);
        stage = (stage + 1) % STAGES;
    }
    for (uint32_t i = 0; i < STAGES; ++i) {
        WaitFlag<HardEvent::V_MTE2>(i);
        WaitFlag<HardEvent::MTE3_V>(i);
    }
}

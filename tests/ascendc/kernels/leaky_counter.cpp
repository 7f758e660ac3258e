// Leaky ReLU in the counter mode: the mask register counts all elements, and no repeats are given.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4000;

extern "C" __global__ __aicore__ void leaky_counter(GM_ADDR x, GM_ADDR y, float slope, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, total);
    yGm.SetGlobalBuffer((__gm__ float*)y, total);
    UnaryRepeatParams unary(1, 1, 8, 8);
    SetMaskCount();
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<float> given = in.AllocTensor<float>();
        DataCopyPad(given, xGm[at], {1, (uint32_t)(n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(given);
        given = in.DeQue<float>();
        LocalTensor<float> result = out.AllocTensor<float>();
        SetVectorMask<float, MaskMode::COUNTER>(0, n);
        Muls<float, false>(result, given, slope, MASK_PLACEHOLDER, 1, unary);
        PipeBarrier<PIPE_V>();
        Max<float, false>(result, result, given, MASK_PLACEHOLDER, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        in.FreeTensor(given);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[at], result, {1, (uint32_t)(n * sizeof(float)), 0, 0, 0});
        out.FreeTensor(result);
    }
    SetMaskNorm();
    ResetMask();
}

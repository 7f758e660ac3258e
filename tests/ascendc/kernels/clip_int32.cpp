// y = min(max(x, low), high) of whole numbers: queues of depth 0, whose tensors come by reference.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 1000;  // no multiple of 256 bytes

extern "C" __global__ __aicore__ void clip_int32(GM_ADDR x, GM_ADDR y, int32_t low, int32_t high, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 0> in;
    TQue<QuePosition::VECOUT, 0> out;
    pipe.InitBuffer(in, 1, TILE * sizeof(int32_t));
    pipe.InitBuffer(out, 1, TILE * sizeof(int32_t));
    GlobalTensor<int32_t> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x);
    yGm.SetGlobalBuffer((__gm__ int32_t*)y);
    LocalTensor<int32_t> given, clipped;
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        in.AllocTensor<int32_t>(given);
        DataCopyPad(given, xGm[at], {1, (uint16_t)(n * 4), 0, 0}, {false, 0, 0, 0});
        in.EnQue(given);
        in.DeQue<int32_t>(given);
        out.AllocTensor<int32_t>(clipped);
        Maxs(clipped, given, low, n);
        Mins(clipped, clipped, high, n);
        in.FreeTensor(given);
        out.EnQue(clipped);
        out.DeQue<int32_t>(clipped);
        DataCopyPad(yGm[at], clipped, {1, (uint16_t)(n * 4), 0, 0});
        out.FreeTensor(clipped);
    }
}

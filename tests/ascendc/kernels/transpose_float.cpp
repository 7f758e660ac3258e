// 16 x 8 float tiles turned over by lists of addresses: each source is a block of eight numbers, each target half a line.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t ROWS = 16, COLUMNS = 8;

extern "C" __global__ __aicore__ void transpose_float(GM_ADDR x, GM_ADDR y, uint32_t tiles) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, ROWS * COLUMNS * sizeof(float));
    pipe.InitBuffer(out, 2, ROWS * COLUMNS * sizeof(float));
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
        LocalTensor<float> given = in.AllocTensor<float>();
        DataCopy(given, xGm[tile * ROWS * COLUMNS], ROWS * COLUMNS);
        in.EnQue(given);
        given = in.DeQue<float>();
        LocalTensor<float> turned = out.AllocTensor<float>();
        uint64_t from[ROWS], to[ROWS];
        for (uint32_t i = 0; i < ROWS; ++i) {
            from[i] = given[i * COLUMNS].GetPhyAddr();
            to[i] = turned[i * COLUMNS].GetPhyAddr();  // 2 j: the first eight of column j, 2 j + 1: the rest
        }
        TransDataTo5HD<float>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
        in.FreeTensor(given);
        out.EnQue(turned);
        turned = out.DeQue<float>();
        DataCopy(yGm[tile * ROWS * COLUMNS], turned, ROWS * COLUMNS);
        out.FreeTensor(turned);
    }
}

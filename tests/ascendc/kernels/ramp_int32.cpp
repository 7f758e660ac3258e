// y[i] = first + i * step: the unit counts, whole numbers are multiplied; nothing is read.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 8192;

extern "C" __global__ __aicore__ void ramp_int32(GM_ADDR y, int32_t first, int32_t step, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 2, TILE * sizeof(int32_t));
    GlobalTensor<int32_t> yGm;
    yGm.SetGlobalBuffer((__gm__ int32_t*)y, total);
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<int32_t> numbers = out.AllocTensor<int32_t>();
        CreateVecIndex(numbers, (int32_t)at, n);
        Muls(numbers, numbers, step, n);
        Adds(numbers, numbers, first, n);
        out.EnQue(numbers);
        numbers = out.DeQue<int32_t>();
        DataCopyPad(yGm[at], numbers, {1, (uint32_t)(n * 4), 0, 0, 0});
        out.FreeTensor(numbers);
    }
}

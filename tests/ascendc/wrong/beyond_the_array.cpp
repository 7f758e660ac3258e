// Wrong: the last tile is copied whole, beyond the end of the array; its length must be cut to the rest.
// rule: bounds
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void beyond_the_array(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    constexpr uint32_t total = 1024, tile = 384;
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, tile * sizeof(float));
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t at = 0; at < total; at += tile) {
        LocalTensor<float> piece = queue.AllocTensor<float>();
        DataCopy(piece, xGm[at], tile);  // wrong
        queue.EnQue(piece);
        piece = queue.DeQue<float>();
        DataCopy(yGm[at], piece, tile);
        queue.FreeTensor(piece);
    }
}

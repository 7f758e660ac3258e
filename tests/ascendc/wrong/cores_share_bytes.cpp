// Wrong: shares of 250 numbers, written in whole blocks of 32 bytes, so that neighbouring cores write the same bytes.
// rule: race
// blocks: 4
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void cores_share_bytes(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    constexpr uint32_t share = 250, whole = 256;
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, whole * sizeof(float));
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x + share * GetBlockIdx());
    yGm.SetGlobalBuffer((__gm__ float*)y + share * GetBlockIdx());
    LocalTensor<float> piece = queue.AllocTensor<float>();
    DataCopy(piece, xGm, whole);
    queue.EnQue(piece);
    piece = queue.DeQue<float>();
    DataCopy(yGm, piece, whole);  // wrong
    queue.FreeTensor(piece);
}

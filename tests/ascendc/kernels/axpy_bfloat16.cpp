// y += a x in bfloat16, which the vector unit only converts: both are widened, added, and rounded back; y is read and written.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 1024;

extern "C" __global__ __aicore__ void axpy_bfloat16(GM_ADDR x, GM_ADDR y, float a, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> xQueue, yQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    TBuf<> buffer;
    pipe.InitBuffer(xQueue, 2, TILE * 2);
    pipe.InitBuffer(yQueue, 2, TILE * 2);
    pipe.InitBuffer(outQueue, 2, TILE * 2);
    pipe.InitBuffer(buffer, 2 * TILE * sizeof(float));
    GlobalTensor<bfloat16_t> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ bfloat16_t*)x, total);
    yGm.SetGlobalBuffer((__gm__ bfloat16_t*)y, total);
    LocalTensor<float> wideX = buffer.Get<float>(TILE), wideY = buffer.GetWithOffset<float>(TILE, TILE * sizeof(float));
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        DataCopyExtParams block(1, n * 2, 0, 0, 0);
        DataCopyPadExtParams<bfloat16_t> plain;
        LocalTensor<bfloat16_t> one = xQueue.AllocTensor<bfloat16_t>(), two = yQueue.AllocTensor<bfloat16_t>();
        DataCopyPad(one, xGm[at], block, plain);
        DataCopyPad(two, yGm[at], block, plain);
        xQueue.EnQue(one);
        yQueue.EnQue(two);
        one = xQueue.DeQue<bfloat16_t>();
        two = yQueue.DeQue<bfloat16_t>();
        Cast(wideX, one, RoundMode::CAST_NONE, n);
        Cast(wideY, two, RoundMode::CAST_NONE, n);
        xQueue.FreeTensor(one);
        yQueue.FreeTensor(two);
        Axpy(wideY, wideX, a, n);
        LocalTensor<bfloat16_t> result = outQueue.AllocTensor<bfloat16_t>();
        Cast(result, wideY, RoundMode::CAST_RINT, n);
        outQueue.EnQue(result);
        result = outQueue.DeQue<bfloat16_t>();
        DataCopyPad(yGm[at], result, block);
        outQueue.FreeTensor(result);
    }
}

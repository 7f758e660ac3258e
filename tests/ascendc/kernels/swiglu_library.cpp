// a sigmoid(a) b and its like from the library of functions: sigmoid, erf, power, with a temporary of the caller's.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;

extern "C" __global__ __aicore__ void swiglu_library(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR e, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> aQueue, bQueue;
    TQue<QuePosition::VECOUT, 1> yQueue, eQueue;
    TBuf<TPosition::VECCALC> scratch;
    for (auto* queue : {&aQueue, &bQueue}) pipe.InitBuffer(*queue, 2, TILE * sizeof(float));
    for (auto* queue : {&yQueue, &eQueue}) pipe.InitBuffer(*queue, 2, TILE * sizeof(float));
    pipe.InitBuffer(scratch, 16384);
    GlobalTensor<float> aGm, bGm, yGm, eGm;
    aGm.SetGlobalBuffer((__gm__ float*)a, total);
    bGm.SetGlobalBuffer((__gm__ float*)b, total);
    yGm.SetGlobalBuffer((__gm__ float*)y, total);
    eGm.SetGlobalBuffer((__gm__ float*)e, total);
    LocalTensor<uint8_t> temporary = scratch.Get<uint8_t>();
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        DataCopyExtParams block(1, n * sizeof(float), 0, 0, 0);
        LocalTensor<float> x = aQueue.AllocTensor<float>(), z = bQueue.AllocTensor<float>();
        DataCopyPad(x, aGm[at], block, DataCopyPadExtParams<float>());
        DataCopyPad(z, bGm[at], block, DataCopyPadExtParams<float>());
        aQueue.EnQue(x);
        bQueue.EnQue(z);
        x = aQueue.DeQue<float>();
        z = bQueue.DeQue<float>();
        LocalTensor<float> product = yQueue.AllocTensor<float>(), erf = eQueue.AllocTensor<float>();
        Sigmoid(product, x, temporary, n);
        Mul(product, product, x, n);
        Mul(product, product, z, n);
        Erf(erf, x, temporary, n);
        aQueue.FreeTensor(x);
        bQueue.FreeTensor(z);
        yQueue.EnQue(product);
        eQueue.EnQue(erf);
        product = yQueue.DeQue<float>();
        erf = eQueue.DeQue<float>();
        DataCopyPad(yGm[at], product, block);
        DataCopyPad(eGm[at], erf, block);
        yQueue.FreeTensor(product);
        eQueue.FreeTensor(erf);
    }
}

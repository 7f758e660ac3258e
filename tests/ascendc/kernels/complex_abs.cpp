// |z| of complex numbers that lie as pairs: patterns of the unit pick the even and the odd elements.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 1024;  // complex numbers

extern "C" __global__ __aicore__ void complex_abs(GM_ADDR z, GM_ADDR y, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(in, 2, 2 * TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    pipe.InitBuffer(buffer, 2 * TILE * sizeof(float));
    GlobalTensor<float> zGm, yGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 2 * total);
    yGm.SetGlobalBuffer((__gm__ float*)y, total);
    LocalTensor<float> real = buffer.Get<float>(TILE), imaginary = buffer.GetWithOffset<float>(TILE, TILE * sizeof(float));
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<float> pairs = in.AllocTensor<float>();
        DataCopyPad(pairs, zGm[2 * at], {1, (uint32_t)(2 * n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(pairs);
        pairs = in.DeQue<float>();
        uint64_t kept = 0;
        GatherMask(real, pairs, 1, true, 2 * n, GatherMaskParams(1, 1, 8, 0), kept);
        PipeBarrier<PIPE_V>();
        GatherMask(imaginary, pairs, 2, true, 2 * n, GatherMaskParams(1, 1, 8, 0), kept);
        PipeBarrier<PIPE_V>();
        ResetMask();
        LocalTensor<float> result = out.AllocTensor<float>();
        Mul(real, real, real, n);
        MulAddDst(real, imaginary, imaginary, n);
        Sqrt(result, real, n);
        in.FreeTensor(pairs);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[at], result, {1, (uint32_t)(kept * sizeof(float)), 0, 0, 0});
        out.FreeTensor(result);
    }
}

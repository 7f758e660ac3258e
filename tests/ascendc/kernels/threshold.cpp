// y = x where x > t, else v: a comparison makes bits, which choose between a tensor and a number.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048, LANES = 64;

extern "C" __global__ __aicore__ void threshold(GM_ADDR x, GM_ADDR y, float t, float v, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> bits;
    pipe.InitBuffer(in, 2, TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    pipe.InitBuffer(bits, TILE / 8);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, total);
    yGm.SetGlobalBuffer((__gm__ float*)y, total);
    LocalTensor<uint8_t> chosen = bits.Get<uint8_t>();
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at), whole = AlignUp(n, LANES);  // a comparison takes whole repeats
        LocalTensor<float> given = in.AllocTensor<float>();
        DataCopyPad(given, xGm[at], {1, (uint32_t)(n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(given);
        given = in.DeQue<float>();
        CompareScalar(chosen, given, t, CMPMODE::GT, whole);
        LocalTensor<float> result = out.AllocTensor<float>();
        Select(result, chosen, given, v, SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
        in.FreeTensor(given);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[at], result, {1, (uint32_t)(n * sizeof(float)), 0, 0, 0});
        out.FreeTensor(result);
    }
}

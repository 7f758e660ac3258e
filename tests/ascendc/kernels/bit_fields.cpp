// Fields of 16-bit words exchanged: y = ((x >> 8) & 0x00ff) | ~(x << 8 | 0x00ff), with shifts, and, or, not.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;

extern "C" __global__ __aicore__ void bit_fields(GM_ADDR x, GM_ADDR y, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(in, 2, TILE * 2);
    pipe.InitBuffer(out, 2, TILE * 2);
    pipe.InitBuffer(buffer, TILE * 2);
    GlobalTensor<uint16_t> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ uint16_t*)x, total);
    yGm.SetGlobalBuffer((__gm__ uint16_t*)y, total);
    LocalTensor<uint16_t> low = buffer.Get<uint16_t>();
    Duplicate(low, (uint16_t)0x00ff, TILE);
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<uint16_t> words = in.AllocTensor<uint16_t>();
        DataCopyPad(words, xGm[at], {1, (uint32_t)(n * 2), 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(words);
        words = in.DeQue<uint16_t>();
        LocalTensor<uint16_t> result = out.AllocTensor<uint16_t>();
        ShiftRight(result, words, (uint16_t)8, n);
        And(result, result, low, n);
        ShiftLeft(words, words, (uint16_t)8, n);
        Or(words, words, low, n);
        Not(words, words, n);
        Or(result, result, words, n);
        in.FreeTensor(words);
        out.EnQue(result);
        result = out.DeQue<uint16_t>();
        DataCopyPad(yGm[at], result, {1, (uint32_t)(n * 2), 0, 0, 0});
        out.FreeTensor(result);
    }
}

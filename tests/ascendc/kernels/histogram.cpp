// How often each of 256 byte values occurs: the scalar unit counts in UB, and cores add their counts with atomic copies.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 512, BINS = 256;

extern "C" __global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR counts, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, TILE);
    pipe.InitBuffer(out, 1, BINS * sizeof(int32_t));
    GlobalTensor<uint8_t> xGm;
    GlobalTensor<int32_t> countGm;
    xGm.SetGlobalBuffer((__gm__ uint8_t*)x, total);
    countGm.SetGlobalBuffer((__gm__ int32_t*)counts, BINS);
    LocalTensor<int32_t> mine = out.AllocTensor<int32_t>();
    Duplicate(mine, 0, BINS);
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<uint8_t> some = in.AllocTensor<uint8_t>();
        DataCopyPad(some, xGm[at], DataCopyExtParams(1, n, 0, 0, 0), DataCopyPadExtParams<uint8_t>());
        in.EnQue(some);
        some = in.DeQue<uint8_t>();
        for (uint32_t i = 0; i < n; ++i) {
            uint8_t value = some(i);
            mine(value) = mine(value) + 1;
        }
        in.FreeTensor(some);
    }
    SetFlag<HardEvent::S_MTE3>(0);
    WaitFlag<HardEvent::S_MTE3>(0);
    out.EnQue(mine);
    mine = out.DeQue<int32_t>();
    SetAtomicAdd<int32_t>();
    DataCopy(countGm, mine, BINS);
    SetAtomicNone();
    out.FreeTensor(mine);
}

// Five ways of rounding float32 to int32, one after the other in five results.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 1024;

extern "C" __global__ __aicore__ void round_modes(GM_ADDR x, GM_ADDR y, uint32_t total) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(int32_t));
    GlobalTensor<float> xGm;
    GlobalTensor<int32_t> yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, total);
    yGm.SetGlobalBuffer((__gm__ int32_t*)y, 5 * total);
    const RoundMode modes[5] = {RoundMode::CAST_RINT, RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL, RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC};
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<float> given = in.AllocTensor<float>();
        DataCopyPad(given, xGm[at], DataCopyExtParams(1, n * 4, 0, 0, 0), DataCopyPadExtParams<float>());
        in.EnQue(given);
        given = in.DeQue<float>();
        for (uint32_t way = 0; way < 5; ++way) {
            LocalTensor<int32_t> result = out.AllocTensor<int32_t>();
            Cast(result, given, modes[way], n);
            out.EnQue(result);
            result = out.DeQue<int32_t>();
            DataCopyPad(yGm[way * total + at], result, DataCopyExtParams(1, n * 4, 0, 0, 0));
            out.FreeTensor(result);
        }
        in.FreeTensor(given);
    }
}

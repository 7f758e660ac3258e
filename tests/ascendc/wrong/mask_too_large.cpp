// Wrong: a mask of 128 lanes, as for half numbers; a repeat of float numbers has 64.
// rule: count
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void mask_too_large(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 1024);
    pipe.InitBuffer(out, 1, 1024);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> given = in.AllocTensor<float>();
    DataCopy(given, xGm, 256);
    in.EnQue(given);
    given = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    uint64_t mask = 128;
    Sqrt(result, given, mask, 2, UnaryRepeatParams(1, 1, 8, 8));  // wrong
    in.FreeTensor(given);
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopy(yGm, result, 256);
    out.FreeTensor(result);
}

// Wrong: the result has twice as many bytes as its source, and its buffer was made for the source's.
// rule: bounds
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void beyond_the_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 256 * sizeof(half));
    pipe.InitBuffer(out, 1, 256 * sizeof(half));
    GlobalTensor<half> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<half> given = in.AllocTensor<half>();
    DataCopy(given, xGm, 256);
    in.EnQue(given);
    given = in.DeQue<half>();
    LocalTensor<float> result = out.AllocTensor<float>();
    Cast(result, given, RoundMode::CAST_NONE, 256);  // wrong
    in.FreeTensor(given);
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopy(yGm, result, 256);
    out.FreeTensor(result);
}

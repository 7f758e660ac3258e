// Wrong: int32 becomes half by a scale, which SetDeqScale never gave.
// rule: state
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale_never_set(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 512);
    pipe.InitBuffer(out, 1, 256);
    GlobalTensor<int32_t> xGm;
    GlobalTensor<half> yGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x);
    yGm.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<int32_t> given = in.AllocTensor<int32_t>();
    DataCopy(given, xGm, 128);
    in.EnQue(given);
    given = in.DeQue<int32_t>();
    LocalTensor<half> result = out.AllocTensor<half>();
    Cast(result, given, RoundMode::CAST_NONE, 128);  // wrong
    in.FreeTensor(given);
    out.EnQue(result);
    result = out.DeQue<half>();
    DataCopy(yGm, result, 128);
    out.FreeTensor(result);
}

// Wrong: the input is read again after it was given back to its queue.
// rule: queue
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tensor_after_free(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 512);
    pipe.InitBuffer(out, 1, 512);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> given = in.AllocTensor<float>();
    DataCopy(given, xGm, 128);
    in.EnQue(given);
    given = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    Exp(result, given, 128);
    in.FreeTensor(given);
    Add(result, result, given, 128);  // wrong
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopy(yGm, result, 128);
    out.FreeTensor(result);
}

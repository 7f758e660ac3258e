// Wrong: 50 numbers are brought and worked on, and 56 are written back: the last six are what lay in UB.
// rule: uninitialised
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tail_of_nobody(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(out, 1, 256);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> given = in.AllocTensor<float>();
    DataCopyPad(given, xGm, {1, 200, 0, 0, 0}, {false, 0, 0, 0});
    in.EnQue(given);
    given = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    Adds(result, given, 1.0f, 56);
    in.FreeTensor(given);
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopy(yGm, result, 56);  // wrong
    out.FreeTensor(result);
}

// Wrong: a prefix sum by adding a tensor to itself, shifted: the result lies over a part of its source.
// rule: overlap
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void shifted_onto_itself(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
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
    LocalTensor<float> sums = out.AllocTensor<float>();
    Adds(sums, given, 0.0f, 128);
    Add(sums[8], sums[8], sums, 120);  // wrong
    in.FreeTensor(given);
    out.EnQue(sums);
    sums = out.DeQue<float>();
    DataCopy(yGm, sums, 128);
    out.FreeTensor(sums);
}

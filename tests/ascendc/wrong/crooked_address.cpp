// Wrong: the second half of a row begins at element 100, byte 400, which is no multiple of 32.
// rule: address
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void crooked_address(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 800);
    pipe.InitBuffer(out, 1, 416);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> row = in.AllocTensor<float>();
    DataCopy(row, xGm, 200);
    in.EnQue(row);
    row = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    Mul(result, row, row[100], 100);  // wrong
    in.FreeTensor(row);
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopyPad(yGm, result, {1, 400, 0, 0, 0});
    out.FreeTensor(result);
}

// Wrong: FreeTensor of the input is missing, so that the third round finds no buffer in its queue.
// rule: queue
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tensor_not_freed(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, 512);
    pipe.InitBuffer(out, 2, 512);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> given = in.AllocTensor<float>();  // wrong
        DataCopy(given, xGm[i * 128], 128);
        in.EnQue(given);
        given = in.DeQue<float>();
        LocalTensor<float> result = out.AllocTensor<float>();
        Abs(result, given, 128);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopy(yGm[i * 128], result, 128);
        out.FreeTensor(result);
    }
}

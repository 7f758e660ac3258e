// Wrong: two buffers each of two queues of 64 KiB are more than the 192 KiB of UB.
// rule: buffers
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void too_much_ub(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, 65536);
    pipe.InitBuffer(out, 2, 65536);  // wrong
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    LocalTensor<float> given = in.AllocTensor<float>();
    DataCopy(given, xGm, 256);
    in.EnQue(given);
    given = in.DeQue<float>();
    in.FreeTensor(given);
}

// Wrong: DataCopy of 100 half numbers, 200 bytes, which the device would cut to 192; DataCopyPad takes any length.
// rule: length
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void odd_length(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    GlobalTensor<half> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    yGm.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> piece = queue.AllocTensor<half>();
    DataCopy(piece, xGm, 100);  // wrong
    queue.EnQue(piece);
    piece = queue.DeQue<half>();
    DataCopy(yGm, piece, 96);
    queue.FreeTensor(piece);
}

// Wrong: atomic copies stay switched on, and the plain copy that follows adds to what lies there; the kernel ends so.
// rule: atomic
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void atomic_left_on(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> piece = queue.AllocTensor<float>();
    DataCopy(piece, xGm, 64);
    queue.EnQue(piece);
    piece = queue.DeQue<float>();
    SetAtomicAdd<float>();  // wrong
    DataCopy(yGm, piece, 64);
    PipeBarrier<PIPE_MTE3>();
    DataCopy(yGm[64], piece, 64);
    queue.FreeTensor(piece);
}

// Wrong: what SetValue writes to global memory stays in the data cache; a copy reads the old bytes.
// rule: cache
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void value_in_the_cache(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    GlobalTensor<float> table, yGm;
    table.SetGlobalBuffer((__gm__ float*)workspace);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (int32_t i = 0; i < 64; ++i) table.SetValue(i, i * 0.5f);
    LocalTensor<float> piece = queue.AllocTensor<float>();
    DataCopy(piece, table, 64);  // wrong
    queue.EnQue(piece);
    piece = queue.DeQue<float>();
    DataCopy(yGm, piece, 64);
    queue.FreeTensor(piece);
}

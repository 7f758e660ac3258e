// table[ids[i]] += x[i]: rows are added where they belong by atomic copies, whichever core brings them.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void scatter_add(GM_ADDR x, GM_ADDR ids, GM_ADDR table, uint32_t count, uint32_t width) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 4, AlignUp(width * sizeof(float), 32));
    GlobalTensor<float> xGm, tableGm;
    GlobalTensor<int64_t> idGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    tableGm.SetGlobalBuffer((__gm__ float*)table);
    idGm.SetGlobalBuffer((__gm__ int64_t*)ids, count);
    DataCopyExtParams row(1, width * sizeof(float), 0, 0, 0);
    SetAtomicAdd<float>();
    for (uint32_t i = GetBlockIdx(); i < count; i += GetBlockNum()) {
        uint64_t id = idGm.GetValue(i);
        LocalTensor<float> line = queue.AllocTensor<float>();
        DataCopyPad(line, xGm[uint64_t(i) * width], row, DataCopyPadExtParams<float>());
        queue.EnQue(line);
        line = queue.DeQue<float>();
        DataCopyPad(tableGm[id * width], line, row);
        queue.FreeTensor(line);
        PipeBarrier<PIPE_MTE3>();  // the next row may be the same one
    }
    SetAtomicNone();
}

// y[i] = table[ids[i]]: the scalar unit reads the numbers of rows from UB, and a copy brings each row.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t SOME = 64;  // ids at a time

extern "C" __global__ __aicore__ void gather_rows(GM_ADDR table, GM_ADDR ids, GM_ADDR y, uint32_t count, uint32_t width) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> idQueue;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> rowQueue;
    pipe.InitBuffer(idQueue, 2, SOME * sizeof(int32_t));
    pipe.InitBuffer(rowQueue, 4, AlignUp(width * sizeof(float), 32));
    GlobalTensor<float> tableGm, yGm;
    GlobalTensor<int32_t> idGm;
    tableGm.SetGlobalBuffer((__gm__ float*)table);
    idGm.SetGlobalBuffer((__gm__ int32_t*)ids, count);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    DataCopyExtParams row(1, width * sizeof(float), 0, 0, 0);
    for (uint32_t at = GetBlockIdx() * SOME; at < count; at += GetBlockNum() * SOME) {
        uint32_t n = min(SOME, count - at);
        LocalTensor<int32_t> local = idQueue.AllocTensor<int32_t>();
        DataCopyPad(local, idGm[at], DataCopyExtParams(1, n * sizeof(int32_t), 0, 0, 0), DataCopyPadExtParams<int32_t>());
        idQueue.EnQue(local);
        local = idQueue.DeQue<int32_t>();
        for (uint32_t i = 0; i < n; ++i) {
            uint64_t id = local.GetValue(i);
            LocalTensor<float> line = rowQueue.AllocTensor<float>();
            DataCopyPad(line, tableGm[id * width], row, DataCopyPadExtParams<float>());
            rowQueue.EnQue(line);
            line = rowQueue.DeQue<float>();
            DataCopyPad(yGm[(at + i) * width], line, row);
            rowQueue.FreeTensor(line);
        }
        idQueue.FreeTensor(local);
    }
}

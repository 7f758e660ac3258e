// Sums of columns over cores that have some rows each: sums of a core in UB, then one atomic copy of them.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void column_sums(GM_ADDR x, GM_ADDR sums, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> in;
    TQue<QuePosition::VECOUT, 1> out;
    uint32_t bytes = columns * sizeof(float);
    pipe.InitBuffer(in, 2, AlignUp(bytes, 32));
    pipe.InitBuffer(out, 1, AlignUp(bytes, 32));
    GlobalTensor<float> xGm, sumGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    sumGm.SetGlobalBuffer((__gm__ float*)sums, columns);
    LocalTensor<float> mine = out.AllocTensor<float>();
    Duplicate(mine, 0.0f, columns);
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        LocalTensor<float> line = in.AllocTensor<float>();
        DataCopyPad(line, xGm[uint64_t(row) * columns], {1, bytes, 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(line);
        line = in.DeQue<float>();
        Add(mine, mine, line, columns);
        in.FreeTensor(line);
    }
    out.EnQue(mine);
    mine = out.DeQue<float>();
    SetAtomicAdd<float>();
    DataCopyPad(sumGm, mine, {1, bytes, 0, 0, 0});
    SetAtomicNone();
    out.FreeTensor(mine);
}

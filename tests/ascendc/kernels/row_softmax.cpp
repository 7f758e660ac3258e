// softmax of each row: largest number and sum by reductions, read by the scalar unit; a core takes every n-th row.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void row_softmax(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> work, single;
    uint32_t bytes = columns * sizeof(float);
    pipe.InitBuffer(in, 2, AlignUp(bytes, 32));
    pipe.InitBuffer(out, 2, AlignUp(bytes, 32));
    pipe.InitBuffer(work, AlignUp(bytes, 32));
    pipe.InitBuffer(single, 32);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, rows * columns);
    yGm.SetGlobalBuffer((__gm__ float*)y, rows * columns);
    LocalTensor<float> temporary = work.Get<float>(), one = single.Get<float>();
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        LocalTensor<float> line = in.AllocTensor<float>();
        DataCopyPad(line, xGm[row * columns], {1, bytes, 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(line);
        line = in.DeQue<float>();
        LocalTensor<float> result = out.AllocTensor<float>();
        ReduceMax(one, line, temporary, columns);
        float largest = one.GetValue(0);
        Adds(result, line, -largest, columns);
        in.FreeTensor(line);
        Exp(result, result, columns);
        ReduceSum(one, result, temporary, columns);
        float sum = one.GetValue(0);
        Muls(result, result, 1.0f / sum, columns);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[row * columns], result, {1, bytes, 0, 0, 0});
        out.FreeTensor(result);
    }
}

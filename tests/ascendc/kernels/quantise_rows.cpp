// Rows of float to int8 with a scale each: the largest magnitude of a row becomes 127; float, int32, half, int8.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void quantise_rows(GM_ADDR x, GM_ADDR y, GM_ADDR scales, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out, scaleQueue;
    TBuf<TPosition::VECCALC> wideBuf, halfBuf, workBuf;
    uint32_t length = AlignUp(columns, 32);
    pipe.InitBuffer(in, 2, length * 4);
    pipe.InitBuffer(out, 2, length);
    pipe.InitBuffer(scaleQueue, 2, 32);
    pipe.InitBuffer(wideBuf, length * 4);
    pipe.InitBuffer(halfBuf, length * 2);
    pipe.InitBuffer(workBuf, length * 4);
    GlobalTensor<float> xGm, scaleGm;
    GlobalTensor<int8_t> yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ int8_t*)y);
    scaleGm.SetGlobalBuffer((__gm__ float*)scales);
    LocalTensor<float> wide = wideBuf.Get<float>();
    LocalTensor<half> narrow = halfBuf.Get<half>();
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        LocalTensor<float> line = in.AllocTensor<float>();
        DataCopyPad(line, xGm[row * columns], {1, (uint32_t)(columns * 4), 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(line);
        line = in.DeQue<float>();
        LocalTensor<float> scale = scaleQueue.AllocTensor<float>();
        Abs(wide, line, columns);
        ReduceMax(scale, wide, workBuf.Get<float>(), columns);
        float largest = scale.GetValue(0);
        scale.SetValue(0, largest / 127.0f);
        Muls(wide, line, 127.0f / largest, columns);
        in.FreeTensor(line);
        Cast(wide.ReinterpretCast<int32_t>(), wide, RoundMode::CAST_RINT, columns);
        SetDeqScale(half(1.0f));
        Cast(narrow, wide.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, columns);
        LocalTensor<int8_t> result = out.AllocTensor<int8_t>();
        Cast(result, narrow, RoundMode::CAST_TRUNC, columns);
        out.EnQue(result);
        scaleQueue.EnQue(scale);
        result = out.DeQue<int8_t>();
        scale = scaleQueue.DeQue<float>();
        DataCopyPad(yGm[row * columns], result, {1, columns, 0, 0, 0});
        DataCopyPad(scaleGm[row], scale, {1, 4, 0, 0, 0});
        out.FreeTensor(result);
        scaleQueue.FreeTensor(scale);
    }
}

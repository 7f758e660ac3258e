// Largest number of rows of 64, and where it is: one repeat a row gives both; the patterns of the unit part them.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t WIDTH = 64, ROWS = 32;

extern "C" __global__ __aicore__ void row_argmax(GM_ADDR x, GM_ADDR most, GM_ADDR index, uint32_t rows) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out, outIndex;
    TBuf<TPosition::VECCALC> pairBuf;
    pipe.InitBuffer(in, 2, ROWS * WIDTH * sizeof(float));
    pipe.InitBuffer(out, 2, 256);
    pipe.InitBuffer(outIndex, 2, 256);
    pipe.InitBuffer(pairBuf, 2 * ROWS * sizeof(float));
    GlobalTensor<float> xGm, mostGm;
    GlobalTensor<int32_t> indexGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, rows * WIDTH);
    mostGm.SetGlobalBuffer((__gm__ float*)most, rows);
    indexGm.SetGlobalBuffer((__gm__ int32_t*)index, rows);
    LocalTensor<float> pairs = pairBuf.Get<float>();
    for (uint32_t row = GetBlockIdx() * ROWS; row < rows; row += GetBlockNum() * ROWS) {
        uint32_t n = min(ROWS, rows - row);
        LocalTensor<float> lines = in.AllocTensor<float>();
        DataCopy(lines, xGm[row * WIDTH], n * WIDTH);
        in.EnQue(lines);
        lines = in.DeQue<float>();
        WholeReduceMax(pairs, lines, WIDTH, n, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX);
        in.FreeTensor(lines);
        LocalTensor<float> values = out.AllocTensor<float>(), places = outIndex.AllocTensor<float>();
        uint64_t kept = 0;
        GatherMask(values, pairs, 1, true, 2 * n, {1, 1, 8, 0}, kept);
        GatherMask(places, pairs, 2, true, 2 * n, {1, 1, 8, 0}, kept);
        ResetMask();
        out.EnQue(values);
        outIndex.EnQue(places);
        values = out.DeQue<float>();
        LocalTensor<int32_t> numbers = outIndex.DeQue<int32_t>();
        DataCopyPad(mostGm[row], values, DataCopyExtParams(1, n * 4, 0, 0, 0));
        DataCopyPad(indexGm[row], numbers, DataCopyExtParams(1, n * 4, 0, 0, 0));
        out.FreeTensor(values);
        outIndex.FreeTensor(numbers);
    }
}

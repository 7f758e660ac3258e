// Largest numbers of columns of int32, over cores that have some rows each: the copy out takes the larger number.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t ROWS = 8;

extern "C" __global__ __aicore__ void column_max(GM_ADDR x, GM_ADDR most, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    uint32_t pitch = AlignUp(columns, 8);
    pipe.InitBuffer(in, 2, ROWS * pitch * sizeof(int32_t));
    pipe.InitBuffer(out, 2, pitch * sizeof(int32_t));
    GlobalTensor<int32_t> xGm, mostGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x);
    mostGm.SetGlobalBuffer((__gm__ int32_t*)most);
    SetAtomicMax<int32_t>();
    for (uint32_t row = GetBlockIdx() * ROWS; row < rows; row += GetBlockNum() * ROWS) {
        uint16_t n = min(ROWS, rows - row);
        LocalTensor<int32_t> lines = in.AllocTensor<int32_t>();
        DataCopyPad(lines, xGm[row * columns], DataCopyExtParams(n, columns * 4, 0, 0, 0), DataCopyPadExtParams<int32_t>());
        in.EnQue(lines);
        lines = in.DeQue<int32_t>();
        LocalTensor<int32_t> result = out.AllocTensor<int32_t>();
        Copy(result, lines, columns);
        for (uint16_t line = 1; line < n; ++line) Max(result, result, lines[line * pitch], columns);
        in.FreeTensor(lines);
        out.EnQue(result);
        result = out.DeQue<int32_t>();
        DataCopyPad(mostGm, result, DataCopyExtParams(1, columns * 4, 0, 0, 0));
        out.FreeTensor(result);
        PipeBarrier<PIPE_MTE3>();
    }
    SetAtomicNone();
}

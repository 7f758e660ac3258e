// y = x^T of half matrices in squares of 16 x 16: strided copies bring a square, the unit turns it over.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t EDGE = 16;

extern "C" __global__ __aicore__ void transpose_half(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, EDGE * EDGE * sizeof(half));
    pipe.InitBuffer(out, 2, EDGE * EDGE * sizeof(half));
    GlobalTensor<half> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, rows * columns);
    yGm.SetGlobalBuffer((__gm__ half*)y, rows * columns);
    uint32_t across = columns / EDGE, squares = rows / EDGE * across;
    for (uint32_t square = GetBlockIdx(); square < squares; square += GetBlockNum()) {
        uint32_t row = square / across * EDGE, column = square % across * EDGE;
        LocalTensor<half> given = in.AllocTensor<half>();
        DataCopy(given, xGm[row * columns + column], DataCopyParams(EDGE, 1, columns / EDGE - 1, 0));
        in.EnQue(given);
        given = in.DeQue<half>();
        LocalTensor<half> turned = out.AllocTensor<half>();
        Transpose(turned, given);
        in.FreeTensor(given);
        out.EnQue(turned);
        turned = out.DeQue<half>();
        DataCopy(yGm[column * rows + row], turned, DataCopyParams(EDGE, 1, 0, rows / EDGE - 1));
        out.FreeTensor(turned);
    }
}

// y[i, j] = a[i] b[j]: eight numbers of a become a block of 32 bytes each, and a repeat of the product uses one for a row.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t ROWS = 8, WIDTH = 64;

extern "C" __global__ __aicore__ void outer_product(GM_ADDR a, GM_ADDR b, GM_ADDR y, uint32_t rows) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> wideBuf, lineBuf;
    pipe.InitBuffer(in, 2, ROWS * sizeof(float));
    pipe.InitBuffer(out, 2, ROWS * WIDTH * sizeof(float));
    pipe.InitBuffer(wideBuf, ROWS * 32);
    pipe.InitBuffer(lineBuf, WIDTH * sizeof(float));
    GlobalTensor<float> aGm, bGm, yGm;
    aGm.SetGlobalBuffer((__gm__ float*)a, rows);
    bGm.SetGlobalBuffer((__gm__ float*)b, WIDTH);
    yGm.SetGlobalBuffer((__gm__ float*)y, rows * WIDTH);
    LocalTensor<float> wide = wideBuf.Get<float>(), line = lineBuf.Get<float>();
    DataCopy(line, bGm, WIDTH);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID7);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID7);
    for (uint32_t row = GetBlockIdx() * ROWS; row < rows; row += GetBlockNum() * ROWS) {
        uint8_t n = min(ROWS, rows - row);
        LocalTensor<float> some = in.AllocTensor<float>();
        DataCopyPad(some, aGm[row], DataCopyExtParams(1, n * 4, 0, 0, 0), DataCopyPadExtParams<float>());
        in.EnQue(some);
        some = in.DeQue<float>();
        Brcb(wide, some, 1, BrcbRepeatParams(1, 8));
        in.FreeTensor(some);
        LocalTensor<float> result = out.AllocTensor<float>();
        // Of the first source block 0 of each repeat serves for all eight.
        Mul(result, wide, line, WIDTH, n, BinaryRepeatParams(1, 0, 1, 8, 1, 0));
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[row * WIDTH], result, DataCopyExtParams(1, n * WIDTH * 4, 0, 0, 0));
        out.FreeTensor(result);
    }
}

// y = x + bias of each row: the mask and repeat form, a row a repeat, with the same bias for each (repeat stride 0).
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t ROWS = 32, WIDTH = 128;  // of half numbers: 256 bytes, one repeat

extern "C" __global__ __aicore__ void row_bias(GM_ADDR x, GM_ADDR bias, GM_ADDR y, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(in, 2, ROWS * WIDTH * sizeof(half));
    pipe.InitBuffer(out, 2, ROWS * WIDTH * sizeof(half));
    pipe.InitBuffer(buffer, WIDTH * sizeof(half));
    GlobalTensor<half> xGm, biasGm, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    biasGm.SetGlobalBuffer((__gm__ half*)bias);
    yGm.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> added = buffer.Get<half>();
    // A mask of bits, of as many lanes as there are columns.
    uint64_t mask[2] = {columns >= 64 ? ~0ull : (1ull << columns) - 1, columns <= 64 ? 0 : columns == 128 ? ~0ull : (1ull << (columns - 64)) - 1};
    DataCopyPad(added, biasGm, DataCopyExtParams(1, columns * 2, 0, 0, 0), DataCopyPadExtParams<half>());
    TEventID ready = pipe.AllocEventID<HardEvent::MTE2_V>();
    SetFlag<HardEvent::MTE2_V>(ready);
    WaitFlag<HardEvent::MTE2_V>(ready);
    pipe.ReleaseEventID<HardEvent::MTE2_V>(ready);
    uint32_t blocks = DivCeil(columns * 2, 32);  // of 32 bytes in a row
    for (uint32_t row = GetBlockIdx() * ROWS; row < rows; row += GetBlockNum() * ROWS) {
        uint16_t n = min(ROWS, rows - row);
        LocalTensor<half> lines = in.AllocTensor<half>();
        DataCopyPad(lines, xGm[row * columns], DataCopyExtParams(n, columns * 2, 0, 8 - blocks, 0), DataCopyPadExtParams<half>());
        in.EnQue(lines);
        lines = in.DeQue<half>();
        LocalTensor<half> result = out.AllocTensor<half>();
        Add(result, lines, added, mask, n, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
        in.FreeTensor(lines);
        out.EnQue(result);
        result = out.DeQue<half>();
        DataCopyPad(yGm[row * columns], result, DataCopyExtParams(n, columns * 2, 8 - blocks, 0, 0));
        out.FreeTensor(result);
    }
}

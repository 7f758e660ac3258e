// y = x[:, first : first + width]: nothing but strided copies, through one queue from the copy in to the copy out.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t BYTES = 16384;

template <typename T>
__aicore__ inline void Slice(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns, uint32_t first, uint32_t width) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, BYTES);
    GlobalTensor<T> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ T*)x, rows * columns);
    yGm.SetGlobalBuffer((__gm__ T*)y, rows * width);
    uint32_t length = width * sizeof(T), some = BYTES / AlignUp(length, 32);
    for (uint32_t row = GetBlockIdx() * some; row < rows; row += GetBlockNum() * some) {
        uint16_t n = min(some, rows - row);
        LocalTensor<T> piece = queue.template AllocTensor<T>();
        DataCopyPad(piece, xGm[row * columns + first], DataCopyExtParams(n, length, (columns - width) * sizeof(T), 0, 0), DataCopyPadExtParams<T>());
        queue.EnQue(piece);
        piece = queue.template DeQue<T>();
        DataCopyPad(yGm[row * width], piece, DataCopyExtParams(n, length, 0, 0, 0));
        queue.FreeTensor(piece);
    }
}

extern "C" __global__ __aicore__ void column_slice(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns, uint32_t first, uint32_t width,
                                                   uint32_t bytes) {
    if (bytes == 1) Slice<int8_t>(x, y, rows, columns, first, width);
    else if (bytes == 2) Slice<half>(x, y, rows, columns, first, width);
    else Slice<float>(x, y, rows, columns, first, width);
}

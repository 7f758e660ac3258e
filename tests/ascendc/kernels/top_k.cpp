// The k largest of each row of half numbers, by a full sort of the row, whose tail is filled with the smallest number.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void top_k(GM_ADDR x, GM_ADDR y, GM_ADDR index, uint32_t rows, uint32_t columns, uint32_t k) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> lineBuf, indexBuf, sortBuf, tmpBuf, valueBuf, placeBuf;
    uint32_t whole = AlignUp(columns, 32), length = GetSortLen<half>(whole) * sizeof(half);
    pipe.InitBuffer(lineBuf, whole * sizeof(half));
    pipe.InitBuffer(indexBuf, whole * sizeof(uint32_t));
    pipe.InitBuffer(sortBuf, length);
    pipe.InitBuffer(tmpBuf, length);
    pipe.InitBuffer(valueBuf, whole * sizeof(half));
    pipe.InitBuffer(placeBuf, whole * sizeof(uint32_t));
    GlobalTensor<half> xGm, yGm;
    GlobalTensor<uint32_t> indexGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    yGm.SetGlobalBuffer((__gm__ half*)y);
    indexGm.SetGlobalBuffer((__gm__ uint32_t*)index);
    LocalTensor<half> line = lineBuf.Get<half>(), records = sortBuf.Get<half>(), tmp = tmpBuf.Get<half>(), values = valueBuf.Get<half>(), list;
    LocalTensor<uint32_t> places = placeBuf.Get<uint32_t>();
    CreateVecIndex(indexBuf.Get<int32_t>(), 0, whole);
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        Duplicate(line, half(-65504.0f), whole);
        SetFlag<HardEvent::V_MTE2>(0);
        WaitFlag<HardEvent::V_MTE2>(0);
        // What lies behind the row in its last block of 32 bytes is padded with the smallest number, too.
        uint8_t tail = AlignUp(columns, 16) - columns;
        DataCopyPad(line, xGm[row * columns], DataCopyExtParams(1, columns * 2, 0, 0, 0), DataCopyPadExtParams<half>(true, 0, tail, half(-65504.0f)));
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        Concat(list, line, tmp, whole / 16);
        Sort<half, true>(records, list, indexBuf.Get<uint32_t>(), tmp, whole / 32);
        Extract(values, places, records, whole / 32);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopyPad(yGm[row * k], values, DataCopyExtParams(1, k * 2, 0, 0, 0));
        DataCopyPad(indexGm[row * k], places, DataCopyExtParams(1, k * 4, 0, 0, 0));
        SetFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
    }
}

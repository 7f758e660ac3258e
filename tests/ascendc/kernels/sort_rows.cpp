// Rows of 128 numbers in descending order, with where each came from: groups of 32 are sorted, and four lists merged.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t WIDTH = 128, GROUP = 32, RECORD = 2;  // a record: the number and its index

extern "C" __global__ __aicore__ void sort_rows(GM_ADDR x, GM_ADDR y, GM_ADDR index, uint32_t rows) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out, outIndex;
    TBuf<TPosition::VECCALC> numbers, sorted, merged;
    pipe.InitBuffer(in, 2, WIDTH * 4);
    pipe.InitBuffer(out, 2, WIDTH * 4);
    pipe.InitBuffer(outIndex, 2, WIDTH * 4);
    pipe.InitBuffer(numbers, WIDTH * 4);
    pipe.InitBuffer(sorted, WIDTH * RECORD * 4);
    pipe.InitBuffer(merged, WIDTH * RECORD * 4);
    GlobalTensor<float> xGm, yGm;
    GlobalTensor<uint32_t> indexGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    indexGm.SetGlobalBuffer((__gm__ uint32_t*)index);
    LocalTensor<int32_t> places = numbers.Get<int32_t>();
    CreateVecIndex(places, 0, WIDTH);
    LocalTensor<float> groups = sorted.Get<float>(), all = merged.Get<float>();
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        LocalTensor<float> line = in.AllocTensor<float>();
        DataCopy(line, xGm[row * WIDTH], WIDTH);
        in.EnQue(line);
        line = in.DeQue<float>();
        Sort32(groups, line, places.ReinterpretCast<uint32_t>(), WIDTH / GROUP);
        in.FreeTensor(line);
        uint16_t lengths[4] = {GROUP, GROUP, GROUP, GROUP};
        constexpr uint32_t list = GROUP * RECORD;
        MrgSort(all, MrgSortSrcList<float>(groups, groups[list], groups[2 * list], groups[3 * list]), MrgSort4Info(lengths, false, 15, 1));
        LocalTensor<float> values = out.AllocTensor<float>();
        LocalTensor<uint32_t> from = outIndex.AllocTensor<uint32_t>();
        Extract(values, from, all, WIDTH / GROUP);
        out.EnQue(values);
        outIndex.EnQue(from);
        values = out.DeQue<float>();
        from = outIndex.DeQue<uint32_t>();
        DataCopy(yGm[row * WIDTH], values, WIDTH);
        DataCopy(indexGm[row * WIDTH], from, WIDTH);
        out.FreeTensor(values);
        outIndex.FreeTensor(from);
    }
}

// y[r, i] = x[r, index[r, i]]: offsets in bytes, made from indices by a multiplication, for the gathering unit.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void gather_elements(GM_ADDR x, GM_ADDR index, GM_ADDR y, uint32_t rows, uint32_t columns, uint32_t picks) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in, indexQueue;
    TQue<QuePosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, AlignUp(columns * 4, 32));
    pipe.InitBuffer(indexQueue, 2, AlignUp(picks * 4, 32));
    pipe.InitBuffer(out, 2, AlignUp(picks * 4, 32));
    GlobalTensor<float> xGm, yGm;
    GlobalTensor<int32_t> indexGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        LocalTensor<float> line = in.AllocTensor<float>();
        LocalTensor<int32_t> places = indexQueue.AllocTensor<int32_t>();
        DataCopyPad(line, xGm[row * columns], {1, (uint32_t)(columns * 4), 0, 0, 0}, {false, 0, 0, 0});
        DataCopyPad(places, indexGm[row * picks], {1, (uint32_t)(picks * 4), 0, 0, 0}, {false, 0, 0, 0});
        in.EnQue(line);
        indexQueue.EnQue(places);
        line = in.DeQue<float>();
        places = indexQueue.DeQue<int32_t>();
        Muls(places, places, (int32_t)sizeof(float), picks);
        LocalTensor<float> result = out.AllocTensor<float>();
        Gather(result, line, places.ReinterpretCast<uint32_t>(), 0, picks);
        in.FreeTensor(line);
        indexQueue.FreeTensor(places);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[row * picks], result, {1, (uint32_t)(picks * 4), 0, 0, 0});
        out.FreeTensor(result);
    }
}

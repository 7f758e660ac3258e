// y = max(x, 0) of half numbers: one queue from the copy in to the copy out, and the tensor is changed where it lies.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;

extern "C" __global__ __aicore__ void relu_bind(GM_ADDR x, GM_ADDR y, uint32_t total) {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    TQue<QuePosition::VECIN, 1> in;
    pipe.InitBuffer(queue, 2, TILE * sizeof(half));
    pipe.InitBuffer(in, 2, TILE * sizeof(half));
    GlobalTensor<half> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, total);
    yGm.SetGlobalBuffer((__gm__ half*)y, total);
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        LocalTensor<half> source = in.AllocTensor<half>();
        DataCopyPad(source, xGm[at], DataCopyExtParams(1, n * sizeof(half), 0, 0, 0), DataCopyPadExtParams<half>(false, 0, 0, half(0.0f)));
        in.EnQue(source);
        source = in.DeQue<half>();
        LocalTensor<half> tile = queue.AllocTensor<half>();
        Relu(tile, source, n);
        in.FreeTensor(source);
        // The vector unit made what this queue brings to the copy out: it needs a flag of its own.
        event_t done = static_cast<event_t>(pipe.FetchEventID(HardEvent::V_MTE3));
        SetFlag<HardEvent::V_MTE3>(done);
        WaitFlag<HardEvent::V_MTE3>(done);
        queue.EnQue(tile);
        tile = queue.DeQue<half>();
        DataCopyPad(yGm[at], tile, DataCopyExtParams(1, n * sizeof(half), 0, 0, 0));
        // The next use of this buffer is by the vector unit again.
        event_t free = static_cast<event_t>(pipe.FetchEventID(HardEvent::MTE3_V));
        SetFlag<HardEvent::MTE3_V>(free);
        WaitFlag<HardEvent::MTE3_V>(free);
        queue.FreeTensor(tile);
    }
}

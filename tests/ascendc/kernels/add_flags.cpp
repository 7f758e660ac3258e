// z = x + y without pipe and queues: memory from an allocator, every flag by hand, one buffer of each.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;

__global__ __aicore__ __vector__ void add_flags(__gm__ int16_t* x, __gm__ int16_t* y, __gm__ int16_t* z, uint32_t total) {
    LocalMemAllocator<Hardware::UB> memory;
    LocalTensor<int16_t> a = memory.Alloc<int16_t, TILE>(), b = memory.Alloc<int16_t, TILE>(), c = memory.Alloc<int16_t, TILE>();
    GlobalTensor<int16_t> xGm, yGm, zGm;
    xGm.SetGlobalBuffer(x, total);
    yGm.SetGlobalBuffer(y, total);
    zGm.SetGlobalBuffer(z, total);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);   // the sources are free
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);   // the result is free
    for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) {
        uint32_t n = min(TILE, total - at);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        DataCopyPad(a, xGm[at], DataCopyExtParams(1, n * 2, 0, 0, 0), DataCopyPadExtParams<int16_t>());
        DataCopyPad(b, yGm[at], DataCopyExtParams(1, n * 2, 0, 0, 0), DataCopyPadExtParams<int16_t>());
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        Add(c, a, b, n);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopyPad(zGm[at], c, DataCopyExtParams(1, n * 2, 0, 0, 0));
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
}

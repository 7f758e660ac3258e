// Wrong: the first round waits for a flag that only the end of a round sets; it must be set once before the loop.
// rule: deadlock
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void wait_without_set(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    LocalTensor<float> tile(TPosition::VECCALC, 0, 256);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (int32_t i = 0; i < 2; ++i) {
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);  // wrong
        DataCopy(tile, xGm[i * 256], 256);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(yGm[i * 256], tile, 256);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
}

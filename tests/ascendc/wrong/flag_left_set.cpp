// Wrong: the flag that says the buffer is free is set in the last round, and nobody waits for it.
// rule: flag
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void flag_left_set(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    LocalTensor<float> tile(TPosition::VECCALC, 0, 256);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (int32_t i = 0; i < 2; ++i) {
        if (i > 0) WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        DataCopy(tile, xGm[i * 256], 256);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(yGm[i * 256], tile, 256);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);  // wrong
    }
}

// Wrong: the next copy in overwrites the only buffer while the copy out of the last tile may still read it (MTE3_MTE2).
// rule: race
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void buffer_used_again(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    LocalTensor<float> tile(TPosition::VECCALC, 0, 256);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    for (int32_t i = 0; i < 2; ++i) {
        DataCopy(tile, xGm[i * 256], 256);  // wrong
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Relu(tile, tile, 256);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(yGm[i * 256], tile, 256);
    }
}

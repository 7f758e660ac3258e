// Wrong: the vector unit may begin before the copy into UB has ended; SetFlag and WaitFlag of MTE2_V are missing.
// rule: race
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void missing_flag_to_vector(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> tile = buffer.Get<float>();
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    DataCopy(tile, xGm, 256);
    Muls(tile, tile, 2.0f, 256);  // wrong
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, tile, 256);
}

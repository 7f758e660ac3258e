// Wrong: the cube unit may begin before L0A and L0B are loaded; SetFlag and WaitFlag of MTE1_M are missing.
// rule: race
// kind: cube
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void cube_flag_missing(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    GlobalTensor<half> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> sums(TPosition::CO1, 0, 256);
    DataCopy(a1, xGm, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(b2, a1, LoadData2DParams(0, 1, 1, 0, 0, true, 0));
    Mmad(sums, a2, b2, MmadParams(16, 16, 16, 0, false, true));  // wrong
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    Fixpipe(yGm, sums, FixpipeParamsV220(16, 16, 16, 16, false));
}

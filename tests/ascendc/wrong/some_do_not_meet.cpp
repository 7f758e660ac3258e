// Wrong: a core without work returns before the meeting, and all others wait for it.
// rule: deadlock
// blocks: 3
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void some_do_not_meet(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    if (GetBlockIdx() == 2) return;
    LocalTensor<float> mine(TPosition::VECCALC, 0, 8);
    GlobalTensor<float> sums;
    sums.SetGlobalBuffer((__gm__ float*)workspace);
    Duplicate(mine, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(sums[8 * GetBlockIdx()], mine, 8);
    SyncAll();  // wrong
}

// Wrong: every core reads the sums of all from the workspace, and no SyncAll lies between that and the others' writing.
// rule: race
// blocks: 4
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void no_meeting(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    LocalTensor<float> mine(TPosition::VECCALC, 0, 8), all(TPosition::VECCALC, 256, 32);
    GlobalTensor<float> sums;
    sums.SetGlobalBuffer((__gm__ float*)workspace);
    Duplicate(mine, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(sums[8 * GetBlockIdx()], mine, 8);  // wrong
    PipeBarrier<PIPE_ALL>();
    DataCopy(all, sums, 32);  // wrong
}

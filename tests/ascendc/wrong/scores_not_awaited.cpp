// Wrong: the vector cores read the scores without CrossCoreWaitFlag for what their cube core sets.
// rule: race
// kind: mix_1_2
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scores_not_awaited(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<half> xGm;
    GlobalTensor<float> scores, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    scores.SetGlobalBuffer((__gm__ float*)workspace);
    if ASCEND_IS_AIC {
        LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
        LocalTensor<float> sums(TPosition::CO1, 0, 256);
        DataCopy(a1, xGm, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
        PipeBarrier<PIPE_ALL>();
        LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
        LoadData(b2, a1, LoadData2DParams(0, 1, 1, 0, 0, true, 0));
        PipeBarrier<PIPE_ALL>();
        Mmad(sums, a2, b2, MmadParams(16, 16, 16, 0, false, true));
        PipeBarrier<PIPE_ALL>();
        Fixpipe(scores, sums, FixpipeParamsV220(16, 16, 16, 16, false));  // wrong
    } else {
        LocalTensor<float> rows(TPosition::VECIN, 0, 128);
        DataCopy(rows, scores[128 * GetSubBlockIdx()], 128);  // wrong
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(yGm[128 * GetSubBlockIdx()], rows, 128);
    }
}

// Wrong: the cube core adds to sums that nothing began: the first Mmad of a tile must set cmatrixInitVal.
// rule: uninitialised
// kind: cube
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void bias_of_nobody(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    GlobalTensor<half> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> sums(TPosition::CO1, 0, 256);
    DataCopy(a1, xGm, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
    PipeBarrier<PIPE_ALL>();
    LoadData(a2, a1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(b2, a1, LoadData2DParams(0, 1, 1, 0, 0, true, 0));
    PipeBarrier<PIPE_ALL>();
    Mmad(sums, a2, b2, MmadParams(16, 16, 16, 0, false, false));
    PipeBarrier<PIPE_ALL>();
    Fixpipe(yGm, sums, FixpipeParamsV220(16, 16, 16, 16, false));  // wrong
}

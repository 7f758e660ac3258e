// The sum of a vector, float32, added up core after core in one order, so that every run gives the same bits.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void ordered_sum(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace, uint32_t share) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> lineBuf, workBuf, wordBuf, oneBuf;
    pipe.InitBuffer(lineBuf, share * sizeof(float));
    pipe.InitBuffer(workBuf, share * sizeof(float));
    pipe.InitBuffer(wordBuf, 32 * GetBlockNum());
    pipe.InitBuffer(oneBuf, 64);
    GlobalTensor<float> xGm, sumGm;
    GlobalTensor<int32_t> turnGm;
    xGm.SetGlobalBuffer((__gm__ float*)x + share * GetBlockIdx(), share);
    sumGm.SetGlobalBuffer((__gm__ float*)sum, 8);
    turnGm.SetGlobalBuffer((__gm__ int32_t*)workspace, 8 * GetBlockNum());
    LocalTensor<float> line = lineBuf.Get<float>(), mine = oneBuf.Get<float>(8), all = oneBuf.GetWithOffset<float>(8, 32);
    LocalTensor<int32_t> words = wordBuf.Get<int32_t>();
    InitDetermineComputeWorkspace(turnGm, words);
    Duplicate(mine, 0.0f, 8);
    DataCopy(line, xGm, share);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    ReduceSum(mine, line, workBuf.Get<float>(), share);
    WaitPreBlock(turnGm, words);
    DataCopy(all, sumGm, 8);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Add(all, all, mine, 8);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(sumGm, all, 8);
    NotifyNextBlock(turnGm, words);
}

// y[i] = x[0] + ... + x[i] of int32: each core scans its piece, waits for the sum of all before it, and hands its own on.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void prefix_blocks(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t total) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> lineBuf, wordBuf, sumBuf;
    uint32_t cores = GetBlockNum(), core = GetBlockIdx(), share = AlignUp(DivCeil(total, cores), 8);
    uint32_t begin = min(share * core, total), n = min(share, total - begin);
    pipe.InitBuffer(lineBuf, share * sizeof(int32_t));
    pipe.InitBuffer(wordBuf, 32 * (cores + 1));
    pipe.InitBuffer(sumBuf, 32);
    GlobalTensor<int32_t> xGm, yGm, signalGm, sumGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x + begin);
    yGm.SetGlobalBuffer((__gm__ int32_t*)y + begin);
    signalGm.SetGlobalBuffer((__gm__ int32_t*)workspace, 8 * cores);
    sumGm.SetGlobalBuffer((__gm__ int32_t*)workspace + 8 * cores, 8 * cores);
    LocalTensor<int32_t> line = lineBuf.Get<int32_t>(), words = wordBuf.Get<int32_t>(), before = sumBuf.Get<int32_t>();
    if (n) {
        DataCopyPad(line, xGm, DataCopyExtParams(1, n * 4, 0, 0, 0), DataCopyPadExtParams<int32_t>());
        SetFlag<HardEvent::MTE2_S>(0);
        WaitFlag<HardEvent::MTE2_S>(0);
    }
    int32_t sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        sum += line.GetValue(i);
        line.SetValue(i, sum);
    }
    int32_t carried = 0;
    if (core) {
        IBWait(signalGm, words, core - 1, 0);
        DataCopy(before, sumGm[8 * (core - 1)], 8);
        SetFlag<HardEvent::MTE2_S>(0);
        WaitFlag<HardEvent::MTE2_S>(0);
        carried = before.GetValue(0);
    }
    if (core + 1 < cores) {
        Duplicate(before, carried + sum, 8);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(sumGm[8 * core], before, 8);
        IBSet(signalGm, words, core, 0);
    }
    if (n) {
        Adds(line, line, carried, n);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopyPad(yGm, line, DataCopyExtParams(1, n * 4, 0, 0, 0));
    }
}

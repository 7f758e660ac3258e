// y = (x - mean) / deviation over all elements: every core leaves its sums in the workspace, all meet, and each adds up all sums.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048, SLOT = 8;  // a core's place in the workspace: 32 bytes

class Standardise {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t n) {
        total = n;
        share = AlignUp(DivCeil(n, GetBlockNum()), 8);
        begin = min(share * GetBlockIdx(), n);
        length = min(share, n - begin);
        xGm.SetGlobalBuffer((__gm__ float*)x + begin);
        yGm.SetGlobalBuffer((__gm__ float*)y + begin);
        sumGm.SetGlobalBuffer((__gm__ float*)workspace, 2 * SLOT * GetBlockNum());
        pipe.InitBuffer(in, 2, TILE * sizeof(float));
        pipe.InitBuffer(out, 2, TILE * sizeof(float));
        pipe.InitBuffer(work, TILE * sizeof(float));
        pipe.InitBuffer(slots, 64 * SLOT * sizeof(float));
        pipe.InitBuffer(single, 32);
    }
    __aicore__ inline void Process() {
        float mean = Together(0, 0.0f) / total;
        float deviation = Root(Together(1, mean) / total);
        for (uint32_t at = 0; at < length; at += TILE) {
            uint32_t n = min(TILE, length - at);
            LocalTensor<float> given = Read(at, n), result = out.AllocTensor<float>();
            Adds(result, given, -mean, n);
            Muls(result, result, 1.0f / deviation, n);
            in.FreeTensor(given);
            out.EnQue(result);
            result = out.DeQue<float>();
            DataCopyPad(yGm[at], result, DataCopyExtParams(1, n * sizeof(float), 0, 0, 0));
            out.FreeTensor(result);
        }
    }

private:
    __aicore__ inline LocalTensor<float> Read(uint32_t at, uint32_t n) {
        LocalTensor<float> given = in.AllocTensor<float>();
        DataCopyPad(given, xGm[at], DataCopyExtParams(1, n * sizeof(float), 0, 0, 0), DataCopyPadExtParams<float>());
        in.EnQue(given);
        return in.DeQue<float>();
    }
    __aicore__ inline float Root(float value) {
        LocalTensor<float> one = single.Get<float>();
        one.SetValue(0, value);
        Sqrt(one, one, 1);
        return one.GetValue(0);
    }
    // Over all cores: the sum (round 0), or that of the squares of the differences from the mean (round 1).
    __aicore__ inline float Together(uint32_t round, float mean) {
        LocalTensor<float> one = single.Get<float>(), all = slots.Get<float>();
        float mine = 0;
        for (uint32_t at = 0; at < length; at += TILE) {
            uint32_t n = min(TILE, length - at);
            LocalTensor<float> given = Read(at, n);
            if (round) {
                Adds(given, given, -mean, n);
                Mul(given, given, given, n);
            }
            ReduceSum(one, given, work.Get<float>(), n);
            in.FreeTensor(given);
            mine += one.GetValue(0);
        }
        uint32_t cores = GetBlockNum();
        GlobalTensor<float> sums = sumGm[round * cores * SLOT];
        Duplicate(one, mine, SLOT);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(sums[GetBlockIdx() * SLOT], one, SLOT);
        SyncAll();
        DataCopy(all, sums, cores * SLOT);
        SetFlag<HardEvent::MTE2_S>(0);
        WaitFlag<HardEvent::MTE2_S>(0);
        float sum = 0;
        for (uint32_t core = 0; core < cores; ++core) sum += all.GetValue(core * SLOT);
        return sum;
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> work, slots, single;
    GlobalTensor<float> xGm, yGm, sumGm;
    uint32_t total, share, begin, length;
};

extern "C" __global__ __aicore__ void standardise(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t n) {
    Standardise op;
    op.Init(x, y, workspace, n);
    op.Process();
}

// softmax(q k^T / sqrt(d)): a cube core writes the scores of 32 queries to the workspace, its two vector cores make rows of them.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t QUERIES = 32, DEPTH = 64, SCORES_READY = 0, SCORES_READ = 1;

class Scores {  // on the cube core
public:
    __aicore__ inline void Run(GM_ADDR q, GM_ADDR k, const GlobalTensor<float>& scores, uint32_t queries, uint32_t keys) {
        GlobalTensor<half> qGm, kGm;
        qGm.SetGlobalBuffer((__gm__ half*)q);
        kGm.SetGlobalBuffer((__gm__ half*)k);
        LocalTensor<half> q1(TPosition::A1, 0, QUERIES * DEPTH), k1(TPosition::B1, QUERIES * DEPTH * 2, keys * DEPTH);
        LocalTensor<half> q2(TPosition::A2, 0, QUERIES * DEPTH), k2(TPosition::B2, 0, keys * DEPTH);
        LocalTensor<float> sums(TPosition::CO1, 0, QUERIES * keys);
        DataCopy(k1, kGm, Nd2NzParams(1, keys, DEPTH, 0, DEPTH, keys, 1, 0));
        bool first = true;
        for (uint32_t at = GetBlockIdx() * QUERIES; at < queries; at += GetBlockNum() * QUERIES) {
            DataCopy(q1, qGm[at * DEPTH], Nd2NzParams(1, QUERIES, DEPTH, 0, DEPTH, QUERIES, 1, 0));
            SetFlag<HardEvent::MTE2_MTE1>(0);
            WaitFlag<HardEvent::MTE2_MTE1>(0);
            for (uint16_t band = 0; band < QUERIES / 16; ++band)
                LoadData(q2[band * 16 * DEPTH], q1, LoadData2DParams(band, DEPTH / 16, QUERIES / 16, 0, 0, false, 0));
            if (first) LoadData(k2, k1, LoadData2DParams(0, DEPTH / 16 * (keys / 16), 1, 0, 0, false, 0));
            SetFlag<HardEvent::MTE1_M>(0);
            WaitFlag<HardEvent::MTE1_M>(0);
            Mmad(sums, q2, k2, MmadParams(QUERIES, keys, DEPTH, 0, false, true));
            SetFlag<HardEvent::M_FIX>(0);
            WaitFlag<HardEvent::M_FIX>(0);
            if (!first) CrossCoreWaitFlag(SCORES_READ);
            Fixpipe(scores, sums, FixpipeParamsV220(keys, QUERIES, QUERIES, keys, false));
            CrossCoreSetFlag<2, PIPE_FIX>(SCORES_READY);
            PipeBarrier<PIPE_ALL>();
            first = false;
        }
        if (!first) CrossCoreWaitFlag(SCORES_READ);
    }
};

class Rows {  // on both vector cores, half of the queries each
public:
    __aicore__ inline void Run(const GlobalTensor<float>& scores, GM_ADDR y, uint32_t queries, uint32_t keys) {
        constexpr uint32_t rows = QUERIES / 2;
        TPipe pipe;
        TQue<QuePosition::VECIN, 1> in;
        TQue<QuePosition::VECOUT, 1> out;
        TBuf<TPosition::VECCALC> work, single;
        pipe.InitBuffer(in, 1, rows * keys * sizeof(float));
        pipe.InitBuffer(out, 1, rows * keys * sizeof(float));
        pipe.InitBuffer(work, keys * sizeof(float));
        pipe.InitBuffer(single, 32);
        GlobalTensor<float> yGm;
        yGm.SetGlobalBuffer((__gm__ float*)y);
        LocalTensor<float> one = single.Get<float>();
        uint32_t begin = GetSubBlockIdx() * rows;
        for (uint32_t at = GetBlockIdx() / 2 * QUERIES; at < queries; at += GetBlockNum() * QUERIES) {
            LocalTensor<float> lines = in.AllocTensor<float>();
            CrossCoreWaitFlag(SCORES_READY);
            DataCopy(lines, scores[begin * keys], rows * keys);
            CrossCoreSetFlag<2, PIPE_MTE2>(SCORES_READ);
            in.EnQue(lines);
            lines = in.DeQue<float>();
            LocalTensor<float> result = out.AllocTensor<float>();
            Muls(result, lines, 0.125f, rows * keys);
            in.FreeTensor(lines);
            for (uint32_t row = 0; row < rows; ++row) {
                LocalTensor<float> line = result[row * keys];
                ReduceMax(one, line, work.Get<float>(), keys);
                Adds(line, line, -one.GetValue(0), keys);
                Exp(line, line, keys);
                ReduceSum(one, line, work.Get<float>(), keys);
                Muls(line, line, 1.0f / one.GetValue(0), keys);
            }
            out.EnQue(result);
            result = out.DeQue<float>();
            DataCopy(yGm[(at + begin) * keys], result, rows * keys);
            out.FreeTensor(result);
        }
    }
};

extern "C" __global__ __aicore__ void attention_rows(GM_ADDR q, GM_ADDR k, GM_ADDR y, GM_ADDR workspace, uint32_t queries, uint32_t keys) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<float> scores;
    uint32_t block = GetBlockIdx();
    if ASCEND_IS_AIV {
        block /= 2;
    }
    scores.SetGlobalBuffer((__gm__ float*)workspace + block * QUERIES * keys, QUERIES * keys);
    if ASCEND_IS_AIC {
        Scores op;
        op.Run(q, k, scores, queries, keys);
    } else {
        Rows op;
        op.Run(scores, y, queries, keys);
    }
}

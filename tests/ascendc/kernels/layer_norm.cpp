// y = (x - mean) / sqrt(variance + eps) * gamma + beta along rows: gamma and beta stay in UB for all rows of a core.
#include "kernel_operator.h"
using namespace AscendC;

struct LayerNormShape {
    uint32_t rows;
    uint32_t columns;
    float eps;
};

class LayerNormRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, LayerNormShape given) {
        shape = given;
        bytes = shape.columns * sizeof(float);
        xGm.SetGlobalBuffer((__gm__ float*)x, shape.rows * shape.columns);
        yGm.SetGlobalBuffer((__gm__ float*)y, shape.rows * shape.columns);
        gammaGm.SetGlobalBuffer((__gm__ float*)gamma, shape.columns);
        betaGm.SetGlobalBuffer((__gm__ float*)beta, shape.columns);
        uint32_t length = AlignUp(bytes, 32);
        pipe.InitBuffer(in, 2, length);
        pipe.InitBuffer(out, 2, length);
        pipe.InitBuffer(weights, 1, 2 * length);
        pipe.InitBuffer(work, length);
        pipe.InitBuffer(single, 32);
    }
    __aicore__ inline void Process() {
        uint32_t length = AlignUp(bytes, 32) / sizeof(float);
        LocalTensor<float> both = weights.AllocTensor<float>();
        Read(both, gammaGm);
        Read(both[length], betaGm);
        weights.EnQue(both);
        both = weights.DeQue<float>();
        for (uint32_t row = GetBlockIdx(); row < shape.rows; row += GetBlockNum()) Row(row * shape.columns, both, both[length]);
        weights.FreeTensor(both);
    }

private:
    __aicore__ inline void Read(const LocalTensor<float>& to, const GlobalTensor<float>& from) {
        DataCopyPad(to, from, DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<float>());
    }
    __aicore__ inline float SumOf(const LocalTensor<float>& line) {
        LocalTensor<float> one = single.Get<float>();
        ReduceSum(one, line, work.Get<float>(), shape.columns);
        return one.GetValue(0);
    }
    __aicore__ inline void Row(uint32_t at, const LocalTensor<float>& gamma, const LocalTensor<float>& beta) {
        uint32_t n = shape.columns;
        LocalTensor<float> line = in.AllocTensor<float>();
        Read(line, xGm[at]);
        in.EnQue(line);
        line = in.DeQue<float>();
        LocalTensor<float> result = out.AllocTensor<float>();
        Adds(line, line, -SumOf(line) / n, n);
        Mul(result, line, line, n);
        LocalTensor<float> one = single.Get<float>();
        one.SetValue(0, SumOf(result) / n + shape.eps);
        Sqrt(one, one, 1);
        Muls(result, line, 1.0f / one.GetValue(0), n);
        in.FreeTensor(line);
        Mul(result, result, gamma, n);
        Add(result, result, beta, n);
        out.EnQue(result);
        result = out.DeQue<float>();
        DataCopyPad(yGm[at], result, DataCopyExtParams(1, bytes, 0, 0, 0));
        out.FreeTensor(result);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in, weights;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> work, single;
    GlobalTensor<float> xGm, yGm, gammaGm, betaGm;
    LayerNormShape shape;
    uint32_t bytes;
};

extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, LayerNormShape shape) {
    LayerNormRows op;
    op.Init(x, gamma, beta, y, shape);
    op.Process();
}

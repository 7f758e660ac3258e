// Rotary embedding of rows of halves (a, b): (a cos - b sin, b cos + a sin), two parts of a row by offsets of one tensor.
#include "kernel_operator.h"
using namespace AscendC;

template <uint32_t HALF>
class Rotary {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR cosines, GM_ADDR sines, GM_ADDR y, uint32_t n) {
        rows = n;
        xGm.SetGlobalBuffer((__gm__ float*)x, n * 2 * HALF);
        cosGm.SetGlobalBuffer((__gm__ float*)cosines, n * HALF);
        sinGm.SetGlobalBuffer((__gm__ float*)sines, n * HALF);
        yGm.SetGlobalBuffer((__gm__ float*)y, n * 2 * HALF);
        pipe.InitBuffer(in, 2, 4 * HALF * sizeof(float));
        pipe.InitBuffer(out, 2, 2 * HALF * sizeof(float));
        pipe.InitBuffer(buffer, HALF * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) Row(row);
    }

private:
    __aicore__ inline void Row(uint32_t row) {
        LocalTensor<float> all = in.template AllocTensor<float>();
        DataCopy(all, xGm[row * 2 * HALF], 2 * HALF);
        DataCopy(all[2 * HALF], cosGm[row * HALF], HALF);
        DataCopy(all[3 * HALF], sinGm[row * HALF], HALF);
        in.EnQue(all);
        all = in.template DeQue<float>();
        LocalTensor<float> a = all, b = all[HALF], c = all[2 * HALF], s = all[3 * HALF], product = buffer.Get<float>();
        LocalTensor<float> result = out.template AllocTensor<float>();
        Mul(result, a, c, HALF);
        Mul(product, b, s, HALF);
        Sub(result, result, product, HALF);
        Mul(result[HALF], b, c, HALF);
        Mul(product, a, s, HALF);
        Add(result[HALF], result[HALF], product, HALF);
        in.FreeTensor(all);
        out.EnQue(result);
        result = out.template DeQue<float>();
        DataCopy(yGm[row * 2 * HALF], result, 2 * HALF);
        out.FreeTensor(result);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> xGm, cosGm, sinGm, yGm;
    uint32_t rows;
};

extern "C" __global__ __aicore__ void rotary(GM_ADDR x, GM_ADDR cosines, GM_ADDR sines, GM_ADDR y, uint32_t rows, uint32_t half) {
    if (half == 32) {
        Rotary<32> op;
        op.Init(x, cosines, sines, y, rows);
        op.Process();
    } else {
        Rotary<64> op;
        op.Init(x, cosines, sines, y, rows);
        op.Process();
    }
}

// y = x / sqrt(mean(x^2) + eps) * gamma of half rows: squares are summed in float, a repeat at a time and then the sums.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t LANES = 64, MOST = 4096;

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, float eps, uint32_t rows, uint32_t columns) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> gammaBuf, wideBuf, squareBuf, partBuf;
    pipe.InitBuffer(in, 2, MOST * sizeof(half));
    pipe.InitBuffer(out, 2, MOST * sizeof(half));
    pipe.InitBuffer(gammaBuf, MOST * sizeof(half));
    pipe.InitBuffer(wideBuf, MOST * sizeof(float));
    pipe.InitBuffer(squareBuf, MOST * sizeof(float));
    pipe.InitBuffer(partBuf, 256);
    GlobalTensor<half> xGm, gammaGm, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    gammaGm.SetGlobalBuffer((__gm__ half*)gamma);
    yGm.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> weights = gammaBuf.Get<half>();
    LocalTensor<float> wide = wideBuf.Get<float>(), squares = squareBuf.Get<float>(), parts = partBuf.Get<float>();
    DataCopy(weights, gammaGm, columns);
    event_t ready = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
    SetFlag<HardEvent::MTE2_V>(ready);
    WaitFlag<HardEvent::MTE2_V>(ready);
    for (uint32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
        LocalTensor<half> line = in.AllocTensor<half>();
        DataCopy(line, xGm[row * columns], columns);
        in.EnQue(line);
        line = in.DeQue<half>();
        Cast(wide, line, RoundMode::CAST_NONE, columns);
        in.FreeTensor(line);
        Mul(squares, wide, wide, columns);
        uint32_t repeats = columns / LANES;
        WholeReduceSum(parts, squares, LANES, repeats, 1, 1, 8);
        WholeReduceSum(parts, parts, repeats, 1, 1, 1, 8);
        Muls(parts, parts, 1.0f / columns, 1);
        Adds(parts, parts, eps, 1);
        Sqrt(parts, parts, 1);
        Muls(wide, wide, 1.0f / parts.GetValue(0), columns);
        LocalTensor<half> result = out.AllocTensor<half>();
        Cast(result, wide, RoundMode::CAST_RINT, columns);
        Mul(result, result, weights, columns);
        out.EnQue(result);
        result = out.DeQue<half>();
        DataCopy(yGm[row * columns], result, columns);
        out.FreeTensor(result);
    }
}

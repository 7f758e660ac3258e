// The tanh form of GELU on half numbers, computed in float: casts, temporary buffers, x / (1 + exp(-2 u)).
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 3072;

class Gelu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t n) {
        total = n;
        xGm.SetGlobalBuffer((__gm__ half*)x, n);
        yGm.SetGlobalBuffer((__gm__ half*)y, n);
        pipe.InitBuffer(in, 2, TILE * sizeof(half));
        pipe.InitBuffer(out, 2, TILE * sizeof(half));
        pipe.InitBuffer(wideBuf, TILE * sizeof(float));
        pipe.InitBuffer(cubeBuf, TILE * sizeof(float));
    }
    __aicore__ inline void Process() {
        for (uint32_t at = GetBlockIdx() * TILE; at < total; at += GetBlockNum() * TILE) One(at, min(TILE, total - at));
    }

private:
    __aicore__ inline void One(uint32_t at, uint32_t n) {
        LocalTensor<half> x = in.AllocTensor<half>();
        DataCopyPad(x, xGm[at], {1, (uint32_t)(n * sizeof(half)), 0, 0, 0}, {false, 0, 0, half(0.0f)});
        in.EnQue(x);
        x = in.DeQue<half>();
        LocalTensor<float> wide = wideBuf.Get<float>(), u = cubeBuf.Get<float>();
        Cast(wide, x, RoundMode::CAST_NONE, n);
        in.FreeTensor(x);
        PipeBarrier<PIPE_V>();
        Mul(u, wide, wide, n);
        PipeBarrier<PIPE_V>();
        Muls(u, u, 0.044715f, n);
        PipeBarrier<PIPE_V>();
        Adds(u, u, 1.0f, n);
        PipeBarrier<PIPE_V>();
        Mul(u, u, wide, n);
        PipeBarrier<PIPE_V>();
        Muls(u, u, -1.5957691216f, n);
        PipeBarrier<PIPE_V>();
        Exp(u, u, n);
        PipeBarrier<PIPE_V>();
        Adds(u, u, 1.0f, n);
        PipeBarrier<PIPE_V>();
        Div(u, wide, u, n);
        PipeBarrier<PIPE_V>();
        LocalTensor<half> y = out.AllocTensor<half>();
        Cast(y, u, RoundMode::CAST_RINT, n);
        out.EnQue(y);
        y = out.DeQue<half>();
        DataCopyPad(yGm[at], y, {1, (uint32_t)(n * sizeof(half)), 0, 0, 0});
        out.FreeTensor(y);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> wideBuf, cubeBuf;
    GlobalTensor<half> xGm, yGm;
    uint32_t total;
};

extern "C" __global__ __aicore__ void gelu_half(GM_ADDR x, GM_ADDR y, uint32_t n) {
    Gelu op;
    op.Init(x, y, n);
    op.Process();
}

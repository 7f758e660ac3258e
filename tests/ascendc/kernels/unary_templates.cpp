// One template for elementwise kernels: the operation is a type with an Apply, the element type another parameter.
#include "kernel_operator.h"
using namespace AscendC;

struct Reciprocally {
    template <class T>
    static __aicore__ inline void Apply(const LocalTensor<T>& y, const LocalTensor<T>& x, uint32_t n) {
        Duplicate(y, T(1.0f), n);
        PipeBarrier<PIPE_V>();
        Div(y, y, x, n);
    }
};
struct Logarithm {
    template <class T>
    static __aicore__ inline void Apply(const LocalTensor<T>& y, const LocalTensor<T>& x, uint32_t n) { Ln(y, x, n); }
};
struct Cube {
    template <class T>
    static __aicore__ inline void Apply(const LocalTensor<T>& y, const LocalTensor<T>& x, uint32_t n) {
        Mul(y, x, x, n);
        PipeBarrier<PIPE_V>();
        Mul(y, y, x, n);
    }
};

template <class Operation, class T, uint32_t tile = 4096, int32_t buffers = 2>
class Elementwise {
public:
    __aicore__ inline Elementwise(GM_ADDR x, GM_ADDR y, uint32_t total) : total_(total) {
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        pipe_.InitBuffer(in_, buffers, tile * sizeof(T));
        pipe_.InitBuffer(out_, buffers, tile * sizeof(T));
    }
    __aicore__ inline void Run() {
        for (uint32_t at = GetBlockIdx() * tile; at < total_; at += GetBlockNum() * tile) {
            const uint32_t n = total_ - at < tile ? total_ - at : tile;
            const DataCopyExtParams block(1, n * sizeof(T), 0, 0, 0);
            auto x = in_.template AllocTensor<T>();
            DataCopyPad(x, x_[at], block, DataCopyPadExtParams<T>());
            in_.EnQue(x);
            x = in_.template DeQue<T>();
            auto y = out_.template AllocTensor<T>();
            Operation::template Apply<T>(y, x, n);
            in_.FreeTensor(x);
            out_.EnQue(y);
            y = out_.template DeQue<T>();
            DataCopyPad(y_[at], y, block);
            out_.FreeTensor(y);
        }
    }

private:
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    GlobalTensor<T> x_, y_;
    uint32_t total_;
};

extern "C" __global__ __aicore__ void reciprocal_half(GM_ADDR x, GM_ADDR y, uint32_t n) { Elementwise<Reciprocally, half>(x, y, n).Run(); }
extern "C" __global__ __aicore__ void logarithm_float(GM_ADDR x, GM_ADDR y, uint32_t n) { Elementwise<Logarithm, float, 1024>(x, y, n).Run(); }
extern "C" __global__ __aicore__ void cube_int16(GM_ADDR x, GM_ADDR y, uint32_t n) { Elementwise<Cube, int16_t, 2048, 1>(x, y, n).Run(); }

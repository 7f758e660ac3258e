// y = x / sqrt(mean(x * x) + eps) * gamma over the last axis, for an NPU. Cores take turns with the rows; a row lies whole in the
// unified buffer, as floats.
#include "kernel_operator.h"
using namespace AscendC;

template <class T>
class LayerScale {
public:
    __aicore__ inline LayerScale(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, uint32_t rows, uint32_t n, float eps)
        : rows_(rows), n_(n), padded_((n + 63) / 64 * 64), eps_(eps) {
        x_.SetGlobalBuffer((__gm__ T*)x, uint64_t(rows) * n);
        gamma_.SetGlobalBuffer((__gm__ T*)gamma, n);
        y_.SetGlobalBuffer((__gm__ T*)y, uint64_t(rows) * n);
        pipe_.InitBuffer(in_, 2, padded_ * sizeof(T));
        pipe_.InitBuffer(out_, 2, padded_ * sizeof(T));
        pipe_.InitBuffer(scale_, padded_ * sizeof(float));
        pipe_.InitBuffer(row_, padded_ * sizeof(float));
        pipe_.InitBuffer(squares_, padded_ * sizeof(float));
        pipe_.InitBuffer(sum_, 64 * sizeof(float));
    }
    __aicore__ inline void Run() {
        LocalTensor<float> scale = scale_.Get<float>();
        Load(gamma_);
        Widen(scale);
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            const uint64_t at = uint64_t(row) * n_;
            Load(x_[at]);
            Compute(scale);
            Store(y_[at]);
        }
    }

private:
    __aicore__ inline void Load(const GlobalTensor<T>& from) {
        LocalTensor<T> tile = in_.AllocTensor<T>();
        DataCopyPad(tile, from, DataCopyExtParams(1, n_ * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>(false, 0, 0, 0));
        in_.EnQue(tile);
    }
    // What was loaded, as floats.
    __aicore__ inline void Widen(const LocalTensor<float>& to) {
        LocalTensor<T> tile = in_.DeQue<T>();
        if constexpr (sizeof(T) == 4) Adds(to, tile, 0.0f, n_);
        else Cast(to, tile, RoundMode::CAST_NONE, n_);
        in_.FreeTensor(tile);
    }
    __aicore__ inline void Compute(const LocalTensor<float>& scale) {
        LocalTensor<float> row = row_.Get<float>(), squares = squares_.Get<float>(), sum = sum_.Get<float>();
        Widen(row);
        Mul(squares, row, row, n_);
        ReduceSum(sum, squares, squares, n_);
        Muls(sum, sum, 1.0f / n_, 1);
        Adds(sum, sum, eps_, 1);
        Sqrt(sum, sum, 1);
        Duplicate(squares, 1.0f, 1);
        Div(sum, squares, sum, 1);
        Muls(row, row, sum.GetValue(0), n_);
        LocalTensor<T> tile = out_.AllocTensor<T>();
        if constexpr (sizeof(T) == 4) {
            Mul(tile, row, scale, n_);
        } else {
            Mul(row, row, scale, n_);
            Cast(tile, row, RoundMode::CAST_RINT, n_);
        }
        out_.EnQue(tile);
    }
    __aicore__ inline void Store(const GlobalTensor<T>& to) {
        LocalTensor<T> tile = out_.DeQue<T>();
        DataCopyPad(to, tile, DataCopyExtParams(1, n_ * sizeof(T), 0, 0, 0));
        out_.FreeTensor(tile);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> in_;
    TQue<QuePosition::VECOUT, 2> out_;
    TBuf<TPosition::VECCALC> scale_, row_, squares_, sum_;
    GlobalTensor<T> x_, gamma_, y_;
    uint32_t rows_, n_, padded_;
    float eps_;
};

extern "C" __global__ __aicore__ void layer_scale_float(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, uint32_t rows, uint32_t n, float eps) {
    LayerScale<float>(x, gamma, y, rows, n, eps).Run();
}
extern "C" __global__ __aicore__ void layer_scale_half(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, uint32_t rows, uint32_t n, float eps) {
    LayerScale<half>(x, gamma, y, rows, n, eps).Run();
}

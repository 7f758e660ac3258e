// What goes along rows: softmax and its like, norms, means and variances, rotary embedding. A row that fits in the core is read
// once, a longer one once for each pass.
#include "tiles.h"
using namespace library;

constexpr uint32_t CHUNK = 4096;

// `Body` has PASSES; WEIGHTS, rows of float by which columns are scaled; SCALARS, results of one number a row, or 0 where the
// last pass makes a row. `Begin()` a row; `Pass(pass, x, n)` a piece, which the last one turns into the result; `End(pass)`.
template <class Body, class T>
class Rows {
public:
    __aicore__ inline void Run(Body& given, uint64_t rows, uint32_t columns, GM_ADDR x, const GM_ADDR* weights, const GM_ADDR* results) {
        body = &given;
        n = columns;
        from = Global<T>(x);
        pipe.InitBuffer(reads, 2, CHUNK * sizeof(T));
        pipe.InitBuffer(writes, 2, CHUNK * sizeof(T));
        scratch.Init(pipe, (2 + Body::WEIGHTS) * CHUNK * 4 + 8192);
        tile = scratch.Take(CHUNK);
        for (uint32_t i = 0; i < Body::WEIGHTS; ++i) body->weights[i] = scratch.Take(CHUNK);
        body->Prepare(scratch);
        resident = n <= CHUNK;
        body->resident = resident;
        const Share share(rows, 1);
        for (uint32_t i = 0; i < Body::WEIGHTS; ++i) gains[i] = Global<float>(weights[i]);
        if (resident && share.begin < share.end) {
            LoadWeights(0, n);
            Fetch(share.begin * n, n);
        }
        for (uint64_t row = share.begin; row < share.end; ++row) {
            if (resident && row + 1 < share.end) Fetch((row + 1) * n, n);
            body->Begin();
            for (uint32_t pass = 0; pass < Body::PASSES; ++pass) Go(row, pass, results);
            if constexpr (Body::SCALARS > 0) Scalars(row, results);
        }
    }

private:
    __aicore__ inline void Go(uint64_t row, uint32_t pass, const GM_ADDR* results) {
        const bool last = pass + 1 == Body::PASSES;
        for (uint32_t at = 0; at < n; at += CHUNK) {
            const uint32_t count = min(CHUNK, n - at);
            if (!resident) Fetch(row * n + at, count);
            if (!resident || pass == 0) {
                auto read = reads.template DeQue<T>();
                Widen(tile, read, count);
                reads.FreeTensor(read);
            }
            if (!resident && last) LoadWeights(at, count);
            body->Pass(pass, tile, count);
            if (!last || Body::SCALARS > 0) continue;
            auto written = writes.template AllocTensor<T>();
            Narrow(written, tile, count);
            writes.EnQue(written);
            written = writes.template DeQue<T>();
            Store(Global<T>(results[0])[row * n + at], written, count);
            writes.FreeTensor(written);
        }
        body->End(pass, n);
    }
    __aicore__ inline void Scalars(uint64_t row, const GM_ADDR* results) {
        for (uint32_t i = 0; i < Body::SCALARS; ++i) {
            auto written = writes.template AllocTensor<T>();
            Narrow(written, body->scalar[i], 1);
            writes.EnQue(written);
            written = writes.template DeQue<T>();
            Store(Global<T>(results[i])[row], written, 1);
            writes.FreeTensor(written);
        }
    }
    __aicore__ inline void Fetch(uint64_t at, uint32_t count) {
        auto read = reads.template AllocTensor<T>();
        Load(read, from[at], count);
        reads.EnQue(read);
    }
    __aicore__ inline void LoadWeights(uint32_t at, uint32_t count) {
        if constexpr (Body::WEIGHTS > 0) {
            Settle();
            for (uint32_t i = 0; i < Body::WEIGHTS; ++i) Load(body->weights[i], gains[i][at], count);
            Settle();
        }
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 2> reads;
    TQue<TPosition::VECOUT, 2> writes;
    Scratch scratch;
    LocalTensor<float> tile;
    GlobalTensor<T> from;
    GlobalTensor<float> gains[2];
    Body* body = nullptr;
    uint32_t n = 0;
    bool resident = false;
};

// What bodies share: a second tile, sums and largest numbers that go from piece to piece, each at the head of a repeat.
struct Along {
    LocalTensor<float> weights[2], scalar[2], other, work, part, total, block;
    bool resident = false;
    __aicore__ inline void Prepare(Scratch& scratch) {
        other = scratch.Take(CHUNK), work = scratch.Take(512);
        part = scratch.Take(64), total = scratch.Take(64), block = scratch.Take(64);
        for (auto& one : scalar) one = scratch.Take(64);
    }
    __aicore__ inline void AddUp(const LocalTensor<float>& x, uint32_t n) {
        ReduceSum(part, x, work, n);
        Add(total, total, part, 1);
    }
};

enum Kind { SOFTMAX, LOG_SOFTMAX, LOG_SUM };
template <Kind kind>
struct Softmax : Along {
    static constexpr uint32_t PASSES = kind == LOG_SUM ? 2 : 3, WEIGHTS = 0, SCALARS = kind == LOG_SUM ? 1 : 0;
    LocalTensor<float> largest;
    __aicore__ inline void Prepare(Scratch& scratch) {
        Along::Prepare(scratch);
        largest = scratch.Take(64);
    }
    __aicore__ inline void Begin() {
        Duplicate(largest, -INFINITE, 1);
        Duplicate(total, 0.0f, 1);
    }
    __aicore__ inline void Pass(uint32_t pass, const LocalTensor<float>& x, uint32_t n) {
        if (pass == 0) {
            ReduceMax(part, x, work, n);
            Max(largest, largest, part, 1);
        } else if (pass == 1) {
            SubRow(x, x, block, n);
            if (kind == SOFTMAX) Exp(x, x, n);
            else Exp(other, x, n);
            AddUp(kind == SOFTMAX ? x : other, n);
        } else {
            if (!resident) SubRow(x, x, scalar[1], n);
            if (kind == SOFTMAX && !resident) Exp(x, x, n);
            if (kind == SOFTMAX) DivRow(x, x, block, n);
            else SubRow(x, x, block, n);
        }
    }
    __aicore__ inline void End(uint32_t pass, uint32_t) {
        if (pass == 0) {
            // Infinities are not subtracted from each other: a row of -inf has the logarithm -inf.
            if (kind == LOG_SUM) Maxs(largest, largest, -3.0e38f, 1);
            Spread(block, largest);
            Spread(scalar[1], largest);
        } else if (pass == 1) {
            if (kind != SOFTMAX) Ln(total, total, 1);
            if (kind == LOG_SUM) Add(scalar[0], total, largest, 1);
            Spread(block, total);
        }
    }
};

struct RootMeanSquare : Along {
    static constexpr uint32_t PASSES = 2, WEIGHTS = 1, SCALARS = 0;
    float eps = 0;
    __aicore__ inline void Begin() { Duplicate(total, 0.0f, 1); }
    __aicore__ inline void Pass(uint32_t pass, const LocalTensor<float>& x, uint32_t n) {
        if (pass == 0) {
            Mul(other, x, x, n);
            AddUp(other, n);
        } else {
            DivRow(x, x, block, n);
            Mul(x, x, weights[0], n);
        }
    }
    __aicore__ inline void End(uint32_t pass, uint32_t n) {
        if (pass) return;
        Muls(total, total, 1.0f / n, 1);
        Adds(total, total, eps, 1);
        Sqrt(total, total, 1);
        Spread(block, total);
    }
};

// The mean first, then the squares of what differs from it.
template <bool normalises>
struct Moments : Along {
    static constexpr uint32_t PASSES = normalises ? 3 : 2, WEIGHTS = normalises ? 2 : 0, SCALARS = normalises ? 0 : 2;
    float eps = 0;
    __aicore__ inline void Begin() { Duplicate(total, 0.0f, 1); }
    __aicore__ inline void Pass(uint32_t pass, const LocalTensor<float>& x, uint32_t n) {
        if (pass == 0) {
            AddUp(x, n);
        } else if (pass == 1) {
            SubRow(x, x, block, n);
            Mul(other, x, x, n);
            AddUp(other, n);
        } else {
            if (!resident) SubRow(x, x, block, n);
            DivRow(x, x, scalar[1], n);
            Mul(x, x, weights[0], n);
            Add(x, x, weights[1], n);
        }
    }
    __aicore__ inline void End(uint32_t pass, uint32_t n) {
        if (pass == 0) {
            Muls(scalar[0], total, 1.0f / n, 1);
            Spread(block, scalar[0]);
            Duplicate(total, 0.0f, 1);
        } else if (pass == 1) {
            Muls(scalar[1], total, 1.0f / n, 1);
            if (!normalises) return;
            Adds(part, scalar[1], eps, 1);
            Sqrt(part, part, 1);
            Spread(scalar[1], part);
        }
    }
};

template <class Body, class T>
__aicore__ inline void RunRows(Body& body, uint64_t rows, uint64_t n, GM_ADDR x, const GM_ADDR* weights, const GM_ADDR* results) {
    Rows<Body, T> loop;
    loop.Run(body, rows, n, x, weights, results);
}

// Softmax over the middle axis of (outer, n, inner): 64 columns at a time, as many rows as fit.
template <Kind kind, class T>
class Columns {
public:
    static constexpr uint32_t ROWS = 160;
    __aicore__ inline void Run(uint64_t outer, uint32_t n, uint32_t inner, GM_ADDR x, GM_ADDR y) {
        scratch.Init(pipe, ROWS * REPEAT * (8 + sizeof(T)) + 4096);
        tile = scratch.Take(ROWS * REPEAT), other = scratch.Take(ROWS * REPEAT);
        narrow = scratch.template Take<T>(ROWS * REPEAT);
        largest = scratch.Take(REPEAT), total = scratch.Take(REPEAT);
        const uint32_t across = (inner + REPEAT - 1) / REPEAT;
        const Share share(outer * across, 1);
        for (uint64_t piece = share.begin; piece < share.end; ++piece) {
            const uint64_t i = piece / across;
            const uint32_t column = piece % across * REPEAT, width = min(REPEAT, inner - column);
            const uint64_t begin = i * n * inner + column;
            Duplicate(largest, -INFINITE, REPEAT);
            Duplicate(total, 0.0f, REPEAT);
            for (uint32_t pass = 0; pass < 3; ++pass)
                for (uint32_t row = 0; row < n; row += ROWS) {
                    const uint32_t rows = min(ROWS, n - row);
                    const uint64_t at = begin + uint64_t(row) * inner;
                    if (pass == 0 || n > ROWS) Fetch(Global<T>(x)[at], rows, width, inner);
                    Pass(pass, rows, n <= ROWS);
                    if (pass == 2) Put(Global<T>(y)[at], tile, rows, width, inner);
                }
        }
    }

private:
    // Rows of 64, whatever their width is.
    __aicore__ inline void Fetch(const GlobalTensor<T>& from, uint32_t rows, uint32_t width, uint32_t pitch) {
        Settle();
        const uint32_t bytes = width * sizeof(T), padded = RoundUp(bytes, 32);
        const uint32_t gap = (REPEAT * sizeof(T) - padded) / 32;
        Duplicate(narrow, T(0), rows * REPEAT);
        Settle();
        DataCopyPad(narrow, from, DataCopyExtParams(rows, bytes, (pitch - width) * sizeof(T), gap, 0),
                    DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), T(0)));
        Settle();
        Widen(tile, narrow, rows * REPEAT);
    }
    __aicore__ inline void Put(const GlobalTensor<T>& to, const LocalTensor<float>& from, uint32_t rows, uint32_t width, uint32_t pitch) {
        Settle();
        Narrow(narrow, from, rows * REPEAT);
        Settle();
        const uint32_t bytes = width * sizeof(T);
        DataCopyPad(to, narrow, DataCopyExtParams(rows, bytes, (REPEAT * sizeof(T) - RoundUp(bytes, 32)) / 32, (pitch - width) * sizeof(T), 0));
    }
    __aicore__ inline void Pass(uint32_t pass, uint32_t rows, bool resident) {
        const uint64_t all = REPEAT;
        const BinaryRepeatParams into(1, 1, 1, 0, 0, 8);
        const uint32_t n = rows * REPEAT;
        if (pass == 0) {
            Max(largest, largest, tile, all, rows, into);
        } else if (pass == 1) {
            SubRow(tile, tile, largest, n, 1);
            const auto powers = kind == SOFTMAX ? tile : other;
            Exp(powers, tile, n);
            Add(total, total, powers, all, rows, into);
        } else {
            if (!resident) SubRow(tile, tile, largest, n, 1);
            if (kind == SOFTMAX) {
                if (!resident) Exp(tile, tile, n);
                DivRow(tile, tile, total, n, 1);
            } else {
                Ln(other, total, REPEAT);
                SubRow(tile, tile, other, n, 1);
            }
        }
    }

    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> tile, other, largest, total;
    LocalTensor<T> narrow;
};

template <Kind kind, class T>
__aicore__ inline void RunSoftmax(GM_ADDR x, GM_ADDR y, uint64_t outer, uint64_t n, uint64_t inner) {
    if (inner == 1) {
        Softmax<kind> body;
        RunRows<Softmax<kind>, T>(body, outer, n, x, nullptr, &y);
    } else {
        Columns<kind, T> loop;
        loop.Run(outer, n, inner, x, y);
    }
}

// Halves of a row turn by the angle of the row's position: (a cos - b sin, b cos + a sin).
template <class T>
class Rotary {
public:
    static constexpr uint32_t TILE = 4096;
    __aicore__ inline void Run(uint64_t outer, uint64_t positions, uint32_t half_width, GM_ADDR x, GM_ADDR cosine, GM_ADDR sine, GM_ADDR y) {
        scratch.Init(pipe, TILE * (6 * 4 + 2 * sizeof(T)) + 4096);
        for (auto& one : t) one = scratch.Take(TILE);
        for (auto& one : narrow) one = scratch.template Take<T>(TILE);
        // Rows of both widths begin at blocks of 32 bytes, so that angles and numbers lie side by side.
        const uint32_t h = half_width, pitch = RoundUp(h, 32 / sizeof(T)), per = min(TILE / pitch, 255u);
        const uint64_t pieces = (positions + per - 1) / per;
        const Share share(outer * pieces, 1);
        for (uint64_t piece = share.begin; piece < share.end; ++piece) {
            const uint64_t first = piece % pieces * per, row = piece / pieces * positions + first;
            const uint16_t rows = min<uint64_t>(per, positions - first);
            const uint32_t n = rows * pitch, gap = (pitch - RoundUp(h, 8)) / 8;
            Settle();
            for (uint32_t i = 0; i < 2; ++i) {
                Load(narrow[i], Global<T>(x)[row * 2 * h + i * h], h, rows, 2 * h);
                const auto angles = Global<float>(i ? sine : cosine)[first * h];
                DataCopyPad(t[2 + i], angles, DataCopyExtParams(rows, h * 4, 0, gap, 0), DataCopyPadExtParams<float>());
            }
            Settle();
            LocalTensor<float>&a = t[0], &b = t[1], &c = t[2], &s = t[3];
            Widen(a, narrow[0], n);
            Widen(b, narrow[1], n);
            Mul(t[4], a, c, n);
            Mul(t[5], b, s, n);
            Sub(t[4], t[4], t[5], n);
            Narrow(narrow[0], t[4], n);
            Mul(t[4], b, c, n);
            Mul(t[5], a, s, n);
            Add(t[4], t[4], t[5], n);
            Narrow(narrow[1], t[4], n);
            Settle();
            for (uint32_t i = 0; i < 2; ++i) Store(Global<T>(y)[row * 2 * h + i * h], narrow[i], h, rows, 2 * h);
        }
    }

private:
    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> t[6];
    LocalTensor<T> narrow[2];
};

#define KERNELS(T, suffix)                                                                                                               \
    extern "C" __global__ __aicore__ void softmax_##suffix(GM_ADDR x, GM_ADDR y, uint64_t outer, uint64_t n, uint64_t inner) {           \
        RunSoftmax<SOFTMAX, T>(x, y, outer, n, inner);                                                                                   \
    }                                                                                                                                    \
    extern "C" __global__ __aicore__ void log_softmax_##suffix(GM_ADDR x, GM_ADDR y, uint64_t outer, uint64_t n, uint64_t inner) {       \
        RunSoftmax<LOG_SOFTMAX, T>(x, y, outer, n, inner);                                                                               \
    }                                                                                                                                    \
    extern "C" __global__ __aicore__ void logsumexp_##suffix(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t n) {                          \
        Softmax<LOG_SUM> body;                                                                                                           \
        RunRows<Softmax<LOG_SUM>, T>(body, rows, n, x, nullptr, &y);                                                                     \
    }                                                                                                                                    \
    extern "C" __global__ __aicore__ void rms_norm_##suffix(GM_ADDR x, GM_ADDR gain, GM_ADDR y, uint64_t rows, uint64_t n, float eps) {  \
        RootMeanSquare body;                                                                                                                    \
        body.eps = eps;                                                                                                                  \
        RunRows<RootMeanSquare, T>(body, rows, n, x, &gain, &y);                                                                                \
    }                                                                                                                                    \
    extern "C" __global__ __aicore__ void layer_norm_##suffix(GM_ADDR x, GM_ADDR gain, GM_ADDR shift, GM_ADDR y, uint64_t rows,          \
                                                              uint64_t n, float eps) {                                                   \
        Moments<true> body;                                                                                                              \
        body.eps = eps;                                                                                                                  \
        const GM_ADDR weights[] = {gain, shift};                                                                                         \
        RunRows<Moments<true>, T>(body, rows, n, x, weights, &y);                                                                        \
    }                                                                                                                                    \
    extern "C" __global__ __aicore__ void moments_##suffix(GM_ADDR x, GM_ADDR mean, GM_ADDR variance, uint64_t rows, uint64_t n) {       \
        Moments<false> body;                                                                                                             \
        const GM_ADDR results[] = {mean, variance};                                                                                      \
        RunRows<Moments<false>, T>(body, rows, n, x, nullptr, results);                                                                  \
    }                                                                                                                                    \
    extern "C" __global__ __aicore__ void rotary_##suffix(GM_ADDR x, GM_ADDR cosine, GM_ADDR sine, GM_ADDR y, uint64_t outer,            \
                                                          uint64_t positions, uint64_t half_width) {                                     \
        Rotary<T> loop;                                                                                                                  \
        loop.Run(outer, positions, half_width, x, cosine, sine, y);                                                                      \
    }
KERNELS(float, float32)
KERNELS(half, float16)

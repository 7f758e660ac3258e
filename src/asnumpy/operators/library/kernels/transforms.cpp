// Fourier transforms of rows whose length is a power of two, and distances of points.
#include "tiles.h"
using namespace library;

// Stockham's form, radix 2: element q + s p and the one half of all behind it become q + 2 s p and q + 2 s p + s. Rows lie
// beside each other (element j of row r at j R + r), so that s, R at first, is a whole number of blocks: a half's results go to
// their places by one copy. A batch has 4096 numbers; tables say where they come from and go to, and what they are turned by.
class Fourier {
public:
    static constexpr uint32_t BATCH = 4096, HALF = BATCH / 2;
    __aicore__ inline void Run(uint64_t rows, uint32_t n, float scale, GM_ADDR x, GM_ADDR in, GM_ADDR out, GM_ADDR turns, GM_ADDR y) {
        scratch.Init(pipe, BATCH * 4 * 11);
        tile = scratch.Take(2 * BATCH);
        for (auto& one : planes) one = scratch.Take(2 * BATCH);
        turn = scratch.Take(2 * HALF);
        for (auto& one : t) one = scratch.Take(HALF);
        come = scratch.Take<uint32_t>(BATCH), go = scratch.Take<uint32_t>(2 * BATCH);
        Load(come, Global<uint32_t>(in), BATCH);
        Load(go, Global<uint32_t>(out), 2 * BATCH);
        const uint32_t at_once = BATCH / n;
        const Share share((rows + at_once - 1) / at_once, 1);
        for (uint64_t batch = share.begin; batch < share.end; ++batch) {
            const uint32_t count = min<uint64_t>(at_once, rows - batch * at_once) * n;
            Settle();
            if (count < BATCH) Duplicate(tile, 0.0f, 2 * BATCH);
            Settle();
            Load(tile, Global<float>(x)[batch * BATCH * 2], 2 * count);
            Settle();
            Gather(planes[0], tile, come, 0u, BATCH);
            Gather(planes[0][BATCH], tile, come, 4u, BATCH);
            uint32_t stage = 0;
            for (uint32_t s = at_once; s < BATCH; s *= 2, ++stage) {
                Settle();
                Load(turn, Global<float>(turns)[stage * 2 * HALF], 2 * HALF);
                Settle();
                Stage(planes[stage % 2], planes[(stage + 1) % 2], s);
            }
            Gather(tile, planes[stage % 2], go, 0u, 2 * BATCH);
            if (scale != 1.0f) Muls(tile, tile, scale, 2 * BATCH);
            Settle();
            Store(Global<float>(y)[batch * BATCH * 2], tile, 2 * count);
        }
    }

private:
    using Tile = LocalTensor<float>;
    __aicore__ inline void Stage(const Tile& x, const Tile& y, uint32_t s) {
        const Tile re = x, im = x[BATCH], c = turn, d = turn[HALF];
        Add(t[0], re, re[HALF], HALF);
        Place(y, t[0], s);
        Add(t[0], im, im[HALF], HALF);
        Place(y[BATCH], t[0], s);
        Sub(t[0], re, re[HALF], HALF);
        Sub(t[1], im, im[HALF], HALF);
        Mul(re, t[0], c, HALF);
        Mul(im, t[1], d, HALF);
        Sub(re, re, im, HALF);
        Place(y[s], re, s);
        Mul(t[0], t[0], d, HALF);
        Mul(t[1], t[1], c, HALF);
        Add(t[0], t[0], t[1], HALF);
        Place(y[BATCH + s], t[0], s);
    }
    // Pieces of s numbers, as many apart.
    __aicore__ inline void Place(const Tile& to, const Tile& from, uint32_t s) {
        DataCopy(to, from, DataCopyParams(HALF / s, s / 8, 0, s / 8));
    }
    TPipe pipe;
    Scratch scratch;
    Tile tile, planes[2], turn, t[2];
    LocalTensor<uint32_t> come, go;
};

// Roots of sums of squared differences; y has its points in columns, so that many distances lie side by side.
class Distances {
public:
    static constexpr uint32_t ROWS = 32, DEEP = 32, WIDTH = 512;
    __aicore__ inline void Run(uint64_t n, uint32_t m, uint32_t d, GM_ADDR x, GM_ADDR y, GM_ADDR result) {
        scratch.Init(pipe, (ROWS * WIDTH + DEEP * WIDTH + ROWS * DEEP + WIDTH) * 4 + 1024);
        LocalTensor<float> sums = scratch.Take(ROWS * WIDTH), columns = scratch.Take(DEEP * WIDTH), points = scratch.Take(ROWS * DEEP);
        LocalTensor<float> difference = scratch.Take(WIDTH);
        const uint32_t across = (m + WIDTH - 1) / WIDTH;
        const Share share((n + ROWS - 1) / ROWS * across, 1);
        for (uint64_t piece = share.begin; piece < share.end; ++piece) {
            const uint64_t row = piece / across * ROWS;
            const uint32_t column = piece % across * WIDTH, rows = min<uint64_t>(ROWS, n - row), width = min(WIDTH, m - column);
            const uint32_t pitch = RoundUp(width, 8);
            Settle();
            Duplicate(sums, 0.0f, rows * pitch);
            for (uint32_t k = 0; k < d; k += DEEP) {
                const uint32_t deep = min(DEEP, d - k), step = RoundUp(deep, 8);
                Settle();
                Load(points, Global<float>(x)[row * d + k], deep, rows, d);
                Load(columns, Global<float>(y)[uint64_t(k) * m + column], width, deep, m);
                Settle();
                for (uint32_t i = 0; i < rows; ++i)
                    for (uint32_t j = 0; j < deep; ++j) {
                        Adds(difference, columns[j * pitch], -points.GetValue(i * step + j), pitch);
                        MulAddDst(sums[i * pitch], difference, difference, pitch);
                    }
            }
            Sqrt(sums, sums, rows * pitch);
            Settle();
            Store(Global<float>(result)[row * m + column], sums, width, rows, m);
        }
    }

private:
    TPipe pipe;
    Scratch scratch;
};

extern "C" __global__ __aicore__ void fourier(GM_ADDR x, GM_ADDR in, GM_ADDR out, GM_ADDR turns, GM_ADDR y, uint64_t rows, uint64_t n,
                                              float scale) {
    Fourier transform;
    transform.Run(rows, n, scale, x, in, out, turns, y);
}
extern "C" __global__ __aicore__ void distances(GM_ADDR x, GM_ADDR y, GM_ADDR result, uint64_t n, uint64_t m, uint64_t d) {
    Distances distances_of;
    distances_of.Run(n, m, d, x, y, result);
}

// Fourier transforms of rows whose length is a power of two, and distances of points.
#include "tiles.h"
using namespace library;

// Stockham's form, radix 2: element q + s p and the one half of all behind it become q + 2 s p and q + 2 s p + s. Rows lie
// beside each other (element j of row r at j R + r), so that s, R at first, is a whole number of blocks: a half's results go to
// their places by one copy. A batch has 4096 numbers; tables say where they come from and go to, and what they are turned by.
constexpr uint32_t BATCH = 4096, HALF = BATCH / 2;
using Tile = LocalTensor<float>;

// The stages of a batch; planes of real and of imaginary parts.
class Stages {
public:
    __aicore__ inline void Init(Scratch& scratch) {
        for (auto& one : planes) one = scratch.Take(2 * BATCH);
        turn = scratch.Take(2 * HALF);
        for (auto& one : t) one = scratch.Take(HALF);
    }
    // From planes[0]; gives the planes of the result. `beside`: how many rows lie beside each other.
    __aicore__ inline Tile Run(uint32_t beside, GM_ADDR turns) {
        uint32_t stage = 0;
        for (uint32_t s = beside; s < BATCH; s *= 2, ++stage) {
            Settle();
            Load(turn, Global<float>(turns)[stage * 2 * HALF], 2 * HALF);
            Settle();
            Stage(planes[stage % 2], planes[(stage + 1) % 2], s);
        }
        free = planes[(stage + 1) % 2];
        return planes[stage % 2];
    }
    Tile planes[2], free;  // the latter after a run

private:
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
    Tile turn, t[2];
};

// Rows that a batch holds.
class Fourier {
public:
    __aicore__ inline void Run(uint64_t rows, uint32_t n, float scale, GM_ADDR x, GM_ADDR in, GM_ADDR out, GM_ADDR turns, GM_ADDR y) {
        scratch.Init(pipe, BATCH * 4 * 11);
        tile = scratch.Take(2 * BATCH);
        stages.Init(scratch);
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
            Gather(stages.planes[0], tile, come, 0u, BATCH);
            Gather(stages.planes[0][BATCH], tile, come, 4u, BATCH);
            Gather(tile, stages.Run(at_once, turns), go, 0u, 2 * BATCH);
            if (scale != 1.0f) Muls(tile, tile, scale, 2 * BATCH);
            Settle();
            Store(Global<float>(y)[batch * BATCH * 2], tile, 2 * count);
        }
    }

private:
    TPipe pipe;
    Scratch scratch;
    Tile tile;
    Stages stages;
    LocalTensor<uint32_t> come, go;
};

// A factor f of a longer row, by the same form with f in the place of 2: element j of column c lies at j C + c, where C is n / f; what
// comes of it goes, turned by a table, to p f s + k s + q, where s is the product of the factors before and c is p s + q.
class Factor {
public:
    __aicore__ inline void Run(uint64_t rows, uint64_t n, uint32_t f, uint64_t s, float scale, bool turned, GM_ADDR x, GM_ADDR out, GM_ADDR turns,
                               GM_ADDR table, GM_ADDR y) {
        scratch.Init(pipe, BATCH * 4 * 10);
        tile = scratch.Take(2 * BATCH);
        stages.Init(scratch);
        go = scratch.Take<uint32_t>(2 * BATCH);
        Load(go, Global<uint32_t>(out), 2 * BATCH);
        // A batch has so many columns: those of several rows, or a part of those of one.
        const uint64_t columns = n / f, beside = BATCH / f, width = min(beside, columns), together = beside / width;
        const uint64_t parts = columns / width, batches = (rows + together - 1) / together * parts;
        const Share share(batches, 1);
        for (uint64_t batch = share.begin; batch < share.end; ++batch) {
            const uint64_t row = batch / parts * together, column = batch % parts * width, here = min(together, rows - row);
            Settle();
            if (here < together) Duplicate(tile, 0.0f, 2 * BATCH);
            Settle();
            for (uint64_t i = 0; i < here; ++i) {
                const DataCopyExtParams pieces(f, width * 8, (columns - width) * 8, (beside - width) / 4, 0);
                DataCopyPad(tile[i * width * 2], Global<float>(x)[((row + i) * n + column) * 2], pieces, DataCopyPadExtParams<float>());
            }
            Settle();
            Pick(stages.planes[0], tile, 1, 2 * BATCH);
            Pick(stages.planes[0][BATCH], tile, 2, 2 * BATCH);
            const Tile made = stages.Run(beside, turns);
            if (turned) Turn(made, table, s == 1 ? column / width : column / s);
            Gather(tile, made, go, 0u, 2 * BATCH);
            if (scale != 1.0f) Muls(tile, tile, scale, 2 * BATCH);
            Settle();
            if (s == 1) {
                Store(Global<float>(y)[(row * n + column * f) * 2], tile, here * width * f * 2);
            } else {
                for (uint64_t i = 0; i < here; ++i) {
                    const uint64_t to = (row + i) * n + column / s * f * s + column % s;
                    DataCopyPad(Global<float>(y)[to * 2], tile[i * width * 2], DataCopyExtParams(f, width * 8, (beside - width) / 4, (s - width) * 8, 0));
                }
            }
        }
    }

private:
    __aicore__ inline void Turn(const Tile& x, GM_ADDR table, uint64_t number) {
        const Tile c = tile, d = tile[BATCH], u = stages.free, w = stages.free[BATCH];
        Settle();
        Load(tile, Global<float>(table)[number * 2 * BATCH], 2 * BATCH);
        Settle();
        Mul(u, x, d, BATCH);
        Mul(w, x[BATCH], d, BATCH);
        Mul(x, x, c, BATCH);
        Sub(x, x, w, BATCH);
        Mul(x[BATCH], x[BATCH], c, BATCH);
        Add(x[BATCH], x[BATCH], u, BATCH);
    }
    TPipe pipe;
    Scratch scratch;
    Tile tile;
    Stages stages;
    LocalTensor<uint32_t> go;
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
extern "C" __global__ __aicore__ void fourier_factor(GM_ADDR x, GM_ADDR out, GM_ADDR turns, GM_ADDR table, GM_ADDR y, uint64_t rows, uint64_t n,
                                                     uint64_t f, uint64_t s, uint64_t turned, float scale) {
    Factor factor;
    factor.Run(rows, n, f, s, scale, turned != 0, x, out, turns, table, y);
}
extern "C" __global__ __aicore__ void distances(GM_ADDR x, GM_ADDR y, GM_ADDR result, uint64_t n, uint64_t m, uint64_t d) {
    Distances distances_of;
    distances_of.Run(n, m, d, x, y, result);
}

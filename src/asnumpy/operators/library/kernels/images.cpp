// Images of float: what looks at the eight neighbours, filters by rows and columns, resizing. An image's edge goes on beyond it.
#include "tiles.h"
using namespace library;

// A piece of an image at a time: ROWS rows of at most WIDTH columns, in three copies, moved by a column to the left, not at all
// and to the right. Neighbour (i, j), each from 0 to 2, of all its numbers is then one tensor.
template <class Body>
class Stencil {
public:
    static constexpr uint32_t ROWS = Body::ROWS, WIDTH = 512, TILE = ROWS * WIDTH, COPY = (ROWS + 2) * WIDTH;
    __aicore__ inline void Run(Body& body, uint32_t height, uint32_t width, GM_ADDR x, const GM_ADDR* others, const GM_ADDR* results) {
        h = height, w = width;
        from = Global<float>(x);
        scratch.Init(pipe, (3 * COPY + (Body::OTHERS + Body::RESULTS + Body::TEMPORARIES) * TILE) * 4 + 4096);
        for (auto& one : copies) one = scratch.Take(COPY);
        for (uint32_t i = 0; i < Body::OTHERS; ++i) body.other[i] = scratch.Take(TILE);
        for (uint32_t i = 0; i < Body::RESULTS; ++i) body.result[i] = scratch.Take(TILE);
        for (uint32_t i = 0; i < Body::TEMPORARIES; ++i) body.t[i] = scratch.Take(TILE);
        body.bits = scratch.Take<uint8_t>(TILE / 8);
        const uint32_t across = (w + WIDTH - 1) / WIDTH;
        const Share share(uint64_t(across) * ((h + ROWS - 1) / ROWS), 1);
        for (uint64_t piece = share.begin; piece < share.end; ++piece) {
            row = piece / across * ROWS, column = piece % across * WIDTH;
            rows = min(ROWS, h - row), n = min(WIDTH, w - column), pitch = RoundUp(n, 8);
            Fetch();
            const uint64_t at = uint64_t(row) * w + column;
            for (uint32_t i = 0; i < Body::OTHERS; ++i) Load(body.other[i], Global<float>(others[i])[at], n, rows, w);
            Settle();
            LocalTensor<float> neighbour[3][3];
            for (uint32_t i = 0; i < 3; ++i)
                for (uint32_t j = 0; j < 3; ++j) neighbour[i][j] = copies[j][i * pitch];
            body(neighbour, rows * pitch);
            Settle();
            for (uint32_t i = 0; i < Body::RESULTS; ++i) Store(Global<float>(results[i])[at], body.result[i], n, rows, w);
        }
    }

private:
    __aicore__ inline void Fetch() {
        Settle();
        for (auto& one : copies) Duplicate(one, 0.0f, (rows + 2) * pitch);
        Settle();
        const uint32_t first = row ? row - 1 : 0, last = min(row + rows, h - 1);
        Lines(first, last - first + 1, row ? 0 : 1);
        if (row == 0) Lines(0, 1, 0);
        if (row + rows == h) Lines(h - 1, 1, rows + 1);
        if (column && column + n < w) return;
        Settle();
        for (uint32_t line = 0; line < rows + 2; ++line) {
            const uint32_t begin = line * pitch, end = begin + n - 1;
            if (!column) copies[0].SetValue(begin, copies[1].GetValue(begin));
            if (column + n == w) copies[2].SetValue(end, copies[1].GetValue(end));
        }
    }
    // `count` lines of the image from `line` on, to the copies' lines from `to` on.
    __aicore__ inline void Lines(uint32_t line, uint32_t count, uint32_t to) {
        const uint64_t at = uint64_t(line) * w + column;
        const bool left = column == 0, right = column + n == w;
        Piece(copies[0][to * pitch], left ? at : at - 1, left ? n - 1 : n, count, left);
        Piece(copies[1][to * pitch], at, n, count, false);
        Piece(copies[2][to * pitch], at + 1, right ? n - 1 : n, count, false);
    }
    __aicore__ inline void Piece(const LocalTensor<float>& to, uint64_t at, uint32_t width, uint32_t count, bool behind_one) {
        if (!width) return;
        const uint32_t filled = RoundUp(width + behind_one, 8), fill = filled - width - behind_one;
        DataCopyPad(to, from[at], DataCopyExtParams(count, width * 4, (w - width) * 4, (pitch - filled) / 8, 0),
                    DataCopyPadExtParams<float>(true, behind_one, fill, 0.0f));
    }

    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> copies[3];
    GlobalTensor<float> from;
    uint32_t h, w, row, column, rows, n, pitch;
};

template <uint32_t rows, uint32_t others, uint32_t results, uint32_t temporaries>
struct Neighbourhood {
    static constexpr uint32_t ROWS = rows, OTHERS = others, RESULTS = results, TEMPORARIES = temporaries;
    LocalTensor<float> other[others + 1], result[results], t[temporaries];
    Bits bits;
};
using Neighbours = LocalTensor<float>[3][3];

// Differences across, smoothed by 1 2 1 along.
struct Sobel : Neighbourhood<8, 0, 2, 1> {
    __aicore__ inline void operator()(const Neighbours& x, uint32_t n) {
        Difference(result[0], x[0][2], x[0][0], x[1][2], x[1][0], x[2][2], x[2][0], n);
        Difference(result[1], x[2][0], x[0][0], x[2][1], x[0][1], x[2][2], x[0][2], n);
    }
    using Tile = LocalTensor<float>;
    __aicore__ inline void Difference(const Tile& to, const Tile& a, const Tile& b, const Tile& c, const Tile& d, const Tile& e, const Tile& f,
                                      uint32_t n) {
        Sub(to, c, d, n);
        Muls(to, to, 2.0f, n);
        Sub(t[0], a, b, n);
        Add(to, to, t[0], n);
        Sub(t[0], e, f, n);
        Add(to, to, t[0], n);
    }
};

// What is no less than both neighbours in the direction of the gradient (to the nearest of four) stays, all else is 0.
struct Thin : Neighbourhood<6, 2, 1, 5> {
    __aicore__ inline void operator()(const Neighbours& m, uint32_t n) {
        LocalTensor<float>&gx = other[0], &gy = other[1], &across = t[0], &along = t[1], &limit = t[2], &a = t[3], &b = t[4];
        Max(limit, m[0][2], m[2][0], n);  // where the parts have different signs
        Max(a, m[0][0], m[2][2], n);
        Mul(b, gx, gy, n);
        Test(bits, b, 0.0f, CMPMODE::GE, n);
        Choose(limit, bits, a, limit, n);
        Abs(across, gx, n);
        Abs(along, gy, n);
        Max(a, m[0][1], m[2][1], n);
        Muls(b, along, 0.41421356f, n);  // the tangent of 22.5 degrees
        Test(bits, across, b, CMPMODE::LE, n);
        Choose(limit, bits, a, limit, n);
        Max(a, m[1][0], m[1][2], n);
        Muls(b, across, 0.41421356f, n);
        Test(bits, along, b, CMPMODE::LE, n);
        Choose(limit, bits, a, limit, n);
        Adds(a, m[1][1], 0.0f, n);
        Test(bits, a, limit, CMPMODE::GE, n);
        Choose(result[0], bits, a, 0.0f, n);
    }
};

// The fifth of nine, by the least exchanges that are known (19).
struct Median : Neighbourhood<4, 0, 1, 10> {
    __aicore__ inline void operator()(const Neighbours& x, uint32_t n) {
        for (uint32_t i = 0; i < 9; ++i) Adds(t[i], x[i / 3][i % 3], 0.0f, n);
        Exchange(1, 2, n), Exchange(4, 5, n), Exchange(7, 8, n), Exchange(0, 1, n), Exchange(3, 4, n), Exchange(6, 7, n);
        Exchange(1, 2, n), Exchange(4, 5, n), Exchange(7, 8, n), Exchange(0, 3, n), Exchange(5, 8, n), Exchange(4, 7, n);
        Exchange(3, 6, n), Exchange(1, 4, n), Exchange(2, 5, n), Exchange(4, 7, n), Exchange(4, 2, n), Exchange(6, 4, n);
        Exchange(4, 2, n);
        Adds(result[0], t[4], 0.0f, n);
    }
    __aicore__ inline void Exchange(uint32_t a, uint32_t b, uint32_t n) {
        Max(t[9], t[a], t[b], n);
        Min(t[a], t[a], t[b], n);
        const LocalTensor<float> freed = t[b];
        t[b] = t[9];
        t[9] = freed;
    }
};

// Weighted sums of neighbours down a column, or along a row: the image has `reach` more numbers on both sides.
class Filter {
public:
    static constexpr uint32_t ROWS = 16, WIDTH = 512, MOST = 65;
    __aicore__ inline void Run(uint32_t h, uint32_t w, uint32_t taps, bool down, GM_ADDR x, GM_ADDR weights, GM_ADDR y) {
        scratch.Init(pipe, (2 * ROWS * WIDTH * 2 + MOST * 8) * 4 + 4096);
        LocalTensor<float> in = scratch.Take(2 * ROWS * WIDTH), sum = scratch.Take(ROWS * WIDTH), given = scratch.Take(MOST);
        Load(given, Global<float>(weights), taps);
        float weight[MOST];
        for (uint32_t i = 0; i < taps; ++i) weight[i] = given.GetValue(i);
        const uint32_t pitch_in = down ? w : w + taps - 1, across = (w + WIDTH - 1) / WIDTH;
        const Share share(uint64_t(across) * ((h + ROWS - 1) / ROWS), 1);
        for (uint64_t piece = share.begin; piece < share.end; ++piece) {
            const uint32_t row = piece / across * ROWS, column = piece % across * WIDTH;
            const uint32_t rows = min(ROWS, h - row), n = min(WIDTH, w - column), pitch = RoundUp(n, 8), all = rows * pitch;
            Settle();
            Duplicate(sum, 0.0f, all);
            for (uint32_t tap = 0; tap < taps; ++tap) {
                // Two tiles in turn: one arrives while the other is added.
                const LocalTensor<float> tile = in[tap % 2 * ROWS * WIDTH];
                if (tap >= 2) WaitFlag<HardEvent::V_MTE2>(tap % 2);
                const uint64_t at = down ? uint64_t(row + tap) * w + column : uint64_t(row) * pitch_in + column + tap;
                Load(tile, Global<float>(x)[at], n, rows, pitch_in);
                SetFlag<HardEvent::MTE2_V>(tap % 2);
                WaitFlag<HardEvent::MTE2_V>(tap % 2);
                Axpy(sum, tile, weight[tap], all);
                if (tap + 2 < taps) SetFlag<HardEvent::V_MTE2>(tap % 2);
            }
            Settle();
            Store(Global<float>(y)[uint64_t(row) * w + column], sum, n, rows, w);
        }
    }

private:
    TPipe pipe;
    Scratch scratch;
};

// A line of the result: two lines of the image are mixed, then numbers of that one gathered by twos.
class Resize {
public:
    static constexpr uint32_t LINE = 6144;
    __aicore__ inline void Run(uint64_t images, uint32_t h, uint32_t w, uint32_t oh, uint32_t ow, GM_ADDR x, GM_ADDR y) {
        scratch.Init(pipe, LINE * 7 * 4 + 8192);
        LocalTensor<float> top = scratch.Take(LINE), bottom = scratch.Take(LINE), share_of = scratch.Take(LINE), out = scratch.Take(LINE);
        LocalTensor<float> other = scratch.Take(LINE);
        LocalTensor<int32_t> left = scratch.Take<int32_t>(LINE), right = scratch.Take<int32_t>(LINE);
        Places(left, right, share_of, other, w, ow);
        const float scale = float(h) / oh;
        const Share share(images * oh, 1);
        for (uint64_t line = share.begin; line < share.end; ++line) {
            const uint64_t image = line / oh;
            const float place = Clamp((line % oh + 0.5f) * scale - 0.5f, h);
            const uint32_t above = static_cast<uint32_t>(place), below = min(above + 1, h - 1);
            Settle();
            Load(top, Global<float>(x)[(image * h + above) * w], w);
            Load(bottom, Global<float>(x)[(image * h + below) * w], w);
            Settle();
            Sub(bottom, bottom, top, w);
            Axpy(top, bottom, place - above, w);
            Gather(out, top, left.ReinterpretCast<uint32_t>(), 0u, ow);
            Gather(other, top, right.ReinterpretCast<uint32_t>(), 0u, ow);
            Sub(other, other, out, ow);
            MulAddDst(out, other, share_of, ow);
            Settle();
            Store(Global<float>(y)[line * ow], out, ow);
        }
    }

private:
    __aicore__ inline float Clamp(float place, uint32_t n) { return place < 0 ? 0 : place > n - 1 ? float(n - 1) : place; }
    // Of each column of the result: the bytes of both neighbours, and how far it is from the first.
    __aicore__ inline void Places(const LocalTensor<int32_t>& left, const LocalTensor<int32_t>& right, const LocalTensor<float>& share_of,
                                  const LocalTensor<float>& whole, uint32_t w, uint32_t ow) {
        CreateVecIndex(left, 0, ow);
        Cast(share_of, left, RoundMode::CAST_NONE, ow);
        Adds(share_of, share_of, 0.5f, ow);
        Muls(share_of, share_of, float(w) / ow, ow);
        Adds(share_of, share_of, -0.5f, ow);
        Maxs(share_of, share_of, 0.0f, ow);
        Mins(share_of, share_of, float(w - 1), ow);
        Cast(left, share_of, RoundMode::CAST_FLOOR, ow);
        Cast(whole, left, RoundMode::CAST_NONE, ow);
        Sub(share_of, share_of, whole, ow);
        Adds(right, left, 1, ow);
        Mins(right, right, static_cast<int32_t>(w - 1), ow);
        Muls(left, left, 4, ow);
        Muls(right, right, 4, ow);
    }

    TPipe pipe;
    Scratch scratch;
};

extern "C" __global__ __aicore__ void sobel(GM_ADDR x, GM_ADDR gx, GM_ADDR gy, uint64_t h, uint64_t w) {
    Sobel body;
    const GM_ADDR results[] = {gx, gy};
    Stencil<Sobel> loop;
    loop.Run(body, h, w, x, nullptr, results);
}
extern "C" __global__ __aicore__ void thin(GM_ADDR magnitude, GM_ADDR gx, GM_ADDR gy, GM_ADDR y, uint64_t h, uint64_t w) {
    Thin body;
    const GM_ADDR gradient[] = {gx, gy};
    Stencil<Thin> loop;
    loop.Run(body, h, w, magnitude, gradient, &y);
}
extern "C" __global__ __aicore__ void median(GM_ADDR x, GM_ADDR y, uint64_t h, uint64_t w) {
    Median body;
    Stencil<Median> loop;
    loop.Run(body, h, w, x, nullptr, &y);
}
extern "C" __global__ __aicore__ void filter(GM_ADDR x, GM_ADDR weights, GM_ADDR y, uint64_t h, uint64_t w, uint64_t taps, uint64_t down) {
    Filter loop;
    loop.Run(h, w, taps, down != 0, x, weights, y);
}
extern "C" __global__ __aicore__ void resize(GM_ADDR x, GM_ADDR y, uint64_t images, uint64_t h, uint64_t w, uint64_t oh, uint64_t ow) {
    Resize loop;
    loop.Run(images, h, w, oh, ow, x, y);
}

// Recurrences from row to row, and rows by numbers: gathered, added, one hot.
#include "tiles.h"
using namespace library;

// h = a h + b from row to row, columns beside each other.
class Recurrence {
public:
    static constexpr uint32_t WIDTH = 256, ROWS = 48;
    __aicore__ inline void Run(uint64_t steps, uint32_t columns, GM_ADDR a, GM_ADDR b, GM_ADDR y) {
        scratch.Init(pipe, (2 * WIDTH * ROWS + WIDTH) * 4 + 4096);
        LocalTensor<float> factors = scratch.Take(WIDTH * ROWS), sums = scratch.Take(WIDTH * ROWS), state = scratch.Take(WIDTH);
        const uint32_t width = min(WIDTH, RoundUp((columns + GetBlockNum() - 1) / GetBlockNum(), 8));
        const Share share((columns + width - 1) / width, 1);
        for (uint64_t piece = share.begin; piece < share.end; ++piece) {
            const uint32_t column = piece * width, n = min(width, columns - column), pitch = RoundUp(n, 8);
            Duplicate(state, 0.0f, pitch);
            for (uint64_t step = 0; step < steps; step += ROWS) {
                const uint32_t rows = min<uint64_t>(ROWS, steps - step);
                const uint64_t at = step * columns + column;
                Settle();
                Load(factors, Global<float>(a)[at], n, rows, columns);
                Load(sums, Global<float>(b)[at], n, rows, columns);
                Settle();
                for (uint32_t row = 0; row < rows; ++row) {
                    const LocalTensor<float> made = sums[row * pitch];
                    Mul(state, state, factors[row * pitch], pitch);
                    Add(made, made, state, pitch);
                    Adds(state, made, 0.0f, pitch);
                }
                Settle();
                Store(Global<float>(y)[at], sums, n, rows, columns);
            }
        }
    }

private:
    TPipe pipe;
    Scratch scratch;
};

// Rows of `bytes` bytes by number: those of a table side by side. A number beyond the table gives zeros.
class GatherRows {
public:
    static constexpr uint32_t NUMBERS = 1024, PIECE = 32 * 1024;
    __aicore__ inline void Run(uint64_t n, uint32_t bytes, uint32_t table_rows, GM_ADDR table, GM_ADDR numbers, GM_ADDR y) {
        pipe.InitBuffer(rows, 4, min(PIECE, RoundUp(bytes, 32)));
        scratch.Init(pipe, NUMBERS * 4);
        LocalTensor<int32_t> wanted = scratch.Take<int32_t>(NUMBERS);
        const Share share(n, 8);
        for (uint64_t at = share.begin; at < share.end; at += NUMBERS) {
            const uint32_t count = min<uint64_t>(NUMBERS, share.end - at);
            Settle();
            Load(wanted, Global<int32_t>(numbers)[at], count);
            Settle();
            for (uint32_t i = 0; i < count; ++i) {
                const int32_t row = wanted.GetValue(i);
                for (uint32_t byte = 0; byte < bytes; byte += PIECE)
                    Move(Global<uint8_t>(table)[uint64_t(row) * bytes + byte], Global<uint8_t>(y)[(at + i) * bytes + byte],
                         min(PIECE, bytes - byte), row >= 0 && uint32_t(row) < table_rows);
            }
        }
    }

private:
    __aicore__ inline void Move(const GlobalTensor<uint8_t>& from, const GlobalTensor<uint8_t>& to, uint32_t bytes, bool inside) {
        auto row = rows.AllocTensor<uint8_t>();
        if (inside) {
            Load(row, from, bytes);
        } else {
            Settle();
            Duplicate(row.ReinterpretCast<uint16_t>(), static_cast<uint16_t>(0), RoundUp(bytes, 32) / 2);
            Settle();
        }
        rows.EnQue(row);
        row = rows.DeQue<uint8_t>();
        Store(to, row, bytes);
        rows.FreeTensor(row);
    }
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> rows;
    Scratch scratch;
};

// Rows added to the row of y that their number says; neighbours of one number on the core, then by an atomic copy. Numbers
// beyond y are left out. y begins as zeros.
class SegmentSum {
public:
    static constexpr uint32_t WIDTH = 2048, NUMBERS = 1024;
    __aicore__ inline void Run(uint64_t n, uint32_t columns, uint32_t segments, GM_ADDR x, GM_ADDR numbers, GM_ADDR y) {
        // As many rows at a time as fit.
        const uint32_t most = RoundUp(min(WIDTH, columns), 8), at_once = min(NUMBERS, 16 * WIDTH / most);
        scratch.Init(pipe, 17 * WIDTH * 4 + NUMBERS * 4 + 1024);
        LocalTensor<float> tile = scratch.Take(16 * WIDTH), sum = scratch.Take(WIDTH);
        LocalTensor<int32_t> wanted = scratch.Take<int32_t>(NUMBERS);
        const Share share(n, 1);
        for (uint32_t column = 0; column < columns; column += WIDTH) {
            const uint32_t width = min(WIDTH, columns - column), pitch = RoundUp(width, 8);
            int32_t segment = -1;
            for (uint64_t at = share.begin; at < share.end; at += at_once) {
                const uint32_t rows = min<uint64_t>(at_once, share.end - at);
                Settle();
                Load(tile, Global<float>(x)[at * columns + column], width, rows, columns);
                Load(wanted, Global<int32_t>(numbers)[at], rows);
                Settle();
                for (uint32_t row = 0; row < rows; ++row) {
                    const int32_t next = wanted.GetValue(row);
                    if (next != segment) {
                        Flush(y, segment, segments, columns, column, sum, width);
                        Duplicate(sum, 0.0f, pitch);
                        segment = next;
                    }
                    Add(sum, sum, tile[row * pitch], pitch);
                }
            }
            Flush(y, segment, segments, columns, column, sum, width);
        }
    }

private:
    __aicore__ inline void Flush(GM_ADDR y, int32_t segment, uint32_t segments, uint32_t columns, uint32_t column,
                                 const LocalTensor<float>& sum, uint32_t width) {
        Settle();
        if (segment >= 0 && uint32_t(segment) < segments) {
            SetAtomicAdd<float>();
            Store(Global<float>(y)[uint64_t(segment) * columns + column], sum, width);
            SetAtomicNone();
        }
        Settle();
    }
    TPipe pipe;
    Scratch scratch;
};

// Rows of zeros with a one where the number says.
class OneHot {
public:
    static constexpr uint32_t TILE = 8192, NUMBERS = 1024;
    __aicore__ inline void Run(uint64_t n, uint32_t depth, GM_ADDR numbers, GM_ADDR y) {
        scratch.Init(pipe, TILE * 4 + NUMBERS * 4);
        LocalTensor<float> rows = scratch.Take(TILE);
        LocalTensor<int32_t> wanted = scratch.Take<int32_t>(NUMBERS);
        const uint32_t width = min(TILE, depth), pitch = RoundUp(width, 8), per = min(min(TILE / pitch, NUMBERS), 255u);
        const Share share(n, 8);
        Duplicate(rows, 0.0f, TILE);
        for (uint64_t at = share.begin; at < share.end; at += per) {
            const uint32_t count = min<uint64_t>(per, share.end - at);
            Settle();
            Load(wanted, Global<int32_t>(numbers)[at], count);
            Settle();
            for (uint32_t column = 0; column < depth; column += width) {
                const uint32_t here = min(width, depth - column);
                Set(rows, wanted, count, pitch, column, here, 1.0f);
                Settle();
                Store(Global<float>(y)[at * depth + column], rows, here, count, depth);
                Settle();
                Set(rows, wanted, count, pitch, column, here, 0.0f);
            }
        }
    }

private:
    __aicore__ inline void Set(const LocalTensor<float>& rows, const LocalTensor<int32_t>& wanted, uint32_t count, uint32_t pitch, uint32_t column,
                               uint32_t width, float value) {
        for (uint32_t i = 0; i < count; ++i) {
            const int64_t place = int64_t(wanted.GetValue(i)) - column;
            if (place >= 0 && place < width) rows.SetValue(i * pitch + place, value);
        }
    }
    TPipe pipe;
    Scratch scratch;
};

extern "C" __global__ __aicore__ void recurrence(GM_ADDR a, GM_ADDR b, GM_ADDR y, uint64_t steps, uint64_t columns) {
    Recurrence loop;
    loop.Run(steps, columns, a, b, y);
}
extern "C" __global__ __aicore__ void gather_rows(GM_ADDR table, GM_ADDR numbers, GM_ADDR y, uint64_t n, uint64_t bytes, uint64_t rows) {
    GatherRows loop;
    loop.Run(n, bytes, rows, table, numbers, y);
}
extern "C" __global__ __aicore__ void segment_sum(GM_ADDR x, GM_ADDR numbers, GM_ADDR y, uint64_t n, uint64_t columns, uint64_t segments) {
    SegmentSum loop;
    loop.Run(n, columns, segments, x, numbers, y);
}
extern "C" __global__ __aicore__ void one_hot(GM_ADDR numbers, GM_ADDR y, uint64_t n, uint64_t depth) {
    OneHot loop;
    loop.Run(n, depth, numbers, y);
}

// What goes from one element or row to the next: running and long sums, recurrences; rows by numbers: gathered, added, one hot.
#include "tiles.h"
using namespace library;

constexpr uint32_t SIDE = 64, TILE = SIDE * SIDE;

// Running sums of int64 by digits of 16 bits, whose sums in a tile are exact in int32. A tile is 64 lines of 64, turned over so
// that line i holds element i of every line: a sum down the lines is one addition each; then what stands before each line is added.
class RunningSum {
public:
    __aicore__ inline void Init() {
        scratch.Init(pipe, TILE * 4 * 9 + 8192);
        words = scratch.Take<int32_t>(2 * TILE), joined = scratch.Take<int32_t>(2 * TILE);
        for (auto& one : digits) one = scratch.Take<int32_t>(TILE);
        places = scratch.Take<uint32_t>(TILE);
        back = scratch.Take<uint32_t>(6 * SIDE), before = scratch.Take<int32_t>(2 * SIDE), line = scratch.Take<int32_t>(SIDE);
    }
    // The sum of this core's part: to partial[core].
    __aicore__ inline void Sum(uint64_t n, GM_ADDR x, GM_ADDR partial) {
        const Share share(n, TILE);
        uint64_t sum = 0;
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            Fetch(x, at, min<uint64_t>(TILE, share.end - at));
            for (uint32_t digit = 0; digit < 4; ++digit) {
                const auto one = digits[digit];
                for (uint32_t half = TILE / 2; half >= 8; half /= 2) Add(one, one, one[half], half);
                for (uint32_t i = 0; i < 8; ++i) sum += uint64_t(one.GetValue(i)) << 16 * digit;
            }
        }
        const LocalTensor<int64_t> result = words.ReinterpretCast<int64_t>();
        result.SetValue(0, static_cast<int64_t>(sum));
        Settle();
        Store(Global<int64_t>(partial)[GetBlockIdx()], result, 1);
    }
    __aicore__ inline void Run(uint64_t n, GM_ADDR x, GM_ADDR partial, GM_ADDR y) {
        Prepare();
        uint64_t carry = 0;
        if (GetBlockIdx()) {
            const LocalTensor<int64_t> sums = words.ReinterpretCast<int64_t>();
            Load(sums, Global<int64_t>(partial), GetBlockIdx());
            Settle();
            for (uint32_t core = 0; core < GetBlockIdx(); ++core) carry += static_cast<uint64_t>(sums.GetValue(core));
        }
        const Share share(n, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            const uint32_t count = min<uint64_t>(TILE, share.end - at);
            Fetch(x, at, count);
            uint64_t sum = carry;
            for (uint32_t digit = 0; digit < 4; ++digit)
                sum += uint64_t(Scan(digits[digit], static_cast<int32_t>(carry >> 16 * digit & 0xffff))) << 16 * digit;
            carry = sum;
            Join();
            Settle();
            Store(Global<int32_t>(y)[2 * at], words, 2 * count);
        }
    }

private:
    // Digits as numbers of 0 to 65535; behind the last element zeros.
    __aicore__ inline void Fetch(GM_ADDR x, uint64_t at, uint32_t n) {
        Settle();
        if (n < TILE) Duplicate(words, 0, 2 * TILE);
        Settle();
        Load(words, Global<int32_t>(x)[2 * at], 2 * n);
        Settle();
        for (uint32_t word = 0; word < 2; ++word) {
            const auto lower = digits[2 * word].ReinterpretCast<uint32_t>(), upper = digits[2 * word + 1].ReinterpretCast<uint32_t>();
            Pick(upper, words.ReinterpretCast<uint32_t>(), word + 1, 2 * TILE);
            ShiftLeft(lower, upper, 16u, TILE);
            ShiftRight(lower, lower, 16u, TILE);
            ShiftRight(upper, upper, 16u, TILE);
        }
    }
    // Element 64 a + b comes from 64 b + a; a line moved by 1, 2, 4... comes from behind 64 zeros.
    __aicore__ inline void Prepare() {
        const LocalTensor<int32_t> numbers = places.ReinterpretCast<int32_t>(), shifted = back.ReinterpretCast<int32_t>();
        for (uint32_t i = 0; i < SIDE; ++i) {
            CreateVecIndex(numbers[i * SIDE], 0, SIDE);
            Muls(numbers[i * SIDE], numbers[i * SIDE], static_cast<int32_t>(4 * SIDE), SIDE);
            Adds(numbers[i * SIDE], numbers[i * SIDE], static_cast<int32_t>(4 * i), SIDE);
        }
        for (uint32_t i = 0; i < 6; ++i) {
            CreateVecIndex(shifted[i * SIDE], static_cast<int32_t>(SIDE) - (1 << i), SIDE);
            Muls(shifted[i * SIDE], shifted[i * SIDE], 4, SIDE);
        }
        Duplicate(before, 0, SIDE);
    }
    // The running sums of a tile, `carry` before them; gives the sum of the tile.
    __aicore__ inline int32_t Scan(const LocalTensor<int32_t>& tile, int32_t carry) {
        const LocalTensor<int32_t> turned = joined, sums = before[SIDE];
        Gather(turned, tile, places, 0u, TILE);
        for (uint32_t i = 1; i < SIDE; ++i) Add(turned[i * SIDE], turned[i * SIDE], turned[(i - 1) * SIDE], SIDE);
        Adds(sums, turned[(SIDE - 1) * SIDE], 0, SIDE);
        for (uint32_t i = 0; i < 6; ++i) {
            Gather(line, before, back[i * SIDE], 0u, SIDE);
            Add(sums, sums, line, SIDE);
        }
        Gather(line, before, back, 0u, SIDE);
        Adds(line, line, carry, SIDE);
        const BinaryRepeatParams each(1, 1, 1, 8, 8, 0);
        Add(turned, turned, line, uint64_t{SIDE}, SIDE, each);
        Gather(tile, turned, places, 0u, TILE);
        return sums.GetValue(SIDE - 1);
    }
    // What exceeds 16 bits goes to the next digit; then digits to words and words to numbers.
    __aicore__ inline void Join() {
        for (uint32_t digit = 0; digit < 4; ++digit) {
            const auto one = digits[digit];
            if (digit < 3) {
                ShiftRight(joined, one, 16, TILE);
                Add(digits[digit + 1], digits[digit + 1], joined, TILE);
            }
            const auto bits = one.ReinterpretCast<uint32_t>();
            ShiftLeft(bits, bits, 16u, TILE);
            if (digit % 2 == 0) ShiftRight(bits, bits, 16u, TILE);
        }
        for (uint32_t word = 0; word < 2; ++word) {
            const auto to = joined[word * TILE].ReinterpretCast<uint16_t>();
            Or(to, digits[2 * word].ReinterpretCast<uint16_t>(), digits[2 * word + 1].ReinterpretCast<uint16_t>(), 2 * TILE);
        }
        // Number i has its words at i and TILE + i: a half of them at a time, for which the digits' tiles have room.
        const LocalTensor<int32_t> from = digits[0], half = digits[1];
        for (uint32_t begin = 0; begin < 2 * TILE; begin += TILE) {
            CreateVecIndex(from, static_cast<int32_t>(begin), TILE);
            ShiftRight(half, from, 1, TILE);
            Muls(from, from, static_cast<int32_t>(4 * TILE), TILE);
            Muls(half, half, 4 - 8 * static_cast<int32_t>(TILE), TILE);
            Add(from, from, half, TILE);
            Gather(words[begin], joined, from.ReinterpretCast<uint32_t>(), 0u, TILE);
        }
    }

    TPipe pipe;
    Scratch scratch;
    LocalTensor<int32_t> words, joined, digits[4], before, line;
    LocalTensor<uint32_t> places, back;
};

// A sum with what each addition lost (Knuth's two-sum), lane by lane, then lane to lane: two numbers a core.
class LongSum {
public:
    static constexpr uint32_t LANES = 4096;
    __aicore__ inline void Run(uint64_t n, GM_ADDR x, GM_ADDR partial) {
        scratch.Init(pipe, LANES * 6 * 4);
        for (auto& one : t) one = scratch.Take(LANES);
        Duplicate(t[0], 0.0f, LANES);
        Duplicate(t[1], 0.0f, LANES);
        const Share share(n, LANES);
        for (uint64_t at = share.begin; at < share.end; at += LANES) {
            const uint32_t count = min<uint64_t>(LANES, share.end - at);
            Settle();
            if (count < LANES) Duplicate(t[2], 0.0f, LANES);
            Settle();
            Load(t[2], Global<float>(x)[at], count);
            Settle();
            TwoSum(t[2], LANES);
        }
        for (uint32_t half = LANES / 2; half >= 8; half /= 2) {
            Add(t[1], t[1], t[1][half], half);
            TwoSum(t[0][half], half);
        }
        float sum = 0, lost = 0;
        for (uint32_t i = 0; i < 8; ++i) Join(sum, lost, t[0].GetValue(i), t[1].GetValue(i));
        Write(partial, 2 * GetBlockIdx(), sum, lost);
    }
    __aicore__ inline void Finish(uint32_t cores, GM_ADDR partial, GM_ADDR y) {
        scratch.Init(pipe, 4096);
        t[0] = scratch.Take(512);
        Load(t[0], Global<float>(partial), 2 * cores);
        Settle();
        float sum = 0, lost = 0;
        for (uint32_t i = 0; i < cores; ++i) Join(sum, lost, t[0].GetValue(2 * i), t[0].GetValue(2 * i + 1));
        t[0].SetValue(0, sum + lost);
        Settle();
        Store(Global<float>(y), t[0], 1);
    }

private:
    // t[0] + x to t[0], and what is lost to t[1].
    __aicore__ inline void TwoSum(const LocalTensor<float>& x, uint32_t n) {
        LocalTensor<float>&s = t[3], &b = t[4], &a = t[5];
        Add(s, t[0], x, n);
        Sub(b, s, t[0], n);
        Sub(a, s, b, n);
        Sub(a, t[0], a, n);
        Sub(b, x, b, n);
        Add(a, a, b, n);
        Add(t[1], t[1], a, n);
        Adds(t[0], s, 0.0f, n);
    }
    __aicore__ inline void Join(float& sum, float& lost, float x, float x_lost) {
        const float s = sum + x, b = s - sum, a = s - b;
        lost += (sum - a) + (x - b) + x_lost;
        sum = s;
    }
    __aicore__ inline void Write(GM_ADDR to, uint32_t at, float first, float second) {
        t[0].SetValue(0, first);
        t[0].SetValue(1, second);
        Settle();
        Store(Global<float>(to)[at], t[0], 2);
    }
    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> t[6];
};

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

extern "C" __global__ __aicore__ void block_sums(GM_ADDR x, GM_ADDR partial, uint64_t n) {
    RunningSum sums;
    sums.Init();
    sums.Sum(n, x, partial);
}
extern "C" __global__ __aicore__ void running_sum(GM_ADDR x, GM_ADDR partial, GM_ADDR y, uint64_t n) {
    RunningSum sums;
    sums.Init();
    sums.Run(n, x, partial, y);
}
extern "C" __global__ __aicore__ void long_sum_part(GM_ADDR x, GM_ADDR partial, uint64_t n) {
    LongSum sum;
    sum.Run(n, x, partial);
}
extern "C" __global__ __aicore__ void long_sum_end(GM_ADDR partial, GM_ADDR y, uint64_t cores) {
    LongSum sum;
    sum.Finish(cores, partial, y);
}
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

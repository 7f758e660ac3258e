// Where whole numbers go: places in sorted tables, and how many fall into bins.
#include "tiles.h"
using namespace library;

// Where int64 go among sorted ones, by halves: numbers are compared by digits of 16 bits, the upper ones first, of which each
// difference is -1, 0 or 1 and weighs twice the one below. What is compared with lies on the core as it does in global memory: one
// table for all numbers, or, where a table is too long for that, a line of it for each number.
class Search {
public:
    static constexpr uint32_t TILE = 1024, LONGEST = 8192;  // with one table
    static constexpr uint32_t LINES = 512, LINE = 32;       // with a line each; their copies take the time, which cores share in small parts

    // y: how many of the table's m, up to LONGEST, lie before each of n numbers, or up to it.
    __aicore__ inline void Whole(uint64_t n, uint32_t m, bool right, GM_ADDR table, GM_ADDR x, GM_ADDR y) {
        Init(TILE, 2 * LONGEST);
        Load(held, Global<int32_t>(table), 2 * m);
        Duplicate(limit, static_cast<float>(m), TILE);
        Duplicate(base, 0, TILE);
        uint32_t size = 1;
        while (size < m + 1) size *= 2;
        const Share share(n, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            const uint32_t count = min<uint64_t>(TILE, share.end - at);
            Fetch(Global<int32_t>(x)[2 * at], count);
            for (uint32_t step = size / 2; step; step /= 2) Step(step, right, count);
            Cast(words, place, RoundMode::CAST_RINT, count);
            Settle();
            Store(Global<int32_t>(y)[at], words, count);
        }
    }

    // The same of any m, where y has the places among the last ones of all full lines: the number's own line follows them.
    __aicore__ inline void Lines(uint64_t n, uint64_t m, bool right, GM_ADDR table, GM_ADDR x, GM_ADDR y) {
        Init(LINES, 2 * LINE * LINES);
        LocalTensor<int32_t> line = scratch.Take<int32_t>(LINES);
        Duplicate(held, 0, 2 * LINE * LINES);
        CreateVecIndex(base, 0, LINES);
        Muls(base, base, static_cast<int32_t>(8 * LINE), LINES);
        const Share share(n, 64);
        for (uint64_t at = share.begin; at < share.end; at += LINES) {
            const uint32_t count = min<uint64_t>(LINES, share.end - at);
            Settle();
            Load(line, Global<int32_t>(y)[at], count);
            Fetch(Global<int32_t>(x)[2 * at], count);
            for (uint32_t i = 0; i < count; ++i) {
                const uint64_t begin = static_cast<uint64_t>(line.GetValue(i)) * LINE;
                if (begin < m) Load(held[2 * LINE * i], Global<int32_t>(table)[2 * begin], 2 * min<uint64_t>(LINE, m - begin));
            }
            Settle();
            // The last of a full line is known not to lie before the number.
            Muls(line, line, static_cast<int32_t>(LINE), count);
            Muls(words, line, -1, count);
            Adds(words, words, static_cast<int32_t>(m), count);
            Mins(words, words, static_cast<int32_t>(LINE - 1), count);
            Cast(limit, words, RoundMode::CAST_RINT, count);
            for (uint32_t step = LINE / 2; step; step /= 2) Step(step, right, count);
            Cast(words, place, RoundMode::CAST_RINT, count);
            Add(words, words, line, count);
            Settle();
            Store(Global<int32_t>(y)[at], words, count);
        }
    }

private:
    __aicore__ inline void Init(uint32_t tile, uint32_t table_words) {
        scratch.Init(pipe, (table_words + 15 * tile) * 4 + 1024);
        held = scratch.Take<int32_t>(table_words);
        for (auto& one : digits) one = scratch.Take(tile);
        words = scratch.Take<int32_t>(2 * tile);
        place = scratch.Take(tile), next = scratch.Take(tile), sum = scratch.Take(tile), one_digit = scratch.Take(tile);
        limit = scratch.Take(tile);
        found = scratch.Take<int32_t>(tile), bytes = scratch.Take<int32_t>(tile), base = scratch.Take<int32_t>(tile);
    }
    // The digits of numbers, whose places begin at none.
    __aicore__ inline void Fetch(const GlobalTensor<int32_t>& from, uint32_t n) {
        Settle();
        Load(words, from, 2 * n);
        Settle();
        for (uint32_t i = 0; i < 4; ++i) {
            Pick(found, words, i / 2 + 1, 2 * n);
            Digit(digits[i], found, i, n);
        }
        Duplicate(place, 0.0f, n);
    }
    __aicore__ inline void Digit(const LocalTensor<float>& to, const LocalTensor<int32_t>& word, uint32_t i, uint32_t n) {
        const auto bits = to.ReinterpretCast<uint32_t>();
        const auto numbers = to.ReinterpretCast<int32_t>();
        if (i == 3) {
            ShiftRight(numbers, word, 16, n);  // with its sign
        } else {
            ShiftLeft(bits, word.ReinterpretCast<uint32_t>(), i % 2 ? 0u : 16u, n);
            ShiftRight(bits, bits, 16u, n);
        }
        Cast(to, numbers, RoundMode::CAST_RINT, n);
    }
    // place += step where the element before that place is less than the number (or not more).
    __aicore__ inline void Step(uint32_t step, bool right, uint32_t n) {
        Adds(next, place, static_cast<float>(step) - 1, n);
        Adds(one_digit, limit, -1.0f, n);
        Min(one_digit, one_digit, next, n);
        Maxs(one_digit, one_digit, 0.0f, n);
        Cast(bytes, one_digit, RoundMode::CAST_RINT, n);
        Muls(bytes, bytes, 8, n);
        Add(bytes, bytes, base, n);
        Duplicate(sum, right ? -1.0f : 0.0f, n);
        for (uint32_t i = 0; i < 4; ++i) {
            if (i % 2 == 0) Gather(found, held, bytes.ReinterpretCast<uint32_t>(), i ? 4u : 0u, n);
            Digit(one_digit, found, i, n);
            Sub(one_digit, one_digit, digits[i], n);
            Maxs(one_digit, one_digit, -1.0f, n);
            Mins(one_digit, one_digit, 1.0f, n);
            Axpy(sum, one_digit, static_cast<float>(2 << i), n);
        }
        // sum is below 0 where to go on, and beyond the last element nothing is.
        Adds(one_digit, next, 1.0f, n);
        Sub(one_digit, one_digit, limit, n);
        Maxs(one_digit, one_digit, 0.0f, n);
        Axpy(sum, one_digit, 64.0f, n);
        Muls(sum, sum, -1.0f, n);
        Maxs(sum, sum, 0.0f, n);
        Mins(sum, sum, 1.0f, n);
        Axpy(place, sum, static_cast<float>(step), n);
    }
    TPipe pipe;
    Scratch scratch;
    LocalTensor<int32_t> held, words, found, bytes, base;
    LocalTensor<float> digits[4], place, next, sum, one_digit, limit;
};

// How many numbers fall into each of equal bins; each core counts its part, and adds it to y, which begins as zeros. The place of
// a number is found for a tile at once; then each bin is compared with all of them.
class Bins {
public:
    static constexpr uint32_t TILE = 8192, BINS = 2048;
    __aicore__ inline void Histogram(uint64_t n, uint32_t bins, float low, float high, GM_ADDR x, GM_ADDR y) {
        Init(bins);
        const float width = high - low;
        const Share share(n, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            const uint32_t count = min<uint64_t>(TILE, share.end - at);
            Clear();
            Load(place, Global<float>(x)[at], count);
            Settle();
            // What is outside goes to no bin, and `high` itself to the last one.
            Test(bits, place, low, CMPMODE::GE, count);
            Choose(place, bits, place, INFINITE, count);
            Test(bits, place, high, CMPMODE::LE, count);
            Adds(spare, place, -low, count);
            Duplicate(one, width, 64);
            DivRow(spare, spare, one, count, 0);
            Muls(spare, spare, static_cast<float>(bins), count);
            Cast(place, spare, RoundMode::CAST_FLOOR, count);
            Mins(place, place, static_cast<float>(bins - 1), count);
            Choose(place, bits, place, -1.0f, count);
            Count(count, bins);
        }
        Finish(bins, y);
    }
    __aicore__ inline void Whole(uint64_t n, uint32_t bins, GM_ADDR x, GM_ADDR y) {
        Init(bins);
        const Share share(n, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            const uint32_t count = min<uint64_t>(TILE, share.end - at);
            Clear();
            Load(spare.ReinterpretCast<int32_t>(), Global<int32_t>(x)[at], count);
            Settle();
            Cast(place, spare.ReinterpretCast<int32_t>(), RoundMode::CAST_RINT, count);
            Count(count, bins);
        }
        Finish(bins, y);
    }

private:
    __aicore__ inline void Init(uint32_t bins) {
        scratch.Init(pipe, (3 * TILE + BINS) * 4 + TILE / 8 + 4096);
        place = scratch.Take(TILE), spare = scratch.Take(TILE), kept = scratch.Take(TILE);
        counts = scratch.Take<int32_t>(BINS);
        one = scratch.Take(64);
        bits = scratch.Take<uint8_t>(TILE / 8);
        Duplicate(counts, 0, RoundUp(bins, 8));
    }
    __aicore__ inline void Clear() {
        Settle();
        Duplicate(place, -1.0f, TILE);
        Duplicate(spare, 0.0f, TILE);
        Settle();
    }
    __aicore__ inline void Count(uint32_t n, uint32_t bins) {
        const uint32_t whole = RoundUp(n, REPEAT);
        if (whole > n) Pad(n, whole);
        for (uint32_t bin = 0; bin < bins; ++bin) {
            uint64_t found = 0;
            CompareScalar(bits, place, static_cast<float>(bin), CMPMODE::EQ, whole);
            GatherMask(kept, place, bits.ReinterpretCast<uint32_t>(), true, whole, GatherMaskParams(1, 1, 8, 8), found);
            SetMaskNorm();
            ResetMask();
            if (found) counts.SetValue(bin, counts.GetValue(bin) + static_cast<int32_t>(found));
        }
    }
    // Behind the last number: no bin's.
    __aicore__ inline void Pad(uint32_t n, uint32_t whole) {
        for (uint32_t i = n; i < min(whole, RoundUp(n, 8)); ++i) place.SetValue(i, -1.0f);
        if (RoundUp(n, 8) < whole) Duplicate(place[RoundUp(n, 8)], -1.0f, whole - RoundUp(n, 8));
    }
    __aicore__ inline void Finish(uint32_t bins, GM_ADDR y) {
        Settle();
        SetAtomicAdd<int32_t>();
        Store(Global<int32_t>(y), counts, bins);
        SetAtomicNone();
        Settle();
    }
    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> place, spare, kept, one;
    LocalTensor<int32_t> counts;
    Bits bits;
};

extern "C" __global__ __aicore__ void search(GM_ADDR table, GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t m, uint64_t right) {
    Search search_in;
    search_in.Whole(n, m, right != 0, table, x, y);
}
extern "C" __global__ __aicore__ void search_lines(GM_ADDR table, GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t m, uint64_t right) {
    Search search_in;
    search_in.Lines(n, m, right != 0, table, x, y);
}
extern "C" __global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t bins, float low, float high) {
    Bins bins_of;
    bins_of.Histogram(n, bins, low, high, x, y);
}
extern "C" __global__ __aicore__ void count_whole(GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t bins) {
    Bins bins_of;
    bins_of.Whole(n, bins, x, y);
}

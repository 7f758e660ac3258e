// Order of whole numbers: sorting int64 and its largest, and counting. The sorting unit takes scores of float, which hold 16 bits
// of a number exactly and stay in their order where they are equal: four passes from the lowest digit up sort 64 bits.
#include "tiles.h"
using namespace library;

constexpr uint32_t MOST = 4096;  // sorted at once

class Sorter {
public:
    __aicore__ inline void Init() {
        scratch.Init(pipe, MOST * 4 * 11 + 4096);
        low = scratch.Take<int32_t>(MOST), high = scratch.Take<int32_t>(MOST), numbers = scratch.Take<int32_t>(MOST);
        order = scratch.Take<uint32_t>(MOST);
        score = scratch.Take(MOST), records = scratch.Take(2 * MOST), others = scratch.Take(2 * MOST);
        words = scratch.Take<int32_t>(2 * MOST);
        work = scratch.Take(512);
    }

    // The words of int64, or int32 as the upper words of such; `at` is where they go among those of the core.
    template <class T>
    __aicore__ inline void Fetch(const GlobalTensor<T>& from, uint32_t n, uint32_t at) {
        Settle();
        if constexpr (sizeof(T) == 8) {
            Load(words[2 * at], from.template ReinterpretCast<int32_t>(), 2 * n);
        } else {
            Load(high[at], from, n);
        }
        Settle();
    }
    template <class T>
    __aicore__ inline void Split(uint32_t n) {
        if constexpr (sizeof(T) == 8) {
            Pick(low, words, 1, 2 * n);
            Pick(high, words, 2, 2 * n);
        } else {
            Duplicate(low, 0, n);
        }
    }
    // Behind n numbers to the next power of two: such as come last. Gives that power.
    __aicore__ inline uint32_t Fill(uint32_t n, bool falling) {
        uint32_t size = 32;
        while (size < n) size *= 2;
        for (uint32_t i = n; i < size && i < RoundUp(n, 8); ++i) Put(i, falling);
        if (RoundUp(n, 8) < size) {
            Duplicate(low[RoundUp(n, 8)], falling ? 0 : -1, size - RoundUp(n, 8));
            Duplicate(high[RoundUp(n, 8)], falling ? INT32_MIN : INT32_MAX, size - RoundUp(n, 8));
        }
        return size;
    }
    // `order`: the places of `size` numbers in rising or falling order.
    __aicore__ inline void Sort(uint32_t size, bool falling) {
        CreateVecIndex(order.ReinterpretCast<int32_t>(), 0, size);
        for (uint32_t digit = 0; digit < 4; ++digit) {
            const LocalTensor<int32_t> taken = score.ReinterpretCast<int32_t>();
            InOrder(taken, digit < 2 ? low : high, size);
            if (digit % 2 == 0) ShiftLeft(taken.ReinterpretCast<uint32_t>(), taken.ReinterpretCast<uint32_t>(), 16u, size);
            // The uppermost digit has the sign.
            if (digit == 3) ShiftRight(taken, taken, 16, size);
            else ShiftRight(taken.ReinterpretCast<uint32_t>(), taken.ReinterpretCast<uint32_t>(), 16u, size);
            Cast(score, taken, RoundMode::CAST_RINT, size);
            if (!falling) Muls(score, score, -1.0f, size);
            ReduceMax(work, score, work[64], size);
            ReduceMin(work[8], score, work[64], size);
            if (work.GetValue(0) == work.GetValue(8)) continue;  // the digit is the same everywhere
            Extract(score, order, Sorted(size), size / 32);
        }
    }
    // to[i] = from[order[i]]
    __aicore__ inline void InOrder(const LocalTensor<int32_t>& to, const LocalTensor<int32_t>& from, uint32_t n) {
        const LocalTensor<uint32_t> bytes = others.ReinterpretCast<uint32_t>();
        ShiftLeft(bytes, order, 2u, n);
        Gather(to, from, bytes, 0u, n);
    }
    // The first n numbers in order.
    template <class T>
    __aicore__ inline void Write(const GlobalTensor<T>& to, uint32_t n) {
        if constexpr (sizeof(T) == 8) {
            const LocalTensor<int32_t> both = records.ReinterpretCast<int32_t>();
            InOrder(both, low, n);
            InOrder(both[MOST], high, n);
            Join(to, n);
        } else {
            InOrder(words, high, n);
            Settle();
            Store(to, words, n);
        }
    }
    // Where the first n stood.
    __aicore__ inline void WritePlaces(const GlobalTensor<int64_t>& to, uint32_t n) {
        const LocalTensor<int32_t> both = records.ReinterpretCast<int32_t>();
        Adds(both, order.ReinterpretCast<int32_t>(), 0, n);
        Duplicate(both[MOST], 0, n);
        Join(to, n);
    }
    // What goes with each number.
    LocalTensor<int32_t> numbers;
    LocalTensor<int32_t> low, high, words;

private:
    // From lower words and, MOST behind them, upper ones, which `records` has.
    __aicore__ inline void Join(const GlobalTensor<int64_t>& to, uint32_t n) {
        const LocalTensor<int32_t> both = records.ReinterpretCast<int32_t>(), places = others.ReinterpretCast<int32_t>();
        // 4 (i / 2) + 4 MOST (i % 2), where i % 2 is i - 2 (i / 2)
        CreateVecIndex(places, 0, 2 * n);
        ShiftRight(words, places, 1, 2 * n);
        Muls(places, places, static_cast<int32_t>(4 * MOST), 2 * n);
        Muls(words, words, 4 - 8 * static_cast<int32_t>(MOST), 2 * n);
        Add(places, places, words, 2 * n);
        Gather(words, both, places.ReinterpretCast<uint32_t>(), 0u, 2 * n);
        Settle();
        Store(to.ReinterpretCast<int32_t>(), words, 2 * n);
    }
    __aicore__ inline void Put(uint32_t i, bool falling) {
        low.SetValue(i, falling ? 0 : -1);
        high.SetValue(i, falling ? INT32_MIN : INT32_MAX);
    }
    __aicore__ inline LocalTensor<float> Sorted(uint32_t size) {
        Sort32(records, score, order, size / 32);
        LocalTensor<float> from = records, to = others;
        for (uint32_t length = 32; length < size;) {
            const bool four = length * 4 <= size;
            const uint16_t each = length, lengths[] = {each, each, each, each};
            const uint32_t gap = 2 * length;
            const MrgSortSrcList<float> lists(from, from[gap], from[four ? 2 * gap : 0], from[four ? 3 * gap : 0]);
            MrgSort(to, lists, MrgSort4Info(lengths, false, four ? 15 : 3, four ? size / (4 * length) : 1));
            length *= four ? 4 : 2;
            const LocalTensor<float> made = to;
            to = from;
            from = made;
        }
        return from;
    }
    TPipe pipe;
    Scratch scratch;
    LocalTensor<float> score, records, others, work;
    LocalTensor<uint32_t> order;
};

// Rows that are sorted at once, a core each; or where their numbers stood, those of equal ones rising.
template <bool places>
__aicore__ inline void SortRows(uint64_t rows, uint32_t n, GM_ADDR x, GM_ADDR y) {
    Sorter sorter;
    sorter.Init();
    const Share share(rows, 1);
    for (uint64_t row = share.begin; row < share.end; ++row) {
        sorter.Fetch(Global<int64_t>(x)[row * n], n, 0);
        sorter.Split<int64_t>(n);
        sorter.Sort(sorter.Fill(n, false), false);
        if constexpr (places) sorter.WritePlaces(Global<int64_t>(y)[row * n], n);
        else sorter.Write(Global<int64_t>(y)[row * n], n);
        Settle();
    }
}

// The k largest of each row, and where they stand: the best so far and the next ones of the row are sorted together.
template <class T>
class Top {
public:
    __aicore__ inline void Run(uint64_t rows, uint64_t n, uint32_t k, GM_ADDR x, GM_ADDR values, GM_ADDR places) {
        sorter.Init();
        const Share share(rows, 1);
        for (uint64_t row = share.begin; row < share.end; ++row) {
            const auto best = Global<T>(values)[row * k];
            const auto where = Global<int32_t>(places)[row * k];
            uint32_t held = 0;
            for (uint64_t at = 0; at < n;) {
                const uint32_t room = RoundUp(held, 8), count = min<uint64_t>(MOST - room, n - at);
                if (held) {
                    sorter.Fetch(best, held, 0);
                    Load(sorter.numbers, where, held);
                }
                sorter.template Fetch<T>(Global<T>(x)[row * n + at], count, room);
                sorter.template Split<T>(room + count);
                CreateVecIndex(sorter.numbers[room], static_cast<int32_t>(at), count);
                for (uint32_t i = held; i < room; ++i) {  // between both: such as come last
                    sorter.low.SetValue(i, 0);
                    sorter.high.SetValue(i, INT32_MIN);
                    sorter.numbers.SetValue(i, 0);
                }
                const uint32_t size = sorter.Fill(room + count, true), all = min<uint64_t>(k, held + count);
                sorter.Sort(size, true);
                sorter.Write(best, all);
                Settle();
                sorter.InOrder(sorter.words, sorter.numbers, all);
                Settle();
                Store(where, sorter.words, all);
                Settle();
                held = all, at += count;
            }
        }
    }

private:
    Sorter sorter;
};

// Where int64 go into rows of up to 8192 sorted ones, by halves: numbers are compared by digits of 16 bits, the upper ones first,
// of which each difference is -1, 0 or 1 and weighs twice the one below.
class Search {
public:
    static constexpr uint32_t TILE = 1024, LONGEST = 8192;
    __aicore__ inline void Run(uint64_t n, uint32_t m, bool right, GM_ADDR table, GM_ADDR x, GM_ADDR y) {
        scratch.Init(pipe, (2 * LONGEST + 4096 + 13 * TILE) * 4 + 1024);
        low = scratch.Take<int32_t>(LONGEST), high = scratch.Take<int32_t>(LONGEST);
        for (auto& one : digits) one = scratch.Take(TILE);
        words = scratch.Take<int32_t>(4096);
        place = scratch.Take(TILE), next = scratch.Take(TILE), sum = scratch.Take(TILE), one_digit = scratch.Take(TILE);
        found = scratch.Take<int32_t>(TILE), bytes = scratch.Take<int32_t>(TILE);
        uint32_t size = 1;
        while (size < m + 1) size *= 2;
        for (uint32_t at = 0; at < m; at += 2048) {
            const uint32_t count = min(2048u, m - at);
            Settle();
            Load(words, Global<int32_t>(table)[2 * uint64_t(at)], 2 * count);
            Settle();
            Pick(low[at], words, 1, 2 * count);
            Pick(high[at], words, 2, 2 * count);
        }
        const Share share(n, TILE);
        for (uint64_t at = share.begin; at < share.end; at += TILE) {
            const uint32_t count = min<uint64_t>(TILE, share.end - at);
            Settle();
            Load(words, Global<int32_t>(x)[2 * at], 2 * count);
            Settle();
            for (uint32_t i = 0; i < 4; ++i) {
                Pick(found, words, i / 2 + 1, 2 * count);
                Digit(digits[i], found, i, count);
            }
            Duplicate(place, 0.0f, count);
            for (uint32_t step = size / 2; step; step /= 2) Step(step, m, right, count);
            Cast(words, place, RoundMode::CAST_RINT, count);
            Settle();
            Store(Global<int32_t>(y)[at], words, count);
        }
    }

private:
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
    __aicore__ inline void Step(uint32_t step, uint32_t m, bool right, uint32_t n) {
        Adds(next, place, static_cast<float>(step) - 1, n);
        Mins(one_digit, next, static_cast<float>(m - 1), n);
        Cast(bytes, one_digit, RoundMode::CAST_RINT, n);
        Muls(bytes, bytes, 4, n);
        Duplicate(sum, right ? -1.0f : 0.0f, n);
        for (uint32_t i = 0; i < 4; ++i) {
            if (i % 2 == 0) Gather(found, i ? high : low, bytes.ReinterpretCast<uint32_t>(), 0u, n);
            Digit(one_digit, found, i, n);
            Sub(one_digit, one_digit, digits[i], n);
            Maxs(one_digit, one_digit, -1.0f, n);
            Mins(one_digit, one_digit, 1.0f, n);
            Axpy(sum, one_digit, static_cast<float>(2 << i), n);
        }
        // sum is below 0 where to go on, and beyond the last element nothing is.
        Adds(one_digit, next, 1.0f - m, n);
        Maxs(one_digit, one_digit, 0.0f, n);
        Axpy(sum, one_digit, 64.0f, n);
        Muls(sum, sum, -1.0f, n);
        Maxs(sum, sum, 0.0f, n);
        Mins(sum, sum, 1.0f, n);
        Axpy(place, sum, static_cast<float>(step), n);
    }
    TPipe pipe;
    Scratch scratch;
    LocalTensor<int32_t> low, high, words, found, bytes;
    LocalTensor<float> digits[4], place, next, sum, one_digit;
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

extern "C" __global__ __aicore__ void sort_rows(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t n) { SortRows<false>(rows, n, x, y); }
extern "C" __global__ __aicore__ void argsort_rows(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t n) { SortRows<true>(rows, n, x, y); }
extern "C" __global__ __aicore__ void top_int64(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint64_t rows, uint64_t n, uint64_t k) {
    Top<int64_t> top;
    top.Run(rows, n, k, x, values, places);
}
extern "C" __global__ __aicore__ void top_int32(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint64_t rows, uint64_t n, uint64_t k) {
    Top<int32_t> top;
    top.Run(rows, n, k, x, values, places);
}
extern "C" __global__ __aicore__ void search(GM_ADDR table, GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t m, uint64_t right) {
    Search search_in;
    search_in.Run(n, m, right != 0, table, x, y);
}
extern "C" __global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t bins, float low, float high) {
    Bins bins_of;
    bins_of.Histogram(n, bins, low, high, x, y);
}
extern "C" __global__ __aicore__ void count_whole(GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t bins) {
    Bins bins_of;
    bins_of.Whole(n, bins, x, y);
}

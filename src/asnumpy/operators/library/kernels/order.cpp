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
    // The first n numbers in order, `begin` of them left out.
    template <class T>
    __aicore__ inline void Write(const GlobalTensor<T>& to, uint32_t begin, uint32_t n) {
        if constexpr (sizeof(T) == 8) {
            const LocalTensor<int32_t> both = records.ReinterpretCast<int32_t>(), places = others.ReinterpretCast<int32_t>();
            InOrder(both, low, begin + n);
            InOrder(both[MOST], high, begin + n);
            // 4 (i / 2) + 4 MOST (i % 2), where i % 2 is i - 2 (i / 2)
            const uint32_t size = 2 * n;
            CreateVecIndex(places, static_cast<int32_t>(2 * begin), size);
            ShiftRight(words, places, 1, size);
            Muls(places, places, static_cast<int32_t>(4 * MOST), size);
            Muls(words, words, 4 - 8 * static_cast<int32_t>(MOST), size);
            Add(places, places, words, size);
            Gather(words, both, places.ReinterpretCast<uint32_t>(), 0u, size);
            Settle();
            Store(to.template ReinterpretCast<int32_t>(), words, size);
        } else {
            InOrder(words, high, begin + n);
            Settle();
            Store(to, words[begin], n);
        }
    }
    // What goes with each number.
    LocalTensor<int32_t> numbers;
    LocalTensor<int32_t> low, high, words;

private:
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

// One step of a network that sorts: tiles a and a + k become the lower and the upper half of both (Batcher's merge exchange, where
// each tile is sorted). `step` 0: tiles by twos, whatever their order.
class Network {
public:
    static constexpr uint32_t TILE = MOST / 2;
    __aicore__ inline void Run(uint64_t rows, uint64_t n, uint32_t p, uint32_t k, GM_ADDR x, GM_ADDR y) {
        sorter.Init();
        const uint32_t tiles = (n + TILE - 1) / TILE;
        uint64_t number = 0;
        for (uint64_t row = 0; row < rows; ++row)
            for (uint32_t a = k % p; a < tiles; ++a) {
                const bool pair = a + k < tiles, first = p == 1 && !pair && a % 2 == 0;  // a tile without a second one
                if ((a - k % p) % (2 * k) >= k || !(first || (pair && a / (2 * p) == (a + k) / (2 * p)))) continue;
                if (number++ % GetBlockNum() == GetBlockIdx()) Exchange(Global<int64_t>(x)[row * n], Global<int64_t>(y)[row * n], n, a, a + k);
            }
    }

private:
    __aicore__ inline void Exchange(const GlobalTensor<int64_t>& x, const GlobalTensor<int64_t>& y, uint64_t n, uint64_t a, uint64_t b) {
        const uint32_t one = min<uint64_t>(TILE, n - a * TILE), other = b * TILE < n ? min<uint64_t>(TILE, n - b * TILE) : 0;
        sorter.Fetch(x[a * TILE], one, 0);
        if (other) sorter.Fetch(x[b * TILE], other, TILE);
        sorter.Split<int64_t>(one + other);
        sorter.Sort(sorter.Fill(one + other, false), false);
        sorter.Write(y[a * TILE], 0, one);
        if (!other) return;
        Settle();
        sorter.Write(y[b * TILE], TILE, other);
        Settle();
    }
    Sorter sorter;
};

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
                sorter.Write(best, 0, all);
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

extern "C" __global__ __aicore__ void sort_step(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t n, uint64_t p, uint64_t k) {
    Network network;
    network.Run(rows, n, p, k, x, y);
}
extern "C" __global__ __aicore__ void top_int64(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint64_t rows, uint64_t n, uint64_t k) {
    Top<int64_t> top;
    top.Run(rows, n, k, x, values, places);
}
extern "C" __global__ __aicore__ void top_int32(GM_ADDR x, GM_ADDR values, GM_ADDR places, uint64_t rows, uint64_t n, uint64_t k) {
    Top<int32_t> top;
    top.Run(rows, n, k, x, values, places);
}
extern "C" __global__ __aicore__ void histogram(GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t bins, float low, float high) {
    Bins bins_of;
    bins_of.Histogram(n, bins, low, high, x, y);
}
extern "C" __global__ __aicore__ void count_whole(GM_ADDR x, GM_ADDR y, uint64_t n, uint64_t bins) {
    Bins bins_of;
    bins_of.Whole(n, bins, x, y);
}

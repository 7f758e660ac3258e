// Order of whole numbers: sorting int64, and its largest. The sorting unit takes scores of float, which hold 16 bits
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
    // Behind n numbers to a power of two: such as come last, `least` of them or more. Gives that power.
    __aicore__ inline uint32_t Fill(uint32_t n, bool falling, uint32_t least = 0) {
        uint32_t size = 32;
        while (size < n + least) size *= 2;
        for (uint32_t i = n; i < size && i < RoundUp(n, 8); ++i) Put(i, falling);
        if (RoundUp(n, 8) < size) {
            Duplicate(low[RoundUp(n, 8)], falling ? 0 : -1, size - RoundUp(n, 8));
            Duplicate(high[RoundUp(n, 8)], falling ? INT32_MIN : INT32_MAX, size - RoundUp(n, 8));
        }
        return size;
    }
    // `order`: the places of `size` numbers in rising or falling order, without the `gap` behind the first ones. Where there is
    // a gap the last of all is one that `Fill` put there.
    __aicore__ inline void Sort(uint32_t size, bool falling, uint32_t first = 0, uint32_t gap = 0) {
        const LocalTensor<int32_t> begin = order.ReinterpretCast<int32_t>();
        CreateVecIndex(begin, 0, size);
        if (gap) {
            const LocalTensor<int32_t> behind = others.ReinterpretCast<int32_t>();
            Adds(behind, begin, 1 - static_cast<int32_t>(first), size);
            Maxs(behind, behind, 0, size);
            Mins(behind, behind, 1, size);
            Muls(behind, behind, static_cast<int32_t>(gap), size);
            Add(begin, begin, behind, size);
            Mins(begin, begin, static_cast<int32_t>(size) - 1, size);
        }
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
    // What goes with the first n.
    __aicore__ inline void WriteNumbers(const GlobalTensor<int32_t>& to, uint32_t n) {
        Settle();
        InOrder(words, numbers, n);
        Settle();
        Store(to, words, n);
    }
    LocalTensor<int32_t> numbers;  // what goes with each number
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

enum class Made { numbers, places, both };

// Runs of up to MOST numbers of each row in order, a core each; or where they stood, those of equal ones rising; or both, the
// places as int32.
template <Made made>
__aicore__ inline void SortRuns(uint64_t rows, uint64_t n, GM_ADDR x, GM_ADDR y, GM_ADDR places) {
    Sorter sorter;
    sorter.Init();
    const uint64_t runs = (n + MOST - 1) / MOST;
    const Share share(rows * runs, 1);
    for (uint64_t run = share.begin; run < share.end; ++run) {
        const uint64_t in_row = run % runs * MOST, at = run / runs * n + in_row;
        const uint32_t count = min<uint64_t>(MOST, n - in_row);
        sorter.Fetch(Global<int64_t>(x)[at], count, 0);
        sorter.Split<int64_t>(count);
        if constexpr (made == Made::both) CreateVecIndex(sorter.numbers, static_cast<int32_t>(in_row), count);
        sorter.Sort(sorter.Fill(count, false), false);
        if constexpr (made == Made::places) sorter.WritePlaces(Global<int64_t>(places)[at], count);
        else sorter.Write(Global<int64_t>(y)[at], count);
        if constexpr (made == Made::both) sorter.WriteNumbers(Global<int32_t>(places)[at], count);
        Settle();
    }
}

// Pairs of neighbouring runs of `length` become one each. What a core makes at once is a stretch of the result: it lies between two
// places in either run, which halving finds (of equal ones the first run's come first), and is sorted as it is.
template <bool placed>
class Merge {
public:
    static constexpr uint32_t STRETCH = MOST - 16;  // leaves room for the gap between both parts, and one behind
    __aicore__ inline void Run(uint64_t rows, uint64_t n, uint64_t length, GM_ADDR x, GM_ADDR from, GM_ADDR y, GM_ADDR to) {
        sorter.Init();
        const uint64_t pair = 2 * length, in_pair = (pair + STRETCH - 1) / STRETCH;
        const uint64_t in_row = n / pair * in_pair + (n % pair + STRETCH - 1) / STRETCH;
        const Share share(rows * in_row, 1);
        for (uint64_t one = share.begin; one < share.end; ++one) {
            const uint64_t row = one / in_row * n, begin = one % in_row / in_pair * pair, end = min(n, begin + pair);
            const uint64_t middle = min(end, begin + length), at = one % in_row % in_pair * STRETCH;
            first = Global<int64_t>(x)[row + begin], second = Global<int64_t>(x)[row + middle];
            const uint64_t next = min<uint64_t>(at + STRETCH, end - begin);
            const uint64_t a = OfFirst(at, middle - begin, end - middle), a_end = OfFirst(next, middle - begin, end - middle);
            const uint64_t b = at - a, b_end = next - a_end;
            const uint32_t of_a = a_end - a, of_b = b_end - b, room = RoundUp(of_a, 8), all = of_a + of_b;
            if (of_a) sorter.Fetch(first[a], of_a, 0);
            if (of_b) sorter.Fetch(second[b], of_b, room);
            if constexpr (placed) {
                const auto numbers = Global<int32_t>(from)[row];
                if (of_a) Load(sorter.numbers, numbers[begin + a], of_a);
                if (of_b) Load(sorter.numbers[room], numbers[middle + b], of_b);
            }
            sorter.template Split<int64_t>(room + of_b);
            sorter.Sort(sorter.Fill(room + of_b, false, 1), false, of_a, room - of_a);
            sorter.Write(Global<int64_t>(y)[row + begin + at], all);
            if constexpr (placed) sorter.WriteNumbers(Global<int32_t>(to)[row + begin + at], all);
            Settle();
        }
    }

private:
    // How many of the first n of both runs are the first run's.
    __aicore__ inline uint64_t OfFirst(uint64_t n, uint64_t in_first, uint64_t in_second) {
        uint64_t low = n > in_second ? n - in_second : 0, high = min(n, in_first);
        while (low < high) {
            const uint64_t middle = (low + high) / 2;
            if (first.GetValue(middle) <= second.GetValue(n - 1 - middle)) low = middle + 1;
            else high = middle;
        }
        return low;
    }
    Sorter sorter;
    GlobalTensor<int64_t> first, second;
};

// The k largest of each of the parts of a row, and where they stand, or the numbers that are given with them: the best so far and
// the next ones are sorted together. No part has less than k.
template <class T>
class Top {
public:
    __aicore__ inline void Run(uint64_t rows, uint64_t n, uint32_t k, uint64_t parts, bool placed, GM_ADDR x, GM_ADDR given, GM_ADDR values,
                               GM_ADDR places) {
        sorter.Init();
        const Share share(rows * parts, 1);
        for (uint64_t one = share.begin; one < share.end; ++one) {
            const uint64_t row = one / parts * n, part = one % parts, end = n * (part + 1) / parts;
            const auto best = Global<T>(values)[one * k];
            const auto where = Global<int32_t>(places)[one * k];
            uint32_t held = 0;
            for (uint64_t at = n * part / parts; at < end;) {
                const uint32_t room = RoundUp(held, 8), count = min<uint64_t>(MOST - room - (held ? 8 : 0), end - at);
                if (held) {
                    sorter.Fetch(best, held, 0);
                    Load(sorter.numbers, where, held);
                }
                sorter.template Fetch<T>(Global<T>(x)[row + at], count, room);
                sorter.template Split<T>(room + count);
                if (placed) Load(sorter.numbers[room], Global<int32_t>(given)[row + at], count);
                else CreateVecIndex(sorter.numbers[room], static_cast<int32_t>(at), count);
                const uint32_t size = sorter.Fill(room + count, true, held ? 1 : 0), all = min<uint64_t>(k, held + count);
                sorter.Sort(size, true, held, room - held);
                sorter.Write(best, all);
                sorter.WriteNumbers(where, all);
                Settle();
                held = all, at += count;
            }
        }
    }

private:
    Sorter sorter;
};

extern "C" __global__ __aicore__ void sort_runs(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t n) {
    SortRuns<Made::numbers>(rows, n, x, y, nullptr);
}
extern "C" __global__ __aicore__ void argsort_rows(GM_ADDR x, GM_ADDR places, uint64_t rows, uint64_t n) {
    SortRuns<Made::places>(rows, n, x, nullptr, places);
}
extern "C" __global__ __aicore__ void sort_placed_runs(GM_ADDR x, GM_ADDR y, GM_ADDR places, uint64_t rows, uint64_t n) {
    SortRuns<Made::both>(rows, n, x, y, places);
}
extern "C" __global__ __aicore__ void merge_runs(GM_ADDR x, GM_ADDR y, uint64_t rows, uint64_t n, uint64_t length) {
    Merge<false> merge;
    merge.Run(rows, n, length, x, nullptr, y, nullptr);
}
extern "C" __global__ __aicore__ void merge_placed_runs(GM_ADDR x, GM_ADDR from, GM_ADDR y, GM_ADDR to, uint64_t rows, uint64_t n,
                                                        uint64_t length) {
    Merge<true> merge;
    merge.Run(rows, n, length, x, from, y, to);
}
extern "C" __global__ __aicore__ void top_int64(GM_ADDR x, GM_ADDR given, GM_ADDR values, GM_ADDR places, uint64_t rows, uint64_t n, uint64_t k,
                                                uint64_t parts, uint64_t placed) {
    Top<int64_t> top;
    top.Run(rows, n, k, parts, placed != 0, x, given, values, places);
}
extern "C" __global__ __aicore__ void top_int32(GM_ADDR x, GM_ADDR given, GM_ADDR values, GM_ADDR places, uint64_t rows, uint64_t n, uint64_t k,
                                                uint64_t parts, uint64_t placed) {
    Top<int32_t> top;
    top.Run(rows, n, k, parts, placed != 0, x, given, values, places);
}

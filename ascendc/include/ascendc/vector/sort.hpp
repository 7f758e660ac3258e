// The sorting units: records of a score and an index, in falling order of scores; equal scores stay in their order.
#pragma once

#include <vector>

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/lanes.hpp"

namespace ascendc {

// 8 bytes: the score, in the low half where it is a half, and the index.
struct SortRecord {
    std::uint32_t score;
    std::uint32_t index;
};
constexpr std::uint32_t record_bytes = sizeof(SortRecord), sorted_at_once = 32;

template <class T>
struct Sorted {
    T score;
    std::uint32_t index;
    bool unwritten;
};

template <class T>
bool before(T a, T b) {
    const float x = a, y = b;
    return x > y || (x != x && y == y);
}

template <class T>
Sorted<T> read_record(LocalMemory& memory, std::uint32_t byte) {
    Sorted<T> one;
    std::memcpy(&one.score, memory.at(byte), sizeof(T));
    std::memcpy(&one.index, memory.at(byte + 4), 4);
    one.unwritten = memory.any_unwritten(byte, sizeof(T)) || memory.any_unwritten(byte + 4, 4);
    return one;
}
template <class T>
void write_record(Instruction& at, LocalMemory& memory, std::uint32_t byte, const Sorted<T>& one) {
    SortRecord record{0, one.index};
    std::memcpy(&record.score, &one.score, sizeof(T));
    store(at, memory, byte, record, one.unwritten);
}

// Scores with their indices, `group` at a time.
template <class T>
void sort_groups(Instruction& at, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& scores,
                 const AscendC::LocalTensor<std::uint32_t>& indices, std::uint32_t groups, std::uint32_t group) {
    check_type<T, half, float>();
    const auto to = operand(at, dst, "dst");
    const auto from = operand(at, scores, "src0");
    const auto numbers = operand(at, indices, "src1");
    const std::uint32_t n = groups * group, width = sizeof(T);
    check_end(at, dst, to, std::uint64_t{to.address} + n * record_bytes);
    check_end(at, scores, from, std::uint64_t{from.address} + n * width);
    check_end(at, indices, numbers, std::uint64_t{numbers.address} + n * 4);
    at.uses(*from.memory, from.address, n * width, false);
    at.uses(*numbers.memory, numbers.address, n * 4, false);
    std::vector<Sorted<T>> records(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t byte = from.address + i * width, number = numbers.address + i * 4;
        records[i] = {*from.at(byte), *numbers.at(number), from.memory->any_unwritten(byte, width) || numbers.memory->any_unwritten(number, 4)};
    }
    for (std::uint32_t begin = 0; begin < n; begin += group)
        std::stable_sort(records.begin() + begin, records.begin() + begin + group, [](const auto& a, const auto& b) { return before(a.score, b.score); });
    for (std::uint32_t i = 0; i < n; ++i) write_record(at, *to.memory, to.address + i * record_bytes, records[i]);
    at.takes(vector_start + n / 2.0);
}

// Lists of records to one; `consumed` counts what each gave. Stops when one is empty, where asked to.
template <class T>
void merge(Instruction& at, LocalMemory& memory, std::uint32_t to, const std::array<std::uint32_t, 4>& lists,
           const std::array<std::uint32_t, 4>& lengths, unsigned used, bool suspends, std::array<std::uint32_t, 4>& consumed) {
    std::array<std::vector<Sorted<T>>, 4> records;
    for (unsigned k = 0; k < used; ++k) {
        at.uses(memory, lists[k], lengths[k] * record_bytes, false);
        for (std::uint32_t i = 0; i < lengths[k]; ++i) records[k].push_back(read_record<T>(memory, lists[k] + i * record_bytes));
    }
    consumed = {};
    for (std::uint32_t written = 0;; ++written) {
        int best = -1;
        bool empty = false;
        for (unsigned k = 0; k < used; ++k) {
            if (consumed[k] == lengths[k]) {
                empty = true;
                continue;
            }
            if (best < 0 || before(records[k][consumed[k]].score, records[best][consumed[best]].score)) best = static_cast<int>(k);
        }
        if (best < 0 || (suspends && empty)) return;
        write_record(at, memory, to + written * record_bytes, records[best][consumed[best]++]);
    }
}

template <class T>
void merge_lists(Instruction& at, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>* const lists[4],
                 const std::uint16_t lengths[4], unsigned valid, bool suspends, std::uint32_t repeats) {
    check_type<T, half, float>();
    if (valid != 3 && valid != 7 && valid != 15) at.fail(Rule::count, "is given valid bits ", valid, "; 3, 7 and 15 are possible");
    const unsigned used = valid == 3 ? 2 : valid == 7 ? 3 : 4;
    const auto to = operand(at, dst, "dst");
    std::array<std::uint32_t, 4> from{}, n{};
    std::uint32_t total = 0;
    for (unsigned k = 0; k < used; ++k) {
        const auto list = operand(at, *lists[k], "a list");
        if (lengths[k] > 4095) at.fail(Rule::count, "is given a list of ", lengths[k], " records; 4095 is the most");
        check_end(at, *lists[k], list, std::uint64_t{list.address} + lengths[k] * record_bytes);
        from[k] = list.address;
        n[k] = lengths[k];
        total += n[k];
    }
    if (repeats > 1) {
        bool joined = valid == 15 && !suspends;
        for (unsigned k = 1; k < used; ++k) joined = joined && n[k] == n[0] && from[k] == from[k - 1] + n[0] * record_bytes;
        if (!joined) at.fail(Rule::count, "is given ", repeats, " repeats, which take four lists of one length, one after the other, all valid");
    }
    const std::uint64_t end = std::uint64_t{to.address} + std::uint64_t{total} * repeats * record_bytes;
    check_end(at, dst, to, end);
    for (unsigned k = 0; k < used; ++k)
        if (from[k] < end && to.address < from[k] + n[k] * record_bytes) at.fail(Rule::overlap, "writes dst over a list; they must be apart");
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
        std::array<std::uint32_t, 4> lists_now = from;
        for (std::uint32_t& list : lists_now) list += repeat * total * record_bytes;
        merge<T>(at, *to.memory, to.address + repeat * total * record_bytes, lists_now, n, used, suspends, at.core.registers.merged);
    }
    at.takes(vector_start + total * repeats / 2.0);
}

}  // namespace ascendc

namespace AscendC {

template <class T>
struct MrgSortSrcList {
    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;

    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& a, const LocalTensor<T>& b, const LocalTensor<T>& c, const LocalTensor<T>& d)
        : src1(a), src2(b), src3(c), src4(d) {}
};

template <class T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<std::uint32_t>& src1, const std::int32_t repeat,
            ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { Sort32<T>(dst, src0, src1, repeat, where); });
    ascendc::Instruction at("Sort32", ascendc::Pipe::V, where);
    if (repeat < 0 || repeat > 255) at.fail(ascendc::Rule::count, "is given ", repeat, " repeats; 0 to 255 are possible");
    ascendc::sort_groups(at, dst, src0, src1, static_cast<std::uint32_t>(repeat), ascendc::sorted_at_once);
}

template <class T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& lists, const MrgSort4Info& params,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { MrgSort<T>(dst, lists, params, where); });
    ascendc::Instruction at("MrgSort", ascendc::Pipe::V, where);
    const LocalTensor<T>* const each[4] = {&lists.src1, &lists.src2, &lists.src3, &lists.src4};
    ascendc::merge_lists(at, dst, each, params.elementLengths, params.validBit, params.ifExhaustedSuspension, params.repeatTimes);
}
// The same with what each list gave.
template <class T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& lists, const std::uint16_t elementCountList[4], std::uint32_t sortedNum[4],
             std::uint16_t validBit, const std::int32_t repeat, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().check_reaches(ascendc::Pipe::V, "MrgSort, whose counts the scalar unit waits for,");
    ascendc::Instruction at("MrgSort", ascendc::Pipe::V, where);
    const LocalTensor<T>* const each[4] = {&lists.src1, &lists.src2, &lists.src3, &lists.src4};
    ascendc::merge_lists(at, dst, each, elementCountList, validBit, isExhaustedSuspension, static_cast<std::uint32_t>(repeat));
    for (int k = 0; k < 4; ++k) sortedNum[k] = at.core.registers.merged[static_cast<unsigned>(k)];
}
inline void GetMrgSortResult(std::uint16_t& list1, std::uint16_t& list2, std::uint16_t& list3, std::uint16_t& list4) {
    ascendc::current().check_reaches(ascendc::Pipe::V, "GetMrgSortResult, for which the scalar unit waits,");
    const auto& merged = ascendc::current().registers.merged;
    list1 = static_cast<std::uint16_t>(merged[0]);
    list2 = static_cast<std::uint16_t>(merged[1]);
    list3 = static_cast<std::uint16_t>(merged[2]);
    list4 = static_cast<std::uint16_t>(merged[3]);
}

// On this chip scores need not be moved: `concat` is the same memory.
template <class T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const std::int32_t) { concat = src; }

template <class T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<std::uint32_t>& index, LocalTensor<T>& tmp,
          const std::int32_t repeat, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=]() mutable { Sort<T, isFullSort>(dst, concat, index, tmp, repeat, where); });
    ascendc::Instruction at("Sort", ascendc::Pipe::V, where);
    if (repeat < 0 || repeat > 255) at.fail(ascendc::Rule::count, "is given ", repeat, " repeats; 0 to 255 are possible");
    const auto n = static_cast<std::uint32_t>(repeat) * ascendc::sorted_at_once;
    if (isFullSort && repeat > 1) {
        const auto area = ascendc::operand(at, tmp, "tmp");
        ascendc::check_end(at, tmp, area, std::uint64_t{area.address} + n * ascendc::record_bytes);
        at.uses(*area.memory, area.address, n * ascendc::record_bytes, true);
        area.memory->set_unwritten(area.address, n * ascendc::record_bytes);
    }
    if (repeat) ascendc::sort_groups(at, dst, concat, index, isFullSort ? 1 : static_cast<std::uint32_t>(repeat), isFullSort ? n : ascendc::sorted_at_once);
}

// 32 records a repeat, as scores and indices apart.
template <class T>
void Extract(const LocalTensor<T>& values, const LocalTensor<std::uint32_t>& indices, const LocalTensor<T>& sorted, const std::int32_t repeat,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, float>();
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { Extract<T>(values, indices, sorted, repeat, where); });
    ascendc::Instruction at("Extract", ascendc::Pipe::V, where);
    const auto scores = ascendc::operand(at, values, "dstValue");
    const auto numbers = ascendc::operand(at, indices, "dstIndex");
    const auto from = ascendc::operand(at, sorted, "sorted");
    const std::uint32_t n = static_cast<std::uint32_t>(repeat) * ascendc::sorted_at_once, width = sizeof(T);
    ascendc::check_end(at, values, scores, std::uint64_t{scores.address} + n * width);
    ascendc::check_end(at, indices, numbers, std::uint64_t{numbers.address} + n * 4);
    ascendc::check_end(at, sorted, from, std::uint64_t{from.address} + n * ascendc::record_bytes);
    at.uses(*from.memory, from.address, n * ascendc::record_bytes, false);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t byte = from.address + i * ascendc::record_bytes;
        const auto one = ascendc::read_record<T>(*from.memory, byte);
        ascendc::store(at, *scores.memory, scores.address + i * width, one.score, from.memory->any_unwritten(byte, width));
        ascendc::store(at, *numbers.memory, numbers.address + i * 4, one.index, from.memory->any_unwritten(byte + 4, 4));
    }
    at.takes(ascendc::vector_start + n / 32.0);
}

// Elements of T that n records take.
template <class T>
std::uint32_t GetSortLen(const std::uint32_t n) { return n * ascendc::record_bytes / sizeof(T); }
template <class T>
std::uint32_t GetSortOffset(const std::uint32_t n) { return GetSortLen<T>(n); }

}  // namespace AscendC

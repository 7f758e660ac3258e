// Copies between the rows of a matrix and its fractals of 16 rows by 32 bytes: from global memory to L1, and back.
#pragma once

#include "ascendc/base/cube_parameters.hpp"
#include "ascendc/move/local_copy.hpp"

namespace ascendc {

constexpr std::uint32_t fractal_rows = 16;
// Elements of L0C in a fractal's row, whatever their type.
constexpr std::uint32_t result_lanes = 16;
constexpr std::uint32_t result_fractal_bytes = 1024;
// L1 to L0A and to L0B, bytes a cycle.
constexpr double left_rate = 256, right_rate = 128;

}  // namespace ascendc

namespace AscendC {

// Each matrix, row by row in global memory, becomes columns of 32 bytes, one after the other; the last is filled with zeros.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    if (held(Pipe::MTE2)) return postpone(Pipe::MTE2, [=] { DataCopy<T>(dst, src, p, where); });
    Instruction at("DataCopy", Pipe::MTE2, where);
    check_memory(at, dst.place(), "dst", {Hardware::L1, Hardware::UB});
    check_between(at, "ndNum", p.ndNum, 0, 4095);
    check_between(at, "nValue", p.nValue, 0, 16384);
    check_between(at, "dstNzC0Stride", p.dstNzC0Stride, p.dValue > block_elements<T> || p.dstNzC0Stride ? 1 : 0, 16384);
    check_between(at, "dstNzNStride", p.dstNzNStride, p.nValue > 1 || p.dstNzNStride ? 1 : 0, 16384);
    if constexpr (is_int4<T>)
        if (p.dValue % 2 || p.srcDValue % 2) at.fail(Rule::count, "is given an odd number of 4-bit elements in a row");
    if (!p.ndNum || !p.nValue || !p.dValue) return;
    const std::uint64_t row = bytes_of<T>(p.dValue), from_row = bytes_of<T>(p.srcDValue), from_matrix = bytes_of<T>(p.srcNdMatrixStride);
    const std::uint64_t columns = (row + block_bytes - 1) / block_bytes, column = std::uint64_t{p.dstNzC0Stride} * block_bytes;
    const std::uint64_t line = std::uint64_t{p.dstNzNStride} * block_bytes, matrix = bytes_of<T>(p.dstNzMatrixStride);
    const Place place = dst.place();
    LocalMemory& memory =
        local_side(at, place, "dst", 1, (p.ndNum - 1) * matrix + (columns - 1) * column + (p.nValue - 1) * line + block_bytes, 0);
    for (std::uint64_t i = 0; i < p.ndNum; ++i) {
        const std::byte* const source =
            at.uses_global({src.address() + i * from_matrix, row, p.nValue, from_row}, false);
        for (std::uint64_t c = 0; c < columns; ++c) {
            const std::uint64_t begin = place.address + i * matrix + c * column, bytes = std::min<std::uint64_t>(row - c * block_bytes, block_bytes);
            uses_pieces(at, memory, begin, p.nValue, block_bytes, line, true);
            for (std::uint64_t r = 0; r < p.nValue; ++r) {
                const auto to = static_cast<std::uint32_t>(begin + r * line);
                std::memcpy(memory.at(to), source + r * from_row + c * block_bytes, bytes);
                std::memset(memory.at(to) + bytes, 0, block_bytes - bytes);
                memory.set_written(to, block_bytes);
            }
        }
    }
    takes_transfer(at, p.ndNum * p.nValue * row);
}

// The same from UB to L1.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    static_assert(!is_int4<T>, "this copy takes elements of whole bytes");
    if (held(Pipe::MTE3)) return postpone(Pipe::MTE3, [=] { DataCopy<T>(dst, src, p, where); });
    Instruction at("DataCopy", Pipe::MTE3, where);
    check_memory(at, dst.place(), "dst", {Hardware::L1});
    check_memory(at, src.place(), "src", {Hardware::UB});
    check_between(at, "ndNum", p.ndNum, 0, 4095);
    check_between(at, "nValue", p.nValue, 0, 16384);
    if (!p.ndNum || !p.nValue || !p.dValue) return;
    check_between(at, "dstNzC0Stride", p.dstNzC0Stride, p.dValue > block_elements<T> ? 1 : 0, 16384);
    check_between(at, "dstNzNStride", p.dstNzNStride, p.nValue > 1 ? 1 : 0, 16384);
    const std::uint64_t row = bytes_of<T>(p.dValue), from_row = bytes_of<T>(p.srcDValue), from_matrix = bytes_of<T>(p.srcNdMatrixStride);
    const std::uint64_t columns = (row + block_bytes - 1) / block_bytes, column = std::uint64_t{p.dstNzC0Stride} * block_bytes;
    const std::uint64_t line = std::uint64_t{p.dstNzNStride} * block_bytes, matrix = bytes_of<T>(p.dstNzMatrixStride);
    const Place to = dst.place(), from = src.place();
    LocalMemory& target =
        local_side(at, to, "dst", 1, (p.ndNum - 1) * matrix + (columns - 1) * column + (p.nValue - 1) * line + block_bytes, 0);
    LocalMemory& source = local_side(at, from, "src", 1, (p.ndNum - 1) * from_matrix + (p.nValue - 1) * from_row + row, 0);
    for (std::uint64_t i = 0; i < p.ndNum; ++i) {
        uses_pieces(at, source, from.address + i * from_matrix, p.nValue, row, from_row, false);
        for (std::uint64_t c = 0; c < columns; ++c) {
            const std::uint64_t begin = to.address + i * matrix + c * column, bytes = std::min<std::uint64_t>(row - c * block_bytes, block_bytes);
            uses_pieces(at, target, begin, p.nValue, block_bytes, line, true);
            for (std::uint64_t r = 0; r < p.nValue; ++r) {
                const auto there = static_cast<std::uint32_t>(begin + r * line);
                const auto here = static_cast<std::uint32_t>(from.address + i * from_matrix + r * from_row + c * block_bytes);
                std::memset(target.at(there), 0, block_bytes);
                target.set_written(there, block_bytes);
                std::memcpy(target.at(there), source.at(here), bytes);
                target.pass_unwritten(source, here, there, static_cast<std::uint32_t>(bytes), 1);
            }
        }
    }
    at.takes(static_cast<double>(p.ndNum * p.nValue * row) / local_rate);
}

// The way back, from fractals with 16 elements a row: matrices lie 256 elements times srcNdMatrixStride apart, columns of
// fractals 16 elements times srcNStride.
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    if (held(src.place().memory == Hardware::L0C ? Pipe::FIX : Pipe::MTE3))
        return postpone(src.place().memory == Hardware::L0C ? Pipe::FIX : Pipe::MTE3, [=] { DataCopy<T>(dst, src, p, where); });
    Instruction at("DataCopy", src.place().memory == Hardware::L0C ? Pipe::FIX : Pipe::MTE3, where);
    check_memory(at, src.place(), "src", {Hardware::UB, Hardware::L1, Hardware::L0C});
    check_between(at, "nValue", p.nValue, 1, 8192);
    check_between(at, "dValue", p.dValue, 1, 8192);
    const Place place = src.place();
    const std::uint64_t lanes = result_lanes * sizeof(T), columns = (p.dValue + result_lanes - 1) / result_lanes;
    const std::uint64_t matrix = p.srcNdMatrixStride * lanes * fractal_rows, column = p.srcNStride * lanes;
    LocalMemory& memory = local_side(at, place, "src", 1, p.ndNum ? (p.ndNum - 1) * matrix + (columns - 1) * column + p.nValue * lanes : 0, 0);
    const bool atomic = check_atomic(at, element_of<T>());
    for (std::uint64_t i = 0; i < p.ndNum; ++i) {
        std::byte* const target = at.uses_global({dst.address() + i * p.dstNdMatrixStride * sizeof(T), p.dValue * sizeof(T), p.nValue,
                                                  p.dstDStride * sizeof(T)}, true, atomic);
        for (std::uint64_t c = 0; c < columns; ++c) {
            const std::uint64_t begin = place.address + i * matrix + c * column;
            const std::uint64_t bytes = std::min<std::uint64_t>(p.dValue - c * result_lanes, result_lanes) * sizeof(T);
            at.uses(memory, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(p.nValue * lanes), false);
            for (std::uint64_t r = 0; r < p.nValue; ++r) {
                const auto from = static_cast<std::uint32_t>(begin + r * lanes);
                check_written(at, memory, from, static_cast<std::uint32_t>(bytes));
                store(at, target + r * p.dstDStride * sizeof(T) + c * lanes, memory.at(from), bytes);
            }
        }
    }
    takes_transfer(at, std::uint64_t{p.ndNum} * p.nValue * p.dValue * sizeof(T));
}

// Fills `repeatTimes` pieces of blocks: of 32 bytes in L1, of 512 in L0A and L0B.
template <class T, class U = T>
void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& p, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    static_assert(sizeof(T) == sizeof(U), "InitConstValue takes a value of the tensor's width");
    const Hardware memory_kind = dst.place().memory;
    if (held(memory_kind == Hardware::L1 ? Pipe::MTE2 : Pipe::MTE1))
        return postpone(memory_kind == Hardware::L1 ? Pipe::MTE2 : Pipe::MTE1, [=] { InitConstValue<T, U>(dst, p, where); });
    Instruction at("InitConstValue", memory_kind == Hardware::L1 ? Pipe::MTE2 : Pipe::MTE1, where);
    check_memory(at, dst.place(), "dst", {Hardware::L1, Hardware::L0A, Hardware::L0B});
    const std::uint64_t unit = memory_kind == Hardware::L1 ? block_bytes : fractal_bytes;
    const std::uint64_t blocks = memory_kind != Hardware::L1 && !p.blockNum ? 1 : p.blockNum;
    const std::uint64_t bytes = blocks * unit, pitch = bytes + p.dstGap * unit;
    LocalMemory& memory = local_side(at, dst.place(), "dst", p.repeatTimes, bytes, pitch, static_cast<std::uint32_t>(unit));
    for (std::uint64_t i = 0; i < p.repeatTimes; ++i) {
        const auto begin = static_cast<std::uint32_t>(dst.place().address + i * pitch);
        at.uses(memory, begin, static_cast<std::uint32_t>(bytes), true);
        for (std::uint64_t k = 0; k < bytes; k += sizeof(U)) std::memcpy(memory.at(static_cast<std::uint32_t>(begin + k)), &p.initValue, sizeof(U));
        memory.set_written(begin, static_cast<std::uint32_t>(bytes));
    }
    at.takes(static_cast<double>(p.repeatTimes * bytes) / left_rate);
}

}  // namespace AscendC

// DataCopy and DataCopyPad between global memory and UB or L1, and within UB; SetAtomicAdd and its like.
#pragma once

#include "ascendc/move/transfer.hpp"

namespace ascendc {

inline void check_blocks(const Instruction& at, std::uint64_t count, std::uint64_t length, std::uint64_t longest, const char* unit) {
    if (count > 4095) at.fail(Rule::count, "is given a blockCount of ", count, "; 4095 is the most");
    if (length > longest) at.fail(Rule::count, "is given a blockLen of ", length, " ", unit, "; ", longest, " is the most");
}

inline void set_atomic(Atomic atomic, Where where) {
    Registers& registers = current().registers;
    registers.atomic = atomic;
    registers.atomic_set = where;
}

// Half a block of int4 is copied as a whole one.
template <class T>
std::uint64_t whole_blocks(const Instruction& at, std::uint32_t elements) {
    std::uint64_t bytes = bytes_of<T>(elements);
    if (is_int4<T> && bytes % block_bytes == block_bytes / 2) bytes += block_bytes / 2;
    if (bytes % block_bytes)
        at.fail(Rule::length, "copies ", elements, " elements, ", bytes, " bytes; the length must be a multiple of 32 bytes, or DataCopyPad is "
                "the copy to take");
    return bytes;
}

}  // namespace ascendc

namespace AscendC {

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const std::uint32_t count,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE2)) return ascendc::postpone(ascendc::Pipe::MTE2, [=] { DataCopy<T>(dst, src, count, where); });
    ascendc::Instruction at("DataCopy", ascendc::Pipe::MTE2, where);
    const std::uint64_t bytes = ascendc::whole_blocks<T>(at, count);
    ascendc::copy_in(at, dst.place(), bytes, src.address(), bytes, 1, bytes, bytes);
}

template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE3)) return ascendc::postpone(ascendc::Pipe::MTE3, [=] { DataCopy<T>(dst, src, count, where); });
    ascendc::Instruction at("DataCopy", ascendc::Pipe::MTE3, where);
    const std::uint64_t bytes = ascendc::whole_blocks<T>(at, count);
    ascendc::copy_out(at, dst.address(), bytes, src.place(), bytes, 1, bytes, ascendc::element_of<T>());
}

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& blocks,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE2)) return ascendc::postpone(ascendc::Pipe::MTE2, [=] { DataCopy<T>(dst, src, blocks, where); });
    ascendc::Instruction at("DataCopy", ascendc::Pipe::MTE2, where);
    ascendc::check_blocks(at, blocks.blockCount, blocks.blockLen, 65535, "blocks");
    const std::uint64_t row = blocks.blockLen * std::uint64_t{ascendc::block_bytes};
    ascendc::copy_in(at, dst.place(), row + blocks.dstStride * ascendc::block_bytes, src.address(),
                     row + blocks.srcStride * ascendc::block_bytes, blocks.blockCount, row, row);
}

template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& blocks,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE3)) return ascendc::postpone(ascendc::Pipe::MTE3, [=] { DataCopy<T>(dst, src, blocks, where); });
    ascendc::Instruction at("DataCopy", ascendc::Pipe::MTE3, where);
    ascendc::check_blocks(at, blocks.blockCount, blocks.blockLen, 65535, "blocks");
    const std::uint64_t row = blocks.blockLen * std::uint64_t{ascendc::block_bytes};
    ascendc::copy_out(at, dst.address(), row + blocks.dstStride * ascendc::block_bytes, src.place(),
                      row + blocks.srcStride * ascendc::block_bytes, blocks.blockCount, row, ascendc::element_of<T>());
}

// Each block lands on a block of 32 bytes: `leftPadding` elements, the bytes, `rightPadding` elements, then to the block's end
// what nobody should use.
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& blocks,
                 const DataCopyPadExtParams<ascendc::same_t<T>>& padding, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE2))
        return ascendc::postpone(ascendc::Pipe::MTE2, [=] { DataCopyPad<T>(dst, src, blocks, padding, where); });
    ascendc::Instruction at("DataCopyPad", ascendc::Pipe::MTE2, where);
    ascendc::check_blocks(at, blocks.blockCount, blocks.blockLen, 2097151, "bytes");
    const std::uint64_t left = padding.leftPadding * sizeof(T), right = padding.rightPadding * sizeof(T);
    if (left > 32 || right > 32) at.fail(ascendc::Rule::count, "pads by ", std::max(left, right), " bytes; 32 are the most on a side");
    const std::uint64_t row = (left + blocks.blockLen + right + 31) / 32 * 32;
    const std::uint64_t pitch = row + std::uint64_t{blocks.dstStride} * ascendc::block_bytes;
    ascendc::Place place = dst.place();
    ascendc::LocalMemory& memory = ascendc::local_side(at, place, "dst", blocks.blockCount, row, pitch);
    const std::byte* source = nullptr;
    if (blocks.blockCount && blocks.blockLen)
        source = at.uses_global({src.address(), blocks.blockLen, blocks.blockCount, std::uint64_t{blocks.blockLen} + blocks.srcStride}, false);
    for (std::uint64_t i = 0; i < blocks.blockCount; ++i) {
        const auto begin = static_cast<std::uint32_t>(place.address + i * pitch);
        const auto body = static_cast<std::uint32_t>(begin + left), tail = static_cast<std::uint32_t>(body + blocks.blockLen);
        at.uses(memory, begin, static_cast<std::uint32_t>(row), true);
        memory.set_unwritten(begin, static_cast<std::uint32_t>(row));
        if (source) std::memcpy(memory.at(body), source + i * (std::uint64_t{blocks.blockLen} + blocks.srcStride), blocks.blockLen);
        memory.set_written(body, blocks.blockLen);
        if (!padding.isPad) continue;
        const T value = padding.paddingValue;
        for (std::uint64_t k = 0; k < padding.leftPadding; ++k) std::memcpy(memory.at(begin) + k * sizeof(T), &value, sizeof(T));
        for (std::uint64_t k = 0; k < padding.rightPadding; ++k) std::memcpy(memory.at(tail) + k * sizeof(T), &value, sizeof(T));
        memory.set_written(begin, static_cast<std::uint32_t>(left));
        memory.set_written(tail, static_cast<std::uint32_t>(right));
    }
    ascendc::takes_transfer(at, std::uint64_t{blocks.blockCount} * blocks.blockLen);
}

template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& blocks, const DataCopyPadParams& padding,
                 ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    T value;
    std::memcpy(&value, &padding.paddingValue, sizeof(T));
    DataCopyPad(dst, src, DataCopyExtParams(blocks.blockCount, blocks.blockLen, blocks.srcStride, blocks.dstStride, 0),
                DataCopyPadExtParams<T>(padding.isPad, padding.leftPadding, padding.rightPadding, value), where);
}

template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& blocks,
                 ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::MTE3))
        return ascendc::postpone(ascendc::Pipe::MTE3, [=] { DataCopyPad<T>(dst, src, blocks, where); });
    ascendc::Instruction at("DataCopyPad", ascendc::Pipe::MTE3, where);
    ascendc::check_blocks(at, blocks.blockCount, blocks.blockLen, 2097151, "bytes");
    const std::uint64_t pitch = (blocks.blockLen + 31) / 32 * 32 + std::uint64_t{blocks.srcStride} * ascendc::block_bytes;
    ascendc::copy_out(at, dst.address(), std::uint64_t{blocks.blockLen} + blocks.dstStride, src.place(), pitch, blocks.blockCount,
                      blocks.blockLen, ascendc::element_of<T>());
}

template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& blocks,
                 ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    DataCopyPad(dst, src, DataCopyExtParams(blocks.blockCount, blocks.blockLen, blocks.srcStride, blocks.dstStride, 0), where);
}

// From now on copies to global memory combine with what is there, until SetAtomicNone.
template <class T>
void SetAtomicAdd(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().registers.atomic_type = ascendc::element_of<T>();
    ascendc::set_atomic(ascendc::Atomic::add, where);
}
template <class T>
void SetAtomicMax(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().registers.atomic_type = ascendc::element_of<T>();
    ascendc::set_atomic(ascendc::Atomic::max, where);
}
template <class T>
void SetAtomicMin(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::current().registers.atomic_type = ascendc::element_of<T>();
    ascendc::set_atomic(ascendc::Atomic::min, where);
}
template <class T>
void SetAtomicType() { ascendc::current().registers.atomic_type = ascendc::element_of<T>(); }
inline void SetAtomicNone() { ascendc::current().registers.atomic = ascendc::Atomic::none; }

// The core's registers as a kernel finds them: kernels without a TPipe begin with it.
inline void InitSocState() {
    ascendc::set_vector_register([](ascendc::VectorRegisters& registers) {
        registers.mask = {};
        registers.counter = false;
    });
    ascendc::current().registers.atomic = ascendc::Atomic::none;
}

// What the copies by their names outside the namespace pad with.
template <class T, TPosition position = TPosition::MAX>
void SetPadValue(const T value) {
    static_assert(sizeof(T) <= 8, "a padding value has at most 64 bits");
    std::uint64_t& bits = ascendc::current().registers.padding_value;
    bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
}

// Wishes about caches: no effect on values.
inline void ICachePreLoad(const std::int64_t) {}
template <class T>
void DataCachePreload(const GlobalTensor<T>&, const std::int64_t) {}

// Global memory filled with one value, by copies that the library makes.
template <class T>
void Fill(GlobalTensor<T>& dst, const std::uint64_t size, const T value, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    static_assert(ascendc::one_of<T, half, float, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>, "Fill takes numbers of 16 and 32 bits");
    if constexpr (g_coreType == AIC) return;
    ascendc::current().check_reaches(ascendc::Pipe::MTE3, "Fill, which the scalar unit waits for,");
    ascendc::Instruction at("Fill", ascendc::Pipe::MTE3, where);
    if (!size) return;
    std::byte* const to = at.uses_global({dst.address(), size * sizeof(T), 1, 0}, true);
    for (std::uint64_t i = 0; i < size; ++i) std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    at.takes(static_cast<double>(size * sizeof(T)) / ascendc::global_rate);
    at.core.drain();
}
// The older name of Fill.
template <class T>
void InitGlobalMemory(GlobalTensor<T>& dst, const std::uint64_t size, const ascendc::same_t<T> value, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    Fill(dst, size, value, where);
}

}  // namespace AscendC

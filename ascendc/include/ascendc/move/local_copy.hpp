// DataCopy within a core: UB to UB and to L1, and from L1 to the bias table (BT) and to the parameters of Fixpipe (FB).
#pragma once

#include "ascendc/move/data_copy.hpp"

namespace ascendc {

constexpr double table_rate = 32;  // bytes a cycle

// `pieces` pieces of `bytes`, `pitch` apart, of one operand, used by the instruction.
inline void uses_pieces(Instruction& at, LocalMemory& memory, std::uint64_t address, std::uint64_t pieces, std::uint64_t bytes,
                        std::uint64_t pitch, bool write) {
    if (pitch == bytes) bytes *= pieces, pieces = 1;
    for (std::uint64_t i = 0; i < pieces; ++i)
        at.uses(memory, static_cast<std::uint32_t>(address + i * pitch), static_cast<std::uint32_t>(bytes), write);
}

inline void check_between(const Instruction& at, const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (value < least || value > most) at.fail(Rule::count, "is given ", name, " ", value, "; ", least, " to ", most, " are possible");
}

constexpr bool is_table(AscendC::Hardware memory) { return memory == AscendC::Hardware::BIAS || memory == AscendC::Hardware::FIXBUF; }

// Lengths and gaps count 64 bytes of BT, 128 of FB; the source's gap 32 bytes. Halves become floats on their way to BT.
template <class T, class U>
void copy_to_table(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src, const AscendC::DataCopyParams& p, Where where) {
    const bool bias = dst.place().memory == AscendC::Hardware::BIAS;
    const Pipe pipe = bias ? Pipe::MTE1 : Pipe::FIX;
    if (held(pipe)) return postpone(pipe, [=] { copy_to_table(dst, src, p, where); });
    Instruction at("DataCopy", pipe, where);
    check_memory(at, dst.place(), "dst", {AscendC::Hardware::BIAS, AscendC::Hardware::FIXBUF});
    check_memory(at, src.place(), "src", {AscendC::Hardware::L1});
    static_assert(std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>), "a copy to BT widens half to float alone");
    const std::uint32_t unit = bias ? 64 : 128, widened = sizeof(T) / sizeof(U);
    const std::uint32_t bytes = p.blockLen * unit, from_pitch = bytes + p.srcStride * block_bytes, to_bytes = bytes * widened;
    const std::uint32_t to_pitch = to_bytes + p.dstStride * unit;
    LocalMemory& source = local_side(at, src.place(), "src", p.blockCount, bytes, from_pitch);
    LocalMemory& target = local_side(at, dst.place(), "dst", p.blockCount, to_bytes, to_pitch, unit);
    for (std::uint32_t i = 0; i < p.blockCount; ++i) {
        const std::uint32_t from = src.place().address + i * from_pitch, to = dst.place().address + i * to_pitch;
        at.uses(source, from, bytes, false);
        at.uses(target, to, to_bytes, true);
        if constexpr (std::is_same_v<T, U>) {
            std::memcpy(target.at(to), source.at(from), bytes);
            target.pass_unwritten(source, from, to, bytes, 1);
        } else {
            target.set_written(to, to_bytes);
            for (std::uint32_t k = 0; k < bytes / sizeof(U); ++k) {
                U value;
                std::memcpy(&value, source.at(from) + k * sizeof(U), sizeof(U));
                const T wide = static_cast<T>(value);
                std::memcpy(target.at(to) + k * sizeof(T), &wide, sizeof(T));
                if (source.any_unwritten(from + k * sizeof(U), sizeof(U))) target.set_unwritten(to + k * sizeof(T), sizeof(T));
            }
        }
    }
    at.takes(static_cast<double>(p.blockCount * bytes) / table_rate);
}


// Blocks and gaps of 32 bytes.
inline void copy_blocks(Instruction& at, const Place& to, const Place& from, std::uint64_t blocks, std::uint64_t bytes, std::uint64_t to_pitch,
                        std::uint64_t from_pitch) {
    check_memory(at, from, "src", {AscendC::Hardware::UB});
    check_memory(at, to, "dst", {AscendC::Hardware::UB, AscendC::Hardware::L1});
    LocalMemory& source = local_side(at, from, "src", blocks, bytes, from_pitch);
    LocalMemory& target = local_side(at, to, "dst", blocks, bytes, to_pitch);
    uses_pieces(at, source, from.address, blocks, bytes, from_pitch, false);
    uses_pieces(at, target, to.address, blocks, bytes, to_pitch, true);
    for (std::uint64_t i = 0; i < blocks; ++i) {
        const auto begin = static_cast<std::uint32_t>(from.address + i * from_pitch), end = static_cast<std::uint32_t>(to.address + i * to_pitch);
        std::memmove(target.at(end), source.at(begin), bytes);
        target.pass_unwritten(source, begin, end, static_cast<std::uint32_t>(bytes), 1);
    }
    at.takes(20 + static_cast<double>(blocks * bytes) / local_rate);
}

inline Pipe local_copy_pipe(const Place& to) { return to.memory == AscendC::Hardware::UB ? Pipe::V : Pipe::MTE3; }

}  // namespace ascendc

namespace AscendC {

template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::is_table(dst.place().memory)) return ascendc::copy_to_table(dst, src, p, where);
    const ascendc::Pipe pipe = ascendc::local_copy_pipe(dst.place());
    if (ascendc::held(pipe)) return ascendc::postpone(pipe, [=] { DataCopy<T>(dst, src, p, where); });
    ascendc::Instruction at("DataCopy", pipe, where);
    ascendc::check_blocks(at, p.blockCount, p.blockLen, 65535, "blocks");
    const std::uint64_t row = p.blockLen * std::uint64_t{ascendc::block_bytes};
    ascendc::copy_blocks(at, dst.place(), src.place(), p.blockCount, row, row + p.dstStride * ascendc::block_bytes,
                         row + p.srcStride * ascendc::block_bytes);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::is_table(dst.place().memory)) {
        const std::uint32_t unit = dst.place().memory == Hardware::BIAS ? 64 : 128;
        const auto blocks = static_cast<std::uint16_t>((ascendc::bytes_of<T>(count) + unit - 1) / unit);
        return ascendc::copy_to_table(dst, src, DataCopyParams(1, blocks, 0, 0), where);
    }
    const ascendc::Pipe pipe = ascendc::local_copy_pipe(dst.place());
    if (ascendc::held(pipe)) return ascendc::postpone(pipe, [=] { DataCopy<T>(dst, src, count, where); });
    ascendc::Instruction at("DataCopy", pipe, where);
    const std::uint64_t bytes = ascendc::whole_blocks<T>(at, count);
    ascendc::copy_blocks(at, dst.place(), src.place(), 1, bytes, bytes, bytes);
}
// With another type in the table than in L1.
template <class T, class U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::copy_to_table(dst, src, p, where);
}

}  // namespace AscendC

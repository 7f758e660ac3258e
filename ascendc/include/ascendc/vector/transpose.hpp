// Matrices with rows and columns exchanged: one of 16 by 16, those of address lists, and whole images.
#pragma once

#include "ascendc/vector/arithmetic.hpp"
#include "ascendc/vector/lanes.hpp"

namespace ascendc {

// Elements of a source by index to elements of a result by index.
template <class T, class Source>
void rearrange(Instruction& at, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, std::uint32_t n, Source source) {
    const auto to = operand(at, dst, "dst");
    const auto from = operand(at, src, "src");
    const auto bytes = n * static_cast<std::uint32_t>(sizeof(T));
    check_end(at, dst, to, std::uint64_t{to.address} + bytes);
    check_end(at, src, from, std::uint64_t{from.address} + bytes);
    at.uses(*from.memory, from.address, bytes, false);
    at.uses(*to.memory, to.address, bytes, true);
    std::vector<T> values(from.at(from.address), from.at(from.address) + n);
    std::vector<bool> unwritten(n);
    for (std::uint32_t i = 0; i < n; ++i) unwritten[i] = from.memory->any_unwritten(from.address + i * sizeof(T), sizeof(T));
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t k = source(i), byte = to.address + i * static_cast<std::uint32_t>(sizeof(T));
        *to.at(byte) = values[k];
        if (unwritten[k]) to.memory->set_unwritten(byte, sizeof(T));
        else to.memory->set_written(byte, sizeof(T));
    }
    at.takes(vector_start + bytes / 256.0);
}

struct Addresses {
    std::uint32_t at[16];
    std::uint32_t end[16];
};

// Sixteen blocks to sixteen blocks, each where its address says.
template <class T>
void transpose_lists(Instruction& at, const Addresses& dst, const Addresses& src, const AscendC::TransDataTo5HDParams& params) {
    static_assert(sizeof(T) <= 4, "this chip has no such instruction for the tensor's type");
    LocalMemory& memory = at.core.memory(AscendC::Hardware::UB);
    if (params.repeatTimes == 1 && (params.dstRepStride || params.srcRepStride))
        at.fail(Rule::count, "is given strides of repeats and one repeat; they must be 0 then");
    constexpr std::uint32_t width = sizeof(T), columns = width == 1 ? 16 : block_elements<T>;
    const auto check = [&](std::uint32_t byte, std::uint32_t end, const char* name, int i) {
        if (byte % block_bytes) at.fail(Rule::address, "takes ", name, " ", i, " at byte ", byte, "; its address must be a multiple of 32 bytes");
        if (byte + block_bytes > end || byte + block_bytes > memory.size())
            at.fail(Rule::bounds, "uses ", name, " ", i, " up to byte ", byte + block_bytes, " of UB; its buffer ends after byte ", end);
    };
    for (std::uint32_t repeat = 0; repeat < params.repeatTimes; ++repeat) {
        T values[16][columns];
        bool unwritten[16][columns];
        for (int i = 0; i < 16; ++i) {
            const std::uint32_t block = src.at[i] + repeat * params.srcRepStride * block_bytes;
            check(block, src.end[i], "src", i);
            const std::uint32_t byte = block + (width == 1 && params.srcHighHalf ? 16 : 0);
            at.uses(memory, byte, columns * width, false);
            std::memcpy(values[i], memory.at(byte), columns * width);
            for (std::uint32_t k = 0; k < columns; ++k) unwritten[i][k] = memory.any_unwritten(byte + k * width, width);
        }
        for (std::uint32_t i = 0; i < 16; ++i) {
            const std::uint32_t block = dst.at[i] + repeat * params.dstRepStride * block_bytes;
            check(block, dst.end[i], "dst", static_cast<int>(i));
            const std::uint32_t byte = block + (width == 1 && params.dstHighHalf ? 16 : 0);
            for (std::uint32_t k = 0; k < columns; ++k) {
                // Wide elements: eight of a block, so that two blocks of the result hold one column of sixteen.
                const std::uint32_t row = width == 4 ? i % 2 * 8 + k : k, column = width == 4 ? i / 2 : i;
                store(at, memory, byte + k * width, values[row][column], unwritten[row][column]);
            }
        }
    }
    at.takes(vector_start + params.repeatTimes * 2.0);
}

// Addresses that GetPhyAddr gave.
inline Addresses addresses_of(Instruction& at, const std::uint64_t* list) {
    LocalMemory& memory = at.core.memory(AscendC::Hardware::UB);
    Addresses found;
    for (int i = 0; i < 16; ++i) {
        const std::uint64_t byte = list[i] - reinterpret_cast<std::uintptr_t>(memory.at(0));
        if (byte >= memory.size()) at.fail(Rule::address, "is given address ", i, " of a list, which is none of UB; take it from GetPhyAddr");
        found.at[i] = static_cast<std::uint32_t>(byte);
        found.end[i] = memory.size();
    }
    return found;
}
template <class T>
Addresses addresses_of(Instruction& at, const AscendC::LocalTensor<T>* list, const char* name) {
    Addresses found;
    for (int i = 0; i < 16; ++i) {
        found.at[i] = operand(at, list[i], name).address;
        found.end[i] = list[i].place().end;
    }
    return found;
}

}  // namespace ascendc

namespace AscendC {

template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::check_type<T, half, std::int16_t, std::uint16_t>();
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { Transpose<T>(dst, src, where); });
    ascendc::Instruction at("Transpose", ascendc::Pipe::V, where);
    ascendc::rearrange(at, dst, src, 256, [](std::uint32_t i) { return i % 16 * 16 + i / 16; });
}
// Images whose channels go to the end or come to the front, or one matrix of 16-bit numbers.
template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& tmp, const TransposeParamsExt& params,
               ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { Transpose<T>(dst, src, tmp, params, where); });
    ascendc::Instruction at("Transpose", ascendc::Pipe::V, where);
    (void)ascendc::operand(at, tmp, "sharedTmpBuffer");
    const std::uint32_t n = params.nSize, c = params.cSize, area = params.hSize * params.wSize;
    switch (params.transposeType) {
        case TransposeType::TRANSPOSE_ND2ND_B16:
            return ascendc::rearrange(at, dst, src, 256, [](std::uint32_t i) { return i % 16 * 16 + i / 16; });
        case TransposeType::TRANSPOSE_NCHW2NHWC:
            return ascendc::rearrange(at, dst, src, n * c * area,
                                      [=](std::uint32_t i) { return i / (c * area) * c * area + i % c * area + i / c % area; });
        case TransposeType::TRANSPOSE_NHWC2NCHW:
            return ascendc::rearrange(at, dst, src, n * c * area,
                                      [=](std::uint32_t i) { return i / (c * area) * c * area + i % area * c + i / area % c; });
        default: at.fail(ascendc::Rule::type, "has no such kind of transposition");
    }
}

template <class T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16], const TransDataTo5HDParams& params,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V))
        return ascendc::postpone(ascendc::Pipe::V, [=] { TransDataTo5HD<T>(dstList, srcList, params, where); });
    ascendc::Instruction at("TransDataTo5HD", ascendc::Pipe::V, where);
    const auto dst = ascendc::addresses_of(at, dstList, "dst"), src = ascendc::addresses_of(at, srcList, "src");
    ascendc::transpose_lists<T>(at, dst, src, params);
}
template <class T>
void TransDataTo5HD(std::uint64_t dstList[16], std::uint64_t srcList[16], const TransDataTo5HDParams& params,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) {
        std::array<std::uint64_t, 16> dst, src;
        std::copy_n(dstList, 16, dst.begin());
        std::copy_n(srcList, 16, src.begin());
        return ascendc::postpone(ascendc::Pipe::V, [=]() mutable { TransDataTo5HD<T>(dst.data(), src.data(), params, where); });
    }
    ascendc::Instruction at("TransDataTo5HD", ascendc::Pipe::V, where);
    const auto dst = ascendc::addresses_of(at, dstList), src = ascendc::addresses_of(at, srcList);
    ascendc::transpose_lists<T>(at, dst, src, params);
}
// The lists lie in UB.
template <class T>
void TransDataTo5HD(const LocalTensor<std::uint64_t>& dst, const LocalTensor<std::uint64_t>& src, const TransDataTo5HDParams& params,
                    ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (ascendc::held(ascendc::Pipe::V)) return ascendc::postpone(ascendc::Pipe::V, [=] { TransDataTo5HD<T>(dst, src, params, where); });
    ascendc::Instruction at("TransDataTo5HD", ascendc::Pipe::V, where);
    const auto list = [&at](const LocalTensor<std::uint64_t>& tensor, const char* name) {
        const auto from = ascendc::operand(at, tensor, name);
        ascendc::check_end(at, tensor, from, from.address + 128);
        at.uses(*from.memory, from.address, 128, false);
        if (from.memory->any_unwritten(from.address, 128)) at.fail(ascendc::Rule::uninitialised, "takes addresses from ", name, " that nobody wrote");
        std::array<std::uint64_t, 16> values;
        std::memcpy(values.data(), from.memory->at(from.address), sizeof values);
        return values;
    };
    const auto to = list(dst, "dst"), from = list(src, "src");
    ascendc::transpose_lists<T>(at, ascendc::addresses_of(at, to.data()), ascendc::addresses_of(at, from.data()), params);
}

}  // namespace AscendC
